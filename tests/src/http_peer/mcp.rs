//! A small MCP server, for tests that care about one thing and want the rest to be right.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::json;

use super::{Exchange, Received};

/// Answers `initialize`, `ping`, `tools/list` (one tool, `echo`) and `tools/call`; says 202 to
/// notifications and responses, 200 to DELETE, 405 to GET and others.
#[derive(Clone, Debug, Default)]
pub struct McpBehaviour {
    /// The session id that `initialize` gives; none by default. Requests without it then get 400,
    /// those with another one 404.
    pub session: Option<String>,
    /// The version that `initialize` answers; what the client asks for by default.
    pub version: Option<String>,
    /// Whether answers come as events; as plain JSON by default.
    pub sse: bool,
}

impl McpBehaviour {
    /// Plain JSON, no session, any version.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a session.
    #[must_use]
    pub fn with_session(self, id: &str) -> Self {
        Self { session: Some(id.to_owned()), ..self }
    }

    /// The same with a version.
    #[must_use]
    pub fn with_version(self, version: &str) -> Self {
        Self { version: Some(version.to_owned()), ..self }
    }

    /// The same with answers as events.
    #[must_use]
    pub fn with_sse(self) -> Self {
        Self { sse: true, ..self }
    }

    /// A handler that lets `first` look and answers what that gives back.
    pub fn after<F, R>(
        self,
        first: F,
    ) -> impl Fn(Exchange) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync + 'static
    where
        F: Fn(Exchange) -> R + Send + Sync + 'static,
        R: Future<Output = Option<Exchange>> + Send + 'static,
    {
        let this = Arc::new(self);
        move |exchange| {
            let (this, first) = (this.clone(), first(exchange));
            Box::pin(async move {
                if let Some(exchange) = first.await {
                    this.answer(exchange).await;
                }
            })
        }
    }

    /// Answers one request.
    pub async fn answer(&self, exchange: Exchange) {
        let method = exchange.rpc_method();
        let begins = method.as_deref() == Some("initialize");
        if !begins && let Some(refusal) = self.refusal(&exchange) {
            return exchange.respond(refusal, &[], "").await;
        }
        match exchange.method.as_str() {
            "POST" => {}
            "DELETE" => return exchange.respond("200 OK", &[], "").await,
            _ => return exchange.respond("405 Method Not Allowed", &[("Allow", "POST, DELETE")], "").await,
        }
        let (Some(method), true) = (method, exchange.id().is_some()) else {
            return exchange.accepted().await;
        };
        let body = self.body(&method, exchange.request());
        let session = self.session.as_deref().filter(|_| begins).map(|id| ("Mcp-Session-Id", id));
        let session = session.as_slice();
        if self.sse {
            let mut events = exchange.start_sse(session).await;
            events.event(&body).await;
            events.finish().await;
        } else {
            let headers = [&[("Content-Type", "application/json")], session].concat();
            exchange.respond("200 OK", &headers, body).await;
        }
    }

    fn refusal(&self, request: &Received) -> Option<&'static str> {
        let session = self.session.as_deref()?;
        match request.header("mcp-session-id") {
            None => Some("400 Bad Request"),
            Some(given) if given != session => Some("404 Not Found"),
            Some(_) => None,
        }
    }

    fn body(&self, method: &str, request: &Received) -> String {
        let params = &request.json()["params"];
        let result = match method {
            "initialize" => {
                let version = match &self.version {
                    Some(version) => json!(version),
                    None => params["protocolVersion"].clone(),
                };
                json!({
                    "protocolVersion": version,
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "http-peer", "version": "1" },
                })
            }
            "ping" => json!({}),
            "tools/list" => json!({
                "tools": [{
                    "name": "echo",
                    "description": "Gives back what it gets",
                    "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
                }],
            }),
            "tools/call" => {
                let arguments = &params["arguments"];
                let text = arguments["text"].as_str().map_or_else(|| arguments.to_string(), str::to_owned);
                json!({ "content": [{ "type": "text", "text": text }] })
            }
            _ => return request.error(-32601, "Method not found"),
        };
        request.answer(&result.to_string())
    }
}
