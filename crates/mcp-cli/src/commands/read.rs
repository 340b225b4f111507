//! `read`: what a resource holds.

use mcp_jsonrpc::Raw;
use mcp_types::{Method, ReadResource, ReadResourceParams, ReadResourceResult};
use serde_json::value::to_raw_value;

use crate::app::App;
use crate::args::ReadArgs;
use crate::failure::{Failure, Stop};
use crate::server::Server;
use crate::show::content;
use crate::status::Status;

pub(super) async fn run(app: &App, args: &ReadArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let client = app.connect(&server).await?;
    let params = to_raw_value(&ReadResourceParams::new(&args.uri))
        .map_err(|error| Failure::usage(error.to_string()))?;
    let answer = client.request(ReadResource::NAME, Some(params), app.call_options()).await?;
    let text = if app.globals.json { answer.as_str().to_owned() } else { shown(app, &server, &answer)? };
    app.print(&text)?;
    Ok(Status::Done)
}

fn shown(app: &App, server: &Server, answer: &Raw) -> Result<String, Failure> {
    let answer: ReadResourceResult = answer.parse().map_err(|error| {
        Failure::new(Status::Link, "the answer holds no contents of a resource")
            .of(&server.name)
            .with(error.to_string())
            .hint("--json prints it as it came")
    })?;
    Ok(content::contents(&answer.contents, app.output.look))
}
