//! What all commands share: the options, the way out, and the servers that run.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_client::{CallOptions, Client, ClientOptions, ConnectError};
use mcp_jsonrpc::{Cancel, Connect};
use mcp_manager::Manager;
use mcp_transport_stdio::StderrHook;
use tokio::task::JoinSet;

use crate::args::Globals;
use crate::ask::User;
use crate::console::Console;
use crate::failure::{Failure, Stop};
use crate::output::Output;
use crate::roots::Folders;
use crate::server::Server;
use crate::status::Status;
use crate::trust::Asker;
use crate::watch::{Listener, Watch};

/// One run of the program.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) globals: Globals,
    pub(crate) console: Arc<Console>,
    pub(crate) output: Output,
    /// Who answers what servers ask.
    user: Arc<User>,
    /// Given when the user wants to stop.
    pub(crate) interrupt: Cancel,
    /// All that were connected: each is closed before the program ends, whatever happened.
    clients: Mutex<Vec<Client>>,
    /// The same for servers that a manager started.
    managers: Mutex<Vec<Manager>>,
}

impl App {
    pub(crate) fn new(mut globals: Globals) -> Self {
        let console = Arc::new(Console::new(globals.verbose));
        globals.asker = Asker::new(&console);
        Self {
            user: Arc::new(User::new(&console)),
            console,
            output: Output::new(),
            interrupt: Cancel::new(),
            clients: Mutex::default(),
            managers: Mutex::default(),
            globals,
        }
    }

    /// Starts a server and shakes hands.
    pub(crate) async fn connect(&self, server: &Server) -> Result<Client, Failure> {
        self.connect_with(server, None).await
    }

    /// The same; all notifications go to `listener`, if there is one, and the server is asked for them.
    pub(crate) async fn connect_with(
        &self,
        server: &Server,
        listener: Option<Listener>,
    ) -> Result<Client, Failure> {
        for warning in &server.warnings {
            self.console.warning(&server.name, warning);
        }
        let mut options = ClientOptions::new("mcp-cli", env!("CARGO_PKG_VERSION"));
        let listens = listener.is_some();
        options.listen = listens;
        options.delegate = Some(Arc::new(Watch::new(&server.name, &self.console, listener)));
        options.roots = Folders::of(&self.globals)?.map(|folders| Arc::new(folders) as _);
        options.sampling = Some(Arc::clone(&self.user) as _);
        options.elicitation = Some(Arc::clone(&self.user) as _);
        let client = self.connect_as(server, options).await?;
        if !listens {
            self.want_log(server, &client).await?;
        }
        Ok(client)
    }

    /// Wants the log messages that are shown, where the server sends none by itself.
    async fn want_log(&self, server: &Server, client: &Client) -> Result<(), Failure> {
        let agreed = client.agreed();
        if !agreed.version.is_modern() || agreed.capabilities.logging.is_none() {
            return Ok(());
        }
        let level = self.console.least_level();
        client.set_log_level(level).await.map_err(|error| Failure::from(error).of(&server.name))
    }

    /// The same with options of the caller's own.
    pub(crate) async fn connect_as(
        &self,
        server: &Server,
        options: ClientOptions,
    ) -> Result<Client, Failure> {
        self.try_connect(server, options).await?.map_err(|error| server.describe(&error))
    }

    /// The same with the client's own error.
    pub(crate) async fn try_connect(
        &self,
        server: &Server,
        mut options: ClientOptions,
    ) -> Result<Result<Client, ConnectError>, Failure> {
        let transport = self.transport(server)?;
        options.server = Some(server.name.clone());
        options.initialize_timeout = server.start_timeout();
        let limit = self.globals.timeout.map(Duration::from_millis).or(server.timeout());
        if let Some(limit) = limit.filter(|limit| !limit.is_zero()) {
            options.probe_timeout = options.probe_timeout.min(limit);
        }
        options.protocol = server.protocol(self.globals.protocol);
        let connected = tokio::select! {
            connected = Client::connect(&*transport, options) => connected,
            () = self.interrupt.cancelled() => return Err(Failure::new(Status::Link, "interrupted").of(&server.name)),
        };
        if let Ok(client) = &connected {
            self.clients.lock().unwrap_or_else(PoisonError::into_inner).push(client.clone());
        }
        Ok(connected)
    }

    /// What reaches a server, with what the command line says about that.
    pub(crate) fn transport(&self, server: &Server) -> Result<Arc<dyn Connect>, Failure> {
        let timeout = self.globals.timeout.map(Duration::from_millis);
        let on_stderr = self.console.is_verbose().then(|| -> StderrHook {
            let (console, name) = (Arc::clone(&self.console), server.name.clone());
            Arc::new(move |line: &str| console.detail(&name, line))
        });
        server.transport(timeout, on_stderr)
    }

    /// Closes the servers of this manager before the program ends.
    pub(crate) fn keep(&self, manager: &Manager) {
        self.managers.lock().unwrap_or_else(PoisonError::into_inner).push(manager.clone());
    }

    /// Options of a call that ends when the user interrupts the program.
    pub(crate) fn call_options(&self) -> CallOptions {
        let mut options = CallOptions::default();
        options.cancel = Some(self.interrupt.clone());
        options
    }

    /// Prints a result.
    pub(crate) fn print(&self, text: &str) -> Result<(), Stop> {
        self.output.print(text)
    }

    /// Closes all servers, at once and each within its own bounds.
    pub(crate) async fn close(&self) {
        let clients = std::mem::take(&mut *self.clients.lock().unwrap_or_else(PoisonError::into_inner));
        let managers = std::mem::take(&mut *self.managers.lock().unwrap_or_else(PoisonError::into_inner));
        let mut closing = JoinSet::new();
        for manager in managers {
            closing.spawn(async move { manager.shutdown().await });
        }
        for client in clients {
            closing.spawn(async move { client.close().await });
        }
        closing.join_all().await;
    }
}

/// Runs `ask` for all of `items` at once; the answers come in the order of the items.
pub(crate) async fn for_each<I, T, F>(items: Vec<I>, ask: impl Fn(I) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let tasks: Vec<_> = items.into_iter().map(|item| tokio::spawn(ask(item))).collect();
    let mut answers = Vec::with_capacity(tasks.len());
    for task in tasks {
        match task.await {
            Ok(answer) => answers.push(answer),
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // Nothing cancels these tasks but the end of the runtime, after which nobody waits.
            Err(_) => {}
        }
    }
    answers
}
