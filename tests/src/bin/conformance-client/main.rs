//! The client that the official conformance suite runs; `cargo xtask conformance` runs the suite.
//!
//! `conformance-client URL`: connects to the server there, lists its tools, calls them, reads its
//! resources, gets its prompts, closes, and ends with 0. Of a server with skills, it loads these. What
//! goes wrong stands on stderr with its causes, and the program ends with 1.
//!
//! ```text
//! MCP_CONFORMANCE_SCENARIO           what is tested: it decides which tools are called
//! MCP_CONFORMANCE_PROTOCOL_VERSION   the revision of the run: it alone decides the lifecycle
//! MCP_CONFORMANCE_CONTEXT            an object of JSON, in some scenarios: calls that are to be made
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
mod others;
mod skills;
mod user;

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use mcp_client::{Client, ClientOptions, Protocol};
use mcp_transport_http::HttpConfig;
use mcp_types::Revision;
use serde_json::Value;

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
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or("null".to_owned());
    let context = serde_json::from_str(&context).context("cannot read the context")?;

    let server = HttpConfig::new(&url).context("cannot use the server URL")?;
    let client = Client::connect(&server, options(protocol(&revision)?)).await.context("cannot connect")?;
    let driven = drive(&client, &scenario, &context).await;
    client.close().await;
    driven
}

/// How a run of this revision begins. Within that, the client takes what the server answers.
fn protocol(revision: &str) -> Result<Protocol> {
    match Revision::parse(revision) {
        Some(revision) if revision.is_modern() => Ok(Protocol::Discover),
        Some(_) => Ok(Protocol::Auto),
        None => bail!("cannot speak revision `{revision}`"),
    }
}

fn options(protocol: Protocol) -> ClientOptions {
    let mut options = ClientOptions::new("conformance-client", env!("CARGO_PKG_VERSION"));
    options.protocol = protocol;
    options.elicitation = Some(Arc::new(User));
    options.listen = true;
    // Some of the servers list tools without saying that they have any.
    options.require_capabilities = false;
    options
}

async fn drive(client: &Client, scenario: &str, context: &Value) -> Result<()> {
    // A question that the server asks before its stream is open is lost.
    if tokio::time::timeout(LISTENING_LIMIT, client.listening()).await.is_err() {
        eprintln!("going on, though it is still open whether the server is heard");
    }
    if skills::are_offered(&client.agreed().capabilities)? {
        for refused in skills::drive(client, scenario).await? {
            println!("{refused}");
        }
        return Ok(());
    }
    let tools = client.list_tools().await.context("cannot list the tools")?;
    for call in calls::of(scenario, context, &tools)? {
        let tool = call.tool;
        let result = client.call_tool(tool, &call.arguments).await;
        let result = result.with_context(|| format!("cannot call `{tool}`"))?;
        if result.is_error() {
            bail!("the tool `{tool}` failed: {:?}", result.content);
        }
    }
    others::read_all(client).await?;
    others::get_all(client).await
}

fn variable(name: &str) -> Result<String> {
    env::var(name).with_context(|| format!("cannot read the variable `{name}`"))
}
