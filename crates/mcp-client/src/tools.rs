//! Tools: listing and calling them.

use mcp_jsonrpc::Raw;
use mcp_types::{CallTool, CallToolResult, ListTools, ListToolsResult, Method, Tool};
use serde::Serialize;

use crate::client::Client;
use crate::error::ClientError;
use crate::list::Page;
use crate::modern::OnTask;
use crate::options::CallOptions;
use crate::params;

impl Client {
    /// All tools of the server.
    ///
    /// # Errors
    ///
    /// As [`list_tools_with`](Self::list_tools_with).
    ///
    /// # Cancel safety
    ///
    /// As [`list_tools_with`](Self::list_tools_with).
    pub async fn list_tools(&self) -> Result<Vec<Tool>, ClientError> {
        self.list_tools_with(CallOptions::default()).await
    }

    /// All tools of the server, all pages of them. Bounds and timeouts are as with
    /// [`list_raw`](Self::list_raw).
    ///
    /// # Errors
    ///
    /// As [`list_raw`](Self::list_raw).
    ///
    /// # Cancel safety
    ///
    /// As [`list_raw`](Self::list_raw).
    pub async fn list_tools_with(&self, options: CallOptions) -> Result<Vec<Tool>, ClientError> {
        let read = |page: &Raw| {
            let page: ListToolsResult = page.parse()?;
            Ok(Page { items: page.tools, next: page.next_cursor })
        };
        self.inner.list(ListTools::NAME, options, read).await
    }

    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// As [`call_tool_with`](Self::call_tool_with).
    ///
    /// # Cancel safety
    ///
    /// As [`call_tool_with`](Self::call_tool_with).
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: &impl Serialize,
    ) -> Result<CallToolResult, ClientError> {
        self.call_tool_with(name, arguments, CallOptions::default()).await
    }

    /// Calls a tool. The arguments are anything that is written as an object, or `()` for none.
    ///
    /// A tool that ran and failed is `Ok`: see [`CallToolResult::is_error`].
    ///
    /// Where the extension for tasks is declared (2026-07-28), the server may make a task of the call. It
    /// is then followed to its end, as [`ClientOptions::task_polling`](crate::ClientOptions::task_polling)
    /// says, and its result is that of the call (C-382). [`request`](Self::request) yields the task instead.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call). An error of a task is one of the server, and a task that somebody ended is
    /// a [`ClientError::TaskCancelled`].
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call). A task whose call is given up, or fails here, is asked to end by
    /// `tasks/cancel` on a task of its own, unless
    /// [`send_cancelled`](crate::ClientOptions::send_cancelled) is off. It goes out only while the
    /// connection lasts: not if the last clone of the client is dropped along with the call.
    pub async fn call_tool_with(
        &self,
        name: &str,
        arguments: &impl Serialize,
        options: CallOptions,
    ) -> Result<CallToolResult, ClientError> {
        let inner = &*self.inner;
        inner.check_offered(CallTool::NAME)?;
        let write = |token| params::of_tool_call(name, arguments, token).map(Some);
        let answer = inner.send_written(CallTool::NAME, options, OnTask::Follow, write).await?;
        inner.read(CallTool::NAME, &answer)
    }
}
