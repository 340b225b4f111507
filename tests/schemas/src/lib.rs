//! For tests: what clients send, held against the published schemas of the protocol.
//!
//! The schemas are no part of this project. Where they are is told by the variable `MCP_SCHEMA_DIR`; without
//! it nothing is checked here, and `cargo xtask ci` says so.
//!
//! ```text
//!   a peer of a test ──► Conversation: which revision, which method, which definition
//!                          └──► Published: one revision's schema, what is known to be wrong in it mended
//!   round trips ───────► examples(): values of a definition, small, full, with unknown members, of each arm
//! ```
//!
//! Definitions are found by the method that stands in them, so no method is named here.
#![allow(clippy::expect_used, clippy::panic, reason = "whatever goes wrong here fails a test")]

mod conversation;
mod examples;
mod published;

pub use conversation::Conversation;
pub use examples::examples;
pub use published::{Published, folder};
