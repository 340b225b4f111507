//! Calling tools, and what becomes of a call that fails.

use mcp_client::{CallOptions, ClientError};
use mcp_jsonrpc::FailureKind;
use mcp_types::CallToolResult;
use serde::Serialize;

use crate::error::ManagerError;
use crate::manager::Manager;
use crate::policy::{Outcome, Repeat};
use crate::server::{Again, Live, is_session_lost};

impl Manager {
    /// Calls a tool. If its server is not connected yet, waits for that, at most as long as a start
    /// may take, and then runs it once.
    ///
    /// # Errors
    ///
    /// See [`ManagerError`]. An error of the server itself is [`ManagerError::Client`].
    ///
    /// # Cancel safety
    ///
    /// As [`Client::call_tool_with`](mcp_client::Client::call_tool_with); while the server is not ready, nothing was sent.
    pub async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: &impl Serialize,
        options: CallOptions,
    ) -> Result<CallToolResult, ManagerError> {
        let live = self.live(server).await?;
        let call = live.calls.token();
        let error = match live.client.call_tool_with(tool, arguments, options.clone()).await {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        drop(call);
        self.note_lost_session(server, &live, &error, Again::Now);
        match self.repeat(server, tool, &live, &error) {
            Repeat::Never(outcome) => Err(unanswered(tool, error, outcome)),
            Repeat::Once => {
                let live = self.live(server).await?;
                let _call = live.calls.token();
                let again = live.client.call_tool_with(tool, arguments, options).await;
                again.map_err(|error| {
                    // Lost as soon as it was made: the next one waits, as after any other loss.
                    self.note_lost_session(server, &live, &error, Again::Later);
                    let outcome = error.call_error().map_or(Outcome::Answered, Outcome::of);
                    unanswered(tool, error, outcome)
                })
            }
        }
    }

    /// A connection without its session is of no use: another takes its place, or without a policy
    /// the server counts as lost, so that it can be connected again.
    fn note_lost_session(&self, server: &str, live: &Live, error: &ClientError, again: Again) {
        if is_session_lost(error)
            && let Some(server) = self.known(server)
        {
            server.renew(&live.client, again);
        }
    }

    /// Whether a call that failed is made once more.
    fn repeat(&self, server: &str, tool: &str, live: &Live, error: &ClientError) -> Repeat {
        let Some(error) = error.call_error() else { return Repeat::Never(Outcome::Answered) };
        // Another call lost the session, and this one came to the server without (case 87).
        let lacks_session = matches!(error.failure_kind(), Some(FailureKind::Status(400 | 404)));
        if live.is_session_lost() && lacks_session && self.options().reconnect.enabled {
            return Repeat::Once;
        }
        let list = self.server(server).map(|server| server.tool_list()).unwrap_or_default();
        let known = list.tools.iter().find(|known| known.name == tool);
        let annotations = known.and_then(|tool| tool.annotations.as_ref());
        Repeat::of(error, annotations, &self.options().reconnect)
    }
}

/// A failure of a call. Where its answer is lost, nobody knows what became of it (case 105).
fn unanswered(tool: &str, error: ClientError, outcome: Outcome) -> ManagerError {
    match &error {
        ClientError::Call { server, .. } if outcome == Outcome::Unknown => ManagerError::OutcomeUnknown {
            server: server.clone(),
            tool: tool.into(),
            source: Box::new(error),
        },
        _ => ManagerError::Client(Box::new(error)),
    }
}
