//! `tools`, `resources`, `templates`, `prompts`: what one server, or each of all, has.

use std::sync::Arc;

use mcp_client::Client;
use mcp_jsonrpc::Raw;
use mcp_types::{ListPrompts, ListResourceTemplates, ListResources, ListTools, Method, ServerCapabilities};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::app::{App, for_each};
use crate::args::ToolsArgs;
use crate::cache;
use crate::failure::{Failure, Stop};
use crate::output;
use crate::server::{Choice, Server, configured};
use crate::several::Several;
use crate::show::look::Look;
use crate::show::{count, escape, lists, tools};
use crate::status::Status;

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    Tools,
    Resources,
    Templates,
    Prompts,
}

impl What {
    fn method(self) -> &'static str {
        match self {
            Self::Tools => ListTools::NAME,
            Self::Resources => ListResources::NAME,
            Self::Templates => ListResourceTemplates::NAME,
            Self::Prompts => ListPrompts::NAME,
        }
    }

    /// The name of the command, which is the member of our document.
    fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "templates",
            Self::Prompts => "prompts",
        }
    }

    /// The member of the result.
    fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Tools => "tool",
            Self::Resources => "resource",
            Self::Templates => "template",
            Self::Prompts => "prompt",
        }
    }

    fn is_offered(self, offered: &ServerCapabilities) -> bool {
        match self {
            Self::Tools => offered.tools.is_some(),
            Self::Resources | Self::Templates => offered.resources.is_some(),
            Self::Prompts => offered.prompts.is_some(),
        }
    }

    fn table(self, items: &[Value], look: Look) -> String {
        match self {
            Self::Tools => tools::table(items, look),
            Self::Resources => lists::resources(items, "uri", look),
            Self::Templates => lists::resources(items, "uriTemplate", look),
            Self::Prompts => lists::prompts(items, look),
        }
    }
}

pub(super) async fn run(app: &Arc<App>, what: What, args: &ToolsArgs) -> Result<Status, Stop> {
    let listings = match &args.server {
        Some(name) => {
            let server = Server::find(&app.globals, name, &args.ad_hoc)?;
            let listed = one(app, what, &server).await.unwrap_or_else(Listed::Failed);
            vec![Listing { server: server.name, listed }]
        }
        None => all(app, what).await?,
    };
    for listing in &listings {
        if let Listed::Failed(failure) = &listing.listed {
            app.console.failure(failure);
        }
    }
    let text = if app.globals.json { document(what, &listings)? } else { page(app, what, &listings) };
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
    Items { about: String, items: Vec<Raw> },
    Disabled,
    Failed(Failure),
}

impl Listing {
    /// `None` for a server that was not asked.
    fn status(&self) -> Option<Status> {
        match &self.listed {
            Listed::Items { .. } => Some(Status::Done),
            Listed::Failed(failure) => Some(failure.status),
            Listed::Disabled => None,
        }
    }
}

async fn one(app: &App, what: What, server: &Server) -> Result<Listed, Failure> {
    let client = app.connect(server).await?;
    let items = list(app, what, &client).await?;
    if what == What::Tools {
        cache::remember(server, &client, &items).await;
    }
    Ok(shown(what, server, &client, items))
}

/// All configured servers, in the order of the config.
async fn all(app: &Arc<App>, what: What) -> Result<Vec<Listing>, Failure> {
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
                Choice::On(server) => ask(&app, what, &server, several.client(&server).await).await,
                Choice::Off => Listed::Disabled,
                Choice::Bad(failure) => Listed::Failed(failure),
            };
            Listing { server, listed }
        }
    };
    Ok(for_each(choices, list).await)
}

/// The manager has kept the tools already.
async fn ask(app: &App, what: What, server: &Server, client: Result<Client, Failure>) -> Listed {
    let client = match client {
        Ok(client) => client,
        Err(failure) => return Listed::Failed(failure),
    };
    let items = list(app, what, &client).await;
    items.map_or_else(Listed::Failed, |items| shown(what, server, &client, items))
}

async fn list(app: &App, what: What, client: &Client) -> Result<Vec<Raw>, Failure> {
    // A server that does not offer them has none; asking it would be an error.
    if !what.is_offered(&client.agreed().capabilities) {
        return Ok(Vec::new());
    }
    Ok(client.list_raw(what.method(), what.member(), app.call_options()).await?)
}

fn shown(what: What, server: &Server, client: &Client, mut items: Vec<Raw>) -> Listed {
    if what == What::Tools {
        items.retain(|tool| is_shown(server, tool));
    }
    Listed::Items { about: about(client), items }
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
    crate::show::server::about(client.agreed())
}

fn page(app: &App, what: What, listings: &[Listing]) -> String {
    let look = app.output.look;
    let mut parts = Vec::new();
    for listing in listings {
        let server = look.strong(&escape::line(&listing.server));
        match &listing.listed {
            Listed::Items { about, items } => {
                let count = count(items.len(), what.noun());
                let head = format!("{server}: {count} {}", look.faint(&format!("({})", escape::line(about))));
                // What is no JSON value of ours, such as one with 1e400 in it, still counts as one.
                let items: Vec<_> = items.iter().map(|item| item.parse().unwrap_or(Value::Null)).collect();
                parts.push(format!("{head}\n{}", what.table(&items, look)));
            }
            Listed::Disabled => parts.push(format!("{server}: {}\n", look.faint("disabled"))),
            Listed::Failed(_) => parts.push(format!("{server}: {}\n", look.bad("failed"))),
        }
    }
    parts.join("\n")
}

#[derive(serde::Serialize)]
struct Document<'a> {
    servers: Vec<Row<'a>>,
}

struct Row<'a> {
    name: &'a str,
    status: &'static str,
    error: Option<&'a str>,
    /// The member that holds the items.
    member: &'static str,
    items: Vec<Box<RawValue>>,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_map(None)?;
        row.serialize_entry("name", self.name)?;
        row.serialize_entry("status", self.status)?;
        if let Some(error) = self.error {
            row.serialize_entry("error", error)?;
        }
        row.serialize_entry(self.member, &self.items)?;
        row.end()
    }
}

/// The items as the servers sent them, byte for byte.
fn document(what: What, listings: &[Listing]) -> Result<String, Failure> {
    let rows = listings.iter().map(|listing| {
        let (status, error, items) = match &listing.listed {
            Listed::Items { items, .. } => ("connected", None, items.as_slice()),
            Listed::Disabled => ("disabled", None, &[][..]),
            Listed::Failed(failure) => ("failed", Some(failure.text.as_str()), &[][..]),
        };
        let items = items.iter().map(|item| RawValue::from_string(item.as_str().to_owned()));
        let items = items.collect::<serde_json::Result<_>>()?;
        Ok(Row { name: &listing.server, status, error, member: what.name(), items })
    });
    let servers: serde_json::Result<_> = rows.collect();
    let servers = servers.map_err(|error| Failure::new(Status::Link, error.to_string()))?;
    output::document(&Document { servers })
}
