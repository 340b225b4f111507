//! The manager: a handle to many servers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::{CallOptions, Client, ClientError};
use mcp_jsonrpc::{CallError, FailureKind};
use mcp_types::CallToolResult;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::{ManagerError, StartError};
use crate::events::{Events, Hub};
use crate::names::{Collision, Registry};
use crate::options::ManagerOptions;
use crate::policy::{Outcome, Pace, Repeat};
use crate::report::{ServerStatus, StartReport};
use crate::server::{Server, Shared, State, ToolList};
use crate::spec::ServerSpec;
use crate::tools::ToolEntry;

/// Many servers. Clones share them; when the last clone is dropped without
/// [`shutdown`](Self::shutdown), all connections are dropped, which ends them at once.
#[derive(Clone)]
pub struct Manager {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    servers: Mutex<BTreeMap<Arc<str>, Arc<Server>>>,
}

impl Manager {
    /// Starts all servers at once, and returns when all are ready or have failed, or when the gate
    /// opens ([`ManagerOptions::gate`]), with what is known then (D-20). The others go on, and are
    /// announced as events. Servers whose tools are cached have them at once.
    ///
    /// Must be called on a tokio runtime.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends all that was started.
    pub async fn start(
        servers: impl IntoIterator<Item = ServerSpec>,
        options: ManagerOptions,
    ) -> (Self, StartReport) {
        let manager = Self::new(options);
        let specs: Vec<_> = servers.into_iter().collect();
        let gate = manager.inner.shared.options.gate;
        let mut recalling = JoinSet::new();
        for spec in specs {
            let is_lazy = spec.lazy;
            let server = manager.add(spec);
            recalling.spawn({
                let server = server.clone();
                async move { server.recall().await }
            });
            if !is_lazy {
                server.start();
            }
        }
        let settled = async {
            recalling.join_all().await;
            manager.settled().await;
        };
        // Whoever is not ready yet is in the report as such.
        let _ = tokio::time::timeout(gate, settled).await;
        let report = StartReport { servers: manager.status() };
        (manager, report)
    }

    /// A manager without servers.
    pub fn new(options: ManagerOptions) -> Self {
        let starts = options.max_starts.clamp(1, Semaphore::MAX_PERMITS);
        let shared = Arc::new(Shared {
            hub: Hub::new(options.event_capacity),
            starts: Arc::new(Semaphore::new(starts)),
            pace: Mutex::new(Pace::new(options.reconnect.pace)),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            options,
        });
        Self { inner: Arc::new(Inner { shared, servers: Mutex::default() }) }
    }

    /// Adds a server and connects it, and waits until it is ready. A server of the same name is
    /// disconnected first; if it is the same one ([`ServerSpec::fingerprint`]) and is connected or
    /// being connected, that is shared instead.
    ///
    /// # Errors
    ///
    /// Why it is not ready.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the server added, and being connected.
    pub async fn connect_to_server(&self, spec: ServerSpec) -> Result<Client, Arc<StartError>> {
        let server = match self.known(&spec.name) {
            Some(known) if known.spec.fingerprint == spec.fingerprint => known,
            Some(known) => {
                known.disconnect().await;
                self.add(spec)
            }
            None => self.add(spec),
        };
        server.recall().await;
        server.start();
        server.ready().await
    }

    /// Ends the connection of a server, or the attempt at one; nothing of it is left when this
    /// returns. The server stays known, and can be connected again.
    ///
    /// # Errors
    ///
    /// There is no such server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the connection closing.
    pub async fn disconnect(&self, server: &str) -> Result<(), ManagerError> {
        self.server(server)?.disconnect().await;
        Ok(())
    }

    /// Disconnects a server and forgets it.
    ///
    /// # Errors
    ///
    /// There is no such server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the connection closing.
    pub async fn remove(&self, server: &str) -> Result<(), ManagerError> {
        let removed = self.servers().remove(server);
        let removed = removed.ok_or_else(|| ManagerError::NoServer { server: server.to_owned() })?;
        removed.disconnect().await;
        Ok(())
    }

    /// Waits until every server that is being connected is connected or has failed, at most `limit`;
    /// yields where all stand then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn wait_ready(&self, limit: Duration) -> BTreeMap<Arc<str>, ServerStatus> {
        // Whoever is not ready then, the status says.
        let _ = tokio::time::timeout(limit, self.settled()).await;
        self.status()
    }

    /// All tools, those of the cache among them: by the name of the server, then in its own order,
    /// whatever the order of arrival.
    pub fn tools(&self) -> Vec<ToolEntry> {
        let lists = self.tool_lists();
        let registry = self.registry(&lists);
        let entries = lists.iter().flat_map(|(server, list)| {
            // Names come in the order of the list, without those that are not shown.
            let mut names = registry.of_server(&server.spec.name).iter().peekable();
            list.tools.iter().filter_map(move |tool| {
                let entry = names.next_if(|entry| *entry.origin.tool == *tool.name)?;
                Some(ToolEntry::new(server, tool.clone(), &entry.exposed, list.is_cached))
            })
        });
        entries.collect()
    }

    /// The tool that is exposed under this name.
    pub fn find(&self, exposed: &str) -> Option<ToolEntry> {
        let lists = self.tool_lists();
        let registry = self.registry(&lists);
        let origin = registry.origin(exposed)?;
        let (server, list) = lists.iter().find(|(server, _)| *server.spec.name == *origin.server)?;
        let tool = list.tools.iter().find(|tool| *tool.name == *origin.tool)?;
        Some(ToolEntry::new(server, tool.clone(), exposed, list.is_cached))
    }

    /// Tools whose names clash for a model; none of them keeps the name they would have alone.
    pub fn collisions(&self) -> Vec<Collision> {
        self.registry(&self.tool_lists()).collisions().to_vec()
    }

    fn tool_lists(&self) -> Vec<(Arc<Server>, ToolList)> {
        self.all().into_iter().map(|server| (server.clone(), server.tool_list())).collect()
    }

    fn registry(&self, lists: &[(Arc<Server>, ToolList)]) -> Registry {
        let shown = lists.iter().map(|(server, list)| {
            let tools = list.tools.iter().filter(|tool| server.spec.tools.shows(&tool.name));
            (&*server.spec.name, tools.map(|tool| &*tool.name).collect::<Vec<_>>())
        });
        Registry::build(shown, &self.inner.shared.options.names)
    }

    /// Calls a tool. If its server is not connected yet, waits for that, at most as long as a start
    /// may take, and then runs it once.
    ///
    /// # Errors
    ///
    /// See [`ManagerError`]. An error of the server itself is [`ManagerError::Client`].
    ///
    /// # Cancel safety
    ///
    /// As [`Client::call_tool_with`]; while the server is not ready, nothing was sent.
    pub async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: &impl Serialize,
        options: CallOptions,
    ) -> Result<CallToolResult, ManagerError> {
        let client = self.ready(server).await?;
        let error = match client.call_tool_with(tool, arguments, options.clone()).await {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        match self.repeat(server, tool, &error) {
            Repeat::Never(outcome) => Err(unanswered(tool, error, outcome)),
            Repeat::Once => {
                if error.call_error().and_then(CallError::failure_kind) == Some(FailureKind::SessionLost) {
                    self.server(server)?.renew(&client);
                }
                let client = self.ready(server).await?;
                let again = client.call_tool_with(tool, arguments, options).await;
                again.map_err(|error| {
                    let outcome = error.call_error().map_or(Outcome::Answered, Outcome::of);
                    unanswered(tool, error, outcome)
                })
            }
        }
    }

    /// Whether a call that failed is made once more.
    fn repeat(&self, server: &str, tool: &str, error: &ClientError) -> Repeat {
        let Some(error) = error.call_error() else { return Repeat::Never(Outcome::Answered) };
        let list = self.server(server).map(|server| server.tool_list()).unwrap_or_default();
        let known = list.tools.iter().find(|known| known.name == tool);
        let annotations = known.and_then(|tool| tool.annotations.as_ref());
        Repeat::of(error, annotations, &self.inner.shared.options.reconnect)
    }

    /// The client of a server, once it is connected; connects it if need be.
    ///
    /// # Errors
    ///
    /// There is no such server, or it is not ready, or not in time.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the server being connected.
    pub async fn ready(&self, server: &str) -> Result<Client, ManagerError> {
        let server = self.server(server)?;
        let name = &server.spec.name;
        server.want();
        let limit = server.start_timeout();
        let not_ready = |source| ManagerError::NotReady { server: name.clone(), source };
        if limit.is_zero() {
            return server.ready().await.map_err(not_ready);
        }
        match tokio::time::timeout(limit, server.ready()).await {
            Ok(ready) => ready.map_err(not_ready),
            Err(_) => Err(ManagerError::NotReadyInTime { server: name.clone(), limit }),
        }
    }

    /// Asks a server for its tools again; true if they changed.
    ///
    /// # Errors
    ///
    /// As [`ready`](Self::ready), or the listing failed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the listing up; the list stays as it was.
    pub async fn refresh_tools(&self, server: &str) -> Result<bool, ManagerError> {
        let client = self.ready(server).await?;
        self.server(server)?.refresh(&client).await.map_err(|error| ManagerError::Client(Box::new(error)))
    }

    /// Where all servers stand.
    pub fn status(&self) -> BTreeMap<Arc<str>, ServerStatus> {
        let status = |server: Arc<Server>| (server.spec.name.clone(), ServerStatus::of(&server));
        self.all().into_iter().map(status).collect()
    }

    /// A listener for what happens. The first one hears what happened since the start.
    pub fn events(&self) -> Events {
        self.inner.shared.hub.listen()
    }

    /// Disconnects all servers, at once, and waits until they are gone.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves them closing.
    pub async fn shutdown(&self) {
        let mut closing = JoinSet::new();
        for server in self.all() {
            closing.spawn(async move { server.disconnect().await });
        }
        closing.join_all().await;
        self.inner.shared.stop.cancel();
        self.inner.shared.tasks.close();
        self.inner.shared.tasks.wait().await;
    }

    /// Waits until no server is being connected.
    async fn settled(&self) {
        for server in self.all() {
            if matches!(server.state(), State::Connecting) {
                // How it ended, its status says.
                let _ = server.ready().await;
            }
        }
    }

    pub(crate) fn add(&self, spec: ServerSpec) -> Arc<Server> {
        let server = Server::new(spec, self.inner.shared.clone());
        self.servers().insert(server.spec.name.clone(), server.clone());
        server
    }

    pub(crate) fn known(&self, name: &str) -> Option<Arc<Server>> {
        self.servers().get(name).cloned()
    }

    fn server(&self, name: &str) -> Result<Arc<Server>, ManagerError> {
        self.known(name).ok_or_else(|| ManagerError::NoServer { server: name.to_owned() })
    }

    pub(crate) fn all(&self) -> Vec<Arc<Server>> {
        self.servers().values().cloned().collect()
    }

    fn servers(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Arc<Server>>> {
        // Nothing that can panic runs under the lock, so a poisoned one is still sound.
        self.inner.servers.lock().unwrap_or_else(PoisonError::into_inner)
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

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.stop.cancel();
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Manager").field("status", &self.status()).finish()
    }
}
