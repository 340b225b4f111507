//! `config explain`: what counts for a server, and where that is said.

mod values;

use mcp_manager::config::{Entry, Kind, Origin};
use serde::Serialize;

use self::values::Value;
use crate::app::App;
use crate::config::{self, Purpose};
use crate::failure::{Failure, Stop};
use crate::output;
use crate::server;
use crate::show::escape;
use crate::show::look::Look;
use crate::show::rows::{Cell, lay_out, plain};
use crate::status::Status;

pub(super) fn run(app: &App, name: &str) -> Result<Status, Stop> {
    let found = config::find(&app.globals, Some(name), Purpose::Look)?;
    let entry = server::entry(&app.globals, &found, name)?;
    let shadowed = found.discovered.shadowed.iter().map(|it| &it.entry).filter(|it| it.name == name);
    let document = Document {
        server: Explained::new(entry),
        values: values::of(entry),
        shadowed: shadowed.map(Explained::new).collect(),
    };
    let text = if app.globals.json { output::document(&document)? } else { document.page(app.output.look) };
    app.print(&text)?;
    match entry.error() {
        Some(error) => Err(Failure::from(error).into()),
        None => Ok(Status::Done),
    }
}

#[derive(Serialize)]
struct Document {
    server: Explained,
    /// Empty for a server that is off or broken: nothing of it is filled in.
    values: Vec<Value>,
    /// Entries of the same name that do not count.
    shadowed: Vec<Explained>,
}

/// An entry as a whole.
#[derive(Serialize)]
struct Explained {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    origin: Place,
    warnings: Vec<String>,
}

/// Where something stands.
#[derive(Clone, Serialize)]
struct Place {
    file: String,
    line: usize,
    column: usize,
    host: &'static str,
    scope: String,
}

impl From<&Origin> for Place {
    fn from(origin: &Origin) -> Self {
        Self {
            file: origin.file.display().to_string(),
            line: origin.place.line,
            column: origin.place.column,
            host: origin.host.name(),
            scope: origin.scope.to_string(),
        }
    }
}

impl Place {
    fn short(&self) -> String {
        escape::line(&format!("{}:{}", self.file, self.line))
    }

    fn long(&self) -> String {
        format!("{} ({}, {})", self.short(), self.host, self.scope)
    }
}

impl Explained {
    fn new(entry: &Entry) -> Self {
        Self {
            name: entry.name.clone(),
            kind: entry.kind.map_or("unknown", Kind::name),
            enabled: !entry.is_disabled(),
            reason: entry.disabled_by().map(|by| by.to_string()),
            error: entry.error().map(ToString::to_string),
            origin: (&entry.origin).into(),
            warnings: entry.warnings.iter().map(ToString::to_string).collect(),
        }
    }

    fn state(&self) -> String {
        match (&self.reason, &self.error) {
            (Some(reason), _) => format!("disabled: {reason}"),
            (None, Some(_)) => "broken".to_owned(),
            (None, None) => "enabled".to_owned(),
        }
    }
}

impl Document {
    fn page(&self, look: Look) -> String {
        let server = &self.server;
        let name = look.strong(&escape::line(&server.name));
        let mut page =
            format!("{name}: {}, {}\n  from {}\n", server.kind, server.state(), server.origin.long());
        let rows = self.values.iter().map(|value| {
            let origin = value.origin.as_ref().map_or("default".to_owned(), Place::short);
            let field: Cell = (escape::line(&value.field), |look, text| look.name(text));
            let origin: Cell = (origin, |look, text| look.faint(text));
            vec![field, plain(escape::line(&value.value)), origin]
        });
        page.push_str(&lay_out(&rows.collect::<Vec<_>>(), 2, 48, look));
        for warning in &server.warnings {
            page.push_str(&format!("  warning: {}\n", escape::line(warning)));
        }
        for other in &self.shadowed {
            page.push_str(&format!(
                "  does not count: {}, {}, {}\n",
                other.origin.long(),
                other.kind,
                other.state()
            ));
        }
        page
    }
}
