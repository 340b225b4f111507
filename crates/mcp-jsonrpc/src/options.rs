//! What a caller can ask of one request or notification.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_types::RequestId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::frame::RawParams;

/// Options of one request.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RequestOptions {
    /// Longest time without a sign of life: from sending to the answer, re-armed by
    /// [`keep_alive`](Self::keep_alive). `None` takes the transport's default (30 s, unless
    /// configured); zero means no limit (D-04).
    pub timeout: Option<Duration>,
    /// Longest time in all, whatever keeps the call alive. `None` takes the transport's
    /// configured value; zero means no limit.
    pub max_total_timeout: Option<Duration>,
    /// Gives the call up from outside.
    pub cancel: Option<Cancel>,
    /// Lets somebody who sees progress for this call re-arm its timeout.
    pub keep_alive: Option<KeepAlive>,
    /// Makes the message that tells the peer that the call was given up; `None` tells it nothing.
    pub cancel_notice: Option<CancelNotice>,
    /// Values of the body that a transport with headers repeats there, if it
    /// [`mirrors`](crate::Transport::mirrors). Others ignore them. Empty by default.
    pub mirrored: Vec<Mirrored>,
    /// Hears the id that the request gets, before it is sent. Nobody by default.
    pub assigned: Option<AssignedId>,
}

/// A value of the body that goes into a header as well (2026-07-28).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// The header.
    pub header: Cow<'static, str>,
    /// The value as it is in the body; what a header cannot hold, the transport encodes.
    pub value: String,
}

/// The id of one request, once it has one. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct AssignedId(Arc<OnceLock<RequestId>>);

impl AssignedId {
    /// No id yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id, if there is one.
    pub fn get(&self) -> Option<&RequestId> {
        self.0.get()
    }

    /// Takes the id; for transports. The first one counts.
    pub fn set(&self, id: &RequestId) {
        let _ = self.0.set(id.clone());
    }
}

/// Options of one notification.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NotifyOptions {
    /// Longest time for sending it. `None` takes the transport's default; zero means no limit.
    pub timeout: Option<Duration>,
    /// Gives it up from outside.
    pub cancel: Option<Cancel>,
}

/// Makes the notification that tells the peer that request `id` was given up.
///
/// Its shape is protocol and so is not the transport's; sending it is the transport's (D-05).
pub type CancelNotice = fn(id: &RequestId, why: &GaveUp) -> Notice;

/// A notification to be sent.
#[derive(Clone, Debug)]
pub struct Notice {
    /// The method.
    pub method: &'static str,
    /// The params.
    pub params: Option<RawParams>,
}

/// Why a call was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GaveUp {
    /// Its deadline ran out.
    Timeout(Duration),
    /// The caller cancelled it, with a reason or without.
    Cancelled(Option<Arc<str>>),
    /// Its future was dropped.
    Dropped,
}

impl fmt::Display for GaveUp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(limit) => write!(formatter, "timed out after {}ms", limit.as_millis()),
            Self::Cancelled(Some(reason)) => formatter.write_str(reason),
            Self::Cancelled(None) => formatter.write_str("cancelled by the caller"),
            Self::Dropped => formatter.write_str("no longer needed"),
        }
    }
}

/// A signal that gives calls up, with the caller's reason. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    token: CancellationToken,
    reason: Arc<OnceLock<Arc<str>>>,
}

impl Cancel {
    /// A signal that was not given yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal. The first one counts; again is a no-op.
    pub fn cancel(&self) {
        self.token.cancel();
    }

    /// Gives the signal, with a reason that becomes the text of the error (S-114) and goes to the
    /// peer with the cancel notice.
    pub fn cancel_with(&self, reason: impl Into<Arc<str>>) {
        if !self.token.is_cancelled() {
            // A second reason loses, as a second signal does.
            let _ = self.reason.set(reason.into());
            self.token.cancel();
        }
    }

    /// Whether the signal was given.
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// The reason, if one was given.
    pub fn reason(&self) -> Option<Arc<str>> {
        self.reason.get().cloned()
    }

    /// Waits for the signal.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub async fn cancelled(&self) {
        self.token.cancelled().await;
    }
}

/// A token of the caller's own, without a reason.
impl From<CancellationToken> for Cancel {
    fn from(token: CancellationToken) -> Self {
        Self { token, reason: Arc::default() }
    }
}

/// A handle that re-arms the timeout of one call. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct KeepAlive(Arc<Notify>);

impl KeepAlive {
    /// A handle for one call.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says that the call is alive: its timeout starts again now.
    pub fn touch(&self) {
        self.0.notify_one();
    }

    /// Waits until [`touch`](Self::touch) was called since the last wait.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub async fn touched(&self) {
        self.0.notified().await;
    }
}
