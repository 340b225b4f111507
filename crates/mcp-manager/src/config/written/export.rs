//! An entry of any host as one of our own format.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use mcp_transport_stdio::EnvPolicy;
use serde_json::{Map, Value as Json};

use super::Written;
use super::syntax::{literal, translate};
use crate::config::dialect::Dialect;
use crate::config::expand::Syntax;
use crate::config::fields::duration;
use crate::config::host::Host;
use crate::config::node::{Members, Node, Value, find};
use crate::config::remote::socket;
use crate::config::server::Kind;

/// An entry in our own format, and what is to be known about it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Exported {
    /// The entry.
    pub entry: Map<String, Json>,
    /// What has no counterpart, what was left out, and which variables have to be set. They show names of
    /// keys and no values.
    pub notes: Vec<String>,
}

impl Exported {
    pub(super) fn disable(&mut self, note: &str) {
        self.entry.insert("enabled".to_owned(), false.into());
        self.notes.push(note.to_owned());
    }
}

impl Written {
    pub(super) fn export(&self, kind: Option<Kind>) -> Exported {
        let mut export = Export { written: self, done: BTreeSet::new(), out: Exported::default() };
        if self.host == Host::Own {
            export.out.entry = self.members.iter().map(|(name, node)| (name.clone(), node.json())).collect();
            return export.out;
        }
        for name in ["type", "transport", "enabled", "disabled"] {
            export.done.insert(name);
        }
        match kind {
            None | Some(Kind::Stdio) => export.stdio(),
            Some(kind) => export.remote(kind),
        }
        export.limits();
        export.tools();
        export.rest();
        export.out
    }
}

struct Export<'a> {
    written: &'a Written,
    /// The keys that were looked at.
    done: BTreeSet<&'static str>,
    out: Exported,
}

impl<'a> Export<'a> {
    fn dialect(&self) -> &'static Dialect {
        Dialect::of(self.written.host)
    }

    fn node(&mut self, field: &'static str) -> Option<&'a Node> {
        self.done.insert(field);
        find(&self.written.members, field)
    }

    fn put(&mut self, field: &str, value: impl Into<Json>) {
        self.out.entry.insert(field.to_owned(), value.into());
    }

    fn note(&mut self, note: String) {
        if !self.out.notes.contains(&note) {
            self.out.notes.push(note);
        }
    }

    /// A text in our syntax; one that is no text is reported.
    fn text(&mut self, field: &str, node: &Node) -> Option<String> {
        let Some(text) = node.text() else {
            self.note(format!("\"{field}\" is {} and is left out", node.kind()));
            return None;
        };
        Some(self.translate(text))
    }

    fn translate(&mut self, text: &str) -> String {
        let translated = translate(text, self.dialect().syntax, &self.written.inputs);
        translated.notes.into_iter().for_each(|note| self.note(note));
        translated.text
    }

    fn stdio(&mut self) {
        let dialect = self.dialect();
        if let Some(command) = self.node("command") {
            let mut line: Vec<String> = match &command.value {
                Value::List(items) => items.iter().filter_map(|item| self.text("command", item)).collect(),
                _ => self.text("command", command).into_iter().collect(),
            };
            if let Some(program) = line.first_mut() {
                let is_path = program.contains('/') || (cfg!(windows) && program.contains('\\'));
                *program = if is_path { beside(&self.written.folder, program) } else { program.clone() };
                let program = line.remove(0);
                self.put("command", program);
            }
            let args = if dialect.command_is_list { None } else { self.node("args") };
            if let Some(Value::List(items)) = args.map(|node| &node.value) {
                line.extend(items.iter().filter_map(|item| self.text("args", item)));
            }
            if !line.is_empty() {
                self.put("args", line);
            }
        }
        let mut env = Map::new();
        if self.written.host == Host::Codex {
            self.passed_on(&mut env);
        }
        for (name, node) in self.pairs(dialect.env) {
            let value = match &node.value {
                Value::Null => Json::Null,
                Value::Number(number) => number.clone().into(),
                _ => match self.value(dialect.env, name, node) {
                    Some(value) => value.into(),
                    None => continue,
                },
            };
            env.insert(name.clone(), value);
        }
        if !env.is_empty() {
            self.put("env", env);
        }
        if dialect.env_policy == EnvPolicy::Clean {
            self.put("env_policy", "clean");
        }
        if let Some(cwd) = self.node("cwd").and_then(|node| self.text("cwd", node)) {
            self.put("cwd", beside(&self.written.folder, &cwd));
        }
    }

    /// Codex: variables of ours that the server gets.
    fn passed_on(&mut self, env: &mut Map<String, Json>) {
        let Some(Value::List(items)) = self.node("env_vars").map(|node| &node.value) else { return };
        for item in items {
            let member = |name| item.member(name).and_then(Node::text);
            if member("source").is_some_and(|source| source != "local") {
                self.out.disable("the server is disabled: \"env_vars\" names a variable of another machine");
                continue;
            }
            let Some(name) = item.text().or(member("name")) else { continue };
            let variable = self.variable(name);
            let variable =
                variable.strip_suffix('}').map_or(variable.clone(), |start| format!("{start}:-}}"));
            env.insert(name.to_owned(), variable.into());
            self.note(format!("the variable {name} is passed on as an empty one where it is not set"));
        }
    }

    /// A variable that the host names without any syntax.
    fn variable(&mut self, name: &str) -> String {
        let translated = translate(&format!("${{env:{name}}}"), Syntax::Prefixed, &[]);
        translated.notes.into_iter().for_each(|note| self.note(note));
        translated.text
    }

    fn pairs(&mut self, field: &'static str) -> &'a [(String, Node)] {
        self.node(field).and_then(Node::members).map_or(&[], Members::as_slice)
    }

    /// A value of a header or variable.
    fn value(&mut self, field: &str, name: &str, node: &Node) -> Option<String> {
        let field = format!("{field}.{name}");
        let value = self.text(&field, node)?;
        if value.starts_with('!') {
            self.note(format!("\"{field}\" begins with `!`, which our own format refuses"));
        }
        Some(value)
    }

    fn remote(&mut self, kind: Kind) {
        let dialect = self.dialect();
        let urls = dialect.urls.iter().filter_map(|(field, _)| Some((*field, self.node(field)?)));
        let urls: Vec<_> =
            urls.filter(|(_, node)| node.text().is_none_or(|it| !it.trim().is_empty())).collect();
        if let Some((field, node)) = urls.first()
            && let Some(url) = self.text(field, node)
        {
            self.put("type", kind.name());
            self.put("url", socket(&url));
        }
        let mut headers = Map::new();
        for (name, node) in self.pairs(dialect.headers) {
            if let Some(value) = self.value(dialect.headers, name, node) {
                headers.insert(name.clone(), value.into());
            }
        }
        if self.written.host == Host::Codex {
            for (name, node) in self.pairs("env_http_headers") {
                if let Some(variable) = node.text() {
                    headers.insert(name.clone(), self.variable(variable).into());
                }
            }
            if let Some(variable) = self.node("bearer_token_env_var").and_then(Node::text) {
                let token = format!("Bearer {}", self.variable(variable));
                headers.insert("Authorization".to_owned(), token.into());
            }
        }
        if !headers.is_empty() {
            self.put("headers", headers);
        }
    }

    fn limits(&mut self) {
        let dialect = self.dialect();
        let (field, unit) = dialect.timeout;
        let own = self.node(field).and_then(|node| duration(node, unit));
        if let Some(timeout) = own.or(self.written.timeout) {
            self.put("timeout", millis(timeout));
        }
        let mut start = None;
        for (field, unit) in dialect.start_timeout {
            start = start.or(self.node(field).and_then(|node| duration(node, *unit)));
        }
        if let Some(start) = start {
            self.put("start_timeout", millis(start));
        }
    }

    fn tools(&mut self) {
        let dialect = self.dialect();
        let mut tools = Map::new();
        if let Some((field, node)) = dialect.allow.and_then(|field| Some((field, self.node(field)?))) {
            let mut names: Vec<Json> = Vec::new();
            for name in node.texts() {
                let name = match name.split_once('(') {
                    Some((tool, _)) if self.written.host == Host::GeminiCli => tool.to_owned(),
                    _ => name,
                };
                let translated = translate(&name, dialect.syntax, &self.written.inputs);
                // The host takes it for the name of one tool; here it could let many through.
                if translated.has_variables || name.contains(['*', '?']) {
                    self.note(format!("\"{field}\": a name with a `*`, `?` or variable is left out"));
                } else {
                    names.push(translated.text.into());
                }
            }
            tools.insert("allow".to_owned(), names.into());
        }
        if let Some(node) = dialect.deny.and_then(|field| self.node(field)) {
            let names: Vec<_> = node.texts().iter().map(|name| self.translate(name)).collect();
            if !names.is_empty() {
                tools.insert("deny".to_owned(), names.into());
            }
        }
        if !tools.is_empty() {
            self.put("tools", tools);
        }
    }

    /// What nobody asked for.
    fn rest(&mut self) {
        for (name, _) in &self.written.members {
            if !self.done.contains(name.as_str()) {
                self.note(format!("\"{name}\" has no counterpart and is left out"));
            }
        }
    }
}

/// A path as it is found from any folder. One that begins with a variable is left as it is.
fn beside(folder: &Path, path: &str) -> String {
    if path.starts_with("${") || Path::new(path).is_absolute() {
        return path.to_owned();
    }
    match folder.to_str().filter(|folder| !folder.is_empty()) {
        Some(folder) => format!("{}{}{path}", literal(folder), std::path::MAIN_SEPARATOR),
        None => path.to_owned(),
    }
}

fn millis(time: Duration) -> Json {
    let whole =
        u64::try_from(time.as_millis()).ok().filter(|_| time.subsec_nanos().is_multiple_of(1_000_000));
    whole.map_or_else(|| (time.as_secs_f64() * 1000.0).into(), Json::from)
}
