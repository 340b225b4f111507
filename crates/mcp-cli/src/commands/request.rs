//! `request`: any method with any params.

use mcp_types::{CallTool, Method};
use serde_json::value::RawValue;

use crate::app::App;
use crate::args::RequestArgs;
use crate::arguments::read_json;
use crate::failure::{Failure, Stop};
use crate::server::Server;
use crate::show::{escape, json};
use crate::status::Status;

pub(super) async fn run(app: &App, args: &RequestArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let params = args.params.as_deref().map(read_json).transpose()?;
    if params.as_ref().is_some_and(|params| !params.get().starts_with('{')) {
        return Err(Failure::usage("PARAMS-JSON must be a JSON object").into());
    }
    if args.method == CallTool::NAME
        && let Some(tool) = params.as_deref().and_then(tool_of)
    {
        server.allow(&tool)?;
    }
    let client = app.connect(&server).await?;
    let result = client.request(&args.method, params, app.call_options()).await?;
    if app.globals.json {
        app.print(result.as_str())?;
    } else {
        app.print(&escape::json(&json::pretty(result.as_str())))?;
    }
    Ok(Status::Done)
}

/// The name in the params of a call.
fn tool_of(params: &RawValue) -> Option<String> {
    let params: serde_json::Value = serde_json::from_str(params.get()).ok()?;
    params.get("name")?.as_str().map(str::to_owned)
}
