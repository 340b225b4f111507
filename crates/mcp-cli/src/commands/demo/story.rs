//! The transcript of the demo: numbered steps, what was sent, what came. With `--json` one document
//! at the end instead.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::host::Host;
use crate::app::App;
use crate::failure::{Failure, Stop};
use crate::show::escape;
use crate::show::look::Look;
use crate::status::Status;

/// Columns in front of what a step says.
const INDENT: &str = "   ";

pub(super) struct Story<'a> {
    app: &'a App,
    host: Arc<Host>,
    steps: usize,
    facts: Map<String, Value>,
    /// Results of calls as JSON text, so that their digits stay.
    calls: Vec<String>,
}

impl<'a> Story<'a> {
    pub(super) fn new(app: &'a App, host: Arc<Host>) -> Self {
        Self { app, host, steps: 0, facts: Map::new(), calls: Vec::new() }
    }

    pub(super) fn host(&self) -> Arc<Host> {
        Arc::clone(&self.host)
    }

    /// A paragraph.
    pub(super) fn tell(&mut self, text: &str) -> Result<(), Stop> {
        self.print(&textwrap::fill(text, self.app.output.look.width))
    }

    /// The heading of the next step.
    pub(super) fn step(&mut self, title: &str) -> Result<(), Stop> {
        self.tell_notes()?;
        self.steps += 1;
        let title = self.app.output.look.strong(title);
        self.print(&format!("\n{}. {title}", self.steps))
    }

    /// What goes to the server.
    pub(super) fn sent(&mut self, text: &str) -> Result<(), Stop> {
        self.tell_notes()?;
        let arrow = self.app.output.look.good("->");
        self.print(&format!("{INDENT}{arrow} {text}"))
    }

    /// What comes from it, on one line.
    pub(super) fn came(&mut self, text: &str) -> Result<(), Stop> {
        self.answer(&escape::line(text))
    }

    /// What comes from it, laid out already.
    pub(super) fn answer(&mut self, text: &str) -> Result<(), Stop> {
        self.tell_notes()?;
        let arrow = self.app.output.look.name("<-");
        let text = textwrap::fill(text, self.look().width);
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        self.print(&format!("{INDENT}{arrow} {first}"))?;
        self.block(rest)
    }

    /// More of it.
    pub(super) fn block(&mut self, text: &str) -> Result<(), Stop> {
        self.print(&text.lines().map(|line| format!("{INDENT}   {line}\n")).collect::<String>())
    }

    /// How to lay out what stands in an answer.
    pub(super) fn look(&self) -> Look {
        self.app.output.look.narrowed(INDENT.len() + 3)
    }

    pub(super) fn note(&mut self, text: &str) -> Result<(), Stop> {
        self.tell_notes()?;
        let text = textwrap::fill(text, self.look().width);
        self.print(&textwrap::indent(&text, INDENT))
    }

    /// Commands to go on with, spelled as this program was started.
    pub(super) fn try_it(&mut self) -> Result<(), Stop> {
        let program = std::env::args().next().unwrap_or_else(|| "mcp-cli".to_owned());
        for rest in ["tools - -- COMMAND ARG ...", "call - TOOL KEY=VALUE ... -- COMMAND ARG ..."] {
            self.print(&format!("{INDENT}  {} {rest}", escape::line(&program)))?;
        }
        Ok(())
    }

    /// Something for the document.
    pub(super) fn remember(&mut self, name: &str, value: &Value) {
        self.facts.insert(name.to_owned(), value.clone());
    }

    /// A call for the document.
    pub(super) fn remember_call(&mut self, tool: &str, arguments: &str, result: &str) {
        let tool = Value::from(tool);
        self.calls.push(format!(r#"{{"tool":{tool},"arguments":{arguments},"result":{result}}}"#));
    }

    /// Prints the document, if one is wanted.
    pub(super) fn end(&mut self) -> Result<(), Stop> {
        if !self.app.globals.json {
            return Ok(());
        }
        let facts = Value::Object(std::mem::take(&mut self.facts)).to_string();
        let facts = facts.trim_start_matches('{').trim_end_matches('}');
        let document = format!(r#"{{{facts},"calls":[{}]}}"#, self.calls.join(","));
        let document =
            RawValue::from_string(document).map_err(|error| Failure::new(Status::Link, error.to_string()))?;
        self.app.print(document.get())
    }

    /// What the server said on its own meanwhile.
    fn tell_notes(&mut self) -> Result<(), Stop> {
        for note in self.host.take() {
            let text = self.app.output.look.faint(&format!("*  {note}"));
            self.print(&format!("{INDENT}{text}"))?;
        }
        Ok(())
    }

    fn print(&self, text: &str) -> Result<(), Stop> {
        if self.app.globals.json { Ok(()) } else { self.app.print(text) }
    }
}
