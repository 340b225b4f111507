//! What came out of one measured run.

use serde::{Deserialize, Serialize};

/// The figures of one run; it travels as a line of JSON.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// Calls, listings or starts of all servers, a second.
    pub(crate) per_second: f64,
    /// The client's own CPU time for each of them, in µs.
    pub(crate) cpu_micros: f64,
    /// Peak memory of the client's process, in MiB.
    pub(crate) memory: f64,
    /// CPU time while nothing happens, in ms a second.
    pub(crate) idle: Option<f64>,
    /// Memory that a connection takes, in KiB.
    pub(crate) each: Option<f64>,
    /// How long the start of many servers takes if some of them hang, in ms.
    pub(crate) gate: Option<f64>,
    /// Whether client and server were on one core.
    pub(crate) is_pinned: bool,
}
