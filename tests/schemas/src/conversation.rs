//! One connection, as a peer of a test sees it: what the client sends is held against the schema of its revision.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;

use crate::published::{Published, folder};

/// Where a request of a revision without a handshake says which it is.
const VERSION_IN_META: &str = "io.modelcontextprotocol/protocolVersion";
/// What the version is called in the handshake, both ways.
const VERSION: &str = "protocolVersion";

/// Follows one connection. The peer tells it every message of both sides, in order; for which revision a message
/// is, it finds out by itself:
///
/// - by the version in the `_meta` of the message;
/// - else by that of the handshake, as far as it went: the one that is offered, then the one that is agreed upon;
/// - else nothing is known, and the message passes. So does one whose method the revision does not know.
#[derive(Debug)]
pub struct Conversation {
    folder: Option<PathBuf>,
    revision: Option<String>,
    /// The methods of the requests that the server has sent, by their ids as JSON.
    asked: HashMap<String, String>,
}

impl Conversation {
    /// With the schemas that `MCP_SCHEMA_DIR` names. Where it is not set, everything passes.
    pub fn new() -> Self {
        Self::with(folder())
    }

    /// With the schemas of this folder.
    pub fn with(folder: Option<PathBuf>) -> Self {
        Self { folder, revision: None, asked: HashMap::new() }
    }

    /// Lets everything pass from now on: for a test that sends nonsense on purpose.
    pub fn let_pass(&mut self) {
        self.folder = None;
    }

    /// Tells which revision is spoken, where something else than the messages says so, such as a header.
    pub fn speaks(&mut self, revision: &str) {
        self.revision = Some(revision.to_owned());
    }

    /// A message of the server.
    pub fn received(&mut self, message: &Value) {
        if self.folder.is_none() {
            return;
        }
        if let Some(version) = message["result"].get(VERSION).and_then(Value::as_str) {
            self.revision = Some(version.to_owned());
        }
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            self.asked.insert(id.to_string(), method.to_owned());
        }
    }

    /// A message of the client.
    ///
    /// # Errors
    ///
    /// In words, what does not fit the schema.
    pub fn sent(&mut self, message: &Value) -> Result<(), String> {
        if self.folder.is_none() {
            return Ok(());
        }
        if let Value::Array(batch) = message {
            return batch.iter().try_for_each(|message| self.sent(message));
        }
        let params = &message["params"];
        let named = params["_meta"].get(VERSION_IN_META).or_else(|| params.get(VERSION));
        if let Some(version) = named.and_then(Value::as_str) {
            self.revision = Some(version.to_owned());
        }
        let Some(published) = self.published() else { return Ok(()) };
        check_envelope(&published, message)?;
        if let Some(method) = message["method"].as_str() {
            return match published.of_method(method) {
                Some(definition) => published.check(definition, message),
                None => Ok(()),
            };
        }
        match (message.get("result"), message.get("id").and_then(|id| self.asked.remove(&id.to_string()))) {
            (Some(result), Some(method)) => check_result(&published, &method, result),
            _ => Ok(()),
        }
    }

    /// The schema of the revision; each is read once a process.
    fn published(&self) -> Option<Arc<Published>> {
        static READ: OnceLock<Mutex<HashMap<String, Option<Arc<Published>>>>> = OnceLock::new();
        let (folder, revision) = (self.folder.as_deref()?, self.revision.as_deref()?);
        let mut read = READ.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if !read.contains_key(revision) {
            read.insert(revision.to_owned(), Published::read(folder, revision).map(Arc::new));
        }
        read.get(revision)?.clone()
    }
}

impl Default for Conversation {
    fn default() -> Self {
        Self::new()
    }
}

fn check_envelope(published: &Published, message: &Value) -> Result<(), String> {
    let has = |member| message.get(member).is_some();
    // Two of them got other names in time.
    let names: &[&str] = match (has("method"), has("id"), has("error")) {
        (true, true, _) => &["JSONRPCRequest"],
        (true, false, _) => &["JSONRPCNotification"],
        (false, _, true) => &["JSONRPCErrorResponse", "JSONRPCError"],
        (false, _, false) => &["JSONRPCResultResponse", "JSONRPCResponse"],
    };
    match names.iter().find(|name| published.defines(name)) {
        Some(name) => published.check(name, message),
        None => Ok(()),
    }
}

/// The result of a request is called as the request is, unless it says nothing.
fn check_result(published: &Published, method: &str, result: &Value) -> Result<(), String> {
    let Some(request) = published.of_method(method) else { return Ok(()) };
    let named = request.replace("Request", "Result");
    let named = if published.defines(&named) { named.as_str() } else { "EmptyResult" };
    published.check(named, result)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    /// The schema of a small protocol of ours.
    fn fixtures() -> Option<PathBuf> {
        Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"))
    }

    fn after_handshake() -> Conversation {
        let mut conversation = Conversation::with(fixtures());
        conversation.received(&json!({"jsonrpc": "2.0", "id": 1, "result": {VERSION: "2002-02-02"}}));
        conversation
    }

    fn fault(message: &Value) -> String {
        after_handshake().sent(message).unwrap_err()
    }

    #[test]
    fn a_message_that_does_not_fit_is_told_in_words() {
        let count = |of: Value| json!({"jsonrpc": "2.0", "id": 1, "method": "count", "params": {"of": of}});
        after_handshake().sent(&count(json!({"kind": "pear"}))).unwrap();
        let wrong = fault(&count(json!(5)));
        assert!(wrong.starts_with("not a `CountRequest` of 2002-02-02:\n  at `/params/of`: 5"), "{wrong}");
        let no_version = fault(&json!({"id": 1, "method": "own/method"}));
        assert!(no_version.starts_with("not a `JSONRPCRequest`"), "{no_version}");
        let batch = json!([{"jsonrpc": "2.0", "method": "x"}, count(json!(null))]);
        assert!(fault(&batch).starts_with("not a `CountRequest`"));
    }

    #[test]
    fn an_answer_is_held_against_what_was_asked() {
        let mut conversation = after_handshake();
        for method in ["count", "knock", "own/method"] {
            conversation.received(&json!({"jsonrpc": "2.0", "id": method, "method": method}));
        }
        conversation.sent(&json!({"jsonrpc": "2.0", "id": "knock", "result": {}})).unwrap();
        conversation.sent(&json!({"jsonrpc": "2.0", "id": "own/method", "result": {"count": "x"}})).unwrap();
        let wrong = conversation.sent(&json!({"jsonrpc": "2.0", "id": "count", "result": {"count": "x"}}));
        assert!(wrong.unwrap_err().starts_with("not a `CountResult` of 2002-02-02:\n  at `/count`"));
    }

    #[test]
    fn a_version_in_the_message_itself_counts() {
        let meta = json!({VERSION_IN_META: "2002-02-02"});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "count", "params": {"_meta": meta}});
        assert!(Conversation::with(fixtures()).sent(&message).is_err());
    }

    #[test]
    fn what_is_not_known_passes() {
        let nonsense = json!({"jsonrpc": "1.0", "method": 7});
        Conversation::with(None).sent(&nonsense).unwrap();
        Conversation::with(fixtures()).sent(&nonsense).unwrap();
        let mut conversation = after_handshake();
        conversation.sent(&json!({"jsonrpc": "2.0", "id": 1, "method": "own/method", "params": 1})).unwrap();
        conversation.sent(&nonsense).unwrap_err();
        conversation.let_pass();
        conversation.sent(&nonsense).unwrap();
    }
}
