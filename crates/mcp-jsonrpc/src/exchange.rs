//! One request or notification over a shared channel: begin, send, wait, and give up cleanly.
//!
//! Transports on which all messages share one stream differ only in how they write; this is the
//! rest. A transport with an exchange per message (HTTP) does not use it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use crate::bounded::{Bounds, Clock, bounded};
use crate::correlator::{Correlator, PendingCall, Settled};
use crate::error::{CallError, TimeoutPhase};
use crate::frame::{self, RawParams};
use crate::handler::ReplySink;
use crate::options::{CancelNotice, GaveUp, NotifyOptions, RequestOptions};
use crate::raw::Raw;

/// The way out of a shared channel. Its [`ReplySink`] half is the control lane.
pub trait Lane: ReplySink {
    /// Queues one message (a JSON object without framing), waiting while the queue is full.
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`] or [`CallError::NotConnected`] if it can no longer be sent.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is done queues nothing.
    fn enqueue(&self, message: Vec<u8>) -> impl Future<Output = Result<Ticket, CallError>> + Send;

    /// Takes a message back; true if no byte of it was written.
    fn withdraw(&self, ticket: Ticket) -> bool;

    /// Waits until a message is written.
    ///
    /// # Errors
    ///
    /// As [`enqueue`](Self::enqueue), if the channel closes before that.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    fn written(&self, ticket: Ticket) -> impl Future<Output = Result<(), CallError>> + Send;
}

/// A place in the queue of a [`Lane`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// Requests and notifications over one channel.
#[derive(Debug)]
pub struct Exchange<L, C> {
    /// The ids and waiting calls of the connection.
    pub correlator: Arc<Correlator>,
    /// The way out.
    pub lane: Arc<L>,
    /// The transport's clock.
    pub clock: C,
    /// The timeout of calls that name none; zero means none.
    pub timeout: Duration,
    /// The total limit of calls that name none; zero means none.
    pub max_total_timeout: Duration,
}

impl<L: Lane, C: Clock> Exchange<L, C> {
    /// See [`Transport::request`](crate::Transport::request), also for errors and cancel safety.
    ///
    /// # Errors
    ///
    /// # Cancel safety
    pub async fn request(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: RequestOptions,
    ) -> Result<Raw, CallError> {
        let bounds = Bounds::new(
            options.timeout.unwrap_or(self.timeout),
            options.max_total_timeout.unwrap_or(self.max_total_timeout),
        )
        .cancelled_by(options.cancel)
        .kept_alive_by(options.keep_alive);
        let mut call = InFlight {
            pending: self.correlator.begin()?,
            lane: &*self.lane,
            ticket: None,
            notice: options.cancel_notice,
            is_over: false,
        };
        if let Some(assigned) = &options.assigned {
            assigned.set(&call.pending.id());
        }
        let work = async {
            let message = call.pending.message(method, params.as_deref());
            drop(params);
            call.ticket = Some(self.lane.enqueue(message).await?);
            (&mut call.pending).await
        };
        match bounded(work, &bounds, &self.clock).await {
            Ok(settled) => call.finish(settled),
            Err(stopped) => {
                let (settled, sent) = call.give_up(&stopped.why);
                match settled {
                    Some(settled) => with_sent(settled, sent),
                    None => Err(stopped.into_error(TimeoutPhase::Request, sent)),
                }
            }
        }
    }

    /// See [`Transport::notify`](crate::Transport::notify), also for errors and cancel safety.
    ///
    /// # Errors
    ///
    /// # Cancel safety
    pub async fn notify(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: NotifyOptions,
    ) -> Result<(), CallError> {
        let bounds =
            Bounds::new(options.timeout.unwrap_or(self.timeout), Duration::ZERO).cancelled_by(options.cancel);
        let message = frame::notification(method, params.as_deref());
        let mut ticket = None;
        let work = async {
            let queued = self.lane.enqueue(message).await?;
            ticket = Some(queued);
            self.lane.written(queued).await
        };
        let done = bounded(work, &bounds, &self.clock).await;
        let sent = |ticket: Option<Ticket>| ticket.is_some_and(|ticket| !self.lane.withdraw(ticket));
        match done {
            Ok(Ok(())) => Ok(()),
            Ok(failed) => with_sent(failed, sent(ticket)),
            Err(stopped) => Err(stopped.into_error(TimeoutPhase::Notify, sent(ticket))),
        }
    }
}

/// One request in flight. However it ends, drop included, it leaves no trace, and the peer is
/// told if the request may have reached it and was not answered (D-05).
struct InFlight<'a, L: Lane> {
    pending: PendingCall,
    lane: &'a L,
    /// Set once the message is in the lane.
    ticket: Option<Ticket>,
    notice: Option<CancelNotice>,
    is_over: bool,
}

impl<L: Lane> InFlight<'_, L> {
    fn finish(mut self, settled: Settled) -> Settled {
        self.is_over = true;
        match settled {
            Err(CallError::Closed { .. }) => with_sent(settled, !self.withdraw()),
            settled => settled,
        }
    }

    /// Gives up: yields the answer, if it is there already, and whether the message was sent.
    fn give_up(&mut self, why: &GaveUp) -> (Option<Settled>, bool) {
        self.is_over = true;
        let settled = self.pending.abandon();
        let sent = !self.withdraw();
        if let (None, true, Some(notice)) = (&settled, sent, self.notice) {
            let notice = notice(&self.pending.id(), why);
            self.lane.send_reply(frame::notification(notice.method, notice.params.as_deref()));
        }
        (settled, sent)
    }

    /// True if no byte of the message was written, nor will be.
    fn withdraw(&self) -> bool {
        self.ticket.is_none_or(|ticket| self.lane.withdraw(ticket))
    }
}

impl<L: Lane> Drop for InFlight<'_, L> {
    fn drop(&mut self) {
        if !self.is_over {
            self.give_up(&GaveUp::Dropped);
        }
    }
}

/// The correlator does not know what was written when a connection closes; the lane does.
fn with_sent<T>(settled: Result<T, CallError>, sent: bool) -> Result<T, CallError> {
    match settled {
        Err(CallError::Closed { reason, .. }) => Err(CallError::Closed { reason, sent }),
        settled => settled,
    }
}
