//! The client that the official conformance suite runs; `cargo xtask conformance` runs the suite.
//!
//! `conformance-client URL`: connects to the server there, lists its tools, calls them, closes, and
//! ends with 0. What goes wrong stands on stderr with its causes, and the program ends with 1.
//!
//! ```text
//! MCP_CONFORMANCE_SCENARIO           what is tested: it decides which tools are called
//! MCP_CONFORMANCE_PROTOCOL_VERSION   the revision of the run: it decides the lifecycle
//! ```
//!
//! It says `done` on stdout when all went well: to the suite, a client that a signal ended can look
//! like one that ended with 0.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the suite keeps both for who reads its results"
)]

mod calls;
mod example;
mod user;

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use mcp_client::{Client, ClientOptions};
use mcp_transport_http::HttpConfig;
use mcp_types::Revision;

use self::user::User;

/// The suite gives a client 30 s, and then only ends the shell around it.
const LIMIT: Duration = Duration::from_secs(25);
/// For servers that answer nothing at all when they are asked for a stream.
const LISTENING_LIMIT: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> ExitCode {
    let ended = match tokio::time::timeout(LIMIT, run()).await {
        Ok(ended) => ended,
        Err(_) => Err(anyhow::anyhow!("not done after {LIMIT:?}")),
    };
    match ended {
        Ok(()) => {
            println!("done");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let url = env::args().skip(1).last().context("no server URL was given")?;
    let scenario = variable("MCP_CONFORMANCE_SCENARIO")?;
    let revision = variable("MCP_CONFORMANCE_PROTOCOL_VERSION")?;
    // The revisions that begin with a handshake are all that this client speaks.
    ensure!(Revision::parse(&revision).is_some(), "cannot speak revision `{revision}`");

    let server = HttpConfig::new(&url).context("cannot use the server URL")?;
    let client = Client::connect(&server, options()).await.context("cannot connect")?;
    let driven = drive(&client, &scenario).await;
    client.close().await;
    driven
}

/// The client asks for the newest revision that it knows and takes what the server answers, in any run.
fn options() -> ClientOptions {
    let mut options = ClientOptions::new("conformance-client", env!("CARGO_PKG_VERSION"));
    options.elicitation = Some(Arc::new(User));
    options.listen = true;
    // Some of the servers list tools without saying that they have any.
    options.require_capabilities = false;
    options
}

async fn drive(client: &Client, scenario: &str) -> Result<()> {
    // A question that the server asks before its stream is open is lost.
    if tokio::time::timeout(LISTENING_LIMIT, client.listening()).await.is_err() {
        eprintln!("going on, though it is still open whether the server is heard");
    }
    let tools = client.list_tools().await.context("cannot list the tools")?;
    for call in calls::of(scenario, &tools)? {
        let tool = call.tool;
        let result = client.call_tool(tool, &call.arguments).await;
        let result = result.with_context(|| format!("cannot call `{tool}`"))?;
        if result.is_error() {
            bail!("the tool `{tool}` failed: {:?}", result.content);
        }
    }
    Ok(())
}

fn variable(name: &str) -> Result<String> {
    env::var(name).with_context(|| format!("cannot read the variable `{name}`"))
}
