//! The values of a server, each with the place in a file that says so.

use std::time::Duration;

use mcp_manager::config::{Entry, HttpServer, Protocol, ServerConfig, ServerKind, StdioServer};
use mcp_manager::names::Glob;
use serde::Serialize;

use super::Place;

/// What stands for a secret.
const MASK: &str = "***";

/// One value.
#[derive(Serialize)]
pub(super) struct Value {
    pub(super) field: String,
    /// Secrets masked.
    pub(super) value: String,
    /// Where it stands; absent, it is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<Place>,
}

/// What counts for a server that is on and in order.
pub(super) fn of(entry: &Entry) -> Vec<Value> {
    let Some(server) = entry.ready() else { return Vec::new() };
    let mut values = Values { server, out: Vec::new() };
    match &server.kind {
        ServerKind::Stdio(stdio) => values.stdio(stdio, entry),
        ServerKind::Http(remote) | ServerKind::Sse(remote) => values.remote(remote),
        _ => {}
    }
    values.common();
    values.out
}

struct Values<'a> {
    server: &'a ServerConfig,
    out: Vec<Value>,
}

impl Values<'_> {
    /// Puts a value down; it stands where the first of these fields does, as hosts call it.
    fn put(&mut self, field: &str, value: String, names: &[String]) {
        let place = names.iter().find_map(|name| self.server.places.get(name));
        let origin = place.map(|place| (&self.server.origin.at(*place)).into());
        self.out.push(Value { field: field.to_owned(), value, origin });
    }

    fn plain(&mut self, field: &str, value: impl Into<String>, names: &[&str]) {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        self.put(field, value.into(), &names);
    }

    fn stdio(&mut self, server: &StdioServer, entry: &Entry) {
        self.plain("command", server.command.as_str(), &["command"]);
        // As they are written: what is filled in may be a secret.
        let written = entry.written().command_line().unwrap_or_default();
        for (at, arg) in shown(written.get(1..).unwrap_or_default()).into_iter().enumerate() {
            let names = [format!("args[{at}]"), format!("command[{}]", at + 1), "args".to_owned()];
            self.put(&format!("args[{at}]"), arg, &names);
        }
        for (name, value) in &server.env {
            let value = if value.is_some() { MASK } else { "(taken away)" };
            let names =
                [format!("env.{name}"), format!("environment.{name}"), "env_vars".into(), "envFile".into()];
            self.put(&format!("env.{name}"), value.to_owned(), &names);
        }
        self.plain("env_policy", format!("{:?}", server.env_policy).to_lowercase(), &["env_policy"]);
        if let Some(cwd) = &server.cwd {
            self.plain("cwd", cwd.display().to_string(), &["cwd"]);
        }
    }

    fn remote(&mut self, server: &HttpServer) {
        self.plain("url", server.endpoint().to_string(), &["url", "httpUrl", "serverUrl"]);
        for (name, _) in server.headers().iter() {
            let is_it = |field: &str| {
                let header = field.split_once('.').filter(|(group, _)| group.ends_with("headers"));
                header.is_some_and(|(_, header)| header.eq_ignore_ascii_case(name.as_str()))
            };
            let place = self.server.places.keys().find(|field| is_it(field)).cloned();
            let token = "bearer_token_env_var".to_owned();
            self.put(&format!("headers.{name}"), MASK.to_owned(), &[place.unwrap_or(token)]);
        }
        for field in ["ca", "client_cert", "client_key", "proxy"] {
            if self.server.places.contains_key(field) {
                self.plain(field, "(set)", &[field]);
            }
        }
    }

    fn common(&mut self) {
        let server = self.server;
        self.limit("timeout", server.timeout, &["timeout", "tool_timeout_sec"]);
        let start = ["start_timeout", "startup_timeout_sec", "startup_timeout_ms"];
        self.limit("start_timeout", server.start_timeout, &start);
        self.limit("max_total_timeout", server.max_total_timeout, &["max_total_timeout"]);
        let protocol = match &server.protocol {
            Protocol::Revision(revision) => revision,
            Protocol::Discover => "discover",
            _ => "auto",
        };
        self.plain("protocol", protocol, &["protocol"]);
        let allow = server.tools.allow.as_deref().map_or("all".to_owned(), list);
        self.plain("tools.allow", allow, &["tools.allow", "tools", "enabled_tools", "includeTools"]);
        let deny = list(&server.tools.deny);
        let names = ["tools.deny", "tools", "disabled_tools", "excludeTools", "disabledTools"];
        self.plain("tools.deny", deny, &names);
        self.plain("lazy", server.lazy.to_string(), &["lazy"]);
    }

    fn limit(&mut self, field: &str, limit: Option<Duration>, names: &[&str]) {
        let value = match limit {
            None => "default".to_owned(),
            Some(Duration::ZERO) => "none".to_owned(),
            Some(limit) => format!("{} ms", limit.as_millis()),
        };
        self.plain(field, value, names);
    }
}

fn list(globs: &[Glob]) -> String {
    if globs.is_empty() {
        return "none".to_owned();
    }
    globs.iter().map(Glob::as_str).collect::<Vec<_>>().join(", ")
}

/// Arguments whose names say that they are secrets are masked, unless a variable stands there.
fn shown(args: &[String]) -> Vec<String> {
    let mut shown = Vec::with_capacity(args.len());
    let mut is_secret = false;
    for arg in args {
        shown.push(match arg.split_once('=') {
            _ if is_secret && !is_variable(arg) => MASK.to_owned(),
            Some((name, value)) if names_a_secret(name) && !is_variable(value) => format!("{name}={MASK}"),
            _ => hide_address(arg),
        });
        is_secret = arg.starts_with('-') && !arg.contains('=') && names_a_secret(arg);
    }
    shown
}

fn is_variable(text: &str) -> bool {
    let inner = text.strip_prefix("${").or_else(|| text.strip_prefix("{env:"));
    inner
        .and_then(|it| it.strip_suffix('}'))
        .is_some_and(|name| !name.contains([':', '{', '}']) || name.starts_with("env:"))
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "secret", "passw", "key", "auth", "credential", "bearer"].iter().any(|word| name.contains(word))
}

/// An address among the arguments has no user and no query.
fn hide_address(arg: &str) -> String {
    let Some((before, rest)) = arg.split_once("://") else { return arg.to_owned() };
    let (place, query) = rest.split_once('?').map_or((rest, ""), |(place, _)| (place, "?***"));
    let place = place.rsplit_once('@').map_or(place.to_owned(), |(_, host)| format!("{MASK}@{host}"));
    format!("{before}://{place}{query}")
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn arguments_that_are_secrets_are_masked() {
        let args = [
            "--token",
            "S",
            "--token",
            "${T}",
            "--api-key=S",
            "AUTH=S",
            "-y",
            "https://u:S@a.test/?k=S",
            "x",
        ];
        let args = args.map(str::to_owned);
        let expected = [
            "--token",
            "***",
            "--token",
            "${T}",
            "--api-key=***",
            "AUTH=***",
            "-y",
            "https://***@a.test/?***",
            "x",
        ];
        assert_eq!(shown(&args), expected);
        assert_eq!(shown(&["--token".to_owned(), "${T:-S}".to_owned()])[1], "***");
    }
}
