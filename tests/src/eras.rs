//! Servers on version 2 of the official SDKs, which know both eras of the protocol: the one that begins
//! with `initialize`, up to 2025-11-25, and that of 2026-07-28.
//!
//! They are ours, `eras-server.mjs` and `eras_server.py` in `tests/peers`, with the same tools: `echo`
//! (text), `slow` (ms; four steps of progress), `ask` (for the user's name, in the way of the era),
//! `grow` (adds the tool `grown` and says so), `touch` (says that `note://one` has changed) and `fail`;
//! resources `note://one` and `note://two`; a prompt `greet` (name), whose names can be completed.

use std::fmt;
use std::process::Command;

use mcp_jsonrpc::Connect;
use mcp_transport_stdio::StdioConfig;

use crate::http_servers::{self, HttpServer};
use crate::{http, peers, scripted};

/// On which SDK a server stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sdk {
    /// The one for TypeScript.
    TypeScript,
    /// The one for Python.
    Python,
}

/// Which eras a server knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The one that begins with `initialize`.
    Legacy,
    /// That of 2026-07-28.
    Modern,
    /// Both.
    Dual,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// As a child process.
    Stdio,
    /// By Streamable HTTP.
    Http,
}

/// One of the twelve servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// On which SDK it stands.
    pub sdk: Sdk,
    /// Which eras it knows.
    pub form: Form,
    /// How it is reached.
    pub over: Over,
}

impl Kind {
    /// Starts it, or makes ready what starts it; `None`, said plainly, where the real servers are left
    /// out on purpose.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub async fn start(self) -> Option<EraServer> {
        let (program, mut args) = self.command()?;
        let tag = scripted::unique("era");
        // Both take an option that means nothing to them, by which their processes are found.
        args.splice(
            0..0,
            match self.sdk {
                Sdk::TypeScript => vec![format!("--title={tag}")],
                Sdk::Python => vec!["-X".to_owned(), tag.clone()],
            },
        );
        let (to, http): (Box<dyn Connect>, _) = match self.over {
            Over::Stdio => {
                let mut config = StdioConfig::new(program);
                config.args = args;
                config.name = Some(self.to_string());
                (Box::new(config), None)
            }
            Over::Http => {
                let mut command = Command::new(program);
                command.args(args);
                let server = http_servers::start(command, "/mcp").await;
                (Box::new(http::config(&server.url())), Some(server))
            }
        };
        Some(EraServer { to, tag, http })
    }

    /// The program, and its arguments.
    fn command(self) -> Option<(String, Vec<String>)> {
        let folder = peers::folder()?;
        let (program, script) = match self.sdk {
            Sdk::TypeScript => ("node".to_owned(), folder.join("npm").join("eras-server.mjs")),
            Sdk::Python => {
                let home = folder.join("python");
                (peers::found(home.join(peers::PYTHON)), home.join("eras_server.py"))
            }
        };
        let form = match self.form {
            Form::Legacy => "--legacy",
            Form::Modern => "--modern",
            Form::Dual => "--dual",
        };
        let over = match self.over {
            Over::Stdio => "--stdio",
            Over::Http => "--http",
        };
        Some((program, vec![peers::found(script), form.to_owned(), over.to_owned()]))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} {:?} {:?}", self.sdk, self.form, self.over)
    }
}

/// A server that can be connected to. Over HTTP it ends with this value, over stdio with its connection.
pub struct EraServer {
    to: Box<dyn Connect>,
    tag: String,
    http: Option<HttpServer>,
}

impl EraServer {
    /// What to connect to.
    pub fn to(&self) -> &dyn Connect {
        &*self.to
    }

    /// What only its processes have on their command line.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The end of what it printed so far, where this process hears that.
    pub fn printed(&self) -> String {
        self.http.as_ref().map(HttpServer::printed).unwrap_or_default()
    }
}

impl fmt::Debug for EraServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EraServer").field("tag", &self.tag).finish_non_exhaustive()
    }
}
