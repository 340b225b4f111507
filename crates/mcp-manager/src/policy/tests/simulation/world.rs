//! Servers that come, go and are healed: the driver that the decisions are made for, without a clock.

use std::time::{Duration, Instant};

use super::super::{ms, s};
use super::queue::{Chance, Queue};
use crate::policy::{Asker, Backoff, Next, Pace, ReconnectPolicy, ServerKind};

/// When the servers that have an outage have it, in seconds of the day.
pub(super) const OUTAGE_START: u64 = 3 * 3600;
pub(super) const OUTAGE_END: u64 = 8 * 3600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Character {
    /// A process that crashes every other hour and starts well.
    Steady,
    /// A process that dies within seconds of its handshake.
    Flapping,
    /// A process that never gets as far as its handshake.
    Broken,
    /// A process that crashes at times, starts badly at times, and has a long outage.
    Outage,
    /// The same behind HTTP.
    Remote,
}

impl Character {
    pub(super) const ALL: [Self; 5] =
        [Self::Steady, Self::Flapping, Self::Broken, Self::Outage, Self::Remote];

    pub(super) fn is_process(self) -> bool {
        self != Self::Remote
    }

    fn kind(self) -> ServerKind {
        if self.is_process() { ServerKind::Process } else { ServerKind::Remote }
    }

    fn has_outage(self) -> bool {
        matches!(self, Self::Outage | Self::Remote)
    }

    fn starts_well(self, chance: &mut Chance) -> bool {
        match self {
            Self::Steady | Self::Flapping => true,
            Self::Broken => false,
            // Not when a test wants to know how fast it is back.
            Self::Remote => true,
            Self::Outage => chance.percent(80),
        }
    }

    fn life(self, chance: &mut Chance) -> Duration {
        match self {
            Self::Flapping | Self::Broken => chance.between(ms(0), s(5)),
            Self::Steady | Self::Outage | Self::Remote => chance.between(s(600), s(3 * 3600)),
        }
    }
}

/// What became of one server.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) character: Character,
    /// When processes were started or connections tried.
    pub(super) starts: Vec<Duration>,
    /// When a handshake was done.
    pub(super) ups: Vec<Duration>,
    pub(super) losses: usize,
    pub(super) given_up: usize,
    /// Attempts that a call got after giving up.
    pub(super) granted: usize,
    /// Most failures in a row.
    pub(super) longest_row: u32,
    pub(super) most_alive: usize,
    pub(super) is_up: bool,
}

struct Server {
    backoff: Backoff,
    record: Record,
    alive: usize,
    /// The moment to start has come, but the old process is still there.
    is_due: bool,
    is_starting: bool,
    /// Tells the crash of this process from one planned for an earlier process.
    process: usize,
}

enum Event {
    /// The wait of the backoff is over.
    Due,
    /// Its place in the pace has come.
    Start,
    Ready,
    /// It crashed, or failed to start.
    Crash {
        process: usize,
    },
    Reaped,
    Call,
    OutageStart,
}

pub(super) struct World {
    epoch: Instant,
    chance: Chance,
    policy: ReconnectPolicy,
    pace: Pace,
    queue: Queue<(usize, Event)>,
    servers: Vec<Server>,
}

impl World {
    pub(super) fn new(seed: u64, policy: ReconnectPolicy) -> Self {
        let (epoch, pace) = (Instant::now(), Pace::new(policy.pace));
        Self { epoch, chance: Chance::new(seed), policy, pace, queue: Queue::new(), servers: Vec::new() }
    }

    pub(super) fn add(&mut self, character: Character) {
        let number = self.servers.len();
        self.servers.push(Server {
            backoff: Backoff::new(self.policy.clone(), character.kind()),
            record: Record {
                character,
                starts: Vec::new(),
                ups: Vec::new(),
                losses: 0,
                given_up: 0,
                granted: 0,
                longest_row: 0,
                most_alive: 0,
                is_up: false,
            },
            alive: 0,
            is_due: false,
            is_starting: false,
            process: 0,
        });
        self.queue.put(Duration::ZERO, (number, Event::Due));
        let first_call = self.chance.between(s(300), s(3600));
        self.queue.put(first_call, (number, Event::Call));
        if character.has_outage() {
            self.queue.put(s(OUTAGE_START), (number, Event::OutageStart));
        }
    }

    pub(super) fn run(mut self, end: Duration) -> Vec<Record> {
        while let Some((now, (number, event))) = self.queue.take(end) {
            self.handle(now, number, event);
        }
        self.servers.into_iter().map(|server| server.record).collect()
    }

    fn handle(&mut self, now: Duration, number: usize, event: Event) {
        let server = &mut self.servers[number];
        match event {
            Event::Due => {
                server.is_due = true;
                self.start_when_free(now, number);
            }
            Event::Start => self.start(now, number),
            Event::Ready => self.ready(now, number),
            Event::Crash { process } if process == server.process => self.crash(now, number),
            Event::Crash { .. } => {}
            Event::Reaped => {
                server.alive -= 1;
                self.start_when_free(now, number);
            }
            Event::Call => self.call(now, number),
            Event::OutageStart => {
                if server.record.is_up {
                    self.crash(now, number);
                }
            }
        }
    }

    /// Starts it if both hold: the wait is over, and the old process is reaped.
    fn start_when_free(&mut self, now: Duration, number: usize) {
        let server = &mut self.servers[number];
        if !server.is_due || server.alive > 0 {
            return;
        }
        server.is_due = false;
        let at = match server.record.character.kind() {
            ServerKind::Process => self.pace.place(self.epoch + now) - self.epoch,
            ServerKind::Remote => now,
        };
        self.queue.put(at, (number, Event::Start));
    }

    fn start(&mut self, now: Duration, number: usize) {
        let server = &mut self.servers[number];
        assert!(!server.record.is_up && !server.is_starting, "started twice");
        server.is_starting = true;
        server.process += 1;
        server.alive += 1;
        server.record.most_alive = server.record.most_alive.max(server.alive);
        server.record.starts.push(now);
        let takes = self.chance.between(ms(20), s(3));
        let character = server.record.character;
        let is_out = character.has_outage() && (s(OUTAGE_START)..s(OUTAGE_END)).contains(&(now + takes));
        let next = if character.starts_well(&mut self.chance) && !is_out {
            Event::Ready
        } else {
            Event::Crash { process: server.process }
        };
        self.queue.put(now + takes, (number, next));
    }

    fn ready(&mut self, now: Duration, number: usize) {
        let server = &mut self.servers[number];
        server.backoff.connected(self.epoch + now);
        server.record.is_up = true;
        server.is_starting = false;
        server.record.ups.push(now);
        let life = server.record.character.life(&mut self.chance);
        self.queue.put(now + life, (number, Event::Crash { process: server.process }));
    }

    fn crash(&mut self, now: Duration, number: usize) {
        let server = &mut self.servers[number];
        server.record.losses += usize::from(server.record.is_up);
        server.record.is_up = false;
        server.is_starting = false;
        // A crash that was planned for this process comes too late now.
        server.process += 1;
        // Some processes hold on until they are killed.
        let reaped = now + self.chance.between(ms(0), s(5));
        self.queue.put(reaped, (number, Event::Reaped));
        match server.backoff.lost(self.epoch + now, self.chance.number()) {
            Next::RetryAt(at) => self.queue.put(at - self.epoch, (number, Event::Due)),
            Next::GaveUp { .. } => server.record.given_up += 1,
            Next::Off => {}
        }
        server.record.longest_row = server.record.longest_row.max(server.backoff.failures());
    }

    /// Someone calls a tool, each hour.
    fn call(&mut self, now: Duration, number: usize) {
        let server = &mut self.servers[number];
        self.queue.put(now + s(3600), (number, Event::Call));
        if !server.backoff.has_given_up() {
            return;
        }
        if let Next::RetryAt(at) = server.backoff.asked(self.epoch + now, Asker::Call) {
            server.record.granted += 1;
            self.queue.put(at - self.epoch, (number, Event::Due));
        }
    }
}
