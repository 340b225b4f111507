//! JSON-RPC 2.0 as MCP clients need it: the envelope, ids, correlation, and what a transport is.
//!
//! ```text
//!            Transport::request                       Handler callbacks
//!                   │                                        ▲
//!   begin ──► Correlator ──► PendingCall          Inbound ───┘ notifications, requests
//!                   ▲                                │
//!                   └──────────── responses ─────────┤
//!                                                    ▲ frames, from a transport
//! ```
//!
//! A transport turns bytes into frames and hands each to [`Inbound::accept`]; the envelope is
//! parsed once, payloads stay raw, and each message goes to the call, notification or request
//! callback it belongs to. What a transport sends it gets as finished JSON from
//! [`PendingCall::message`], [`notification`] and the [`ReplySink`] it implements.
//!
//! This crate knows no MCP method, reads no clock (a transport lends its own, see [`Clock`]),
//! spawns nothing and opens nothing. The feature `testing` adds a transport in memory.
//!
//! ```
//! use std::{sync::Arc, time::SystemTime};
//! use bytes::Bytes;
//! use mcp_jsonrpc::{Correlator, IdFormat, Ignore, Inbound, ReplySink};
//!
//! struct Nowhere;
//! impl ReplySink for Nowhere {
//!     fn send_reply(&self, _: Vec<u8>) {}
//! }
//!
//! let correlator = Correlator::new(IdFormat::Number, SystemTime::UNIX_EPOCH);
//! let inbound = Inbound::new(correlator.clone(), Arc::new(Ignore), Arc::new(Nowhere));
//! let call = correlator.begin()?;
//! assert_eq!(call.message("ping", None), br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
//! assert_eq!(inbound.accept(&Bytes::from(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)), 1);
//! # Ok::<(), mcp_jsonrpc::CallError>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod mask;
mod raw;
mod sample;

mod envelope;
mod frame;
mod salvage;
mod split;

mod ids;
mod pending;

mod correlator;
mod handler;
mod inbound;
mod traced;

mod bounded;
mod close;
mod deadline;
mod error;
mod exchange;
mod failure;
mod options;
mod transport;

#[doc(hidden)]
pub mod fuzzing;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use mcp_types::{ErrorCode, ErrorObject, RequestId};

pub use bounded::{Bounds, Clock, Stopped, bounded};
pub use close::{CloseCause, CloseReason, Ending};
pub use correlator::{Correlator, Counts, PendingCall, Settled};
pub use envelope::{Malformed, error_in};
pub use error::{CallError, OpenError, TimeoutPhase};
pub use exchange::{Exchange, Lane, Ticket};
pub use failure::{FailureKind, TransportFailure};
pub use frame::{RawParams, notification};
pub use handler::{Diagnostic, Handler, Ignore, Notification, Reply, ReplySink, Request, TransportFault};
pub use ids::IdFormat;
pub use inbound::Inbound;
pub use mask::Mask;
pub use options::{
    AssignedId, Cancel, CancelNotice, GaveUp, KeepAlive, Mirrored, Notice, NotifyOptions, RequestOptions,
};
pub use pending::{Match, Pending, REMEMBERED};
pub use raw::Raw;
pub use salvage::Salvage;
pub use sample::{SAMPLE_BYTES, Sample, escape};
pub use traced::Traced;
pub use transport::{Connect, Phase, Status, Transport};

#[cfg(test)]
mod tests;
