//! The client against a server played message by message, in memory, on a paused clock.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answering;
mod caching;
mod calls;
mod cancelling;
mod checked;
mod data;
mod dropping;
mod elicited_urls;
mod events;
mod extension_tasks;
mod handshake;
mod methods;
mod mirrored;
mod modern_calls;
mod modern_cases;
mod modern_edges;
mod modern_pair;
mod obligations;
mod pair;
mod probe;
mod progress;
mod refusals;
mod revisions;
mod rounds;
mod rules;
mod server_requests;
mod subscriptions;
mod task_waits;
mod tasks;
mod tools;
