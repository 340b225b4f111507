//! The manager: a handle to many servers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::Client;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::{ManagerError, StartError};
use crate::events::{Events, Hub};
use crate::names::{Collision, Registry};
use crate::options::ManagerOptions;
use crate::policy::Pace;
use crate::reload::by_name;
use crate::report::{ServerStatus, StartReport};
use crate::server::{Live, Server, Shared, State, ToolList};
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
    /// announced as events. Servers whose tools are cached have them at once. Of two servers of one name the
    /// later one counts.
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
        let gate = manager.inner.shared.options.gate;
        let mut recalling = JoinSet::new();
        for spec in by_name(servers).into_values() {
            let server = manager.launch(spec);
            recalling.spawn(async move { server.recall().await });
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
        let (server, before) = self.add_or_share(spec);
        if let Some(before) = before {
            before.disconnect().await;
        }
        server.recall().await;
        server.start();
        server.ready().await.map(|live| live.client)
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
        self.live(server).await.map(|live| live.client)
    }

    pub(crate) async fn live(&self, server: &str) -> Result<Live, ManagerError> {
        let server = self.server(server)?;
        server.ready_within(server.start_timeout()).await
    }

    /// Asks a server for its tools again; true if they changed. All pages of the list have as long
    /// as a start may take.
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
        let server = self.server(server)?;
        server.listed(server.refresh(&client)).await
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

    pub(crate) fn options(&self) -> &ManagerOptions {
        &self.inner.shared.options
    }

    /// Adds a server and, unless it is lazy, begins to connect it. Its cached tools are recalled by
    /// whoever calls this: what it says itself counts more, whichever comes first.
    pub(crate) fn launch(&self, spec: ServerSpec) -> Arc<Server> {
        let server = Server::new(spec, self.inner.shared.clone());
        self.servers().insert(server.spec.name.clone(), server.clone());
        if !server.spec.lazy {
            server.start();
        }
        server
    }

    /// The server of this name if it is the same and on its way, else a new one and the one before.
    fn add_or_share(&self, spec: ServerSpec) -> (Arc<Server>, Option<Arc<Server>>) {
        let mut servers = self.servers();
        let known = servers.get(&spec.name).cloned();
        if let Some(known) = &known
            && known.spec.fingerprint == spec.fingerprint
            && known.is_on_its_way()
        {
            return (known.clone(), None);
        }
        let server = Server::new(spec, self.inner.shared.clone());
        if let Some(known) = &known {
            server.follow(known);
        }
        servers.insert(server.spec.name.clone(), server.clone());
        (server, known)
    }

    pub(crate) fn known(&self, name: &str) -> Option<Arc<Server>> {
        self.servers().get(name).cloned()
    }

    pub(crate) fn server(&self, name: &str) -> Result<Arc<Server>, ManagerError> {
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
