//! Configuration files: which servers there are, how to run each, and where that is said.
//!
//! ```text
//! file ──► text ──► nodes that know their places ──► the object with the servers
//!   │                (JSON with comments, TOML)          │
//!   └─ broken as a whole: ConfigError                    └──► an Entry each: ready, off, or what is wrong
//! ```
//!
//! Read are our own format and the files of the hosts in [`Host`]. Each host has its own keys, units and
//! variables; what comes out is the same for all, a [`ServerConfig`] with times as [`Duration`]s, and with
//! [`places`](ServerConfig::places) that say where each value stands. Keys that mean nothing here are kept
//! in [`extra`](ServerConfig::extra). This module starts nothing and looks around nowhere: the environment
//! and the folders come in [`Values`].
//!
//! # Decided here
//!
//! - A file that cannot be read, or is no JSON, is an error as a whole and never counts as empty. Past
//!   that, one bad entry spoils only itself. Unknown keys are warnings.
//! - Comments, a comma after the last item, and a byte order mark are fine. The same name twice in one
//!   file is an error of that entry, and `mcpServers` twice one of the file.
//! - An entry that is off is not looked into: it asks for no variable. `enabled` and `disabled` count in
//!   the files of all hosts; where they disagree, off wins.
//! - Variables are filled in once, in every text: program, arguments, environment, folder, address,
//!   headers, certificates, proxy. One that is not set disables its server, and so does a form that would
//!   run something. One that is set to nothing is filled in as nothing (or by its default), but where a
//!   key names the variable of a token, that is an error.
//! - Nothing is ever run to get a value: `headersHelper`, and values that begin with `!` in our own files,
//!   disable their server.
//! - Reading a host's file never widens what the host allowed. Lists of denied servers and tools hold; a
//!   server that the host would put into a sandbox, or on another machine, is refused; the environment is
//!   a clean one where the host's is; what needs approval says so ([`Approvals`]); a file of a project
//!   cannot grant itself trust. A server that the host denies, or asks its user about and has no yes, is off,
//!   and [`DisabledBy`] names the setting: where Claude Code has `enabledMcpjsonServers` for a user, servers
//!   of `.mcp.json` that are not in it, and where Codex knows projects, those of one it does not trust.
//! - What is found in a project counts only if whoever calls says so ([`discover_with`]); [`TrustStore`]
//!   keeps such answers for a path and a content.
//! - [`Entry::export`] gives an entry in our own format, variables as they are written. What has no
//!   counterpart is told, and what is off or refused never comes out on.
//! - A relative `cwd`, a relative path to a program and paths of certificates start from the folder of the
//!   file, or from the project where the file is in a folder of its host in there (`.vscode`, `.cursor`).
//!
//! # Our own format
//!
//! ```json5
//! {
//!   "mcpServers": {
//!     "files": {
//!       "command": "npx", "args": ["-y", "server", "${ROOT:-.}"], // or "type": "stdio"
//!       "env": { "X": "1", "Y": null }, "env_policy": "clean", "cwd": "work",
//!       "timeout": 30000, "start_timeout": 120000, "max_total_timeout": 600000, // ms; 0 is no limit
//!       "request_id_format": "number", "protocol": "auto",
//!       "tools": { "allow": ["read"], "deny": ["write"] },
//!       "enabled": true, "lazy": true,
//!     },
//!     "remote": {
//!       "type": "http", "url": "https://example.com/mcp", "headers": { "X-Api-Key": "${KEY}" },
//!       "ca": "ca.pem", "client_cert": "me.pem", "client_key": "me.key", "proxy": "none",
//!     },
//!   },
//! }
//! ```
//!
//! [`Duration`]: std::time::Duration

mod approvals;
mod dialect;
mod diff;
mod disabled;
mod discover;
mod entry;
mod env_file;
mod error;
mod expand;
mod fields;
mod file;
mod from_json;
mod from_toml;
#[doc(hidden)]
pub mod fuzzing;
mod host;
mod jsonc;
mod lines;
mod load;
mod node;
mod origin;
mod policy;
mod remote;
mod server;
mod spec;
mod stdio;
mod tools;
mod trust;
mod values;
mod written;

pub(crate) use self::diff::plan;
pub use self::diff::{Change, diff};
pub use self::disabled::DisabledBy;
pub use self::discover::{Admit, DiscoverOptions, Discovered, Shadowed, discover, discover_with};
pub use self::entry::{Entry, State, Warning};
pub use self::error::{ConfigError, EntryError, EntryProblem, FileProblem, SyntaxError};
pub use self::expand::VariableProblem;
pub use self::file::{File, parse, read_bytes, read_file, replace_file};
pub use self::host::{Host, Platform, Scope};
pub use self::lines::Place;
pub use self::load::{load, load_all};
pub use self::origin::Origin;
pub use self::remote::HttpServer;
pub use self::server::{Approval, Approvals, Kind, Protocol, ServerConfig, ServerKind, TransportConfig};
pub use self::stdio::StdioServer;
pub use self::trust::{TrustError, TrustStore, Trusted};
pub use self::values::{Ask, Env, Input, ReadText, Values};
pub use self::written::{Exported, Written};

#[cfg(test)]
mod tests;
