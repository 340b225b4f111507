//! `call`: one tool, once.

use mcp_client::{CallOptions, Client, ClientError};
use mcp_jsonrpc::{CallError, Raw};
use mcp_types::{CallTool, CallToolParams, CallToolResult, ListTools, Method};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::app::App;
use crate::args::CallArgs;
use crate::arguments::{Assignment, build, read_json};
use crate::cache;
use crate::failure::{Failure, Stop};
use crate::server::Server;
use crate::show::content;
use crate::status::Status;

pub(super) async fn run(app: &App, args: &CallArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    server.allow(&args.tool)?;
    let assignments = args.arguments.iter().map(|text| Assignment::parse(text));
    let assignments = assignments.collect::<Result<Vec<_>, _>>().map_err(Failure::usage)?;
    let base = args.args.as_deref().map(read_json).transpose()?;

    let client = app.connect(&server).await?;
    let schema = match assignments.iter().any(Assignment::needs_schema) {
        true => input_schema(app, &server, &client, &args.tool).await?,
        false => None,
    };
    let arguments = build(base.as_deref(), &assignments, schema.as_ref())
        .map_err(|text| Failure::usage(text).of(&server.name))?;

    let mut options = app.call_options();
    options.progress = app.console.progress(&server.name);
    let answer = call(&client, &args.tool, arguments, options).await;
    app.console.end_progress();
    let answer = answer?;
    let failed = show(app, &server.name, &answer)?;
    if failed {
        let failure = Failure::new(Status::ToolError, format!("tool `{}` answered with an error", args.tool));
        return Err(failure.of(&server.name).into());
    }
    Ok(Status::Done)
}

/// Sends the call and hands back the result object exactly as it came.
async fn call(
    client: &Client,
    tool: &str,
    arguments: Box<RawValue>,
    options: CallOptions,
) -> Result<Raw, Stop> {
    let mut params = CallToolParams::new(tool);
    params.arguments = Some(arguments);
    let params = to_raw_value(&params).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(client.request(CallTool::NAME, Some(params), options).await?)
}

/// The input schema of the tool. `None` if the server lists no such tool or cannot list tools:
/// whether it can be called nevertheless is for the server to say.
async fn input_schema(
    app: &App,
    server: &Server,
    client: &Client,
    tool: &str,
) -> Result<Option<Value>, Stop> {
    let tools = match client.list_raw(ListTools::NAME, "tools", app.call_options()).await {
        Ok(tools) => tools,
        Err(ClientError::NotOffered { .. } | ClientError::Call { source: CallError::Rpc(_), .. }) => {
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    cache::remember(server, client, &tools).await;
    let tools = tools.iter().filter_map(|tool| tool.parse::<Value>().ok());
    let mut named = tools.filter(|listed| listed.get("name").is_some_and(|name| name == tool));
    Ok(named.next().and_then(|mut tool| tool.get_mut("inputSchema").map(Value::take)))
}

/// Prints the result; true if it says that the tool failed.
fn show(app: &App, server: &str, answer: &Raw) -> Result<bool, Stop> {
    let result = answer.parse::<CallToolResult>();
    if app.globals.json {
        app.print(answer.as_str())?;
        // A result of another shape is printed all the same: `--json` shows what came.
        return Ok(result.is_ok_and(|result| result.is_error()));
    }
    let result = result.map_err(|error| {
        Failure::new(Status::Link, "the answer is no result of a tool")
            .of(server)
            .with(error.to_string())
            .hint("--json prints it as it came")
    })?;
    app.print(&content::result(&result, app.output.look))?;
    Ok(result.is_error())
}
