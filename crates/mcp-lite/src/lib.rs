//! One MCP request over HTTP: a POST, and the envelope of its answer.
//!
//! ```no_run
//! # async fn example() -> Result<(), mcp_lite::LiteError> {
//! let params = serde_json::json!({ "name": "search", "arguments": { "query": "rust" } });
//! let envelope = mcp_lite::call_mcp("https://a.test/mcp", "tools/call", Some(&params)).await?;
//! match envelope.error() {
//!     Some(error) => eprintln!("{error}"),
//!     None => println!("{}", envelope.as_str()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! This is not a transport, but a helper for servers that answer anyone who asks. It has no
//! handshake and no session, no retries and no redirects, and no time limit unless one is set with
//! [`call_mcp_with`]. What the server answers is returned as it is, an error too. Servers that want
//! more are for `mcp-client` with `mcp-transport-http`, whose connections and whose decoder of
//! event streams this crate uses.
//!
//! [`parse_sse`] is for those who have the text of a response already.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod envelope;
mod error;

mod parse;
mod pick;

mod call;
mod options;
mod refusal;
mod request;

#[doc(hidden)]
pub mod fuzzing;

pub use call::{call_mcp, call_mcp_with};
pub use envelope::Envelope;
pub use error::{LiteError, ParseProblem, StatusFailure};
pub use options::{CallOptions, MAX_BODY};
pub use parse::parse_sse;
