//! One server: its connection, its tools, and one attempt at a time to connect it.

mod attempt;
mod lists;
mod opened;
mod state;
mod watch;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::{Client, ClientError};
use mcp_jsonrpc::{CallError, FailureKind};
use mcp_types::{Revision, Tool};
use tokio::sync::{Semaphore, watch as seen};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::{ManagerError, StartError};
use crate::events::{Hub, What};
use crate::options::ManagerOptions;
use crate::policy::{Asker, Backoff, Next, Pace};
use crate::spec::ServerSpec;

use self::state::Run;

pub(crate) use self::lists::{Topic, is_unknown_method};
pub(crate) use self::state::{Again, Live, State};

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
    state: seen::Sender<State>,
    tools: Mutex<ToolList>,
    backoff: Mutex<Backoff>,
    current: Mutex<Run>,
    /// The revision of the protocol that it spoke the last time.
    spoken: Mutex<Option<Revision>>,
}

/// The tools of a server, as last heard.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolList {
    pub(crate) tools: Arc<[Tool]>,
    /// Whether they come from the cache and were not confirmed yet.
    pub(crate) is_cached: bool,
    /// Whether the server itself has said so, be it that it has none.
    is_heard: bool,
}

impl Server {
    pub(crate) fn new(spec: ServerSpec, shared: Arc<Shared>) -> Arc<Self> {
        let policy = shared.options.reconnect.clone();
        Arc::new(Self {
            backoff: Mutex::new(Backoff::new(policy, spec.kind)),
            spec,
            shared,
            state: seen::Sender::new(State::Idle),
            tools: Mutex::default(),
            current: Mutex::new(Run::over()),
            spoken: Mutex::default(),
        })
    }

    /// What it spoke the last time, if it was connected before or its tools were cached.
    pub(crate) fn spoken(&self) -> Option<Revision> {
        *self.spoken_lock()
    }

    /// Takes the place of another one of its name: begins when nothing is left of that. If it is
    /// the same, its tools are as good as those of a cache, and its losses count.
    pub(crate) fn follow(&self, before: &Self) {
        *self.current() = before.current().clone();
        if self.spec.fingerprint == before.spec.fingerprint {
            *self.backoff() = before.backoff().clone();
            *self.spoken_lock() = before.spoken();
            let tools = before.tool_list().tools;
            *self.tools() = ToolList { is_cached: !tools.is_empty(), tools, is_heard: false };
        }
    }

    /// Takes the tools of the last run, if they are known and nothing newer is.
    pub(crate) async fn recall(&self) {
        let (Some(cache), Some(key)) = (&self.shared.options.cache, &self.spec.cache_key) else { return };
        if let Some(cached) = cache.load(key).await {
            if let Some(version) = Revision::parse(&cached.protocol_version) {
                self.spoken_lock().get_or_insert(version);
            }
            let mut tools = self.tools();
            if tools.tools.is_empty() && !tools.is_heard {
                *tools = ToolList { tools: cached.tools.into(), is_cached: true, is_heard: false };
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
        let run = Run { stop: self.shared.stop.child_token(), ended: CancellationToken::new() };
        let (mut at, mut before) = (None, Run::over());
        let begins = self.state.send_if_modified(|state| {
            let may_begin = match (&*state, by) {
                // Lost, which nobody has noted yet, it is no reason not to connect again.
                (State::Connected(live), Some(_)) => !live.is_good(),
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
                before = std::mem::replace(&mut *self.current(), run.clone());
                before.stop.cancel();
            }
            may_begin
        });
        if begins {
            self.publish(What::Connecting);
            self.shared.tasks.spawn(attempt::run(self.clone(), run, before, at));
        }
    }

    /// The session of this connection is lost: another one takes its place, once for all that find
    /// that out.
    pub(crate) fn renew(&self, client: &Client, again: Again) {
        if let State::Connected(live) = &*self.state.borrow()
            && live.client.is_same(client)
        {
            // Who was first has decided.
            let _ = live.lost.set(again);
            live.is_lost.cancel();
        }
    }

    /// Waits until the server is connected, or is not going to be.
    ///
    /// Cancel safety: dropping the future changes nothing.
    pub(crate) async fn ready(&self) -> Result<Live, Arc<StartError>> {
        let mut states = self.state.subscribe();
        let is_settled = |state: &State| match state {
            State::Connecting | State::Waiting(_) => false,
            // One that is lost is on its way into another state.
            State::Connected(live) => live.is_good(),
            _ => true,
        };
        let settled = states.wait_for(is_settled).await;
        match settled.as_deref() {
            Ok(State::Connected(live)) => Ok(live.clone()),
            Ok(State::Failed(error)) => Err(error.clone()),
            _ => Err(Arc::new(StartError::Disconnected { server: self.spec.name.clone() })),
        }
    }

    /// Waits until the server is connected, which is begun if need be, but no longer than `limit`,
    /// where zero is none.
    pub(crate) async fn ready_within(self: &Arc<Self>, limit: Duration) -> Result<Live, ManagerError> {
        self.want();
        let name = &self.spec.name;
        let ready = bounded(limit, self.ready()).await;
        let ready = ready.ok_or_else(|| ManagerError::NotReadyInTime { server: name.clone(), limit })?;
        ready.map_err(|source| ManagerError::NotReady { server: name.clone(), source })
    }

    /// Bounds a listing, all its pages, by the time that a start may take.
    pub(crate) async fn listed<T>(
        &self,
        listing: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ManagerError> {
        let limit = self.start_timeout();
        match bounded(limit, listing).await {
            Some(listed) => listed.map_err(|error| ManagerError::Client(Box::new(error))),
            None => Err(ManagerError::ListTooSlow { server: self.spec.name.clone(), limit }),
        }
    }

    /// Ends the connection, or the attempt at one. Nothing of it is left when this returns, unless
    /// closing takes longer than it may.
    pub(crate) async fn disconnect(&self) {
        let mut run = Run::over();
        let mut was_connected = false;
        self.state.send_modify(|state| {
            run = self.current().clone();
            run.stop.cancel();
            was_connected = matches!(state, State::Connected(_));
            *state = State::Disconnected;
        });
        self.backoff().stopped();
        run.ended.cancelled().await;
        if was_connected {
            self.publish(What::Closed { reason: "disconnected".into() });
        }
    }

    /// Whether it is connected, or will be without another word.
    pub(crate) fn is_on_its_way(&self) -> bool {
        match &*self.state.borrow() {
            State::Idle | State::Connecting | State::Waiting(_) => true,
            State::Connected(live) => live.is_good(),
            State::Failed(_) | State::Disconnected => false,
        }
    }

    /// Whether it was disconnected on purpose.
    pub(crate) fn is_unwanted(&self) -> bool {
        matches!(*self.state.borrow(), State::Disconnected)
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
        match client.list_tools().await {
            Ok(tools) => Ok(self.keep(client, tools).await),
            Err(error) => {
                if is_session_lost(&error) {
                    self.renew(client, Again::Now);
                }
                Err(error)
            }
        }
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
        *self.spoken_lock() = Some(client.agreed().version);
        self.cache(client, &tools).await;
        let mut known = self.tools();
        let is_new = !same(&known.tools, &tools);
        *known = ToolList { tools: tools.into(), is_cached: false, is_heard: true };
        is_new
    }

    async fn cache(&self, client: &Client, tools: &[Tool]) {
        let (Some(cache), Some(key)) = (&self.shared.options.cache, &self.spec.cache_key) else { return };
        let cached = crate::cache::CachedTools::of(client.agreed(), tools);
        cache.store(key, &cached).await;
    }

    /// Closes a connection within the limit; what is slower ends by itself. Where all is being
    /// dropped nothing waits: what is dropped ends at once.
    async fn within_close(&self, closing: impl Future<Output = ()>) {
        let limit = self.shared.options.close_timeout;
        let closing = tokio::time::timeout(limit, closing);
        if let Some(Err(_)) = self.shared.stop.run_until_cancelled(closing).await {
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

    fn spoken_lock(&self) -> MutexGuard<'_, Option<Revision>> {
        self.spoken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> MutexGuard<'_, Run> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the server has forgotten the session of this connection.
pub(crate) fn is_session_lost(error: &ClientError) -> bool {
    error.call_error().and_then(CallError::failure_kind) == Some(FailureKind::SessionLost)
}

/// Waits at most `limit`, where zero is none; `None` if that is too short.
async fn bounded<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    if limit.is_zero() {
        return Some(work.await);
    }
    tokio::time::timeout(limit, work).await.ok()
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
