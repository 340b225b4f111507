//! `config check`: every error and warning, with its place.

use std::path::PathBuf;

use mcp_manager::config::{
    ConfigError, DiscoverOptions, Discovered, Entry, Origin, Place, Scope, discover, read_file,
};
use serde::Serialize;

use crate::app::App;
use crate::config::with_values;
use crate::failure::Stop;
use crate::output;
use crate::show::escape;
use crate::status::Status;

pub(super) fn run(app: &App, files: &[PathBuf]) -> Result<Status, Stop> {
    let files = if files.is_empty() { &app.globals.config } else { files };
    let found = if files.is_empty() { all() } else { named(files) };
    let mut problems: Vec<_> = found.failed.iter().map(Problem::of_file).collect();
    let shadowed = found.shadowed.iter().map(|it| &it.entry);
    problems.extend(found.entries.iter().chain(shadowed).flat_map(Problem::of_entry));
    problems.sort_by(|one, other| {
        (&one.file, one.line, one.column).cmp(&(&other.file, other.line, other.column))
    });
    let has_errors = problems.iter().any(|problem| problem.severity == "error");
    let text = if app.globals.json {
        let files = found.files.iter().map(|file| file.display().to_string()).collect();
        output::document(&Document { files, problems })?
    } else if problems.is_empty() {
        format!("{} files, nothing is wrong\n", found.files.len())
    } else {
        problems.iter().map(Problem::text).collect()
    };
    app.print(&text)?;
    Ok(if has_errors { Status::Usage } else { Status::Done })
}

/// All files that are found: looking starts nothing, so those that are not trusted are among them.
fn all() -> Discovered {
    let mut options = DiscoverOptions::default();
    options.project_files = true;
    with_values(|values| discover(&options, values))
}

/// These files, each by itself.
fn named(files: &[PathBuf]) -> Discovered {
    let mut found = Discovered::default();
    for file in files {
        match with_values(|values| read_file(file, None, Scope::Given, values)) {
            Ok(read) => {
                found.files.push(file.clone());
                found.entries.extend(read.entries);
            }
            Err(error) => found.failed.push(error),
        }
    }
    found
}

#[derive(Serialize)]
struct Document {
    files: Vec<String>,
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct Problem {
    severity: &'static str,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

impl Problem {
    fn of_file(error: &ConfigError) -> Self {
        let mut message = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            message.push_str(&format!(": {error}"));
            cause = error.source();
        }
        let place = error.place();
        Self {
            severity: "error",
            file: error.file.display().to_string(),
            line: place.map(|it| it.line),
            column: place.map(|it| it.column),
            server: None,
            field: None,
            message,
            hint: error.hint(),
        }
    }

    fn of_entry(entry: &Entry) -> Vec<Self> {
        let at = |severity, origin: &Origin, place: Place, message: String| Self {
            severity,
            file: origin.file.display().to_string(),
            line: Some(place.line),
            column: Some(place.column),
            server: Some(entry.name.clone()),
            field: None,
            message,
            hint: None,
        };
        let warnings = entry.warnings.iter();
        let mut problems: Vec<_> =
            warnings.map(|it| at("warning", &entry.origin, it.place, it.text.clone())).collect();
        if let Some(error) = entry.error() {
            let mut problem = at("error", &error.origin, error.origin.place, error.to_string());
            problem.field = error.field().map(str::to_owned);
            problem.hint = error.hint();
            problems.push(problem);
        }
        problems
    }

    /// As editors and people take it: `FILE:LINE:COLUMN: error: TEXT`.
    fn text(&self) -> String {
        let mut line = self.file.clone();
        for number in [self.line, self.column].into_iter().flatten() {
            line.push_str(&format!(":{number}"));
        }
        line.push_str(&format!(": {}: ", self.severity));
        if let Some(server) = self.server.as_ref().filter(|_| self.severity == "warning") {
            line.push_str(&format!("Server \"{server}\": "));
        }
        line.push_str(&self.message);
        if let Some(field) = &self.field {
            line.push_str(&format!(" (field \"{field}\")"));
        }
        let mut text = escape::line(&line) + "\n";
        if let Some(hint) = self.hint {
            text.push_str(&format!("    hint: {hint}\n"));
        }
        text
    }
}
