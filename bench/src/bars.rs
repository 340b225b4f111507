//! What must be reached and what is aimed at: the rows of the project's bars.

use std::time::Duration;

use crate::clients::Name;

/// Ours over that of the client named, and where the limit is.
#[derive(Clone, Copy)]
pub(crate) struct Bar {
    pub(crate) against: Name,
    pub(crate) limit: f64,
}

/// What one quantity is held to.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) must: Bar,
    pub(crate) aim: Bar,
}

/// The bars of one workload.
#[derive(Clone, Copy)]
pub(crate) struct Bars {
    /// At least so fast.
    pub(crate) speed: Pair,
    /// And so fast, which must be reached too.
    pub(crate) also: Option<Bar>,
    /// At most so much memory.
    pub(crate) memory: Pair,
}

/// "Not worse", with what a measurement like this cannot tell apart.
const EQUAL: f64 = 0.9;

const fn rmcp(limit: f64) -> Bar {
    Bar { against: Name::Rmcp, limit }
}

const fn floor(limit: f64) -> Bar {
    Bar { against: Name::Floor, limit }
}

const fn bars(must: Bar, aim: Bar) -> Bars {
    Bars { speed: Pair { must, aim }, also: None, memory: Pair { must: rmcp(1.0), aim: rmcp(0.5) } }
}

pub(crate) const SEQUENTIAL: Bars = bars(rmcp(1.5), floor(0.87));
pub(crate) const CALLERS: Bars = bars(rmcp(3.0), rmcp(5.0));
pub(crate) const NOTIFY: Bars = bars(rmcp(4.0), rmcp(7.0));
pub(crate) const LIST: Bars = bars(rmcp(8.0), rmcp(12.0));
pub(crate) const BIG: Bars = bars(rmcp(2.5), floor(EQUAL));
pub(crate) const HUGE: Bars = bars(rmcp(2.0), floor(EQUAL));
pub(crate) const START: Bars = bars(rmcp(EQUAL), rmcp(EQUAL));
/// Through the manager, which does more than a loop that starts servers: 1.2 times its time at most.
pub(crate) const MANAGED: Bars = Bars { also: Some(floor(0.83)), ..START };
/// Memory of one connection.
pub(crate) const EACH: f64 = 1.0;
/// How long after its time the gate may open, in ms, when ten of fifty servers hang.
pub(crate) const GATE: Duration = Duration::from_millis(250);
pub(crate) const GATE_MUST: f64 = 50.0;
pub(crate) const GATE_AIM: f64 = 25.0;
pub(crate) const HTTP_SEQUENTIAL: Bars = bars(rmcp(1.5), floor(0.87));
pub(crate) const HTTP_CALLERS: Bars = bars(rmcp(1.7), rmcp(2.2));
/// The loop copies, which a client need not.
pub(crate) const HTTP_HUGE: Bars = bars(rmcp(1.8), floor(1.0));

/// Idle CPU time, in ms a second: so much more than rmcp's is still not worse.
pub(crate) const IDLE_SLACK: f64 = 0.2;

/// How many crates a stack may have.
#[derive(Clone, Copy)]
pub(crate) struct CrateBars {
    pub(crate) must: usize,
    pub(crate) aim: usize,
}

pub(crate) const STDIO_CRATES: CrateBars = CrateBars { must: 45, aim: 35 };
/// With TLS.
pub(crate) const HTTP_CRATES: CrateBars = CrateBars { must: 85, aim: 75 };
