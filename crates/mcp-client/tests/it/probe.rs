//! A transport in memory that writes down what is done to it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use mcp_jsonrpc::testing::{MemoryConnect, MemoryPeer};
use mcp_jsonrpc::{
    CallError, Connect, Handler, NotifyOptions, OpenError, Phase, Raw, RawParams, RequestOptions, Status,
    Transport,
};
use tokio::sync::mpsc;

/// Connects to memory through a [`Probe`].
pub(crate) struct ProbeConnect {
    inner: MemoryConnect,
    /// What its transports will say they have received.
    pub(crate) received: u64,
    /// Whether its transports will say that they have headers.
    pub(crate) mirrors: bool,
    log: Log,
}

#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

struct Probe {
    inner: Arc<dyn Transport>,
    received: u64,
    mirrors: bool,
    log: Log,
}

impl ProbeConnect {
    pub(crate) fn new() -> (Self, mpsc::Receiver<MemoryPeer>, Log) {
        let (inner, peers) = MemoryConnect::new();
        let log = Log::default();
        (Self { inner, received: 0, mirrors: false, log: log.clone() }, peers, log)
    }
}

impl Log {
    /// What happened so far, in order.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }
}

#[async_trait]
impl Connect for ProbeConnect {
    fn label(&self) -> String {
        "probe".to_owned()
    }

    async fn connect(&self, handler: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, OpenError> {
        let inner = self.inner.connect(handler).await?;
        let (received, mirrors) = (self.received, self.mirrors);
        Ok(Arc::new(Probe { inner, received, mirrors, log: self.log.clone() }))
    }
}

#[async_trait]
impl Transport for Probe {
    async fn request(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: RequestOptions,
    ) -> Result<Raw, CallError> {
        let tells = if options.cancel_notice.is_some() { ", can be cancelled" } else { "" };
        let mirrored: String =
            options.mirrored.iter().map(|it| format!(", {}: {}", it.header, it.value)).collect();
        self.log.add(format!("request {method}{tells}{mirrored}"));
        self.inner.request(method, params, options).await
    }

    async fn notify(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: NotifyOptions,
    ) -> Result<(), CallError> {
        self.log.add(format!("notify {method}"));
        self.inner.notify(method, params, options).await
    }

    fn enter(&self, phase: Phase<'_>) {
        self.log.add(format!("{phase:?}"));
    }

    fn mirrors(&self) -> bool {
        self.mirrors
    }

    fn now(&self) -> Instant {
        self.inner.now()
    }

    async fn pause(&self, time: Duration) {
        self.inner.pause(time).await;
    }

    fn is_connected(&self) -> bool {
        self.inner.is_connected()
    }

    fn status(&self) -> Status {
        let mut status = self.inner.status();
        status.received = self.received;
        "last words".clone_into(&mut status.stderr_tail);
        status
    }

    async fn close(&self) {
        self.log.add("close");
        self.inner.close().await;
    }

    fn abandon(&self) {
        self.log.add("abandon");
        self.inner.abandon();
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.log.add("drop");
    }
}
