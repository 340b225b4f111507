//! A server for one test, described by a script.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_jsonrpc::{CallError, Handler, Raw, RawParams, RequestOptions, Transport};
use mcp_transport_stdio::{StdioConfig, StdioTransport};

use crate::Recorder;

/// A scripted peer: the configuration that starts it, and the mark that finds its processes.
///
/// The script language is described in `src/bin/scripted-peer/main.rs`.
#[derive(Clone, Debug)]
pub struct Scripted {
    /// How it is started; a test changes what it wants to.
    pub config: StdioConfig,
    tag: String,
}

impl Scripted {
    /// A peer that follows `script`.
    pub fn new(script: &str) -> Self {
        let tag = unique("tag");
        let mut config = StdioConfig::new(crate::program("scripted-peer").display().to_string());
        config.args = vec![script.to_owned(), tag.clone()];
        config.name = Some("scripted".to_owned());
        Self { config, tag }
    }

    /// The same with a changed configuration.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut StdioConfig)) -> Self {
        change(&mut self.config);
        self
    }

    /// The same, whose calls have no deadline: what fails then does not fail by one.
    #[must_use]
    pub fn without_deadlines(self) -> Self {
        self.with(|config| config.timeout = std::time::Duration::ZERO)
    }

    /// Starts the peer.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub async fn connect(&self) -> (Arc<StdioTransport>, Arc<Recorder>) {
        let recorder = Recorder::new();
        (self.connect_to(recorder.clone()).await, recorder)
    }

    /// Starts the peer, with a handler of the test's own.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub async fn connect_to(&self, handler: Arc<dyn Handler>) -> Arc<StdioTransport> {
        let transport = StdioTransport::new(self.config.clone(), handler);
        transport.connect().await.expect("the scripted peer starts");
        Arc::new(transport)
    }

    /// What marks the processes of this peer on their command lines.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The processes of this peer that are alive, descendants included.
    #[cfg(target_os = "linux")]
    pub fn processes(&self) -> Vec<crate::processes::Process> {
        crate::processes::tagged(&self.tag)
    }
}

/// One request without params, bounded by the test's patience.
///
/// # Errors
///
/// As the transport's.
#[track_caller]
pub fn request<'a>(
    transport: &'a StdioTransport,
    method: &'a str,
) -> impl Future<Output = Result<Raw, CallError>> + use<'a> {
    crate::within(transport.request(method, None, RequestOptions::default()))
}

/// Params out of anything.
///
/// # Panics
///
/// If it does not serialise.
pub fn raw(value: &serde_json::Value) -> Option<RawParams> {
    Some(serde_json::value::to_raw_value(value).expect("a plain value serialises"))
}

/// A name that no other test has, on this machine and at this time.
pub(crate) fn unique(kind: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{kind}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
