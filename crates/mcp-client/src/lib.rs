//! The MCP client, above any transport: both eras of the protocol, methods, handlers, tasks, events.
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
//! # Both eras
//!
//! Revisions up to 2025-11-25 begin with a handshake, 2026-07-28 has none. [`Protocol`] says how a
//! connection opens, [`Agreed::version`] what came out, and calls are made the same way over both.
//! Where a revision lacks what a call needs, it fails with [`ClientError::NotInRevision`] and nothing is
//! sent.
//!
//! | | up to 2025-11-25 | 2026-07-28 |
//! |---|---|---|
//! | the server asks something | a request of its own | instead of an answer; the call is sent again with what it asked |
//! | who answers it | the handlers in [`ClientOptions`], else the [`Delegate`] | the same |
//! | changes of lists | told without being asked | one subscription, which the client begins and keeps up |
//! | [`Client::subscribe`] | a request for each resource | part of that subscription |
//! | results | asked for each time | kept for as long as the server says |
//! | [`Client::set_log_level`] | a request | goes along with each call |
//!
//! ```no_run
//! # use mcp_client::{Client, ClientOptions, Event, Protocol};
//! # async fn watch(server: &dyn mcp_jsonrpc::Connect) -> Result<(), Box<dyn std::error::Error>> {
//! let mut options = ClientOptions::new("acme", "1.0");
//! options.protocol = Protocol::Discover; // ask for 2026-07-28 first
//! options.listen = true; // hear of changes over HTTP as well
//! let client = Client::connect(server, options).await?;
//! let mut events = client.events();
//! client.subscribe("note://7").await?;
//! while let Some(event) = events.next().await {
//!     match event {
//!         Event::Notification(told) if &*told.method == "notifications/resources/updated" => {
//!             println!("{:?}", client.read_resource("note://7").await?);
//!         }
//!         Event::Closed(why) => println!("{why}"),
//!         _ => {}
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A user to be asked is an [`ElicitationHandler`], a model a [`SamplingHandler`], folders a
//! [`RootsProvider`]; setting one in the options declares the capability.
//!
//! ```no_run
//! # use mcp_client::{ClientOptions, ElicitationHandler, FormAnswer, FormRequest, Refusal};
//! struct User;
//!
//! #[async_trait::async_trait]
//! impl ElicitationHandler for User {
//!     async fn form(&self, request: FormRequest) -> Result<FormAnswer, Refusal> {
//!         println!("{}", request.message);
//!         Ok(FormAnswer::Accept(request.form.defaults()))
//!     }
//! }
//!
//! let mut options = ClientOptions::new("acme", "1.0");
//! options.elicitation = Some(std::sync::Arc::new(User));
//! ```
//!
//! # What happens where
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
//! It runs no clock: timeouts are values that it hands down. It never reconnects, and repeats a request
//! only where 2026-07-28 has it so and the server did not run it: with answers to what it asked, with
//! headers or a version that it takes. One task is spawned for each request of the server that goes to
//! a handler or the delegate, one for the subscription, and none for calls, but for the wish that a task
//! of 2026-07-28 ends whose call was given up.
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
