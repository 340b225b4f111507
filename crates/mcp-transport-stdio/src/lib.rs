//! The stdio transport of MCP: newline-delimited JSON over the stdin and stdout of a child
//! process.
//!
//! ```text
//!            callers                       handler
//!               │                             ▲
//!            Outbox ──► stdin       stdout ──► LineDecoder ──► Inbound
//!               ▲                                                │
//!               └── replies, cancel notices ◄────────────────────┘
//!
//!            stderr ──► tail, hook         Supervisor: process, ladder, on_close
//! ```
//!
//! Three tasks read, write and drain stderr, so that none ever waits for another; a fourth sees
//! what ends the connection and takes everything down. The line decoder and the shutdown ladder
//! are plain structs without IO or clock.
//!
//! This crate knows no MCP method and looks into no params or results. It never restarts a
//! server and never sends anything twice (S-98 to S-102).
//!
//! ```no_run
//! use std::sync::Arc;
//! use mcp_jsonrpc::{Ignore, RequestOptions, Transport};
//! use mcp_transport_stdio::{StdioConfig, StdioTransport};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let config = StdioConfig::new("my-server").with_args(["--root", "."]);
//! let transport = StdioTransport::new(config, Arc::new(Ignore));
//! transport.connect().await?;
//! let answer = transport.request("ping", None, RequestOptions::default()).await?;
//! println!("{}", answer.as_str());
//! transport.close().await;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod config;
mod env;
mod secrets;

mod ladder;
mod lines;

#[cfg(any(windows, test))]
mod batch;
#[cfg(any(windows, test))]
mod resolve;

mod locate;
mod process;
mod spawn;

mod link;
mod outbox;
mod reader;
mod stderr;
mod supervise;

mod clock;
mod transport;

#[doc(hidden)]
pub mod fuzzing;

pub use config::{
    DEFAULT_LAST_WORDS, DEFAULT_MAX_LINE, DEFAULT_MAX_QUEUE, DEFAULT_STDERR_TAIL, DEFAULT_TIMEOUT, EnvPolicy,
    StderrHook, StdioConfig,
};
pub use env::SAFE_ENV;
pub use ladder::{Ladder, Rung, ShutdownLimits};
pub use lines::{Line, LineDecoder};
pub use locate::{LocateError, Located};
pub use spawn::SpawnError;
pub use transport::StdioTransport;
