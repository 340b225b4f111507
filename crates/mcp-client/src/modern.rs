//! Requests that stand for themselves: the 2026-07-28 revision, which has no handshake.
//!
//! ```text
//!   Client::call ──► Modern ──► stamp: `_meta` with version, client and capabilities
//!                      │        names: what HTTP repeats in headers
//!                      ▼
//!                  Transport::request ──► result type ──► complete: the answer
//!                      ▲                                  input required: the handlers answer,
//!                      └── rounds: the same request ◄──── and it is asked again
//!                                                         task: looked at until it is final
//! ```

mod ask;
mod budget;
mod headers;
mod names;
mod results;
mod rounds;
mod stamp;
mod subscription;
mod tasks;
mod watching;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mcp_jsonrpc::Raw;
use mcp_types::{ListTools, LoggingLevel, Method, Revision};

pub(crate) use self::ask::{Ask, OnTask};
use self::headers::{LeftOut, ToolHeaders};
pub(crate) use self::results::Results;
pub use self::rounds::InputError;
pub(crate) use self::stamp::{Stamp, Stamped};
pub use self::subscription::ListenError;
pub(crate) use self::subscription::{Lives, Place, Subscription};
use self::subscription::{Means, Wanted};
use crate::client::Inner;
use crate::events::Event;

/// What a connection without a handshake keeps.
pub(crate) struct Modern {
    version: Revision,
    stamp: Arc<Stamp>,
    /// Which arguments go into headers, where the transport has any.
    headers: ToolHeaders,
    /// Begun when there is something to hear.
    subscription: OnceLock<Subscription>,
    /// The least level of log messages that each request wants, unless it says so itself.
    log_level: Mutex<Option<LoggingLevel>>,
}

impl Modern {
    pub(crate) fn new(version: Revision, stamp: Stamp) -> Self {
        Self {
            version,
            stamp: Arc::new(stamp),
            headers: ToolHeaders::default(),
            subscription: OnceLock::new(),
            log_level: Mutex::default(),
        }
    }

    /// Listens to what the server can tell of by itself. Where that takes a connection of its own, the
    /// caller has to want it; else it costs nothing.
    pub(crate) fn listen(&self, inner: &Inner) {
        let wanted = if inner.options.listen || !inner.transport.mirrors() {
            Wanted::of(&inner.agreed.capabilities)
        } else {
            Wanted::default()
        };
        if !wanted.is_nothing() {
            self.subscription.get_or_init(|| self.subscribed(inner, wanted));
        }
    }

    /// Takes note of a page of a listing; yields what is to be left out of it.
    pub(crate) fn listed(
        &self,
        inner: &Inner,
        method: &str,
        page: &Raw,
        (is_first, is_last): (bool, bool),
    ) -> Vec<LeftOut> {
        if method != ListTools::NAME || !inner.transport.mirrors() {
            return Vec::new();
        }
        let left_out = self.headers.learn(page, is_first, is_last);
        for tool in &left_out {
            let text = tool.text();
            tracing::warn!(server = &*inner.server, "{text}");
            inner.router.events.publish(|| Event::Diagnostic(text.into()));
        }
        left_out
    }

    /// The subscription, if there is one.
    pub(crate) fn subscription(&self) -> Option<&Subscription> {
        self.subscription.get()
    }

    /// The subscription, begun if need be.
    pub(crate) fn subscription_of(&self, inner: &Inner) -> &Subscription {
        self.subscription.get_or_init(|| self.subscribed(inner, Wanted::default()))
    }

    fn subscribed(&self, inner: &Inner, wanted: Wanted) -> Subscription {
        let means = Means {
            transport: inner.transport.clone(),
            router: inner.router.clone(),
            stamp: self.stamp.clone(),
            version: self.version,
            timeout: inner.options.timeout,
        };
        Subscription::begin(wanted, inner.options.max_subscriptions, means)
    }

    /// Requests from now on ask for log messages of this level and above.
    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    fn log_level(&self) -> Option<LoggingLevel> {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
