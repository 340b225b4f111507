//! `prompt`: the messages of a prompt.

use mcp_jsonrpc::Raw;
use mcp_types::ContentBlock;
use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;

use crate::app::App;
use crate::args::PromptArgs;
use crate::failure::{Failure, Stop};
use crate::server::Server;
use crate::show::content::{self, Message};
use crate::status::Status;

#[derive(Serialize)]
struct Params<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    arguments: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Answer {
    messages: Vec<Told>,
}

#[derive(Deserialize)]
struct Told {
    role: String,
    content: ContentBlock,
}

pub(super) async fn run(app: &App, args: &PromptArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let params = Params { name: &args.prompt, arguments: arguments(&args.arguments)? };
    let params = to_raw_value(&params).map_err(|error| Failure::usage(error.to_string()))?;
    let client = app.connect(&server).await?;
    let answer = client.request("prompts/get", Some(params), app.call_options()).await?;
    let text = if app.globals.json { answer.as_str().to_owned() } else { shown(app, &server, &answer)? };
    app.print(&text)?;
    Ok(Status::Done)
}

/// The values of a prompt's arguments are always strings.
fn arguments(given: &[String]) -> Result<serde_json::Map<String, serde_json::Value>, Failure> {
    let mut arguments = serde_json::Map::new();
    for text in given {
        let Some((key, value)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(Failure::usage(format!("`{text}` is not KEY=VALUE")));
        };
        if arguments.insert(key.to_owned(), value.into()).is_some() {
            return Err(Failure::usage(format!("`{key}` is given twice")));
        }
    }
    Ok(arguments)
}

fn shown(app: &App, server: &Server, answer: &Raw) -> Result<String, Failure> {
    let answer: Answer = answer.parse().map_err(|error| {
        Failure::new(Status::Link, "the answer holds no messages of a prompt")
            .of(&server.name)
            .with(error.to_string())
            .hint("--json prints it as it came")
    })?;
    let messages = answer.messages.iter().map(|told| Message { role: &told.role, content: &told.content });
    Ok(content::messages(messages, app.output.look))
}
