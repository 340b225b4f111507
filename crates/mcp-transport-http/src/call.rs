//! One request: its POST, and every way in which its answer comes.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use mcp_jsonrpc::{CallError, ErrorCode, PendingCall, RequestId, Salvage, Settled, error_in};

use crate::ask::Ask;
use crate::body::Whole;
use crate::error::{Failure, HttpError};
use crate::events::Events;
use crate::head::{self, Meaning};
use crate::link::{Link, Listening, Mode};
use crate::pool::Lane;
use crate::resume::Resume;
use crate::sse::Item;
use crate::trace::Trace;
use crate::wire::Answer;

/// Most ids of a wrong answer that an error names.
const SHOWN_IDS: usize = 3;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How a call ended, seen from its exchange.
pub(crate) enum Ended {
    /// Its answer came, or the connection closed.
    Settled(Settled),
    /// Its exchange failed.
    Failed(CallError),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.into())
    }
}

impl From<HttpError> for Ended {
    fn from(error: HttpError) -> Self {
        Self::Failed(error.into_call_error(true))
    }
}

impl Link {
    /// Sends a request and waits for its answer, which may come on its own response, on a resumed
    /// stream, or on any other stream of the connection.
    pub(crate) async fn run(self: &Arc<Self>, call: &mut PendingCall, ask: &Ask, trace: &Trace) -> Settled {
        let id = call.id();
        let ended = match self.ask(call, ask, trace, &id).await {
            Ok(ended) | Err(ended) => ended,
        };
        let settled = match ended {
            Ended::Settled(settled) => settled,
            // If the answer came from elsewhere in the meantime, that is what counts.
            Ended::Failed(error) => {
                self.correlator.fail(&id, error);
                call.await
            }
        };
        if ask.is_single() && settled.is_ok() {
            // Whatever else such a request meets says nothing about how a handshake would go.
            self.decide(Mode::Streamable);
        }
        settled
    }

    async fn ask(
        self: &Arc<Self>,
        call: &mut PendingCall,
        ask: &Ask,
        trace: &Trace,
        id: &RequestId,
    ) -> Result<Ended, Ended> {
        // What is rare is boxed, so that the future of a usual call stays small.
        match self.mode() {
            // Only Streamable HTTP has a form without a session.
            _ if ask.is_single() => {}
            Mode::Streamable => {}
            Mode::Legacy => return Box::pin(self.over_legacy(call, ask, trace)).await,
            Mode::Undecided => return Box::pin(self.first_call(call, ask, trace, id)).await,
        }
        let answer = first(call, pin!(self.wire.exchange(Lane::Call, ask, trace))).await??;
        match head::meaning(answer.status, &answer.headers) {
            Meaning::Failed => Err(Ended::Failed(Box::pin(self.refusal(call, answer)).await?)),
            meaning => self.answered(call, answer, meaning, ask, trace, id).await,
        }
    }

    /// Why a call was refused: the JSON-RPC error in the body, unless the status means more.
    pub(crate) async fn refusal(&self, call: &mut PendingCall, answer: Answer) -> Result<CallError, Ended> {
        let (status, body) = first(call, pin!(self.wire.failed(answer))).await?;
        let error = error_in(&body);
        let lacks_method = error.as_ref().is_some_and(|error| error.code == ErrorCode::METHOD_NOT_FOUND);
        Ok(match error {
            Some(error) if !status.wants_authorization() && (lacks_method || !status.is_session_lost) => {
                CallError::Rpc(error)
            }
            _ => status.into(),
        })
    }

    /// Streamable HTTP, and the status says that all is well.
    pub(crate) async fn answered(
        self: &Arc<Self>,
        call: &mut PendingCall,
        answer: Answer,
        meaning: Meaning,
        ask: &Ask,
        trace: &Trace,
        id: &RequestId,
    ) -> Result<Ended, Ended> {
        if matches!(meaning, Meaning::Json | Meaning::Events) {
            answer.body.check()?;
        }
        match meaning {
            Meaning::Json => self.json(call, answer, id).await,
            Meaning::Events => {
                trace.set_streaming();
                self.events(call, answer, ask, id).await
            }
            Meaning::Nothing => {
                let status = answer.status.as_u16();
                self.discard(answer.body);
                if ask.is_single() {
                    return Err(HttpError::NoAnswer { status }.into());
                }
                Box::pin(self.elsewhere(call, status)).await
            }
            _ => Err(self.wire.wrong_type(&answer.headers).into()),
        }
    }

    async fn json(&self, call: &mut PendingCall, answer: Answer, id: &RequestId) -> Result<Ended, Ended> {
        let limit = self.limits.max_message;
        match first(call, pin!(answer.body.whole(limit))).await?? {
            Whole::Complete(body) => {
                // A parser may ignore a byte order mark (RFC 8259, 8.1), and some servers send one.
                let body = body
                    .strip_prefix(BYTE_ORDER_MARK)
                    .map_or_else(|| body.clone(), |rest| body.slice_ref(rest));
                self.inbound.accept_for(&body, id);
                if call.is_settled() {
                    return Ok(Ended::Settled(call.await));
                }
                Err(HttpError::WrongId { expected: id.clone(), found: self.wire.mask(&ids_in(&body)) }.into())
            }
            Whole::TooLarge(head) => {
                self.inbound.too_large(limit, &head);
                Err(Ended::Failed(CallError::TooLarge { limit }))
            }
        }
    }

    /// Reads the events of a response until the answer is there; where they break off, resumes
    /// them by GET if the server gave an id to resume from. Never a second POST. Without a session
    /// there is nothing to resume: event ids mean nothing then.
    async fn events(
        self: &Arc<Self>,
        call: &mut PendingCall,
        answer: Answer,
        ask: &Ask,
        id: &RequestId,
    ) -> Result<Ended, Ended> {
        let mut limits = self.limits.resume;
        if ask.is_single() {
            limits.max_attempts = 0;
        }
        let mut resume = Resume::new(limits);
        // A call of a session keeps its place as long as it lasts.
        let mut stands_aside = !ask.is_single();
        let mut body = answer.body;
        loop {
            let mut events = Events::new(body, self.limits.max_message);
            let broken = loop {
                let next = first(call, pin!(events.next())).await?;
                match next {
                    Ok(Some(item)) => {
                        if events.deliver(&item, &self.inbound, Some(id)) > 0 && call.is_settled() {
                            // What follows the beginning of an overlarge answer is not worth reading.
                            if matches!(item, Item::Event(_)) {
                                self.drain(events);
                            }
                            return Ok(Ended::Settled(call.await));
                        }
                        if !stands_aside {
                            stands_aside = events.stands_aside(&item);
                        }
                    }
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                }
            };
            resume.ended(events.decoder(), events.is_fruitful());
            drop(events);
            body = Box::pin(self.resume(call, &mut resume, broken, id)).await?.body;
        }
    }

    /// The next part of a stream that broke off.
    async fn resume(
        &self,
        call: &mut PendingCall,
        resume: &mut Resume,
        mut broken: Option<HttpError>,
        id: &RequestId,
    ) -> Result<Answer, Ended> {
        loop {
            let Some(attempt) = resume.next() else {
                let cause = broken.map(|error| Box::new(error) as _);
                return Err(Ended::Failed(CallError::NoResponse { id: id.clone(), cause }));
            };
            first(call, pin!(tokio::time::sleep(attempt.after))).await?;
            let ask = Ask::Get(attempt.id);
            broken =
                match first(call, pin!(self.wire.exchange(Lane::Stream, &ask, &Trace::default()))).await? {
                    Ok(answer) => match head::meaning(answer.status, &answer.headers) {
                        Meaning::Events => return Ok(answer),
                        _ => {
                            let is_final = answer.status.is_client_error() || answer.status.is_success();
                            let (status, _) = first(call, pin!(self.wire.failed(answer))).await?;
                            // Only a cause, even where it says that the session is lost or that
                            // authorization is wanted: the POST was accepted, and must not look as
                            // if it could be sent again.
                            let error = HttpError::Status(Box::new(status));
                            if is_final {
                                let cause = Some(Box::new(error) as _);
                                return Err(Ended::Failed(CallError::NoResponse { id: id.clone(), cause }));
                            }
                            Some(error)
                        }
                    },
                    Err(failure) => Some(failure.error),
                };
        }
    }

    /// The response holds no answer: it can only come on the listener stream, if that is open.
    async fn elsewhere(&self, call: &mut PendingCall, status: u16) -> Result<Ended, Ended> {
        let mut listening = self.listening.subscribe();
        // The sender lives as long as the link.
        let _ = first(call, pin!(listening.wait_for(|state| *state != Listening::Open))).await?;
        Err(HttpError::NoAnswer { status }.into())
    }
}

/// Does work for a call, unless the call is settled before it is done. The work comes pinned: taken
/// by value, it would be kept twice in this future.
pub(crate) async fn first<T>(
    call: &mut PendingCall,
    mut work: Pin<&mut impl Future<Output = T>>,
) -> Result<T, Ended> {
    poll_fn(|context| {
        if let Poll::Ready(settled) = Pin::new(&mut *call).poll(context) {
            return Poll::Ready(Err(Ended::Settled(settled)));
        }
        work.as_mut().poll(context).map(Ok)
    })
    .await
}

/// The calls that a body answers, for an error.
fn ids_in(body: &[u8]) -> String {
    let mut ids = Vec::new();
    Salvage::new().push(body, |id| ids.push(id));
    if ids.is_empty() {
        return "no request".to_owned();
    }
    let more = if ids.len() > SHOWN_IDS { ", …" } else { "" };
    ids.truncate(SHOWN_IDS);
    let shown: Vec<_> = ids.iter().map(ToString::to_string).collect();
    format!("request ID {}{more}", shown.join(", "))
}
