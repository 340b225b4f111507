//! A user who agrees to everything that a server asks, and changes nothing in the form.

use async_trait::async_trait;
use mcp_client::{Delegate, ServerRequest};
use mcp_types::ErrorObject;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::example;

pub(crate) struct User;

#[async_trait]
impl Delegate for User {
    async fn on_request(&self, request: ServerRequest) -> Result<Box<RawValue>, ErrorObject> {
        if request.method != "elicitation/create" {
            return Err(ErrorObject::method_not_found(&request.method));
        }
        let params = request.params.ok_or_else(|| ErrorObject::invalid_params("there are no params"))?;
        let params: Value = params.parse().map_err(|error| ErrorObject::invalid_params(error.to_string()))?;
        to_raw_value(&accept(&params)?).map_err(|error| ErrorObject::internal(error.to_string()))
    }
}

/// Only forms were declared.
fn accept(params: &Value) -> Result<Value, ErrorObject> {
    match params.get("requestedSchema") {
        Some(schema) => Ok(json!({"action": "accept", "content": example::filled_in(schema)})),
        None => Err(ErrorObject::invalid_params("there is no `requestedSchema`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_accepted_with_its_defaults() {
        let properties = json!({"age": {"type": "integer", "default": 30}, "nick": {"type": "string"}});
        let params = json!({"message": "?", "requestedSchema": {"type": "object", "properties": properties}});
        assert_eq!(accept(&params).unwrap(), json!({"action": "accept", "content": {"age": 30}}));
    }

    #[test]
    fn what_is_no_form_is_refused() {
        let params = json!({"mode": "url", "url": "https://example.com", "message": "?"});
        assert_eq!(accept(&params).unwrap_err().code, -32602);
    }
}
