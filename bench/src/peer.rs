//! The server as the measured client meets it: a program to start, or one that is running.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::arguments::{ServerOptions, Transport};

/// What the client is given.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    Program(Program),
    Url(String),
}

/// What a client over stdio starts.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<String>,
}

/// A server over HTTP. It ends with its stdin: when this is stopped, dropped, or its process is
/// gone.
pub(crate) struct Running {
    child: Child,
    url: String,
}

/// The server of a run, started if it is one over HTTP.
pub(crate) fn prepare(options: &ServerOptions) -> Result<(Peer, Option<Running>)> {
    let program = Program { path: std::env::current_exe()?, arguments: options.arguments() };
    match options.transport {
        Transport::Stdio => Ok((Peer::Program(program), None)),
        Transport::Http(_) => {
            let running = Running::start(&program)?;
            Ok((Peer::Url(running.url.clone()), Some(running)))
        }
    }
}

impl Running {
    fn start(program: &Program) -> Result<Self> {
        let mut command = Command::new(&program.path);
        let mut child =
            command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().context("no stdout")?).read_line(&mut line)?;
        let port = line.trim().parse::<u16>().context("the server does not say its port")?;
        Ok(Self { child, url: format!("http://127.0.0.1:{port}/mcp") })
    }

    pub(crate) fn stop(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let status = self.child.wait()?;
        ensure!(status.success(), "the server: {status}");
        Ok(())
    }
}
