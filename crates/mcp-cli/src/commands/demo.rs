//! `demo`: the main job, step by step, on the built-in server.

mod host;
mod story;

use std::sync::Arc;

use mcp_client::{CallOptions, Client, ClientOptions};
use mcp_jsonrpc::Raw;
use mcp_types::{
    CallTool, CallToolParams, CallToolResult, ClientCapabilities, ListTools, Method, ProgressParams,
    RootsCapability,
};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use self::host::Host;
use self::story::Story;
use crate::app::App;
use crate::console::progress_text;
use crate::failure::{Failure, Stop};
use crate::server::Server;
use crate::show::{content, escape, tools::short_table};
use crate::status::Status;

/// The name of the server in messages.
const NAME: &str = "demo";

pub(super) async fn run(app: &App) -> Result<Status, Stop> {
    let server = own_server()?;
    let host = Arc::new(Host::default());
    let mut story = Story::new(app, Arc::clone(&host));

    story.tell(
        "An MCP client meets an MCP server. The server is this program as well, started as a child \
         process; the two talk JSON-RPC over its stdin and stdout.",
    )?;
    let client = greet(app, &server, &host, &mut story).await?;
    list_tools(app, &client, &mut story).await?;
    call_tools(app, &client, &mut story).await?;
    be_refused(app, &client, &mut story).await?;

    story.step("Hang up")?;
    client.close().await;
    story.note("The server saw the end of its stdin and exited. Now with your own server:")?;
    story.try_it()?;
    story.end()?;
    Ok(Status::Done)
}

/// This program as its own server.
fn own_server() -> Result<Server, Failure> {
    let program = std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok());
    let command =
        program.ok_or_else(|| Failure::new(Status::Link, "cannot find the path of this program"))?;
    let args = vec!["demo-server".to_owned()];
    Ok(Server::stdio(NAME, command, args))
}

async fn greet(app: &App, server: &Server, host: &Arc<Host>, story: &mut Story<'_>) -> Result<Client, Stop> {
    story.step("Start the server and shake hands")?;
    let mut options = ClientOptions::new("mcp-cli", env!("CARGO_PKG_VERSION"));
    let mut capabilities = ClientCapabilities::default();
    capabilities.roots = Some(RootsCapability::default());
    options.capabilities = capabilities;
    options.delegate = Some(Arc::clone(host) as _);
    story.sent("initialize")?;
    let client = app.connect_as(server, options).await?;
    let agreed = client.agreed();
    story.came(&crate::show::server::about(agreed))?;
    if let Some(instructions) = &agreed.instructions {
        story.came(instructions)?;
    }
    story.sent("notifications/initialized")?;
    story.remember("protocolVersion", &Value::from(agreed.version.to_string()));
    Ok(client)
}

async fn list_tools(app: &App, client: &Client, story: &mut Story<'_>) -> Result<(), Stop> {
    story.step("See what it can do")?;
    story.sent(ListTools::NAME)?;
    let tools = client.list_raw(ListTools::NAME, "tools", app.call_options()).await?;
    let tools: Vec<Value> = tools.iter().filter_map(|tool| tool.parse().ok()).collect();
    story.came(&format!("{} tools", tools.len()))?;
    story.block(&short_table(&tools, story.look()))?;
    story.remember("tools", &tools.iter().map(|tool| tool["name"].clone()).collect());
    Ok(())
}

async fn call_tools(app: &App, client: &Client, story: &mut Story<'_>) -> Result<(), Stop> {
    story.step("Call a tool")?;
    call(app, client, story, "echo", r#"{"text":"Hello, MCP!"}"#).await?;

    story.step("Call one with a structured result; integers stay exact beyond 2^53")?;
    call(app, client, story, "add", r#"{"a":9007199254740993,"b":1}"#).await?;

    story.step("Follow the progress of a slow one")?;
    call(app, client, story, "sleep", r#"{"ms":900,"steps":3}"#).await?;

    story.step("See one fail: the result says isError, and the connection goes on")?;
    call(app, client, story, "fail", r#"{"message":"The printer is out of paper."}"#).await?;

    story.step("Let the server ask back in the middle of a call")?;
    call(app, client, story, "ask", r#"{"method":"roots/list"}"#).await?;
    Ok(())
}

async fn be_refused(app: &App, client: &Client, story: &mut Story<'_>) -> Result<(), Stop> {
    story.step("Ask for something it does not know")?;
    story.sent("no/such/method")?;
    match client.request("no/such/method", None, app.call_options()).await {
        Ok(result) => story.came(result.as_str()),
        Err(error) if error.call_error().is_some_and(|error| error.as_rpc().is_some()) => {
            story.came(&error.to_string())
        }
        Err(error) => Err(error.into()),
    }
}

async fn call(
    app: &App,
    client: &Client,
    story: &mut Story<'_>,
    tool: &str,
    arguments: &str,
) -> Result<(), Stop> {
    story.sent(&format!("{} {tool} {arguments}", CallTool::NAME))?;
    let mut params = CallToolParams::new(tool);
    params.arguments = Some(json(arguments)?);
    let params = json(&to_text(&params)?)?;
    let answer = client.request(CallTool::NAME, Some(params), options(app, story)).await;
    app.console.end_progress();
    let answer = answer?;
    show(story, &answer)?;
    story.remember_call(tool, arguments, answer.as_str());
    Ok(())
}

/// Progress goes to the bar, if there is one, and into the story.
fn options(app: &App, story: &Story<'_>) -> CallOptions {
    let (bar, host) = (app.console.progress(NAME), story.host());
    let mut options = app.call_options();
    options.progress = Some(Arc::new(move |progress: &ProgressParams| {
        host.note(progress_text(progress));
        if let Some(bar) = &bar {
            bar(progress);
        }
    }));
    options
}

fn show(story: &mut Story<'_>, answer: &Raw) -> Result<(), Stop> {
    let result: CallToolResult = answer.parse().map_err(|error| {
        Failure::new(Status::Link, "the answer is no result of a tool").of(NAME).with(error.to_string())
    })?;
    let text = content::result(&result, story.look());
    story.answer(&if result.is_error() { format!("isError: {text}") } else { text })
}

fn json(text: &str) -> Result<Box<RawValue>, Failure> {
    RawValue::from_string(text.to_owned()).map_err(|error| Failure::new(Status::Usage, error.to_string()))
}

fn to_text(params: &CallToolParams) -> Result<String, Failure> {
    let text = to_raw_value(params).map(|raw| raw.get().to_owned());
    text.map_err(|error| Failure::new(Status::Usage, escape::line(&error.to_string())))
}
