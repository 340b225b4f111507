//! The workloads: what each client has to do.

use std::time::Duration;

use crate::arguments::{Body, ServerOptions, Transport};
use crate::bars::{self, Bars};

/// One workload.
pub(crate) struct Workload {
    /// Names it on the command line.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) server: ServerOptions,
    pub(crate) work: Work,
    pub(crate) bars: Bars,
}

/// What is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Each of so many callers makes one call after the other, and gets `size` bytes of text.
    Calls { callers: usize, size: usize },
    /// One listing after the other.
    List,
    /// So many servers at once: start, handshake, listing. Then they idle, for so long.
    Start { servers: usize, repeats: usize, idle: Duration },
    /// The same, ours through the manager. Then some of them hang.
    Managed { servers: usize, repeats: usize, hung: usize },
}

const MIB: usize = 1024 * 1024;
const SMALL: usize = 64;
const PLAIN: ServerOptions =
    ServerOptions { transport: Transport::Stdio, tools: 10, notify: 0, reorder: false, hangs: false };
const JSON: ServerOptions = ServerOptions { transport: Transport::Http(Body::Json), ..PLAIN };
const EVENTS: ServerOptions = ServerOptions { transport: Transport::Http(Body::Events), ..PLAIN };

pub(crate) const ALL: [Workload; 17] = [
    Workload {
        name: "sequential",
        title: "64 B, one call after the other",
        server: PLAIN,
        work: Work::Calls { callers: 1, size: SMALL },
        bars: bars::SEQUENTIAL,
    },
    Workload {
        name: "callers",
        title: "64 B, 64 callers",
        server: PLAIN,
        work: Work::Calls { callers: 64, size: SMALL },
        bars: bars::CALLERS,
    },
    Workload {
        name: "reordered",
        title: "64 B, 64 callers, answers out of order",
        server: ServerOptions { reorder: true, ..PLAIN },
        work: Work::Calls { callers: 64, size: SMALL },
        bars: bars::CALLERS,
    },
    Workload {
        name: "notify",
        title: "100 notifications before each answer",
        server: ServerOptions { notify: 100, ..PLAIN },
        work: Work::Calls { callers: 1, size: SMALL },
        bars: bars::NOTIFY,
    },
    Workload {
        name: "list",
        title: "tools/list of 1000 (1 MB)",
        server: ServerOptions { tools: 1000, ..PLAIN },
        work: Work::List,
        bars: bars::LIST,
    },
    Workload {
        name: "1mib",
        title: "1 MiB answers",
        server: PLAIN,
        work: Work::Calls { callers: 1, size: MIB },
        bars: bars::BIG,
    },
    Workload {
        name: "16mib",
        title: "16 MiB answers",
        server: PLAIN,
        work: Work::Calls { callers: 1, size: 16 * MIB },
        bars: bars::HUGE,
    },
    Workload {
        name: "start1",
        title: "start of 1 server",
        server: PLAIN,
        work: Work::Start { servers: 1, repeats: 9, idle: Duration::ZERO },
        bars: bars::START,
    },
    Workload {
        name: "start50",
        title: "start of 50 servers at once",
        server: PLAIN,
        work: Work::Start { servers: 50, repeats: 3, idle: Duration::from_secs(1) },
        bars: bars::START,
    },
    Workload {
        name: "manager50",
        title: "start of 50 servers through the manager",
        server: PLAIN,
        work: Work::Managed { servers: 50, repeats: 5, hung: 10 },
        bars: bars::MANAGED,
    },
    Workload {
        name: "idle100",
        title: "100 connections, started at once, then idle",
        server: PLAIN,
        work: Work::Start { servers: 100, repeats: 1, idle: Duration::from_secs(2) },
        bars: bars::START,
    },
    Workload {
        name: "http-idle100",
        title: "100 connections, opened at once, then idle",
        server: JSON,
        work: Work::Start { servers: 100, repeats: 1, idle: Duration::from_secs(2) },
        bars: bars::START,
    },
    Workload {
        name: "http-json-sequential",
        title: "JSON, 64 B, one call after the other",
        server: JSON,
        work: Work::Calls { callers: 1, size: SMALL },
        bars: bars::HTTP_SEQUENTIAL,
    },
    Workload {
        name: "http-json-callers",
        title: "JSON, 64 B, 64 callers",
        server: JSON,
        work: Work::Calls { callers: 64, size: SMALL },
        bars: bars::HTTP_CALLERS,
    },
    Workload {
        name: "http-sse-sequential",
        title: "events, 64 B, one call after the other",
        server: EVENTS,
        work: Work::Calls { callers: 1, size: SMALL },
        bars: bars::HTTP_SEQUENTIAL,
    },
    Workload {
        name: "http-sse-callers",
        title: "events, 64 B, 64 callers",
        server: EVENTS,
        work: Work::Calls { callers: 64, size: SMALL },
        bars: bars::HTTP_CALLERS,
    },
    Workload {
        name: "http-sse-16mib",
        title: "events, 16 MiB answers",
        server: EVENTS,
        work: Work::Calls { callers: 1, size: 16 * MIB },
        bars: bars::HTTP_HUGE,
    },
];

pub(crate) fn find(name: &str) -> Option<&'static Workload> {
    ALL.iter().find(|workload| workload.name == name)
}

impl Workload {
    /// How long to warm up and how long to measure.
    pub(crate) fn times(&self, is_quick: bool) -> (Duration, Duration) {
        let (warm, measured) = if is_quick { (100, 250) } else { (150, 500) };
        // A call of the largest takes so long that a short run would hold only a few.
        let factor = if self.is_largest() { 2 } else { 1 };
        (Duration::from_millis(warm), Duration::from_millis(measured * factor))
    }

    pub(crate) fn is_http(&self) -> bool {
        self.server.transport != Transport::Stdio
    }

    /// Whether answers are longer than rmcp accepts by itself.
    pub(crate) fn is_largest(&self) -> bool {
        matches!(self.work, Work::Calls { size, .. } if size > 8 * MIB)
    }

    pub(crate) fn unit(&self) -> Unit {
        match self.work {
            Work::Start { .. } | Work::Managed { .. } => Unit::Milliseconds,
            Work::Calls { size, .. } if size >= MIB => Unit::Megabytes { size },
            Work::Calls { .. } | Work::List => Unit::Calls,
        }
    }
}

/// What the speed is shown in.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Calls,
    Megabytes { size: usize },
    Milliseconds,
}
