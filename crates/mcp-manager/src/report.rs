//! Where servers stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::StartError;
use crate::server::{Server, State};

/// Where all servers stood when the gate opened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StartReport {
    /// By name.
    pub servers: BTreeMap<Arc<str>, ServerStatus>,
}

/// Where one server stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its phase.
    pub phase: Phase,
    /// How many tools are known.
    pub tools: usize,
    /// Whether they come from the cache, and were not confirmed yet.
    pub is_cached: bool,
}

/// How far a server is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Phase {
    /// Nobody has asked for it yet.
    Idle,
    /// It is being connected.
    Pending,
    /// It is connected.
    Ready,
    /// It could not be connected, or its connection was lost; the policy brings it back.
    Waiting(Arc<StartError>),
    /// It could not be connected, or its connection was lost, and it stays so until it is asked for.
    Failed(Arc<StartError>),
    /// It was disconnected on purpose.
    Disconnected,
}

impl StartReport {
    /// The servers that are ready.
    pub fn ready(&self) -> impl Iterator<Item = &str> {
        self.that(|phase| matches!(phase, Phase::Ready))
    }

    /// The servers that are still being connected.
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        self.that(|phase| matches!(phase, Phase::Pending))
    }

    /// The servers that failed, and why.
    pub fn failed(&self) -> impl Iterator<Item = (&str, &StartError)> {
        self.servers.iter().filter_map(|(name, status)| match &status.phase {
            Phase::Failed(error) | Phase::Waiting(error) => Some((&**name, &**error)),
            _ => None,
        })
    }

    fn that(&self, holds: impl Fn(&Phase) -> bool) -> impl Iterator<Item = &str> {
        self.servers.iter().filter(move |(_, status)| holds(&status.phase)).map(|(name, _)| &**name)
    }
}

impl ServerStatus {
    pub(crate) fn of(server: &Server) -> Self {
        let list = server.tool_list();
        let phase = match server.state() {
            State::Idle => Phase::Idle,
            State::Connecting => Phase::Pending,
            State::Connected(_) => Phase::Ready,
            State::Waiting(error) => Phase::Waiting(error),
            State::Failed(error) => Phase::Failed(error),
            State::Disconnected => Phase::Disconnected,
        };
        Self { phase, tools: list.tools.len(), is_cached: list.is_cached }
    }
}
