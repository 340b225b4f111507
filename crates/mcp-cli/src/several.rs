//! Many servers at once, started and kept by the manager.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Client, ClientOptions, Delegate};
use mcp_manager::config::Kind;
use mcp_manager::policy::ServerKind;
use mcp_manager::{Manager, ManagerError, ManagerOptions, Phase, ServerSpec, ServerStatus, StartError};

use crate::app::App;
use crate::cache;
use crate::failure::Failure;
use crate::server::Server;
use crate::status::Status;
use crate::watch::Watch;

/// Servers of which each is connected or has failed.
#[derive(Clone, Debug)]
pub(crate) struct Several {
    manager: Manager,
}

impl Several {
    /// Starts all at once and waits until each is connected or has failed, within its own limit. They
    /// are closed with the program.
    pub(crate) async fn start(app: &App, servers: &[&Server]) -> Result<Self, Failure> {
        for server in servers {
            server.warnings.iter().for_each(|warning| app.console.warning(&server.name, warning));
        }
        let specs = servers.iter().map(|server| spec(app, server)).collect::<Result<Vec<_>, _>>()?;
        let (manager, _) = Manager::start(specs, options(app)).await;
        app.keep(&manager);
        tokio::select! {
            _ = manager.wait_ready(Duration::MAX) => Ok(Self { manager }),
            () = app.interrupt.cancelled() => Err(Failure::new(Status::Link, "interrupted")),
        }
    }

    /// The client of a server, or why there is none.
    pub(crate) async fn client(&self, server: &Server) -> Result<Client, Failure> {
        let status = self.manager.status().remove(server.name.as_str());
        if let Some(ServerStatus { phase: Phase::Failed(error) | Phase::Waiting(error), .. }) = status {
            return Err(server.describe_start(&error));
        }
        self.manager.ready(&server.name).await.map_err(|error| match error {
            ManagerError::NotReady { source, .. } => server.describe_start(&source),
            error => Failure::new(Status::Link, error.to_string()).of(&server.name),
        })
    }
}

/// A server as the manager takes it. One that is lazy is started as well: its tools are asked for.
fn spec(app: &App, server: &Server) -> Result<ServerSpec, Failure> {
    let mut spec = ServerSpec::new(server.name.as_str(), app.transport(server)?);
    let timeout = app.globals.timeout.map(Duration::from_millis);
    spec.start_timeout = server.start_timeout().or(timeout).or(server.timeout());
    spec.protocol = Some(server.protocol(app.globals.protocol));
    spec.kind = if server.kind() == Kind::Stdio { ServerKind::Process } else { ServerKind::Remote };
    spec.tools = server.filter().clone();
    spec.cache_key = server.cache_key();
    Ok(spec)
}

fn options(app: &App) -> ManagerOptions {
    let mut options = ManagerOptions::new(ClientOptions::new("mcp-cli", env!("CARGO_PKG_VERSION")));
    // All are waited for anyway.
    options.gate = Duration::ZERO;
    options.cache = cache::of_user().map(|cache| Arc::new(cache) as _);
    let console = Arc::clone(&app.console);
    options.delegate = Some(Arc::new(move |server| {
        let watch: Arc<dyn Delegate> = Arc::new(Watch::new(server, &console, None));
        Some(watch)
    }));
    options
}

impl Server {
    /// Why the manager could not start it.
    pub(crate) fn describe_start(&self, error: &StartError) -> Failure {
        match error {
            StartError::Connect(error) => self.describe(error),
            StartError::List(error) => (&**error).into(),
            error => self.with_address(Failure::of_start(error).of(&self.name)),
        }
    }
}
