//! This client, as anybody would use it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};
use async_trait::async_trait;
use mcp_client::{ClientOptions, Delegate};
use mcp_jsonrpc::Notification;
use mcp_transport_http::HttpConfig;
use mcp_transport_stdio::StdioConfig;
use serde::Serialize;

use super::{Client, Setup};
use crate::payload::{self, Checker};
use crate::peer::Peer;

pub(crate) struct Ours {
    client: mcp_client::Client,
    counter: Arc<Counter>,
}

#[derive(Default)]
struct Counter(AtomicU64);

#[async_trait]
impl Delegate for Counter {
    fn on_notification(&self, notification: &Notification<'_>) {
        if notification.method == "notifications/message" {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[derive(Serialize)]
struct Arguments<'a> {
    text: &'a str,
    size: usize,
}

impl Client for Ours {
    async fn start(setup: &Setup) -> Result<Self> {
        let counter = Arc::new(Counter::default());
        let mut options = ClientOptions::new("bench", "1");
        options.delegate = Some(counter.clone());
        let client = match &setup.peer {
            Peer::Program(program) => {
                let path = program.path.to_str().context("the path of this program is not UTF-8")?;
                let server = StdioConfig::new(path).with_args(program.arguments.iter().cloned());
                mcp_client::Client::connect(&server, options).await?
            }
            Peer::Url(url) => mcp_client::Client::connect(&HttpConfig::new(url)?, options).await?,
        };
        Ok(Self { client, counter })
    }

    async fn echo(&self, mark: &str, size: usize, check: &Checker) -> Result<()> {
        let result = self.client.call_tool("echo", &Arguments { text: mark, size }).await?;
        ensure!(!result.is_error(), "the tool failed");
        let text = result.content.first().and_then(|content| content.as_text()).context("no text")?;
        check.text(mark, size, text)
    }

    async fn list(&self, expected: usize) -> Result<()> {
        let tools = self.client.list_tools().await?;
        payload::check_tools(tools.iter().map(|tool| tool.name.as_str()), expected)
    }

    fn notifications(&self) -> u64 {
        self.counter.0.load(Ordering::Relaxed)
    }

    async fn stop(self) -> Result<()> {
        self.client.close().await;
        Ok(())
    }
}
