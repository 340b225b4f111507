//! The one endpoint: what each request comes to.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming as Stream};
use hyper::header::{HeaderMap, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};

use super::super::Options;
use super::super::era::Era;
use super::super::message::{self, Incoming, Message, Unreadable};
use super::super::modern::{self, Modern, Request as ModernRequest};
use super::super::reply::Reply;
use super::super::revision::Revision;
use super::super::running::Running;
use super::super::wire;
use super::super::world::World;
use super::content::{self, Content};
use super::hang_up::HangUp;
use super::headers::{self, EVENTS, JSON, SESSION, VERSION};
use super::mirrors;
use super::refusal::Refusal;
use super::running;
use super::session::Session;
use super::sessions::Sessions;

/// Sessions at once.
const MOST_SESSIONS: usize = 64;
/// Longest body of a request, in bytes.
const LONGEST_BODY: usize = 4 << 20;
/// How long a client may take to send a body.
const PATIENCE: Duration = Duration::from_secs(30);
/// Calls of 2026-07-28 at once, of all clients together; more are refused.
const MOST_CALLS: usize = 256;

#[derive(Debug)]
pub(super) struct Endpoint {
    world: Arc<World>,
    modern: Arc<Modern>,
    sessions: Sessions,
    /// Whether only pages of this machine may ask. A server that others reach has no way to know
    /// which pages are right.
    only_loopback: bool,
}

impl Endpoint {
    pub(super) fn new(options: &Options, only_loopback: bool) -> Self {
        let world = Arc::new(World::new(options));
        let modern = Arc::new(Modern::new(&world, Arc::new(Running::new(MOST_CALLS))));
        Self { world, modern, sessions: Sessions::new(MOST_SESSIONS), only_loopback }
    }

    /// Answers a request. Dropping the future gives up the answer. It cancels the call too if that is
    /// of 2026-07-28; a call of a session goes on, since only the client's notice cancels that.
    pub(super) async fn answer(&self, request: Request<Stream>) -> Response<Content> {
        self.route(request).await.unwrap_or_else(Response::from)
    }

    /// Ends all sessions and subscriptions.
    pub(super) fn end(&self) {
        self.modern.end();
        for session in self.sessions.remove_all() {
            session.end();
        }
    }

    async fn route(&self, request: Request<Stream>) -> Result<Response<Content>, Refusal> {
        let (head, body) = request.into_parts();
        self.check(&head)?;
        if head.method == Method::POST {
            return self.post(&head.headers, body).await;
        }
        let era = self.world.era;
        let has_session = head.headers.contains_key(SESSION) && !is_modern(&head.headers);
        if era == Era::Modern || (era == Era::Both && !has_session) {
            return Err(Refusal::OnlyPost);
        }
        check_version(&head.headers)?;
        if head.method == Method::GET { self.listen(&head.headers) } else { self.delete(&head.headers) }
    }

    /// What holds for all methods.
    fn check(&self, head: &Parts) -> Result<(), Refusal> {
        if self.only_loopback && head.headers.get(ORIGIN).is_some_and(|origin| !headers::is_loopback(origin))
        {
            return Err(Refusal::ForeignOrigin);
        }
        if !matches!(head.uri.path(), "/mcp" | "/") {
            return Err(Refusal::NoSuchPath);
        }
        if !matches!(head.method, Method::POST | Method::GET | Method::DELETE) {
            return Err(Refusal::Method);
        }
        if self.world.era == Era::Legacy { check_version(&head.headers) } else { Ok(()) }
    }

    async fn post(&self, headers: &HeaderMap, body: Stream) -> Result<Response<Content>, Refusal> {
        if !headers::accepts(headers, JSON) || !headers::accepts(headers, EVENTS) {
            return Err(Refusal::Accept);
        }
        if !headers::is_json(headers) {
            return Err(Refusal::ContentType);
        }
        let message = match message::read(&read(body).await?) {
            Incoming::One(Ok(message)) => message,
            Incoming::One(Err(unreadable)) => return Ok(refuse(&unreadable)),
            Incoming::Batch(messages) => return self.batch(headers, messages).await,
        };
        let era = self.world.era;
        let message = match message {
            Message::Request { id, method, params }
                if era == Era::Modern
                    || (era == Era::Both && (is_modern(headers) || modern::is_meant(&method, &params))) =>
            {
                let key = self.world.key();
                return Ok(self.modern(headers, ModernRequest { id, method, params, key }).await);
            }
            // Nothing that a client could announce is of use to this server.
            Message::Notification { .. } if era == Era::Modern || is_modern(headers) => {
                return Ok(content::empty(StatusCode::ACCEPTED));
            }
            Message::Answer { .. } if era == Era::Modern || is_modern(headers) => {
                return Err(Refusal::Unasked);
            }
            message => message,
        };
        check_version(headers)?;
        if !headers.contains_key(SESSION) {
            return self.begin(message);
        }
        Ok(match self.session(headers)?.server.accept(message) {
            Reply::None | Reply::Listen(_) => content::empty(StatusCode::ACCEPTED),
            Reply::Now(answer) | Reply::Refused(answer) => content::json(StatusCode::OK, answer.text),
            Reply::Later(job) => running::to_its_end(job).await,
        })
    }

    /// A request that stands for itself.
    async fn modern(&self, headers: &HeaderMap, request: ModernRequest) -> Response<Content> {
        let hang_up = HangUp::new(&self.modern, &request.key);
        let check = |meta: &_, request: &_| mirrors::check(headers, meta, request, &self.world);
        match self.modern.accept(request, check) {
            Reply::None => content::empty(StatusCode::ACCEPTED),
            Reply::Now(answer) => running::answer(answer),
            Reply::Refused(answer) => content::json(StatusCode::BAD_REQUEST, answer.text),
            Reply::Later(job) => running::while_heard(job, hang_up).await,
            Reply::Listen(listen) => running::subscription(listen, hang_up),
        }
    }

    /// Several messages, of which the first cannot be `initialize`, since that decides on batches.
    async fn batch(
        &self,
        headers: &HeaderMap,
        messages: Vec<Result<Message, Unreadable>>,
    ) -> Result<Response<Content>, Refusal> {
        let session = match id(headers).ok().and_then(|id| self.sessions.find(id)) {
            Some(session) if session.server.takes_batches() => session,
            _ => return Ok(refuse(&Unreadable::no_object())),
        };
        check_version(headers)?;
        Ok(running::batch(Arc::clone(&session.server), messages).await)
    }

    /// Begins a session, which only `initialize` does, and only if it is right.
    fn begin(&self, message: Message) -> Result<Response<Content>, Refusal> {
        if !matches!(&message, Message::Request { method, .. } if method == "initialize") {
            return Err(Refusal::NoSession);
        }
        let session = Arc::new(Session::new(&self.world));
        let Reply::Now(answer) = session.server.accept(message) else { return Err(Refusal::NoSession) };
        let mut response = content::json(StatusCode::OK, answer.text);
        if session.server.is_greeted() {
            let id = self.sessions.add(session).ok_or(Refusal::TooManySessions)?;
            let mut id = HeaderValue::try_from(id).map_err(|_| Refusal::NoSession)?;
            id.set_sensitive(true);
            response.headers_mut().insert(SESSION, id);
        }
        Ok(response)
    }

    fn listen(&self, headers: &HeaderMap) -> Result<Response<Content>, Refusal> {
        if !headers::accepts(headers, EVENTS) {
            return Err(Refusal::Accept);
        }
        Ok(content::events(None, self.session(headers)?.listener.open(), None))
    }

    fn delete(&self, headers: &HeaderMap) -> Result<Response<Content>, Refusal> {
        let session = self.sessions.remove(id(headers)?).ok_or(Refusal::UnknownSession)?;
        session.end();
        Ok(content::empty(StatusCode::NO_CONTENT))
    }

    fn session(&self, headers: &HeaderMap) -> Result<Arc<Session>, Refusal> {
        self.sessions.find(id(headers)?).ok_or(Refusal::UnknownSession)
    }
}

/// The id of the session. What is no text is the id of none.
fn id(headers: &HeaderMap) -> Result<&str, Refusal> {
    let id = headers.get(SESSION).ok_or(Refusal::NoSession)?;
    id.to_str().map_err(|_| Refusal::UnknownSession)
}

/// Whether the client says that this is of the revision without sessions.
fn is_modern(headers: &HeaderMap) -> bool {
    headers.get(VERSION).is_some_and(|version| version == Revision::MODERN.name())
}

/// A version that is given must be one of those with sessions.
fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let is_known =
        |version: &HeaderValue| version.to_str().is_ok_and(|name| Revision::legacy(name).is_some());
    match headers.get(VERSION) {
        Some(version) if !is_known(version) => Err(Refusal::UnknownVersion),
        _ => Ok(()),
    }
}

fn refuse(unreadable: &Unreadable) -> Response<Content> {
    let refusal = wire::refusal(unreadable.id.as_deref(), &unreadable.error);
    content::json(StatusCode::BAD_REQUEST, refusal.text)
}

async fn read(body: Stream) -> Result<Bytes, Refusal> {
    // One that is announced need not be sent at all.
    if body.size_hint().lower() > LONGEST_BODY as u64 {
        return Err(Refusal::BodyTooLong);
    }
    let body = Limited::new(body, LONGEST_BODY).collect();
    match tokio::time::timeout(PATIENCE, body).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::BodyTooLong),
        Ok(Err(_)) => Err(Refusal::BodyBroken),
        Err(_) => Err(Refusal::BodyTooSlow),
    }
}
