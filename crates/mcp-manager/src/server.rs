//! One server: its connection, its tools, and one attempt at a time to connect it.

mod attempt;
mod watch;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::{Client, ClientError};
use mcp_types::Tool;
use tokio::sync::{Semaphore, watch as state};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::StartError;
use crate::events::{Hub, What};
use crate::options::ManagerOptions;
use crate::policy::{Asker, Backoff, Next, Pace};
use crate::spec::ServerSpec;

/// What the servers of one manager share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: ManagerOptions,
    pub(crate) hub: Hub,
    /// Places for connections that are being made.
    pub(crate) starts: Arc<Semaphore>,
    /// Spaces out processes that come back.
    pub(crate) pace: Mutex<Pace>,
    pub(crate) tasks: TaskTracker,
    /// Ends everything.
    pub(crate) stop: CancellationToken,
}

/// One managed server.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) spec: ServerSpec,
    pub(crate) shared: Arc<Shared>,
    state: state::Sender<State>,
    tools: Mutex<ToolList>,
    backoff: Mutex<Backoff>,
    /// Ends the attempt or connection at hand, and all that comes of it.
    current: Mutex<CancellationToken>,
}

/// Where a server stands.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// Nobody has asked for it yet.
    Idle,
    Connecting,
    Connected(Live),
    /// It failed or was lost, and the policy brings it back later.
    Waiting(Arc<StartError>),
    /// It failed or was lost, and stays so until it is asked for.
    Failed(Arc<StartError>),
    /// It was disconnected on purpose.
    Disconnected,
}

/// A connection.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) client: Client,
    /// Asks for a new connection in place of this one, whose session is lost.
    renew: CancellationToken,
}

/// The tools of a server, as last heard.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolList {
    pub(crate) tools: Arc<[Tool]>,
    /// Whether they come from the cache and were not confirmed yet.
    pub(crate) is_cached: bool,
}

impl Server {
    pub(crate) fn new(spec: ServerSpec, shared: Arc<Shared>) -> Arc<Self> {
        let policy = shared.options.reconnect.clone();
        Arc::new(Self {
            backoff: Mutex::new(Backoff::new(policy, spec.kind)),
            spec,
            shared,
            state: state::Sender::new(State::Idle),
            tools: Mutex::default(),
            current: Mutex::new(CancellationToken::new()),
        })
    }

    /// Takes the tools of the last run, if they are known and nothing newer is.
    pub(crate) async fn recall(&self) {
        let (Some(cache), Some(key)) = (&self.shared.options.cache, &self.spec.cache_key) else { return };
        if let Some(cached) = cache.load(key).await {
            let mut tools = self.tools();
            if tools.tools.is_empty() {
                *tools = ToolList { tools: cached.tools.into(), is_cached: true };
            }
        }
    }

    /// Begins to connect, unless it is connected or being connected: overlapping attempts are one.
    pub(crate) fn start(self: &Arc<Self>) {
        self.begin(Some(Asker::Reconnect));
    }

    /// Something needs the server: connects it if nobody asked for it before, or if the policy
    /// brings it back.
    pub(crate) fn want(self: &Arc<Self>) {
        self.begin(None);
    }

    fn begin(self: &Arc<Self>, by: Option<Asker>) {
        let token = self.shared.stop.child_token();
        let mut at = None;
        let begins = self.state.send_if_modified(|state| {
            let may_begin = match (&*state, by) {
                (State::Connecting | State::Connected(_), _) | (State::Waiting(_), None) => return false,
                (State::Idle, _) => true,
                (_, by) => match self.backoff().asked(now(), by.unwrap_or(Asker::Call)) {
                    Next::RetryAt(next) => {
                        at = Some(next);
                        true
                    }
                    Next::GaveUp { .. } | Next::Off => false,
                },
            };
            if may_begin {
                *state = State::Connecting;
                // Set before anybody can see the new state, so that a disconnect finds it.
                std::mem::replace(&mut *self.current(), token.clone()).cancel();
            }
            may_begin
        });
        if begins {
            self.publish(What::Connecting);
            self.shared.tasks.spawn(attempt::run(self.clone(), token, at));
        }
    }

    /// The session of this connection is lost: a new one takes its place, once for all that find
    /// that out.
    pub(crate) fn renew(&self, client: &Client) {
        if let State::Connected(live) = &*self.state.borrow()
            && live.client.is_same(client)
        {
            live.renew.cancel();
        }
    }

    /// Waits until the server is connected, or is not going to be.
    ///
    /// Cancel safety: dropping the future changes nothing.
    pub(crate) async fn ready(&self) -> Result<Client, Arc<StartError>> {
        let mut states = self.state.subscribe();
        let is_settled = |state: &State| match state {
            State::Connecting | State::Waiting(_) => false,
            State::Connected(live) => !live.renew.is_cancelled(),
            _ => true,
        };
        let settled = states.wait_for(is_settled).await;
        match settled.as_deref() {
            Ok(State::Connected(live)) => Ok(live.client.clone()),
            Ok(State::Failed(error)) => Err(error.clone()),
            _ => Err(Arc::new(StartError::Disconnected { server: self.spec.name.clone() })),
        }
    }

    /// Ends the connection, or the attempt at one. Nothing of it is left when this returns.
    pub(crate) async fn disconnect(&self) {
        self.current().cancel();
        let before = self.state.send_replace(State::Disconnected);
        self.backoff().stopped();
        if let State::Connected(live) = before {
            self.close(live.client).await;
            self.publish(What::Closed { reason: "disconnected".into() });
        }
    }

    pub(crate) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// The tools as last heard.
    pub(crate) fn tool_list(&self) -> ToolList {
        self.tools().clone()
    }

    /// Asks the server for its tools again.
    pub(crate) async fn refresh(&self, client: &Client) -> Result<bool, ClientError> {
        let tools = client.list_tools().await?;
        Ok(self.keep(client, tools).await)
    }

    /// The state changes to `next`, if the attempt or connection of `token` is still the one at hand.
    fn turn(&self, token: &CancellationToken, next: State) -> bool {
        self.state.send_if_modified(|state| {
            let is_current = !token.is_cancelled() && !matches!(state, State::Disconnected);
            if is_current {
                *state = next.clone();
            }
            is_current
        })
    }

    /// Takes a fresh list of tools; true if it differs from what was known.
    async fn keep(&self, client: &Client, tools: Vec<Tool>) -> bool {
        self.cache(client, &tools).await;
        let mut known = self.tools();
        let is_new = !same(&known.tools, &tools);
        *known = ToolList { tools: tools.into(), is_cached: false };
        is_new
    }

    async fn cache(&self, client: &Client, tools: &[Tool]) {
        let (Some(cache), Some(key)) = (&self.shared.options.cache, &self.spec.cache_key) else { return };
        let cached = crate::cache::CachedTools::of(client.agreed(), tools);
        cache.store(key, &cached).await;
    }

    /// Closes a client within the limit; what is slower ends by itself.
    async fn close(&self, client: Client) {
        let limit = self.shared.options.close_timeout;
        if tokio::time::timeout(limit, client.close()).await.is_err() {
            tracing::warn!(server = &*self.spec.name, "closing takes longer than {limit:?}");
        }
    }

    /// The moment at which this process may come back, for the sake of the others.
    fn pace(&self, now: std::time::Instant) -> std::time::Instant {
        self.shared.pace.lock().unwrap_or_else(PoisonError::into_inner).place(now)
    }

    fn publish(&self, what: What) {
        self.shared.hub.publish(&self.spec.name, what);
    }

    pub(crate) fn start_timeout(&self) -> Duration {
        self.spec.start_timeout.unwrap_or(self.shared.options.start_timeout)
    }

    fn tools(&self) -> MutexGuard<'_, ToolList> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn backoff(&self) -> MutexGuard<'_, Backoff> {
        self.backoff.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> MutexGuard<'_, CancellationToken> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The clock of the policy: tokio's, which tests can pause.
fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// Any number: the standard library seeds its hashers from the system.
fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};

    RandomState::new().hash_one(0_u8)
}

/// Whether two lists would look the same to a model.
fn same(one: &[Tool], other: &[Tool]) -> bool {
    let texts = |tools: &[Tool]| serde_json::to_string(tools).ok();
    one.len() == other.len() && texts(one) == texts(other)
}
