//! Many MCP servers at once: configuration, start-up, deferred tools, healing.
//!
//! ```text
//!  config ──► ServerSpec ──► Manager ──► Server: one attempt at a time ──► Client (mcp-client)
//!                              │           │ tools, cached or live
//!                              ▼           ▼
//!                     ToolEntry: names   Event: connecting, connected, failed, changed, closed
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod config;
pub mod names;
pub mod policy;

pub mod cache;

mod error;
mod events;
mod options;
mod spec;

mod report;
mod server;
mod tools;

mod private_file;

mod call;
mod listing;
mod manager;
mod reload;
mod select;

pub use error::{ManagerError, StartError};
pub use events::{Event, Events, What};
pub use listing::{Listed, Listing};
pub use manager::Manager;
pub use options::{DelegateFactory, ManagerOptions};
pub use reload::Reloaded;
pub use report::{Phase, ServerStatus, StartReport};
pub use select::{create_transport, discover_and_connect};
pub use spec::ServerSpec;
pub use tools::ToolEntry;
