//! Over Streamable HTTP: raw hyper on one thread, answers as JSON or as events.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::net::Ipv4Addr;
use std::rc::Rc;

use anyhow::{Result, ensure};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::http::request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use super::answers::{Answers, Asked, Framing};
use super::parts::Parts;
use crate::arguments::{Body, ServerOptions};

const SESSION_ID: &str = "mcp-session-id";
const SESSION: HeaderValue = HeaderValue::from_static("bench-0123456789abcdef");

/// Prints its port, then serves.
pub(super) fn run(options: &ServerOptions, body: Body) -> Result<()> {
    ensure!(body == Body::Events || options.notify == 0, "one JSON body has no room for notifications");
    let desk = Rc::new(RefCell::new(Desk::new(options, body)));
    let runtime = Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        writeln!(io::stdout(), "{}", listener.local_addr()?.port())?;
        let accept = async {
            loop {
                let stream = listener.accept().await?.0;
                stream.set_nodelay(true)?;
                tokio::task::spawn_local(serve(stream, desk.clone()));
            }
        };
        let mut end = end_of_stdin();
        tokio::select! {
            result = accept => result,
            _ = &mut end => Ok(()),
        }
    })
}

/// Whoever started this process holds the other end, so that the server ends with it.
fn end_of_stdin() -> oneshot::Receiver<()> {
    let (ended, end) = oneshot::channel();
    std::thread::spawn(move || {
        let mut byte = [0];
        while io::stdin().read(&mut byte).is_ok_and(|read| read > 0) {}
        drop(ended);
    });
    end
}

async fn serve(stream: TcpStream, desk: Rc<RefCell<Desk>>) {
    let service = service_fn(|request: Request<Incoming>| async {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        anyhow::Ok(desk.borrow_mut().respond(&head, &body))
    });
    // It fails when the client goes away in the middle of something, which is the client's affair.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

/// Responds to requests; a request is there as a whole.
struct Desk {
    answers: Answers,
    body: Body,
}

impl Desk {
    fn new(options: &ServerOptions, body: Body) -> Self {
        let framing = match body {
            Body::Json => Framing::NONE,
            Body::Events => Framing::EVENTS,
        };
        Self { answers: Answers::new(options, framing), body }
    }

    fn respond(&mut self, head: &request::Parts, message: &[u8]) -> Response<Parts> {
        match head.method {
            Method::POST => {}
            Method::DELETE => return empty(StatusCode::OK),
            _ => {
                let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, DELETE"));
                return response;
            }
        }
        let mut parts = Parts::new(self.body == Body::Json);
        let Ok(asked) = self.answers.answer(message, &mut parts) else {
            return empty(StatusCode::BAD_REQUEST);
        };
        let has_session = || head.headers.get(SESSION_ID).is_some_and(|session| session == SESSION);
        match asked {
            Asked::Nothing | Asked::Other if !has_session() => empty(StatusCode::BAD_REQUEST),
            Asked::Nothing => empty(StatusCode::ACCEPTED),
            Asked::Initialize | Asked::Other => {
                let mut response = Response::new(parts);
                let kind = match self.body {
                    Body::Json => "application/json",
                    Body::Events => "text/event-stream",
                };
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
                if asked == Asked::Initialize {
                    response.headers_mut().insert(SESSION_ID, SESSION);
                }
                response
            }
        }
    }
}

fn empty(status: StatusCode) -> Response<Parts> {
    let mut response = Response::new(Parts::none());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use hyper::body::Body as _;

    use super::*;

    const INITIALIZE: &str =
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

    fn respond(body: Body, method: Method, session: Option<HeaderValue>, message: &str) -> Response<Parts> {
        let mut request = Request::new(());
        *request.method_mut() = method;
        if let Some(session) = session {
            request.headers_mut().insert(SESSION_ID, session);
        }
        let options = ServerOptions { tools: 3, ..ServerOptions::default() };
        Desk::new(&options, body).respond(&request.into_parts().0, message.as_bytes())
    }

    #[test]
    fn a_session_begins_with_initialize() {
        let response = respond(Body::Json, Method::POST, None, INITIALIZE);
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[SESSION_ID], SESSION);
        let response = respond(Body::Json, Method::POST, Some(SESSION), LIST);
        assert!(!response.headers().contains_key(SESSION_ID));
    }

    #[test]
    fn nothing_else_is_answered_without_its_session() {
        for message in [LIST, INITIALIZED] {
            let other = HeaderValue::from_static("another");
            for session in [None, Some(other)] {
                let response = respond(Body::Json, Method::POST, session, message);
                assert_eq!(response.status(), StatusCode::BAD_REQUEST);
            }
        }
    }

    #[test]
    fn a_notification_is_accepted() {
        let response = respond(Body::Events, Method::POST, Some(SESSION), INITIALIZED);
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        assert!(response.body().is_end_stream());
    }

    #[test]
    fn there_is_no_stream_to_get() {
        let response = respond(Body::Events, Method::GET, Some(SESSION), "");
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    }

    #[test]
    fn only_a_json_body_says_its_length() {
        let json = respond(Body::Json, Method::POST, Some(SESSION), LIST);
        assert_eq!(json.headers()[CONTENT_TYPE], "application/json");
        assert!(json.body().size_hint().exact().unwrap() > 1000);
        let events = respond(Body::Events, Method::POST, Some(SESSION), LIST);
        assert_eq!(events.headers()[CONTENT_TYPE], "text/event-stream");
        assert_eq!(events.body().size_hint().exact(), None);
    }
}
