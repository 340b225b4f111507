//! The MCP client, above any transport: the handshake, methods, progress, events.
//!
//! ```no_run
//! # use mcp_client::{Client, ClientOptions};
//! # use serde_json::json;
//! async fn add(server: &dyn mcp_jsonrpc::Connect) -> Result<(), Box<dyn std::error::Error>> {
//!     let client = Client::connect(server, ClientOptions::new("acme", "1.0")).await?;
//!     for tool in client.list_tools().await? {
//!         println!("{}", tool.display_name());
//!     }
//!     let sum = client.call_tool("add", &json!({"a": 1, "b": 2})).await?;
//!     println!("{:?}", sum.content[0].as_text());
//!     client.close().await;
//!     Ok(())
//! }
//! ```
//!
//! ```text
//!   Client::call ──► params, options ──► Transport::request      one parse of the answer
//!
//!   Router ◄── what the server says by itself
//!     ├── ping ──────────────────► answered at once
//!     ├── progress ──────────────► the callback and the keep-alive of its call
//!     ├── any other notification ► Delegate, then each EventStream
//!     ├── roots, sampling, ──────► the handler of its kind, on a task of its own
//!     │   elicitation
//!     └── any other request ─────► Delegate, on a task of its own; else -32601
//! ```
//!
//! This crate names no transport: what can be connected to is a [`Connect`](mcp_jsonrpc::Connect).
//! It runs no clock: timeouts are values that it hands down. It never repeats a request and never
//! reconnects. One task is spawned for each request of the server that goes to a handler or the
//! delegate, and none for calls, but for the wish that a task of 2026-07-28 ends whose call was given up.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;

mod agreed;
mod handshake;
mod negotiation;
mod protocol;

mod cancel;
mod offered;
mod pages;
mod params;

mod param_headers;
mod result_cache;
mod result_type;

pub mod form;

#[cfg(feature = "output-schema")]
pub mod output;

mod answering;
mod delegate;
mod events;
mod options;
mod progress;

mod asked;
mod router;
mod urls;

mod modern;

mod call;
mod client;
mod connect;
mod list;

mod completion;
mod logging;
mod prompts;
mod resources;
mod subscribe;
mod tasks;
mod tools;

pub use agreed::Agreed;
pub use answering::{
    ElicitationHandler, FormAnswer, FormRequest, Refusal, RootsProvider, SamplingHandler, SamplingRequest,
    ToolResultsError, UrlAnswer, UrlElicitation, UrlError, UrlRequest, check_tool_results, file_uri,
};
pub use client::Client;
pub use delegate::{Delegate, ServerRequest};
pub use error::{ClientError, ConnectError, PagesError};
pub use events::{Event, EventStream, ServerNotification};
pub use modern::{InputError, ListenError};
pub use options::{CallOptions, ClientOptions, ProgressCallback};
pub use param_headers::{ParamError, ParamType};
pub use protocol::Protocol;
pub use tasks::{TaskPolling, ToolTask};

#[cfg(test)]
mod tests;
