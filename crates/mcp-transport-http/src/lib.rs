//! The HTTP transport of MCP: Streamable HTTP (2025-03-26 and later) and HTTP+SSE (2024-11-05) on
//! raw hyper.
//!
//! ```text
//!  Transport::request ─► InFlight ─► Link::run ─► Wire::exchange ─► Pool ─► Connector
//!   ids, deadline, cancel   │         POST, then     headers, redirects,    connections   DNS, TCP,
//!                           │         JSON │ events  authorization          kept alive    TLS, proxy
//!                           │              ▼
//!                           └──────── Inbound ◄── Events (SseDecoder) ◄── Body (gzip)
//! ```
//!
//! Each message is a POST of its own. Its answer comes as JSON, as events on its response, on a
//! resumed stream, or on any other stream of the connection; wherever it comes, the correlator
//! settles the call. Decisions stand in plain structs that neither send nor wait: the session (which
//! headers), the head (what a response means), resumption, challenges, addresses, the event decoder.
//! This crate knows no MCP method and never looks into params or results.
//!
//! ```no_run
//! use std::sync::Arc;
//! use mcp_jsonrpc::{Connect, Ignore, RequestOptions};
//! use mcp_transport_http::{Headers, HttpConfig};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let headers = Headers::new([("X-Api-Key", "...")])?;
//! let config = HttpConfig::new("https://example.com/mcp")?.with_headers(headers);
//! let transport = config.connect(Arc::new(Ignore)).await?;
//! let answer = transport.request("ping", None, RequestOptions::default()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! All are on by default: `tls` (`https://` by rustls), `http2`, `proxy`, `gzip`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod sse;

mod challenge;
mod endpoint;
#[cfg(feature = "gzip")]
mod gunzip;
mod head;
mod headers;
mod media;
mod mirror;
mod resume;
mod session;
mod trace;

pub mod connector;

mod authorize;
mod clock;
mod error;

mod ask;
mod body;
mod pool;
mod wire;

mod events;
mod replies;

mod call;
mod config;
mod in_flight;
mod legacy;
mod link;
mod listener;
mod notify;
mod opening;
mod transport;

pub use authorize::{Authorize, Refusal};
pub use challenge::Challenge;
pub use config::{
    DEFAULT_MAX_CONNECTIONS, DEFAULT_MAX_ERROR_BODY, DEFAULT_MAX_HEAD, DEFAULT_MAX_MESSAGE,
    DEFAULT_MAX_STREAMS, DEFAULT_TIMEOUT, HttpConfig, Wire,
};
pub use endpoint::{Endpoint, EndpointError, Origin, Scheme};
pub use error::{HttpError, RedirectProblem, StatusError};
#[cfg(feature = "gzip")]
pub use gunzip::GunzipError;
pub use headers::{HeaderError, Headers};
pub use mirror::MirrorError;
pub use resume::ResumeLimits;
pub use transport::{ConnectError, HttpTransport};

#[doc(hidden)]
pub mod fuzzing;
