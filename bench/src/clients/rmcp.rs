//! rmcp, the official SDK, with its transports for child processes and for HTTP.
#![expect(deprecated, reason = "log messages are, from a later revision on than the one spoken here")]

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};
use rmcp::model::{CallToolRequestParams, JsonObject, LoggingMessageNotificationParam};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use tokio::process::{Child, Command};

use super::{Client, Setup};
use crate::payload::{self, Checker};
use crate::peer::{Peer, Program};

/// As long a message as our own client accepts.
const MAX_MESSAGE: usize = 64 * 1024 * 1024;

/// POSTs at once, which is as many as there are callers; 16 by default.
const MAX_POSTS: usize = 64;

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
        match &setup.peer {
            Peer::Program(program) => Self::start_program(program, setup.has_largest).await,
            Peer::Url(url) => Self::connect(url).await,
        }
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

impl Rmcp {
    async fn start_program(program: &Program, has_largest: bool) -> Result<Self> {
        let counter = Counter::default();
        let notifications = counter.0.clone();
        let mut command = Command::new(&program.path);
        command.args(&program.arguments);
        if !has_largest {
            let service = counter.serve(TokioChildProcess::new(command)?).await?;
            return Ok(Self { service, notifications, child: None });
        }
        // The transport for child processes has a limit of 16 MiB a line that cannot be set; this
        // is the one that it consists of.
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = (child.stdout.take().context("no stdout")?, child.stdin.take().context("no stdin")?);
        let transport = AsyncRwTransport::new_client(pipes.0, pipes.1).with_max_line_length(MAX_MESSAGE);
        Ok(Self { service: counter.serve(transport).await?, notifications, child: Some(child) })
    }

    /// Tuned, for its own way opens a new connection for each call.
    async fn connect(url: &str) -> Result<Self> {
        let counter = Counter::default();
        let notifications = counter.0.clone();
        // It keeps idle connections, as reqwest does unless told otherwise.
        let http = reqwest::Client::builder().tcp_nodelay(true).no_proxy().build()?;
        let config = StreamableHttpClientTransportConfig::with_uri(url)
            .max_concurrent_requests(MAX_POSTS)
            .max_sse_event_size(MAX_MESSAGE)
            .max_json_response_size(MAX_MESSAGE);
        let service = counter.serve(StreamableHttpClientTransport::with_client(http, config)).await?;
        Ok(Self { service, notifications, child: None })
    }
}
