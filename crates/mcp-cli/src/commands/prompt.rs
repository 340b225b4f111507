//! `prompt`: the messages of a prompt.

use mcp_jsonrpc::Raw;
use mcp_types::{GetPrompt, GetPromptParams, GetPromptResult, Method};
use serde_json::value::to_raw_value;

use crate::app::App;
use crate::args::PromptArgs;
use crate::arguments::texts;
use crate::failure::{Failure, Stop};
use crate::server::Server;
use crate::show::content;
use crate::status::Status;

pub(super) async fn run(app: &App, args: &PromptArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let mut params = GetPromptParams::new(&args.prompt);
    let arguments = texts(&args.arguments)?;
    params.arguments = (!arguments.is_empty()).then_some(arguments);
    let params = to_raw_value(&params).map_err(|error| Failure::usage(error.to_string()))?;
    let client = app.connect(&server).await?;
    let answer = client.request(GetPrompt::NAME, Some(params), app.call_options()).await?;
    let text = if app.globals.json { answer.as_str().to_owned() } else { shown(app, &server, &answer)? };
    app.print(&text)?;
    Ok(Status::Done)
}

fn shown(app: &App, server: &Server, answer: &Raw) -> Result<String, Failure> {
    let answer: GetPromptResult = answer.parse().map_err(|error| {
        Failure::new(Status::Link, "the answer holds no messages of a prompt")
            .of(&server.name)
            .with(error.to_string())
            .hint("--json prints it as it came")
    })?;
    Ok(content::messages(&answer.messages, app.output.look))
}
