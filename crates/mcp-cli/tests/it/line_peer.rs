//! The built-in server on stdio, and a client of it that knows lines and little more.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::run::program;

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A request of 2026-07-28; the client answers no questions.
pub(crate) fn modern(id: impl Into<Value>, method: &str, params: Value) -> Value {
    modern_with(id, method, params, json!({}))
}

/// The same with these capabilities.
pub(crate) fn modern_with(id: impl Into<Value>, method: &str, mut params: Value, can: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = can;
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

/// A server that is spoken to line by line.
pub(crate) struct Lines {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    ids: u32,
}

impl Lines {
    pub(crate) fn start(args: &[&str]) -> Self {
        let args = [&["demo-server"], args].concat();
        let mut child = program(&args).stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, ids: 100 }
    }

    /// A session of this revision.
    pub(crate) fn ready(revision: &str) -> Self {
        let mut lines = Self::start(&[]);
        lines.greet(revision);
        lines
    }

    /// Shakes hands; what `initialize` was answered with.
    pub(crate) fn greet(&mut self, revision: &str) -> Value {
        self.send(&INITIALIZE.replace("2025-11-25", revision));
        let hello = self.read();
        self.send(INITIALIZED);
        hello["result"].clone()
    }

    pub(crate) fn send(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    pub(crate) fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) fn until(&mut self, method: &str) -> Value {
        std::iter::repeat_with(|| self.read()).find(|message| message["method"] == method).unwrap()
    }

    pub(crate) fn until_not(&mut self, method: &str) -> Value {
        std::iter::repeat_with(|| self.read()).find(|message| message["method"] != method).unwrap()
    }

    /// Sends a request and returns its answer, with what came before it.
    pub(crate) fn ask(&mut self, request: &Value) -> (Vec<Value>, Value) {
        self.send(&request.to_string());
        let mut before = Vec::new();
        loop {
            let message = self.read();
            if message["id"] == request["id"] && message.get("method").is_none() {
                return (before, message);
            }
            before.push(message);
        }
    }

    /// The answer to a request of a session.
    pub(crate) fn legacy(&mut self, method: &str, params: &Value) -> Value {
        self.ids += 1;
        self.ask(&json!({ "jsonrpc": "2.0", "id": self.ids, "method": method, "params": params })).1
    }

    /// The answer to a request of 2026-07-28.
    pub(crate) fn modern(&mut self, method: &str, params: Value) -> Value {
        self.ids += 1;
        self.ask(&modern(self.ids, method, params)).1
    }

    /// Closes stdin; what still comes.
    pub(crate) fn end(mut self) -> Vec<Value> {
        drop(self.stdin.take());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        rest.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
