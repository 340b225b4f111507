//! The three clients, and what each must be able to do.

mod callers;
mod floor;
mod ours;
mod rmcp;

use std::time::Instant;

use anyhow::Result;

pub(crate) use self::callers::Callers;
pub(crate) use self::floor::{Floor, HttpFloor};
pub(crate) use self::ours::Ours;
pub(crate) use self::rmcp::Rmcp;
use crate::payload::Checker;
use crate::peer::Peer;

/// One of the clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Floor,
    Rmcp,
    Ours,
}

impl Name {
    pub(crate) const ALL: [Self; 3] = [Self::Floor, Self::Rmcp, Self::Ours];

    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.as_str() == name)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Rmcp => "rmcp",
            Self::Ours => "ours",
        }
    }
}

/// The server, and what the client must be ready for.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) peer: Peer,
    /// Whether answers are longer than rmcp accepts by itself.
    pub(crate) has_largest: bool,
}

/// A connection that can be put to work.
pub(crate) trait Load: Sized + Send + 'static {
    /// Starts the server, if it is not running yet, and shakes hands.
    fn start(setup: &Setup) -> impl Future<Output = Result<Self>> + Send;

    /// Keeps `callers` calls in flight until then, each at least once, and checks every answer.
    /// Returns how many there were.
    fn calls(
        &mut self,
        callers: usize,
        size: usize,
        until: Instant,
    ) -> impl Future<Output = Result<u64>> + Send;

    /// Lists the tools and checks their names.
    fn list(&mut self, expected: usize) -> impl Future<Output = Result<()>> + Send;

    /// Log notifications that came so far.
    fn notifications(&self) -> u64;

    /// Ends the connection, and the server if it was started here.
    fn stop(self) -> impl Future<Output = Result<()>> + Send;
}

/// A client as its users see it.
pub(crate) trait Client: Sized + Send + Sync + 'static {
    /// As [`Load::start`].
    fn start(setup: &Setup) -> impl Future<Output = Result<Self>> + Send;

    /// One call of the tool `echo`, and the check of its answer.
    fn echo(&self, mark: &str, size: usize, check: &Checker) -> impl Future<Output = Result<()>> + Send;

    /// As [`Load::list`].
    fn list(&self, expected: usize) -> impl Future<Output = Result<()>> + Send;

    /// As [`Load::notifications`].
    fn notifications(&self) -> u64;

    /// As [`Load::stop`].
    fn stop(self) -> impl Future<Output = Result<()>> + Send;
}
