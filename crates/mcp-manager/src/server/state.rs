//! Where a server stands, and what is at hand there.

use std::sync::{Arc, OnceLock};

use mcp_client::Client;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::lists::Lists;
use crate::error::StartError;

/// Where a server stands.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// Nobody has asked for it yet.
    Idle,
    Connecting,
    Connected(Live),
    /// It failed or was lost, and the policy brings it back later.
    Waiting(Arc<StartError>),
    /// It failed or was lost, and stays so until it is asked for.
    Failed(Arc<StartError>),
    /// It was disconnected on purpose.
    Disconnected,
}

/// A connection.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) client: Client,
    /// The calls under way, which a lost session does not cut short.
    pub(crate) calls: TaskTracker,
    /// What it lists beside tools.
    pub(crate) lists: Arc<Lists>,
    /// Its session is lost, and whether another one is made at once.
    pub(super) lost: Arc<OnceLock<Again>>,
    /// Given when `lost` is.
    pub(super) is_lost: CancellationToken,
}

/// When a new session takes the place of one that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// At once.
    Now,
    /// As after any other loss: the one before was lost as well.
    Later,
}

/// The attempt or connection at hand, and all that comes of it.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// Ends it.
    pub(super) stop: CancellationToken,
    /// Given when nothing of it is left.
    pub(super) ended: CancellationToken,
}

impl Live {
    pub(super) fn new(client: Client, stop: &CancellationToken) -> Self {
        Self {
            client,
            calls: TaskTracker::new(),
            lists: Arc::default(),
            lost: Arc::default(),
            is_lost: stop.child_token(),
        }
    }

    /// Whether calls can be made, as far as is known.
    pub(super) fn is_good(&self) -> bool {
        !self.is_session_lost() && self.client.is_connected()
    }

    /// Whether its session was found to be lost.
    pub(crate) fn is_session_lost(&self) -> bool {
        self.is_lost.is_cancelled()
    }
}

impl Run {
    /// One that is over.
    pub(super) fn over() -> Self {
        let run = Self { stop: CancellationToken::new(), ended: CancellationToken::new() };
        run.ended.cancel();
        run
    }
}
