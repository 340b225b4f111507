//! The command line: the referee's options, and how the roles are told what to do.

use anyhow::{Context, Result, bail};

use crate::clients::Name;
use crate::workload::{self, Workload};

/// What this process is.
pub(crate) enum Role {
    Referee(Options),
    Measure(Run),
    Serve(ServerOptions),
}

/// What the user asked for.
pub(crate) struct Options {
    pub(crate) rounds: usize,
    pub(crate) is_quick: bool,
    pub(crate) only: Option<String>,
    pub(crate) is_check: bool,
    pub(crate) is_pinned: bool,
}

/// One measured run.
pub(crate) struct Run {
    pub(crate) client: Name,
    pub(crate) workload: &'static Workload,
    pub(crate) is_quick: bool,
    pub(crate) is_pinned: bool,
}

/// What carries the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Transport {
    #[default]
    Stdio,
    Http(Body),
}

/// What an answer over HTTP is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Json,
    /// A stream of server-sent events.
    Events,
}

/// What kind of server to be.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ServerOptions {
    pub(crate) transport: Transport,
    /// Tools in the listing.
    pub(crate) tools: usize,
    /// Notifications before the answer to each call.
    pub(crate) notify: usize,
    /// Whether the answers of a read go out in reverse order.
    pub(crate) reorder: bool,
    /// Whether it reads and never answers.
    pub(crate) hangs: bool,
}

const QUICK_ROUNDS: usize = 2;
const ROUNDS: usize = 5;

pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Result<Role> {
    let mut arguments = arguments.peekable();
    match arguments.peek().map(String::as_str) {
        Some("measure") => read_run(arguments.skip(1)).map(Role::Measure),
        Some("serve") => read_server(arguments.skip(1)).map(Role::Serve),
        _ => read_options(arguments).map(Role::Referee),
    }
}

fn read_options(mut arguments: impl Iterator<Item = String>) -> Result<Options> {
    let mut options = Options { rounds: 0, is_quick: false, only: None, is_check: false, is_pinned: true };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.is_quick = true,
            "--check" => options.is_check = true,
            "--two-cores" => options.is_pinned = false,
            "--rounds" => options.rounds = number(&argument, arguments.next())?,
            "--only" => options.only = Some(arguments.next().context("--only needs a name")?),
            other => {
                bail!(
                    "unknown argument `{other}`; there are --quick, --rounds N, --only NAME, --check, --two-cores"
                )
            }
        }
    }
    if options.rounds == 0 {
        options.rounds = if options.is_quick { QUICK_ROUNDS } else { ROUNDS };
    }
    Ok(options)
}

impl Run {
    /// The command line that says the same.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments =
            vec!["measure".to_owned(), self.client.as_str().to_owned(), self.workload.name.to_owned()];
        if self.is_quick {
            arguments.push("--quick".to_owned());
        }
        if !self.is_pinned {
            arguments.push("--two-cores".to_owned());
        }
        arguments
    }
}

fn read_run(mut arguments: impl Iterator<Item = String>) -> Result<Run> {
    let client = arguments.next().as_deref().and_then(Name::of).context("no such client")?;
    let workload = arguments.next().as_deref().and_then(workload::find).context("no such workload")?;
    let mut run = Run { client, workload, is_quick: false, is_pinned: true };
    for argument in arguments {
        match argument.as_str() {
            "--quick" => run.is_quick = true,
            "--two-cores" => run.is_pinned = false,
            other => bail!("unknown argument `{other}`"),
        }
    }
    Ok(run)
}

impl ServerOptions {
    /// The command line that says the same.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["serve".to_owned()];
        match self.transport {
            Transport::Stdio => {}
            Transport::Http(Body::Json) => arguments.push("--http-json".to_owned()),
            Transport::Http(Body::Events) => arguments.push("--http-sse".to_owned()),
        }
        arguments.extend(["--tools".to_owned(), self.tools.to_string()]);
        arguments.extend(["--notify".to_owned(), self.notify.to_string()]);
        if self.reorder {
            arguments.push("--reorder".to_owned());
        }
        if self.hangs {
            arguments.push("--hang".to_owned());
        }
        arguments
    }
}

fn read_server(mut arguments: impl Iterator<Item = String>) -> Result<ServerOptions> {
    let mut options = ServerOptions::default();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--http-json" => options.transport = Transport::Http(Body::Json),
            "--http-sse" => options.transport = Transport::Http(Body::Events),
            "--tools" => options.tools = number(&argument, arguments.next())?,
            "--notify" => options.notify = number(&argument, arguments.next())?,
            "--reorder" => options.reorder = true,
            "--hang" => options.hangs = true,
            other => bail!("unknown argument `{other}`"),
        }
    }
    Ok(options)
}

fn number(option: &str, value: Option<String>) -> Result<usize> {
    let value = value.with_context(|| format!("{option} needs a number"))?;
    value.parse().with_context(|| format!("{option} needs a number, not `{value}`"))
}
