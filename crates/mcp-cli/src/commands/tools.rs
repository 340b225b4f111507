//! `tools`: what one server, or each of all, can do.

use std::sync::Arc;

use mcp_client::Client;
use mcp_jsonrpc::Raw;
use mcp_types::{ListTools, Method};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::app::{App, for_each};
use crate::args::ToolsArgs;
use crate::cache;
use crate::failure::{Failure, Stop};
use crate::server::{Choice, Server, configured};
use crate::several::Several;
use crate::show::{escape, tools::table};
use crate::status::Status;

pub(super) async fn run(app: &Arc<App>, args: &ToolsArgs) -> Result<Status, Stop> {
    let listings = match &args.server {
        Some(name) => {
            let server = Server::find(&app.globals, name, &args.ad_hoc)?;
            let listed = one(app, &server).await.unwrap_or_else(Listed::Failed);
            vec![Listing { server: server.name, listed }]
        }
        None => all(app).await?,
    };
    for listing in &listings {
        if let Listed::Failed(failure) = &listing.listed {
            app.console.failure(failure);
        }
    }
    let text = if app.globals.json { document(&listings)? } else { page(app, &listings) };
    app.print(&text)?;
    let statuses: Vec<_> = listings.iter().filter_map(Listing::status).collect();
    Ok(Status::of_several(&statuses))
}

/// What came of asking one server.
struct Listing {
    server: String,
    listed: Listed,
}

enum Listed {
    Tools { about: String, tools: Vec<Raw> },
    Disabled,
    Failed(Failure),
}

impl Listing {
    /// `None` for a server that was not asked.
    fn status(&self) -> Option<Status> {
        match &self.listed {
            Listed::Tools { .. } => Some(Status::Done),
            Listed::Failed(failure) => Some(failure.status),
            Listed::Disabled => None,
        }
    }
}

async fn one(app: &App, server: &Server) -> Result<Listed, Failure> {
    let client = app.connect(server).await?;
    let tools = list(app, &client).await?;
    cache::remember(server, &client, &tools).await;
    Ok(shown(server, &client, tools))
}

/// All configured servers, in the order of the config.
async fn all(app: &Arc<App>) -> Result<Vec<Listing>, Failure> {
    let entries = configured(&app.globals)?;
    let choices: Vec<_> = entries.iter().map(|entry| (entry.name.clone(), Choice::of(entry))).collect();
    let on = choices.iter().filter_map(|(_, choice)| match choice {
        Choice::On(server) => Some(&**server),
        _ => None,
    });
    let several = Several::start(app, &on.collect::<Vec<_>>()).await?;
    let list = |(server, choice)| {
        let (app, several) = (Arc::clone(app), several.clone());
        async move {
            let listed = match choice {
                Choice::On(server) => ask(&app, &server, several.client(&server).await).await,
                Choice::Off => Listed::Disabled,
                Choice::Bad(failure) => Listed::Failed(failure),
            };
            Listing { server, listed }
        }
    };
    Ok(for_each(choices, list).await)
}

/// The manager has kept the tools already.
async fn ask(app: &App, server: &Server, client: Result<Client, Failure>) -> Listed {
    let client = match client {
        Ok(client) => client,
        Err(failure) => return Listed::Failed(failure),
    };
    let tools = list(app, &client).await;
    tools.map_or_else(Listed::Failed, |tools| shown(server, &client, tools))
}

async fn list(app: &App, client: &Client) -> Result<Vec<Raw>, Failure> {
    // A server that does not offer tools has none; asking it would be an error.
    Ok(match client.agreed().capabilities.tools {
        Some(_) => client.list_raw(ListTools::NAME, "tools", app.call_options()).await?,
        None => Vec::new(),
    })
}

fn shown(server: &Server, client: &Client, tools: Vec<Raw>) -> Listed {
    let tools = tools.into_iter().filter(|tool| is_shown(server, tool)).collect();
    Listed::Tools { about: about(client), tools }
}

/// Whether the config lets the tool through. Of one without a readable name only a list of those that
/// are allowed can say that it is not.
fn is_shown(server: &Server, tool: &Raw) -> bool {
    #[derive(serde::Deserialize)]
    struct Named {
        name: String,
    }
    let name = tool.parse::<Named>().map(|named| named.name);
    name.map_or_else(|_| server.filter().allow.is_none(), |name| server.filter().shows(&name))
}

fn about(client: &Client) -> String {
    let agreed = client.agreed();
    let info = &agreed.server_info;
    format!("{} {}, protocol {}", info.display_name(), info.version, agreed.version)
}

fn page(app: &App, listings: &[Listing]) -> String {
    let look = app.output.look;
    let mut parts = Vec::new();
    for listing in listings {
        let server = look.strong(&escape::line(&listing.server));
        match &listing.listed {
            Listed::Tools { about, tools } => {
                let count =
                    if tools.len() == 1 { "1 tool".to_owned() } else { format!("{} tools", tools.len()) };
                let head = format!("{server}: {count} {}", look.faint(&format!("({})", escape::line(about))));
                // What is no JSON value of ours, such as one with 1e400 in it, still counts as one.
                let tools: Vec<_> = tools.iter().map(|tool| tool.parse().unwrap_or(Value::Null)).collect();
                parts.push(format!("{head}\n{}", table(&tools, look)));
            }
            Listed::Disabled => parts.push(format!("{server}: {}\n", look.faint("disabled"))),
            Listed::Failed(_) => parts.push(format!("{server}: {}\n", look.bad("failed"))),
        }
    }
    parts.join("\n")
}

#[derive(Serialize)]
struct Document<'a> {
    servers: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    tools: Vec<Box<RawValue>>,
}

/// The tools as the servers sent them, byte for byte.
fn document(listings: &[Listing]) -> Result<String, Failure> {
    let rows = listings.iter().map(|listing| {
        let (status, error, tools) = match &listing.listed {
            Listed::Tools { tools, .. } => ("connected", None, tools.as_slice()),
            Listed::Disabled => ("disabled", None, &[][..]),
            Listed::Failed(failure) => ("failed", Some(failure.text.as_str()), &[][..]),
        };
        let tools = tools.iter().map(|tool| RawValue::from_string(tool.as_str().to_owned()));
        Ok(Row { name: &listing.server, status, error, tools: tools.collect::<serde_json::Result<_>>()? })
    });
    let document = rows.collect::<serde_json::Result<_>>().map(|servers| Document { servers });
    let text = document.and_then(|document| serde_json::to_string(&document));
    text.map_err(|error| Failure::new(Status::Link, error.to_string()))
}
