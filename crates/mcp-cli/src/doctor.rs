//! What `doctor` finds: at which step the way to a server ends, and what to try.
//!
//! ```text
//! Survey: the route, and what can be seen beforehand ──┐
//! one real attempt ──► blame: which step, what to try ─┴──► Report, a line a step
//! ```
//!
//! The attempt is the library's own; nothing here probes a server in another way. What is looked at
//! beforehand (the file of a command, the addresses of a name) only explains.

pub(crate) mod blame;
pub(crate) mod inspect;
pub(crate) mod page;
pub(crate) mod report;
pub(crate) mod step;
pub(crate) mod survey;
