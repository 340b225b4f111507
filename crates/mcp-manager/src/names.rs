//! Names of tools that a model can be given, and which tools it is given at all.
//!
//! Servers call their tools as they like; a model takes `[a-zA-Z0-9_-]`, at most [`MAX_NAME`] of it, and
//! each name once. A [`Registry`] makes such names and knows the way back. An exposed name is a label:
//! nothing is ever read out of it, and a call always carries the server's own name of the tool.
//!
//! ```
//! use mcp_manager::names::{NameStyle, Registry};
//!
//! let servers = [("files", vec!["read", "a.b", "a_b"]), ("web", vec!["page.read"])];
//! let registry = Registry::build(servers, &NameStyle::default());
//!
//! assert_eq!(registry.exposed("web", "page.read"), Some("mcp__web__page_read"));
//! let origin = registry.origin("mcp__web__page_read").unwrap();
//! assert_eq!((origin.server.as_str(), origin.tool.as_str()), ("web", "page.read"));
//! // `a.b` and `a_b` would look the same, so each has a name of its own.
//! assert_eq!(registry.collisions()[0].exposed, "mcp__files__a_b");
//! assert_eq!(registry.exposed("files", "a.b"), Some("mcp__files__a_b_737f97b195"));
//! assert_eq!(registry.origin("mcp__files__a_b"), None);
//! ```

mod assign;
mod filter;
mod glob;
mod hashed;
mod registry;
mod style;

pub use assign::Collision;
pub use filter::{Filtered, List, ToolFilter, Unused};
pub use glob::{Glob, GlobError, MAX_PATTERN};
pub use registry::{Entry, Origin, Registry};
pub use style::{MAX_LITERALS, NameStyle, StyleError, is_model_safe};

/// The most characters an exposed name has.
pub const MAX_NAME: usize = 64;
