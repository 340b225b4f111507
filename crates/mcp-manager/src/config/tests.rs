//! Files of all hosts and what becomes of them.

mod any_bytes;
mod approval;
mod changes;
mod claude_code;
mod codex;
mod desktops;
mod discovery;
mod editors;
mod exported;
mod gemini;
mod opencode;
mod own;
mod places;
mod secrets;
mod trust;

use std::env::VarError;
use std::path::{Path, PathBuf};

use super::{
    ConfigError, Entry, File, Host, HttpServer, Scope, ServerConfig, ServerKind, StdioServer, Values,
};

/// The environment of all tests here.
fn env(name: &str) -> Result<String, VarError> {
    match name {
        "KEY" => Ok("SECRET-1".to_owned()),
        "EMPTY" => Ok(String::new()),
        _ => Err(VarError::NotPresent),
    }
}

fn values() -> Values<'static> {
    Values { home: Some("/h".into()), workspace: Some("/p".into()), ..Values::of_env(&env) }
}

fn parse(path: &str, host: Option<Host>, text: &str) -> Result<File, ConfigError> {
    super::parse(Path::new(path), text.as_bytes(), host, Scope::Given, &values())
}

/// The entries of a file whose name or content says whose it is.
#[track_caller]
fn entries(path: &str, host: Host, text: &str) -> Vec<Entry> {
    let file = parse(path, None, text).unwrap();
    assert_eq!(file.host, host, "{path}");
    file.entries
}

#[track_caller]
fn named<'a>(entries: &'a [Entry], name: &str) -> &'a Entry {
    entries.iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("no {name}"))
}

#[track_caller]
fn ready<'a>(entries: &'a [Entry], name: &str) -> &'a ServerConfig {
    let entry = named(entries, name);
    entry.ready().unwrap_or_else(|| panic!("{:?}", entry.state))
}

#[track_caller]
fn stdio<'a>(entries: &'a [Entry], name: &str) -> &'a StdioServer {
    match &ready(entries, name).kind {
        ServerKind::Stdio(server) => server,
        other => panic!("{other:?}"),
    }
}

/// The kind, the address and the headers with their values.
#[track_caller]
fn remote(entries: &[Entry], name: &str) -> (&'static str, String, Vec<String>) {
    let server = ready(entries, name);
    let show = |http: &HttpServer| {
        let headers = http.headers().iter();
        let headers = headers.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
        (server.kind().name(), http.endpoint().to_string(), headers.collect())
    };
    match &server.kind {
        ServerKind::Http(http) | ServerKind::Sse(http) => show(http),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn fails(entries: &[Entry], name: &str, text: &str) {
    let entry = named(entries, name);
    assert_eq!(entry.error().map(ToString::to_string).as_deref(), Some(text), "{:?}", entry.state);
}

fn warnings(entry: &Entry) -> Vec<String> {
    entry.warnings.iter().map(ToString::to_string).collect()
}

/// A folder of its own for one test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mcp-config-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
