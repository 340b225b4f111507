//! The action `serve`: a small server which also keeps count of what the client does.
//!
//! The method of a request, or with `tools/call` the name of the tool, decides:
//!
//! ```text
//! initialize, ping          as usual
//! tools/list                one tool for each of those below
//! echo                      the params, or the arguments of the tool
//! never                     no answer
//! late                      the answer comes after 200 ms
//! progress                  progress three times, then the answer
//! error                     the error -32000
//! failed                    with `tools/call`, a result with `isError`
//! counts                    what was counted, see `Counts`
//! die                       the process exits with status 7
//! anything else             the error -32601
//! ```
//!
//! A line that is no JSON-RPC message is counted as bad, so that torn and interleaved frames show.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::{Peer, write};

const TOOLS: [&str; 8] = ["echo", "never", "late", "progress", "error", "failed", "counts", "die"];

/// What the client did.
#[derive(Default)]
struct Counts {
    lines: u64,
    bad: u64,
    requests: u64,
    ids: HashSet<String>,
    /// The params of each `notifications/cancelled`, the last hundred.
    cancels: Vec<Value>,
    cancelled: u64,
    methods: BTreeMap<String, u64>,
}

/// Serves until the end of the input.
pub(crate) fn serve(peer: &mut Peer, noise: usize) -> Result<()> {
    let mut counts = Counts::default();
    let noise = "n".repeat(noise);
    while peer.receive()? {
        counts.add(&peer.last.message);
        if peer.last.is_request() {
            std::io::stderr().write_all(noise.as_bytes())?;
            respond(&peer.last.message, &counts)?;
        }
    }
    Ok(())
}

impl Counts {
    fn add(&mut self, message: &Value) {
        self.lines += 1;
        if message["jsonrpc"] != "2.0" {
            self.bad += 1;
            return;
        }
        let method = what(message);
        *self.methods.entry(method.to_owned()).or_default() += 1;
        if method == "notifications/cancelled" {
            self.cancelled += 1;
            self.cancels.truncate(99);
            self.cancels.insert(0, message["params"].clone());
        }
        if !message["id"].is_null() && message["method"].is_string() {
            self.requests += 1;
            self.ids.insert(message["id"].to_string());
        }
    }

    fn report(&self) -> Value {
        json!({
            "lines": self.lines,
            "bad": self.bad,
            "requests": self.requests,
            "distinct": self.ids.len(),
            "cancelled": self.cancelled,
            "cancels": self.cancels,
            "methods": self.methods,
        })
    }
}

/// The method, or the name of the tool.
fn what(message: &Value) -> &str {
    match message["method"].as_str() {
        Some("tools/call") => message["params"]["name"].as_str().unwrap_or_default(),
        Some(method) => method,
        None => "answer",
    }
}

fn respond(request: &Value, counts: &Counts) -> Result<()> {
    let (id, params) = (&request["id"], &request["params"]);
    let is_tool = request["method"] == "tools/call";
    let given = if is_tool { &params["arguments"] } else { params };
    let result = match what(request) {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": { "tools": {}, "logging": {} },
            "serverInfo": { "name": "scripted", "version": "1" },
        }),
        "tools/list" => {
            let tools = TOOLS.map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }));
            json!({ "tools": tools })
        }
        "ping" => json!({}),
        "never" => return Ok(()),
        "echo" => given.clone(),
        "late" => {
            std::thread::sleep(Duration::from_millis(200));
            given.clone()
        }
        "progress" => {
            for done in 1..=3 {
                let token = &params["_meta"]["progressToken"];
                let params = json!({ "progressToken": token, "progress": done, "total": 3 });
                send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))?;
            }
            given.clone()
        }
        "counts" => counts.report(),
        "failed" => {
            let text = json!({ "type": "text", "text": "it failed" });
            return answer(id, &json!({ "content": [text], "isError": true }));
        }
        "die" => std::process::exit(7),
        "error" => return refuse(id, -32000, "it went wrong"),
        _ => return refuse(id, -32601, "Method not found"),
    };
    if is_tool {
        answer(id, &json!({ "content": [], "structuredContent": result }))
    } else {
        answer(id, &result)
    }
}

/// Sends a response.
pub(crate) fn answer(id: &Value, result: &Value) -> Result<()> {
    send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn refuse(id: &Value, code: i64, message: &str) -> Result<()> {
    send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }))
}

fn send(message: &Value) -> Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    write(&line)
}
