//! The subscriptions that run, and which of the server's notifications belong to them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_jsonrpc::{AssignedId, Notification};
use mcp_types::{
    Acknowledged, AcknowledgedParams, Cancelled, CancelledParams, Meta, Notice, RequestId, SubscriptionFilter,
};
use serde::Deserialize;
use tokio::sync::watch;

/// One subscription, from its request to its end.
#[derive(Debug)]
pub(super) struct Live {
    /// The id of the request, which is the name of the subscription.
    pub(super) id: AssignedId,
    pub(super) stage: watch::Sender<Stage>,
}

/// How far a subscription is.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    Asked,
    Acknowledged(Arc<SubscriptionFilter>),
    /// Over, by the server's word.
    Ended,
}

/// The subscriptions of one connection that run: two at most, the last and the next one.
#[derive(Debug, Default)]
pub(crate) struct Lives(Mutex<Vec<Weak<Live>>>);

/// What a notification is to whoever hears the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// To be handed on.
    Heard,
    /// A matter of the subscription itself.
    Kept,
    /// Of a subscription that there is not.
    Stray,
}

impl Lives {
    /// A subscription that is about to be asked for.
    pub(super) fn begin(&self) -> Arc<Live> {
        let live = Arc::new(Live { id: AssignedId::new(), stage: watch::Sender::new(Stage::Asked) });
        let mut lives = self.lock();
        lives.retain(|live| live.strong_count() > 0);
        lives.push(Arc::downgrade(&live));
        live
    }

    /// Finds the subscription that a notification belongs to, and takes note of what it says of that.
    /// One that names none is heard: messages for people belong to none, and some servers tell of
    /// changes without the name.
    pub(crate) fn place(&self, notification: &Notification<'_>) -> Place {
        let params = notification.params.map_or("null", |params| params.get());
        if notification.method == Cancelled::NAME {
            let named = serde_json::from_str::<CancelledParams>(params).ok();
            if let Some(live) = named.and_then(|params| params.request_id).and_then(|id| self.find(&id)) {
                live.stage.send_replace(Stage::Ended);
            }
            return Place::Kept;
        }
        let named = serde_json::from_str::<Named>(params).ok().and_then(|params| params.meta);
        let Some(id) = named.and_then(|meta| meta.subscription_id()) else {
            return if notification.method == Acknowledged::NAME { Place::Stray } else { Place::Heard };
        };
        let Some(live) = self.find(&id) else { return Place::Stray };
        if notification.method != Acknowledged::NAME {
            return Place::Heard;
        }
        // What cannot be read honours nothing.
        let honoured = serde_json::from_str::<AcknowledgedParams>(params).map(|params| params.notifications);
        live.stage.send_if_modified(|stage| {
            let is_first = matches!(stage, Stage::Asked);
            if is_first {
                *stage = Stage::Acknowledged(Arc::new(honoured.unwrap_or_default()));
            }
            is_first
        });
        Place::Kept
    }

    fn find(&self, id: &RequestId) -> Option<Arc<Live>> {
        self.lock().iter().filter_map(Weak::upgrade).find(|live| live.id.get() == Some(id))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Live>>> {
        // What runs under the lock only clones and moves, so a poisoned one is still sound.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}
