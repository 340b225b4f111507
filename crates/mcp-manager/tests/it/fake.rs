//! Servers in memory that do as they are told.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use mcp_client::ClientOptions;
use mcp_jsonrpc::testing::{MemoryPeer, MemoryTransport};
use mcp_jsonrpc::{
    CallError, Connect, Handler, IdFormat, NotifyOptions, OpenError, Raw, RawParams, RequestOptions, Status,
    Transport,
};
use mcp_manager::{ManagerOptions, ServerSpec};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What one connection of a server does.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// The connection is refused.
    pub(crate) refuses: bool,
    /// How long `initialize` takes; `None` is never answered.
    pub(crate) starts_in: Option<Duration>,
    pub(crate) tools: Vec<&'static str>,
    /// How long after the listing the server goes away by itself.
    pub(crate) ends_in: Option<Duration>,
    /// How long a close takes.
    pub(crate) closes_in: Duration,
    /// Goes away instead of answering a call.
    pub(crate) dies_on_call: bool,
    /// Announces a change of its tools whenever it is asked for them.
    pub(crate) announces: bool,
    /// Offers tools.
    pub(crate) offers: bool,
    /// Knows `tools/list`, whether or not it offers tools.
    pub(crate) knows_tools: bool,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            refuses: false,
            starts_in: Some(Duration::ZERO),
            tools: vec!["echo"],
            ends_in: None,
            closes_in: Duration::ZERO,
            dies_on_call: false,
            announces: false,
            offers: true,
            knows_tools: true,
        }
    }
}

/// A server, and what was seen of it.
pub(crate) struct Fake {
    script: Box<dyn Fn(usize) -> Script + Send + Sync>,
    /// Connections asked for.
    pub(crate) attempts: AtomicUsize,
    /// Connections that are there now.
    pub(crate) live: AtomicUsize,
    /// The most that were there at once.
    pub(crate) most: AtomicUsize,
    /// `tools/list` asked.
    pub(crate) lists: AtomicUsize,
    /// `tools/call` received.
    pub(crate) calls: AtomicUsize,
}

impl Fake {
    /// The same script for each connection.
    pub(crate) fn new(script: Script) -> Arc<Self> {
        Self::by(move |_| script.clone())
    }

    /// A script for each connection, by its number from 0.
    pub(crate) fn by(script: impl Fn(usize) -> Script + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            script: Box::new(script),
            attempts: AtomicUsize::new(0),
            live: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            lists: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
        })
    }

    pub(crate) fn spec(self: &Arc<Self>, name: &str) -> ServerSpec {
        ServerSpec::new(name, Arc::new(Way(self.clone())))
    }

    pub(crate) fn attempts(&self) -> usize {
        self.attempts.load(Ordering::SeqCst)
    }

    /// Waits until no connection is there.
    pub(crate) async fn gone(&self) {
        let gone = async {
            while self.live.load(Ordering::SeqCst) > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(1), gone).await.unwrap();
    }
}

pub(crate) fn options() -> ManagerOptions {
    ManagerOptions::new(ClientOptions::new("test", "1"))
}

/// Lets simulated time pass.
pub(crate) async fn pass(time: Duration) {
    tokio::time::sleep_until(tokio::time::Instant::now() + time).await;
}

pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// How a fake is connected to.
struct Way(Arc<Fake>);

#[async_trait]
impl Connect for Way {
    fn label(&self) -> String {
        "fake".to_owned()
    }

    async fn connect(&self, handler: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, OpenError> {
        let fake = self.0.clone();
        let script = (fake.script)(fake.attempts.fetch_add(1, Ordering::SeqCst));
        if script.refuses {
            return Err(OpenError::new(io::Error::other("refused as told")));
        }
        let (transport, peer) = MemoryTransport::pair(handler, Duration::from_secs(30), IdFormat::Number);
        let live = fake.live.fetch_add(1, Ordering::SeqCst) + 1;
        fake.most.fetch_max(live, Ordering::SeqCst);
        let (closes_in, gone) = (script.closes_in, CancellationToken::new());
        tokio::spawn({
            let gone = gone.clone();
            async move {
                gone.run_until_cancelled(serve(&fake, &script, peer)).await;
                fake.live.fetch_sub(1, Ordering::SeqCst);
            }
        });
        Ok(Arc::new(Watched { transport, closes_in, gone }))
    }
}

/// A transport that tells its peer when it is closed or dropped.
struct Watched {
    transport: Arc<MemoryTransport>,
    closes_in: Duration,
    gone: CancellationToken,
}

#[async_trait]
impl Transport for Watched {
    async fn request(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: RequestOptions,
    ) -> Result<Raw, CallError> {
        self.transport.request(method, params, options).await
    }

    async fn notify(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: NotifyOptions,
    ) -> Result<(), CallError> {
        self.transport.notify(method, params, options).await
    }

    fn now(&self) -> Instant {
        self.transport.now()
    }

    async fn pause(&self, time: Duration) {
        self.transport.pause(time).await;
    }

    fn is_connected(&self) -> bool {
        self.transport.is_connected()
    }

    fn status(&self) -> Status {
        self.transport.status()
    }

    async fn close(&self) {
        pass(self.closes_in).await;
        self.transport.close().await;
        self.gone.cancel();
    }

    fn abandon(&self) {
        self.transport.abandon();
        self.gone.cancel();
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.gone.cancel();
    }
}

/// Plays a server until its client is gone or its script ends.
async fn serve(fake: &Fake, script: &Script, mut peer: MemoryPeer) {
    let mut ends = None;
    loop {
        let next = match ends {
            None => peer.next().await,
            Some(at) => match tokio::time::timeout_at(at, peer.next()).await {
                Ok(next) => next,
                Err(_) => return peer.end(),
            },
        };
        match next["method"].as_str() {
            None => return,
            Some("initialize") => match script.starts_in {
                Some(delay) => {
                    pass(delay).await;
                    let tools = json!({ "tools": { "listChanged": true } });
                    peer.answer(
                        &next,
                        &json!({
                            "protocolVersion": "2025-11-25",
                            "capabilities": if script.offers { tools } else { json!({}) },
                            "serverInfo": { "name": "fake", "version": "1" }
                        }),
                    );
                }
                None => std::future::pending().await,
            },
            Some("tools/list") if !script.knows_tools => {
                peer.refuse(&next, &json!({ "code": -32601, "message": "Method not found" }));
            }
            Some("tools/list") => {
                fake.lists.fetch_add(1, Ordering::SeqCst);
                if script.announces {
                    peer.notify("notifications/tools/list_changed", &Value::Null);
                }
                let tools: Vec<_> =
                    script.tools.iter().map(|name| json!({ "name": name, "inputSchema": {} })).collect();
                peer.answer(&next, &json!({ "tools": tools }));
                ends = script.ends_in.map(|delay| tokio::time::Instant::now() + delay);
            }
            Some("tools/call") => {
                fake.calls.fetch_add(1, Ordering::SeqCst);
                if script.dies_on_call {
                    return peer.end();
                }
                let text = next["params"]["name"].clone();
                if text == "storm" {
                    for _ in 0..200 {
                        peer.notify("notifications/tools/list_changed", &Value::Null);
                    }
                }
                peer.answer(&next, &json!({ "content": [{ "type": "text", "text": text }] }));
            }
            Some(_) => {}
        }
    }
}
