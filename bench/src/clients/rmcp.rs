//! rmcp, the official SDK, with its transport for child processes.
#![expect(deprecated, reason = "log messages are, from a later revision on than the one spoken here")]

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};
use rmcp::model::{CallToolRequestParams, JsonObject, LoggingMessageNotificationParam};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use tokio::process::{Child, Command};

use super::{Client, Setup};
use crate::payload::{self, Checker};

/// As long a line as our own client accepts.
const MAX_LINE: usize = 64 * 1024 * 1024;

pub(crate) struct Rmcp {
    service: RunningService<RoleClient, Counter>,
    notifications: Arc<AtomicU64>,
    /// Only where its own transport for child processes, which would keep it, cannot be used.
    child: Option<Child>,
}

#[derive(Default)]
struct Counter(Arc<AtomicU64>);

impl ClientHandler for Counter {
    async fn on_logging_message(
        &self,
        _: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Client for Rmcp {
    async fn start(setup: &Setup) -> Result<Self> {
        let counter = Counter::default();
        let notifications = counter.0.clone();
        let mut command = Command::new(&setup.program);
        command.args(&setup.arguments);
        if !setup.has_largest {
            let service = counter.serve(TokioChildProcess::new(command)?).await?;
            return Ok(Self { service, notifications, child: None });
        }
        // The transport for child processes has a limit of 16 MiB a line that cannot be set; this
        // is the one that it consists of.
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = (child.stdout.take().context("no stdout")?, child.stdin.take().context("no stdin")?);
        let transport = AsyncRwTransport::new_client(pipes.0, pipes.1).with_max_line_length(MAX_LINE);
        Ok(Self { service: counter.serve(transport).await?, notifications, child: Some(child) })
    }

    async fn echo(&self, mark: &str, size: usize, check: &Checker) -> Result<()> {
        let mut arguments = JsonObject::new();
        arguments.insert("text".to_owned(), mark.into());
        arguments.insert("size".to_owned(), size.into());
        let call = CallToolRequestParams::new("echo").with_arguments(arguments);
        let result = self.service.call_tool(call).await?;
        ensure!(result.is_error != Some(true), "the tool failed");
        let text = result.content.first().and_then(|content| content.as_text()).context("no text")?;
        check.text(mark, size, &text.text)
    }

    async fn list(&self, expected: usize) -> Result<()> {
        let tools = self.service.list_all_tools().await?;
        payload::check_tools(tools.iter().map(|tool| tool.name.as_ref()), expected)
    }

    fn notifications(&self) -> u64 {
        self.notifications.load(Ordering::Relaxed)
    }

    async fn stop(self) -> Result<()> {
        self.service.cancel().await?;
        if let Some(mut child) = self.child {
            child.wait().await?;
        }
        Ok(())
    }
}
