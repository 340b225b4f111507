//! Keeps a subscription for what is wanted: asks for it, and again when it is lost.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use mcp_jsonrpc::{CallError, FailureKind, Raw, RequestOptions};
use mcp_types::{ErrorCode, SubscriptionFilter};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::backoff::Backoff;
use super::live::{Live, Stage};
use super::{ACKNOWLEDGED_WITHIN, Heard, LISTEN, Means, State, Wanted, params};
use crate::cancel::cancel_notice;
use crate::modern::Stamped;

/// The task behind a subscription.
pub(super) struct Keeper {
    means: Means,
    wants: watch::Receiver<Wanted>,
    hears: watch::Sender<Heard>,
    backoff: Backoff,
    /// Whether something may have been missed since it was heard last.
    was_lost: bool,
}

/// A request that runs. Dropped, it is given up, which ends the subscription.
struct Running {
    live: Arc<Live>,
    request: JoinHandle<Result<Raw, CallError>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.request.abort();
    }
}

/// What came first.
enum First<A, B> {
    One(A),
    Other(B),
}

impl Keeper {
    pub(super) fn new(means: Means, wants: watch::Receiver<Wanted>, hears: watch::Sender<Heard>) -> Self {
        Self { means, wants, hears, backoff: Backoff::default(), was_lost: false }
    }

    /// Runs until nobody can want anything any more, or the connection is gone.
    pub(super) async fn run(mut self) {
        let mut current: Option<Running> = None;
        while self.means.transport.is_connected() {
            let wanted = Arc::new(self.wants.borrow_and_update().clone());
            if wanted.is_nothing() {
                current = None;
                self.tell(&wanted, State::Unknown);
                if self.wants.changed().await.is_err() {
                    return;
                }
                continue;
            }
            let mut next = self.begin(&wanted);
            match self.acknowledged(&mut next).await {
                Ok(honoured) => {
                    let since = self.means.transport.now();
                    self.tell(&wanted, State::Acknowledged(honoured));
                    if std::mem::take(&mut self.was_lost) {
                        self.means.router.listening_again();
                    }
                    let mut running = next;
                    // Only now the last one ends.
                    drop(current.take());
                    let came = first(running.ended(), self.wants.changed()).await;
                    self.backoff.went_well_for(self.means.transport.now().saturating_duration_since(since));
                    match came {
                        First::Other(Err(_)) => return,
                        First::Other(Ok(())) => current = Some(running),
                        First::One(()) => {
                            // What still comes of it is late.
                            drop(running);
                            self.lost(&wanted).await;
                        }
                    }
                }
                // That is told by whoever closed it.
                Err(error) if error.is_closed() => return,
                Err(error) if is_final(&error) => {
                    drop(next);
                    if current.take().is_some() {
                        self.was_lost = true;
                        self.means.router.may_have_missed();
                    }
                    self.refused(&wanted, error);
                    if self.wants.changed().await.is_err() {
                        return;
                    }
                }
                Err(_) => {
                    drop(next);
                    self.lost(&wanted).await;
                }
            }
        }
    }

    /// Asks for a subscription, on a task of its own: so it runs on while the next one is asked for.
    fn begin(&self, wanted: &Wanted) -> Running {
        let Means { transport, router, stamp, version, .. } = &self.means;
        let live = router.lives.begin();
        let mut options = RequestOptions::default();
        // It is open for as long as it is wanted; what is bounded is the wait for its beginning.
        options.timeout = Some(Duration::ZERO);
        options.max_total_timeout = Some(Duration::ZERO);
        options.cancel_notice = Some(cancel_notice);
        options.assigned = Some(live.id.clone());
        let params = params(wanted).and_then(|params| stamp.on(Stamped::new(*version, Some(&params))));
        let transport = transport.clone();
        let request = tokio::spawn(async move {
            // A list of texts can always be written; if not, the server says what is missing.
            transport.request(LISTEN, params.ok(), options).await
        });
        Running { live, request }
    }

    /// Waits for the acknowledgement, within its limit.
    async fn acknowledged(&self, running: &mut Running) -> Result<Arc<SubscriptionFilter>, CallError> {
        let limit = self.means.timeout.unwrap_or(ACKNOWLEDGED_WITHIN);
        let mut stage = running.live.stage.subscribe();
        let known = async {
            // The sender lives in `running`.
            match stage.wait_for(|stage| !matches!(stage, Stage::Asked)).await.as_deref() {
                Ok(Stage::Acknowledged(honoured)) => Some(honoured.clone()),
                _ => None,
            }
        };
        let transport = &self.means.transport;
        let patience = async {
            match limit {
                Duration::ZERO => std::future::pending().await,
                limit => transport.pause(limit).await,
            }
        };
        match first(first(known, &mut running.request), patience).await {
            First::One(First::One(Some(honoured))) => Ok(honoured),
            First::One(First::Other(Ok(Err(error)))) => Err(error),
            // It ended before it began, or never did.
            _ => Err(CallError::Cancelled { reason: None, sent: true }),
        }
    }

    /// It is over, and nobody knows what has changed since: it is asked for again, a while later.
    async fn lost(&mut self, wanted: &Arc<Wanted>) {
        self.tell(wanted, State::Interrupted);
        if !self.means.transport.is_connected() {
            return;
        }
        if !std::mem::replace(&mut self.was_lost, true) {
            self.means.router.may_have_missed();
        }
        let wait = self.backoff.next();
        let changed = self.wants.changed();
        first(self.means.transport.pause(wait), changed).await;
    }

    fn refused(&self, wanted: &Arc<Wanted>, error: CallError) {
        self.means.router.not_listening(&error);
        self.tell(wanted, State::Refused(Arc::new(error)));
    }

    fn tell(&self, wanted: &Arc<Wanted>, state: State) {
        self.hears.send_replace(Heard { wanted: wanted.clone(), state });
    }
}

impl Running {
    /// Waits for the end: the result, an error, or the server's word.
    async fn ended(&mut self) {
        let mut stage = self.live.stage.subscribe();
        let said = stage.wait_for(|stage| matches!(stage, Stage::Ended));
        first(&mut self.request, async { drop(said.await) }).await;
    }
}

/// Whether asking again would change nothing: the server understood, and does not want to.
fn is_final(error: &CallError) -> bool {
    match error {
        CallError::Rpc(error) => error.code != ErrorCode::INTERNAL_ERROR,
        CallError::Transport(failure) => match failure.kind {
            FailureKind::Status(status) => (400..500).contains(&status) && status != 429,
            FailureKind::Unauthorized | FailureKind::MediaType | FailureKind::Redirect => true,
            _ => false,
        },
        _ => false,
    }
}

/// Waits for the first of two; the other is dropped.
async fn first<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) -> First<A, B> {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| match one.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(First::One(done)),
        Poll::Pending => other.as_mut().poll(context).map(First::Other),
    })
    .await
}
