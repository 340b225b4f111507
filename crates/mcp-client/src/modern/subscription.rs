//! What the server says by itself, where it takes a request to hear it: `subscriptions/listen`.
//!
//! ```text
//!   subscribe, unsubscribe ──► Wanted ──► Keeper ──► subscriptions/listen ──► server
//!                                           ▲                                   │
//!            acknowledged, ended ◄──────────┴───────── Lives ◄── notifications ─┘
//! ```
//!
//! There is one subscription at a time, for all that is wanted. When that changes, the next one is
//! acknowledged before the last one is ended, so nothing is missed in between.

mod backoff;
mod keeper;
mod live;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CallError, Transport};
use mcp_types::{Listen, ListenParams, Method, Revision, ServerCapabilities, SubscriptionFilter};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use self::keeper::Keeper;
pub(crate) use self::live::{Lives, Place};
use super::Stamp;
use crate::router::Router;

/// Longest wait for an acknowledgement, where no timeout is configured.
pub(super) const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(30);

/// What is to be heard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: BTreeSet<String>,
    /// Goes up with each change.
    number: u64,
}

impl Wanted {
    /// The lists whose changes the server can tell of.
    pub(crate) fn of(offered: &ServerCapabilities) -> Self {
        Self {
            tools: offered.tools.as_ref().is_some_and(|it| it.list_changed == Some(true)),
            prompts: offered.prompts.as_ref().is_some_and(|it| it.list_changed == Some(true)),
            resources: offered.resources.as_ref().is_some_and(|it| it.list_changed == Some(true)),
            ..Self::default()
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        !self.tools && !self.prompts && !self.resources && self.uris.is_empty()
    }

    fn filter(&self) -> SubscriptionFilter {
        let mut filter = SubscriptionFilter::default();
        filter.tools_list_changed = self.tools.then_some(true);
        filter.prompts_list_changed = self.prompts.then_some(true);
        filter.resources_list_changed = self.resources.then_some(true);
        if !self.uris.is_empty() {
            filter.resource_subscriptions = Some(self.uris.iter().cloned().collect());
        }
        filter
    }
}

/// What became of what was wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// What was wanted then.
    wanted: Arc<Wanted>,
    state: State,
}

#[derive(Clone, Debug, Default)]
enum State {
    /// Nothing is wanted, or it is not known yet.
    #[default]
    Unknown,
    /// So much of it is heard.
    Acknowledged(Arc<SubscriptionFilter>),
    /// The server does not tell, for good.
    Refused(Arc<CallError>),
    /// It was heard and is not at the moment.
    Interrupted,
}

/// Why the changes of a resource are not told.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The server tells of other changes, but not of this resource's.
    #[error("the server does not tell of changes of this resource")]
    NotHonoured,
    /// There are as many as [`ClientOptions::max_subscriptions`] allows.
    ///
    /// [`ClientOptions::max_subscriptions`]: crate::ClientOptions::max_subscriptions
    #[error("there are {limit} subscriptions already, which is the limit")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// The server refused to tell of anything.
    #[error("the server refused the subscription")]
    Refused(#[source] Arc<CallError>),
    /// It was unsubscribed from before the server said anything.
    #[error("it was unsubscribed from meanwhile")]
    TakenBack,
    /// The connection went before the server said anything.
    #[error("the connection is gone")]
    Gone,
}

/// The subscription of one connection. Dropped, it ends.
pub(crate) struct Subscription {
    wanted: watch::Sender<Wanted>,
    heard: watch::Receiver<Heard>,
    limit: usize,
    task: AbortHandle,
}

/// What a subscription works with.
pub(crate) struct Means {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) router: Arc<Router>,
    pub(crate) stamp: Arc<Stamp>,
    pub(crate) version: Revision,
    /// Longest wait for an acknowledgement; zero means no limit.
    pub(crate) timeout: Option<Duration>,
}

impl Subscription {
    /// Begins to listen as soon as there is something wanted.
    pub(crate) fn begin(wanted: Wanted, limit: usize, means: Means) -> Self {
        let (wanted, wants) = watch::channel(wanted);
        let (hears, heard) = watch::channel(Heard::default());
        let task = tokio::spawn(Keeper::new(means, wants, hears).run()).abort_handle();
        Self { wanted, heard, limit, task }
    }

    /// Waits until it is known whether anything is heard.
    pub(crate) async fn listening(&self) -> bool {
        if self.wanted.borrow().is_nothing() {
            return false;
        }
        let mut heard = self.heard.clone();
        let known = heard.wait_for(|heard| !matches!(heard.state, State::Unknown)).await;
        known.is_ok_and(|heard| matches!(heard.state, State::Acknowledged(_)))
    }

    /// Wants the changes of a resource, and waits until the server has said that it tells of them.
    pub(crate) async fn add(&self, uri: &str) -> Result<(), ListenError> {
        let mut is_full = false;
        self.wanted.send_if_modified(|wanted| {
            is_full = wanted.uris.len() >= self.limit && !wanted.uris.contains(uri);
            let is_new = !is_full && wanted.uris.insert(uri.to_owned());
            wanted.number += u64::from(is_new);
            is_new
        });
        if is_full {
            return Err(ListenError::TooMany { limit: self.limit });
        }
        let heard = self.settled().await?;
        let error = match heard.state {
            State::Acknowledged(filter) if honours(&filter, uri) => return Ok(()),
            // Whoever took it back has told the keeper.
            _ if !heard.wanted.uris.contains(uri) => return Err(ListenError::TakenBack),
            State::Refused(error) => ListenError::Refused(error),
            _ => ListenError::NotHonoured,
        };
        self.forget(uri);
        Err(error)
    }

    /// Wants them no more.
    pub(crate) async fn remove(&self, uri: &str) -> Result<(), ListenError> {
        if self.forget(uri) {
            self.settled().await?;
        }
        Ok(())
    }

    fn forget(&self, uri: &str) -> bool {
        self.wanted.send_if_modified(|wanted| {
            let was_there = wanted.uris.remove(uri);
            wanted.number += u64::from(was_there);
            was_there
        })
    }

    /// Waits for the outcome of what is wanted now.
    async fn settled(&self) -> Result<Heard, ListenError> {
        let number = self.wanted.borrow().number;
        // Each number but the first is that of a change, so one that is told is known, also where nothing
        // is wanted any more.
        let is_known = |heard: &Heard| {
            heard.wanted.number >= number
                && match heard.state {
                    State::Acknowledged(_) | State::Refused(_) => true,
                    State::Unknown => heard.wanted.number > 0,
                    State::Interrupted => false,
                }
        };
        let is_nothing = self.wanted.borrow().is_nothing();
        if is_nothing {
            return Ok(Heard::default());
        }
        let mut heard = self.heard.clone();
        heard.wait_for(is_known).await.map(|heard| heard.clone()).map_err(|_| ListenError::Gone)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn honours(filter: &SubscriptionFilter, uri: &str) -> bool {
    filter.resource_subscriptions.iter().flatten().any(|honoured| honoured == uri)
}

/// The request, as its params are before they are stamped.
fn params(wanted: &Wanted) -> serde_json::Result<Box<serde_json::value::RawValue>> {
    serde_json::value::to_raw_value(&ListenParams::new(wanted.filter()))
}

/// The method.
const LISTEN: &str = Listen::NAME;
