//! Requests that belong to a task: no notice ever cancels them (C-262).

use std::fmt;
use std::sync::Arc;

use mcp_jsonrpc::{Raw, RawParams, RequestOptions};
use mcp_types::{Extra, TaskMetadata};
use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::client::Inner;
use crate::error::ClientError;
use crate::params;
use crate::router::Router;

/// One request. Whoever gives it up tells the server nothing.
pub(super) async fn send(
    inner: &Inner,
    method: &str,
    params: Option<RawParams>,
    request: RequestOptions,
) -> Result<Raw, ClientError> {
    debug_assert!(request.cancel_notice.is_none(), "a task is ended by its own method only");
    let answer = inner.transport.request(method, params, request).await;
    answer.map_err(|error| {
        inner.remember_urls(&error);
        inner.unanswered(method, error)
    })
}

/// The params of `tools/call` that ask for a task.
pub(super) fn task_call<A: Serialize + ?Sized>(
    name: &str,
    arguments: &A,
    token: Option<i64>,
    task: &TaskMetadata,
) -> serde_json::Result<RawParams> {
    let params = params::of_tool_call(name, arguments, token)?;
    let mut members: Extra = serde_json::from_str(params.get())?;
    members.insert("task", to_raw_value(task)?);
    to_raw_value(&members)
}

/// Lets progress for a task arrive for as long as this lives.
pub(super) struct Progress {
    router: Arc<Router>,
    token: i64,
}

impl Progress {
    pub(super) fn new(router: &Arc<Router>, token: i64) -> Self {
        Self { router: router.clone(), token }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.router.progress.forget(self.token);
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Progress").field("token", &self.token).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::TaskMetadata;
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::task_call;

    #[test]
    fn a_call_as_a_task_is_the_call_and_the_wish() {
        let arguments = RawValue::from_string(r#"{"n":1e400}"#.to_owned()).unwrap();
        let params = task_call("t", &arguments, Some(0), &TaskMetadata::new(Some(5))).unwrap();
        let expected = r#"{"name":"t","arguments":{"n":1e400},"_meta":{"progressToken":0},"task":{"ttl":5}}"#;
        assert_eq!(params.get(), expected);
        let params = task_call("t", &(), None, &TaskMetadata::default()).unwrap();
        assert_eq!(params.get(), r#"{"name":"t","task":{}}"#);
        task_call("t", &json!([1]), None, &TaskMetadata::default()).unwrap_err();
    }
}
