//! Calling a tool and checking what it gives back.

use mcp_jsonrpc::Sample;
use mcp_types::{CallToolResult, Tool};
use serde::Serialize;

use super::cache::OutputSchemas;
use super::error::CheckedCallError;
use crate::client::Client;
use crate::options::CallOptions;

impl Client {
    /// Calls a tool as [`call_tool_with`](Self::call_tool_with) does, and checks its structured result against
    /// the schema that the tool was listed with (C-184). A tool without one is called without a check, and a
    /// result with `isError` is `Ok` as it is. Behind the feature `output-schema`.
    ///
    /// The schema is compiled first, or taken from `schemas`: where it cannot be used, the tool is not called.
    ///
    /// # Errors
    ///
    /// [`Schema`](CheckedCallError::Schema) before the call, [`Call`](CheckedCallError::Call) as
    /// `call_tool_with`, [`Output`](CheckedCallError::Output) after it, with the result.
    ///
    /// # Cancel safety
    ///
    /// As [`call_tool_with`](Self::call_tool_with).
    pub async fn call_tool_checked(
        &self,
        tool: &Tool,
        arguments: &impl Serialize,
        options: CallOptions,
        schemas: &OutputSchemas,
    ) -> Result<CallToolResult, CheckedCallError> {
        let server = &self.inner.server;
        let name = || Sample::of(tool.name.as_bytes());
        let schema = match tool.output_schema.as_deref().map(|schema| schemas.compiled(schema)).transpose() {
            Ok(schema) => schema,
            Err(source) => {
                return Err(CheckedCallError::Schema { server: server.clone(), tool: name(), source });
            }
        };
        let result = self.call_tool_with(&tool.name, arguments, options).await?;
        match schema.map(|schema| schema.check(&result)) {
            None | Some(Ok(())) => Ok(result),
            Some(Err(source)) => {
                let (server, result) = (server.clone(), Box::new(result));
                Err(CheckedCallError::Output { server, tool: name(), source, result })
            }
        }
    }
}
