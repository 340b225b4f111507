//! The one endpoint: what each request comes to.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::mpsc;

use super::super::job::Job;
use super::super::message::{self, Message};
use super::super::server::{self, Reply};
use super::super::wire::{self, Wire};
use super::content::{self, Content, Said};
use super::headers::{self, EVENTS, JSON, SESSION, VERSION};
use super::refusal::Refusal;
use super::session::Session;
use super::sessions::Sessions;

/// Sessions at once.
const MOST_SESSIONS: usize = 64;
/// Longest body of a request, in bytes.
const LONGEST_BODY: usize = 4 << 20;
/// How long a client may take to send a body.
const PATIENCE: Duration = Duration::from_secs(30);
/// Messages of a call that wait for the client to read; then the call waits.
const MOST_UNREAD: usize = 64;

#[derive(Debug)]
pub(super) struct Endpoint {
    page: usize,
    sessions: Sessions,
    /// Whether only pages of this machine may ask. A server that others reach has no way to know
    /// which pages are right.
    only_loopback: bool,
}

impl Endpoint {
    pub(super) fn new(page: usize, only_loopback: bool) -> Self {
        Self { page, sessions: Sessions::new(MOST_SESSIONS), only_loopback }
    }

    /// Answers a request. Dropping the future gives up the answer, not the call: only the client's
    /// notice cancels that.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Response<Content> {
        self.route(request).await.unwrap_or_else(Response::from)
    }

    /// Ends all sessions.
    pub(super) fn end(&self) {
        for session in self.sessions.remove_all() {
            session.end();
        }
    }

    async fn route(&self, request: Request<Incoming>) -> Result<Response<Content>, Refusal> {
        let (head, body) = request.into_parts();
        self.check(&head)?;
        match head.method {
            Method::POST => self.post(&head.headers, body).await,
            Method::GET => self.listen(&head.headers),
            Method::DELETE => self.delete(&head.headers),
            _ => Err(Refusal::Method),
        }
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
        let is_known = |version: &HeaderValue| version.to_str().is_ok_and(server::speaks);
        match head.headers.get(VERSION) {
            Some(version) if !is_known(version) => Err(Refusal::UnknownVersion),
            _ => Ok(()),
        }
    }

    async fn post(&self, headers: &HeaderMap, body: Incoming) -> Result<Response<Content>, Refusal> {
        if !headers::accepts(headers, JSON) || !headers::accepts(headers, EVENTS) {
            return Err(Refusal::Accept);
        }
        if !headers::is_json(headers) {
            return Err(Refusal::ContentType);
        }
        let message = match message::read(&read(body).await?) {
            Ok(message) => message,
            Err(unreadable) => {
                let refusal = wire::refusal(unreadable.id.as_deref(), &unreadable.error);
                return Ok(content::json(StatusCode::BAD_REQUEST, refusal));
            }
        };
        if !headers.contains_key(SESSION) {
            return self.begin(message);
        }
        Ok(match self.session(headers)?.server.accept(message) {
            Reply::None => content::empty(StatusCode::ACCEPTED),
            Reply::Now(answer) => content::json(StatusCode::OK, answer),
            Reply::Later(job) => run(job).await,
        })
    }

    /// Begins a session, which only `initialize` does, and only if it is right.
    fn begin(&self, message: Message) -> Result<Response<Content>, Refusal> {
        if !matches!(&message, Message::Request { method, .. } if method == "initialize") {
            return Err(Refusal::NoSession);
        }
        let session = Arc::new(Session::new(self.page));
        let Reply::Now(answer) = session.server.accept(message) else { return Err(Refusal::NoSession) };
        let mut response = content::json(StatusCode::OK, answer);
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
        Ok(content::events(None, self.session(headers)?.listener.open()))
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

async fn read(body: Incoming) -> Result<Bytes, Refusal> {
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

/// Runs a call: its answer alone is one document; if it says something first, all goes on a stream.
async fn run(job: Job) -> Response<Content> {
    let (sender, mut stream) = mpsc::channel(MOST_UNREAD);
    tokio::task::spawn_blocking(move || {
        let meanwhile = sender.clone();
        let wire = Wire::new(move |message| {
            // A client that hung up is told nothing any more, and the call goes on.
            let _ = meanwhile.blocking_send(Said::Meanwhile(message));
        });
        if let Some(answer) = job.run(&wire) {
            let _ = sender.blocking_send(Said::Answer(answer));
        }
    });
    match stream.recv().await {
        Some(Said::Answer(answer)) => content::json(StatusCode::OK, answer),
        first => content::events(first, stream),
    }
}
