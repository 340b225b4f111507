//! A user who agrees to everything that a server asks, and changes nothing in the form.

use async_trait::async_trait;
use mcp_client::{ElicitationHandler, FormAnswer, FormRequest, Refusal};

pub(crate) struct User;

#[async_trait]
impl ElicitationHandler for User {
    async fn form(&self, request: FormRequest) -> Result<FormAnswer, Refusal> {
        Ok(FormAnswer::Accept(request.form.defaults()))
    }
}
