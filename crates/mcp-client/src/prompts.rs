//! Prompts: listing them, and their messages.

use std::collections::BTreeMap;

use mcp_jsonrpc::Raw;
use mcp_types::{
    GetPrompt, GetPromptParams, GetPromptResult, ListPrompts, ListPromptsResult, Method, Prompt,
};

use crate::client::Client;
use crate::error::ClientError;
use crate::list::Page;
use crate::options::CallOptions;

impl Client {
    /// All prompts of the server.
    ///
    /// # Errors
    ///
    /// As [`list_prompts_with`](Self::list_prompts_with).
    ///
    /// # Cancel safety
    ///
    /// As [`list_prompts_with`](Self::list_prompts_with).
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, ClientError> {
        self.list_prompts_with(CallOptions::default()).await
    }

    /// All prompts of the server, all pages of them. Bounds and timeouts are as with
    /// [`list_raw`](Self::list_raw).
    ///
    /// # Errors
    ///
    /// As [`list_raw`](Self::list_raw).
    ///
    /// # Cancel safety
    ///
    /// As [`list_raw`](Self::list_raw).
    pub async fn list_prompts_with(&self, options: CallOptions) -> Result<Vec<Prompt>, ClientError> {
        let read = |page: &Raw| {
            let page: ListPromptsResult = page.parse()?;
            Ok(Page { items: page.prompts, next: page.next_cursor })
        };
        self.inner.list(ListPrompts::NAME, options, read).await
    }

    /// The messages of a prompt.
    ///
    /// # Errors
    ///
    /// As [`get_prompt_with`](Self::get_prompt_with).
    ///
    /// # Cancel safety
    ///
    /// As [`get_prompt_with`](Self::get_prompt_with).
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
    ) -> Result<GetPromptResult, ClientError> {
        self.get_prompt_with(name, arguments, CallOptions::default()).await
    }

    /// The messages of a prompt with these arguments filled in; where there are none, the member is left
    /// out.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call). An unknown prompt and a missing argument are errors of the server.
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call).
    pub async fn get_prompt_with(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
        options: CallOptions,
    ) -> Result<GetPromptResult, ClientError> {
        let mut params = GetPromptParams::new(name);
        params.arguments = (!arguments.is_empty()).then_some(arguments);
        self.call::<GetPrompt>(&params, options).await
    }
}
