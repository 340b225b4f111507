//! `prompt`: the messages of a prompt.

use std::collections::BTreeMap;

use mcp_jsonrpc::Raw;
use mcp_types::{GetPrompt, GetPromptParams, GetPromptResult, Method};
use serde_json::value::to_raw_value;

use crate::app::App;
use crate::args::PromptArgs;
use crate::failure::{Failure, Stop};
use crate::server::Server;
use crate::show::content;
use crate::status::Status;

pub(super) async fn run(app: &App, args: &PromptArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let mut params = GetPromptParams::new(&args.prompt);
    params.arguments = arguments(&args.arguments)?;
    let params = to_raw_value(&params).map_err(|error| Failure::usage(error.to_string()))?;
    let client = app.connect(&server).await?;
    let answer = client.request(GetPrompt::NAME, Some(params), app.call_options()).await?;
    let text = if app.globals.json { answer.as_str().to_owned() } else { shown(app, &server, &answer)? };
    app.print(&text)?;
    Ok(Status::Done)
}

/// The values of a prompt's arguments are always texts.
fn arguments(given: &[String]) -> Result<Option<BTreeMap<String, String>>, Failure> {
    let mut arguments = BTreeMap::new();
    for text in given {
        let Some((key, value)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(Failure::usage(format!("`{text}` is not KEY=VALUE")));
        };
        if arguments.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(Failure::usage(format!("`{key}` is given twice")));
        }
    }
    Ok((!arguments.is_empty()).then_some(arguments))
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
