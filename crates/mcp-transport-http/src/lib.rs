//! The HTTP transport of MCP, of which only the decoder of event streams is there so far.
//!
//! ```text
//!     response body ──► chunks (Bytes) ──► sse::SseDecoder ──► events
//! ```
//!
//! What this crate does not do yet: it sends no request, opens no connection, keeps no session
//! and resumes no stream. It will never know an MCP method or look into params or results.
//!
//! ```
//! use bytes::Bytes;
//! use mcp_transport_http::sse::{Item, SseDecoder};
//!
//! let mut decoder = SseDecoder::new(16 << 20);
//! let mut seen = Vec::new();
//! for chunk in ["id: 7\r\ndata: {\"a\"", ": 1}\r\n\r\n: keep-alive\n\n"] {
//!     decoder.push(Bytes::from_static(chunk.as_bytes()));
//!     while let Some(item) = decoder.next_event() {
//!         match item {
//!             Item::Event(event) if event.is_message() => seen.push(event.data),
//!             Item::Event(_) => {}
//!             Item::TooLarge(_) | Item::More(_) => eprintln!("an event was too large"),
//!         }
//!     }
//! }
//! assert_eq!(seen, ["{\"a\": 1}"]);
//! assert_eq!(decoder.last_event_id(), Some(&b"7"[..]));
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod sse;

#[doc(hidden)]
pub mod fuzzing;
