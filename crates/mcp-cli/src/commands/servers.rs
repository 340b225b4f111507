//! `servers`: what is configured, where, and with `--connect` whether it works.

use std::sync::Arc;

use mcp_manager::config::{Entry, Kind};
use mcp_types::Implementation;
use serde::Serialize;

use crate::app::{App, for_each};
use crate::args::ServersArgs;
use crate::config::{self, Purpose};
use crate::failure::{Failure, Stop};
use crate::output;
use crate::server::{Choice, all};
use crate::show::escape;
use crate::show::look::Look;
use crate::show::rows::{Cell, lay_out, plain};
use crate::status::Status;

pub(super) async fn run(app: &Arc<App>, args: &ServersArgs) -> Result<Status, Stop> {
    let purpose = if args.connect { Purpose::Start } else { Purpose::Look };
    let entries = all(&app.globals, purpose)?;
    let connect = args.connect;
    let choices = entries.iter().map(Choice::of).collect();
    let states = for_each(choices, |choice| look_at(Arc::clone(app), choice, connect)).await;
    for (entry, state) in entries.iter().zip(&states) {
        // Connecting tells them as well.
        if !connect || entry.ready().is_none() {
            entry.warnings.iter().for_each(|warning| app.console.warning(&entry.name, &warning.text));
        }
        if let State::Failed(failure) = state {
            app.console.failure(failure);
        }
    }
    let rows: Vec<_> = entries.iter().zip(&states).map(|(entry, state)| Row::new(entry, state)).collect();
    let text = if app.globals.json {
        output::document(&Document { servers: rows })?
    } else {
        page(&rows, app.output.look)
    };
    app.print(&text)?;
    let statuses: Vec<_> = states.iter().filter_map(State::status).collect();
    Ok(Status::of_several(&statuses))
}

enum State {
    Pending,
    Disabled,
    Failed(Failure),
    Connected { version: String, info: Option<Implementation> },
}

impl State {
    fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Disabled => "disabled",
            Self::Failed(_) => "failed",
            Self::Connected { .. } => "connected",
        }
    }

    /// `None` for a server that is off.
    fn status(&self) -> Option<Status> {
        match self {
            Self::Disabled => None,
            Self::Failed(failure) => Some(failure.status),
            Self::Pending | Self::Connected { .. } => Some(Status::Done),
        }
    }
}

async fn look_at(app: Arc<App>, choice: Choice, connect: bool) -> State {
    let server = match choice {
        Choice::Off => return State::Disabled,
        Choice::Bad(failure) => return State::Failed(failure),
        Choice::On(_) if !connect => return State::Pending,
        Choice::On(server) => server,
    };
    match app.connect(&server).await {
        Ok(client) => {
            let agreed = client.agreed();
            State::Connected { version: agreed.version.to_string(), info: agreed.server_info.clone() }
        }
        Err(failure) => State::Failed(failure),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Of a server behind an address, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    source: String,
    scope: String,
    host: &'static str,
    enabled: bool,
    /// What turned it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_info: Option<&'a Implementation>,
    #[serde(skip)]
    line: usize,
}

impl<'a> Row<'a> {
    fn new(entry: &'a Entry, state: &'a State) -> Self {
        let (error, protocol_version, server_info) = match state {
            State::Failed(failure) => (Some(failure.text.as_str()), None, None),
            State::Connected { version, info } => (None, Some(version.as_str()), info.as_ref()),
            State::Pending | State::Disabled => (None, None, None),
        };
        Self {
            name: &entry.name,
            kind: entry.kind.map_or("unknown", Kind::name),
            url: entry.ready().and_then(|server| config::url(&server.kind)),
            source: entry.origin.file.display().to_string(),
            scope: entry.origin.scope.to_string(),
            host: entry.origin.host.name(),
            enabled: !entry.is_disabled(),
            reason: entry.disabled_by().map(|by| by.to_string()),
            status: state.word(),
            error,
            protocol_version,
            server_info,
            line: entry.origin.place.line,
        }
    }

    fn about(&self) -> String {
        if let Some(reason) = &self.reason {
            return format!("disabled: {reason}");
        }
        match self.protocol_version {
            Some(version) => {
                escape::line(&format!("{}, protocol {version}", crate::show::server::name(self.server_info)))
            }
            None => String::new(),
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    servers: Vec<Row<'a>>,
}

fn page(rows: &[Row<'_>], look: Look) -> String {
    if rows.is_empty() {
        return "no servers are configured\n".to_owned();
    }
    let cells = rows.iter().map(|row| {
        let status: Cell = match row.status {
            "connected" => ("connected".to_owned(), |look, text| look.good(text)),
            "failed" => ("failed".to_owned(), |look, text| look.bad(text)),
            status => (status.to_owned(), |look, text| look.faint(text)),
        };
        let source: Cell =
            (escape::line(&format!("{}:{}", row.source, row.line)), |look, text| look.faint(text));
        // `given` is what the command line says itself.
        let owner = if row.scope == "given" { String::new() } else { format!("{} {}", row.scope, row.host) };
        let name: Cell = (escape::line(row.name), |look, text| look.name(text));
        let url = plain(escape::line(row.url.as_deref().unwrap_or_default()));
        vec![name, plain(row.kind), status, url, source, plain(owner), plain(row.about())]
    });
    lay_out(&cells.collect::<Vec<_>>(), 0, 48, look)
}
