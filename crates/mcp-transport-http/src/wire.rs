//! One HTTP exchange with the server: headers, connection, redirects, authorization.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use mcp_jsonrpc::{Mask, Mirrored, Sample, escape};

use crate::ask::Ask;
use crate::authorize::{Authorize, Refusal};
use crate::body::Body;
use crate::challenge;
use crate::endpoint::Endpoint;
use crate::error::{Failure, HttpError, RedirectProblem, StatusError};
use crate::head::{self, Meaning};
use crate::media::{self, Media};
use crate::mirror;
use crate::pool::{Lane, Pool, Unanswered};
use crate::session::{Outgoing, Session};
use crate::trace::Trace;

/// Connections that turn out to be gone before a request is sent, in a row.
const MOST_STALE: u32 = 8;

/// The body of a redirect or an unneeded answer is read up to here, to keep its connection.
pub(crate) const DISCARD: usize = 64 * 1024;

/// How long the body of a failed status may take.
const ERROR_BODY: Duration = Duration::from_secs(1);

/// Most characters of an error body that a message shows.
const SHOWN: usize = 2048;

/// A response whose body is still to be read.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
    /// The session id that the request carried.
    pub(crate) session: Option<HeaderValue>,
}

/// The way to one server.
pub(crate) struct Wire {
    pub(crate) pool: Arc<Pool>,
    session: Mutex<Session>,
    places: Mutex<Places>,
    authorize: Option<Arc<dyn Authorize>>,
    /// Held while the hook is asked, so that it is asked once for all that wait.
    authorizing: tokio::sync::Mutex<()>,
    limits: WireLimits,
    mask: Mask,
}

/// The limits of one exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireLimits {
    pub(crate) max_redirects: usize,
    pub(crate) max_error_body: usize,
}

/// Where requests go. A permanent redirect moves both; the older transport names its own place
/// for messages.
struct Places {
    posts: Arc<Endpoint>,
    rest: Arc<Endpoint>,
}

impl Wire {
    pub(crate) fn new(
        pool: Arc<Pool>,
        session: Session,
        endpoint: Arc<Endpoint>,
        authorize: Option<Arc<dyn Authorize>>,
        limits: WireLimits,
        mask: Mask,
    ) -> Arc<Self> {
        let places = Places { posts: endpoint.clone(), rest: endpoint };
        Arc::new(Self {
            pool,
            session: Mutex::new(session),
            places: Mutex::new(places),
            authorize,
            authorizing: tokio::sync::Mutex::default(),
            limits,
            mask,
        })
    }

    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        // Nothing that can panic runs under the lock, so a poisoned one is still sound.
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The headers of its own that a message carries, if there is no session (2026-07-28).
    ///
    /// # Errors
    ///
    /// [`HttpError::Mirror`]: what goes there cannot be put into headers.
    pub(crate) fn own_headers(
        &self,
        method: &str,
        mirrored: &[Mirrored],
    ) -> Result<Option<Box<HeaderMap>>, Failure> {
        let Some(mut headers) = self.session().of_each() else { return Ok(None) };
        match mirror::add(&mut headers, method, mirrored) {
            Ok(()) => Ok(Some(Box::new(headers))),
            Err(problem) => Err(Failure { error: HttpError::Mirror(problem), sent: false }),
        }
    }

    /// Whether there is no session, and each request stands for itself.
    pub(crate) fn is_stateless(&self) -> bool {
        self.session().is_stateless()
    }

    /// The address of the stream, against which the `endpoint` event is resolved.
    pub(crate) fn stream_endpoint(&self) -> Arc<Endpoint> {
        self.places().rest.clone()
    }

    /// Messages go there from now on (2024-11-05).
    pub(crate) fn post_to(&self, endpoint: Endpoint) {
        self.places().posts = Arc::new(endpoint);
    }

    /// A sample without the secrets that were sent, which servers may repeat.
    pub(crate) fn masked(&self, sample: &Sample) -> Sample {
        sample.masked(&self.mask)
    }

    pub(crate) fn mask(&self, text: &str) -> String {
        self.mask.apply(text)
    }

    /// That an answer is of no type that holds messages.
    pub(crate) fn wrong_type(&self, headers: &HeaderMap) -> HttpError {
        let found = media::shown(headers).map(|it| self.mask(&it.to_string()));
        HttpError::MediaType { found: found.unwrap_or_else(|| "no type".to_owned()) }
    }

    /// Sends `ask` and waits for the head of the response; follows redirects of the same origin,
    /// and lets the authorization hook try once.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the exchange; `trace` knows whether it was sent.
    pub(crate) async fn exchange(&self, lane: Lane, ask: &Ask, trace: &Trace) -> Result<Answer, Failure> {
        let mut target = match ask {
            Ask::Post(_) | Ask::Single(..) => self.places().posts.clone(),
            Ask::Get(_) | Ask::Delete => self.places().rest.clone(),
        };
        let mut redirects = 0;
        let mut may_authorize = self.authorize.is_some();
        loop {
            let outgoing = self.session().outgoing();
            let answer = self.send(lane, ask, &target, &outgoing, trace).await?;
            if head::meaning(answer.status, &answer.headers) == Meaning::Redirect {
                target = self.redirected(ask, &target, &answer, redirects)?;
                redirects += 1;
                answer.body.discard(DISCARD).await;
                continue;
            }
            if may_authorize && self.authorized(&answer, &target, outgoing.authorized).await {
                may_authorize = false;
                answer.body.discard(DISCARD).await;
                trace.set_sent(false);
                continue;
            }
            return Ok(answer);
        }
    }

    /// One request, one response. A connection that was closed while it was idle costs nothing:
    /// the next one is tried, since not a byte was sent.
    async fn send(
        &self,
        lane: Lane,
        ask: &Ask,
        target: &Endpoint,
        outgoing: &Outgoing,
        trace: &Trace,
    ) -> Result<Answer, Failure> {
        let mut stale = 0;
        let unsent = |error| Failure { error, sent: false };
        loop {
            let mut lease = self.pool.lease(lane).await.map_err(unsent)?;
            let request = ask.request(target, outgoing, &lease);
            trace.set_sent(true);
            let response = match lease.send(request).await {
                Ok(response) => response,
                Err(Unanswered::NotSent(_)) if !lease.is_new() && stale < MOST_STALE => {
                    trace.set_sent(false);
                    stale += 1;
                    continue;
                }
                Err(unanswered) => return Err(unanswered.into()),
            };
            let (head, incoming) = response.into_parts();
            lease.keep_for(head::keep_alive(&head.headers));
            let received = |error| Failure { error, sent: true };
            let may_learn = matches!(ask, Ask::Post(_)) && !outgoing.is_stateless;
            if may_learn && head.status.is_success() {
                let learnt = self.session().learn(&head.headers);
                learnt.map_err(|problem| received(HttpError::SessionHeader(problem)))?;
            }
            let body = Body::new(&head.headers, incoming, lease, &self.mask);
            let session = outgoing.id.clone().filter(|_| !ask.is_single());
            return Ok(Answer { status: head.status, headers: head.headers, body, session });
        }
    }

    /// Where a redirect leads, if it may be followed (D-10).
    fn redirected(
        &self,
        ask: &Ask,
        from: &Endpoint,
        answer: &Answer,
        so_far: usize,
    ) -> Result<Arc<Endpoint>, Failure> {
        let location = answer.headers.get(LOCATION).and_then(|value| value.to_str().ok());
        let target = location.and_then(|location| from.resolve(location).ok());
        let status = answer.status;
        let refused = |problem| {
            let target = target.as_ref().map_or_else(|| "nowhere".to_owned(), ToString::to_string);
            let target = self.mask.apply(&target);
            Failure { error: HttpError::Redirect { status: status.as_u16(), target, problem }, sent: true }
        };
        let keeps_method = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let Some(to) = &target else { return Err(refused(RedirectProblem::NoLocation)) };
        if !from.is_same_origin(to) {
            return Err(refused(RedirectProblem::OtherOrigin));
        }
        if !keeps_method && !matches!(ask, Ask::Get(_)) {
            return Err(refused(RedirectProblem::MethodChange));
        }
        if so_far >= self.limits.max_redirects {
            return Err(refused(RedirectProblem::TooMany));
        }
        let to = Arc::new(to.clone());
        if status == StatusCode::PERMANENT_REDIRECT {
            self.places().moved(from, &to);
        }
        Ok(to)
    }

    /// Whether there are new headers to try a refused request with.
    async fn authorized(&self, answer: &Answer, target: &Endpoint, sent_with: u64) -> bool {
        let Some(hook) = &self.authorize else { return false };
        let challenges = challenge::challenges(&answer.headers);
        let status = answer.status.as_u16();
        let is_scope = || challenges.iter().any(|challenge| challenge.error() == Some("insufficient_scope"));
        if !(status == 401 || status == 403 && is_scope()) {
            return false;
        }
        let _turn = self.authorizing.lock().await;
        if self.session().outgoing().authorized != sent_with {
            return true;
        }
        let url = target.to_string();
        match hook.authorize(Refusal { url: &url, status, challenges: &challenges }).await {
            Some(headers) => {
                self.session().authorized(headers);
                true
            }
            None => false,
        }
    }

    /// What a failed status says: its details, and its body as it came.
    pub(crate) async fn failed(&self, answer: Answer) -> (StatusError, Bytes) {
        let Answer { status, headers, body, session } = answer;
        let is_json = headers.get(CONTENT_TYPE).is_some() && media::of(&headers) == Media::Json;
        let body = self.error_body(body).await;
        let is_session_lost = status == StatusCode::NOT_FOUND && session.is_some();
        if let Some(id) = session.filter(|_| is_session_lost) {
            self.session().lost(&id);
        }
        let retry_after =
            headers.get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let error = StatusError {
            status: status.as_u16(),
            text: self.text(status, &body),
            hints: self.mask.apply(&challenge::hints(&headers)),
            challenges: challenge::challenges(&headers),
            retry_after: retry_after.map(Duration::from_secs),
            is_session_lost,
        };
        (error, if is_json { body } else { Bytes::new() })
    }

    /// What comes of an error body within its limits. The status says enough without it, so a
    /// server that never ends it holds nobody up.
    async fn error_body(&self, mut body: Body) -> Bytes {
        let mut seen = BytesMut::new();
        let limit = self.limits.max_error_body;
        let reading = async {
            while let Ok(Some(chunk)) = body.chunk().await {
                let room = limit - seen.len();
                seen.extend_from_slice(&chunk[..chunk.len().min(room)]);
                if chunk.len() >= room {
                    break;
                }
            }
        };
        // Cut short, what came until then is what there is.
        let _ = tokio::time::timeout(ERROR_BODY, reading).await;
        seen.freeze()
    }

    /// A body as a message shows it.
    fn text(&self, status: StatusCode, body: &[u8]) -> String {
        let text = self.mask.apply(String::from_utf8_lossy(body).trim());
        if text.is_empty() {
            return status.canonical_reason().unwrap_or("no reason given").to_owned();
        }
        let cut = text.floor_char_boundary(SHOWN);
        let more = if cut < text.len() { "…" } else { "" };
        format!("{}{more}", escape(&text[..cut]))
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    fn moved(&mut self, from: &Endpoint, to: &Arc<Endpoint>) {
        for place in [&mut self.posts, &mut self.rest] {
            if place.uri() == from.uri() {
                *place = to.clone();
            }
        }
    }
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Wire").field("pool", &self.pool).finish_non_exhaustive()
    }
}
