//! The bare loop over HTTP: raw hyper, a connection of its own for each caller, no pool.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use hyper::http::uri::Authority;
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::messages::{self, Message, write_call};
use crate::clients::{Load, Setup};
use crate::payload::{self, Checker};
use crate::peer::Peer;

const SESSION_ID: &str = "mcp-session-id";
const EVENTS: &str = "text/event-stream";

/// One task and one connection a caller.
pub(crate) struct HttpFloor {
    server: Arc<Server>,
    /// As many as there were callers at once.
    idle: Vec<Connection>,
    notifications: u64,
    checker: Arc<Checker>,
}

/// Where requests go, and the headers of all of them.
#[derive(Clone)]
struct Server {
    authority: Authority,
    path: Uri,
    headers: HeaderMap,
}

struct Connection {
    server: Arc<Server>,
    sender: SendRequest<Full<Bytes>>,
}

/// What a caller has done.
#[derive(Default)]
struct Done {
    calls: u64,
    notifications: u64,
}

impl Load for HttpFloor {
    async fn start(setup: &Setup) -> Result<Self> {
        let Peer::Url(url) = &setup.peer else { bail!("no address") };
        let mut server = Server::new(url)?;
        let mut connection = Connection::open(Arc::new(server.clone())).await?;
        let response = connection.post(Bytes::from_static(messages::INITIALIZE)).await?;
        let session = response.headers().get(SESSION_ID).context("no session")?.clone();
        let check = |message: Message<'_>| {
            ensure!(message.result.is_some(), "initialize was refused");
            Ok(())
        };
        read_answer(response, check).await?;
        server.headers.insert(SESSION_ID, session);
        let server = Arc::new(server);
        connection.server = server.clone();
        let response = connection.post(Bytes::from_static(messages::INITIALIZED)).await?;
        response.into_body().collect().await?;
        Ok(Self { server, idle: vec![connection], notifications: 0, checker: Arc::new(Checker::new()) })
    }

    async fn calls(&mut self, callers: usize, size: usize, until: Instant) -> Result<u64> {
        while self.idle.len() < callers {
            self.idle.push(Connection::open(self.server.clone()).await?);
        }
        let mut tasks = Vec::new();
        for (number, connection) in self.idle.drain(..callers).enumerate() {
            let caller = calls_of_one(connection, self.checker.clone(), number, size, until);
            tasks.push(tokio::spawn(caller));
        }
        let mut calls = 0;
        for task in tasks {
            let (connection, done) = task.await??;
            self.idle.push(connection);
            self.notifications += done.notifications;
            calls += done.calls;
        }
        Ok(calls)
    }

    async fn list(&mut self, expected: usize) -> Result<()> {
        let connection = self.idle.first_mut().context("no connection")?;
        let response = connection.post(Bytes::from_static(messages::LIST)).await?;
        let check = |message: Message<'_>| {
            let tools = message.result.context("no result")?.tools;
            payload::check_tools(tools.iter().map(|tool| &*tool.name), expected)
        };
        self.notifications += read_answer(response, check).await?;
        Ok(())
    }

    fn notifications(&self) -> u64 {
        self.notifications
    }

    async fn stop(self) -> Result<()> {
        Ok(())
    }
}

/// One call after the other; the connection comes back for more.
async fn calls_of_one(
    mut connection: Connection,
    checker: Arc<Checker>,
    caller: usize,
    size: usize,
    until: Instant,
) -> Result<(Connection, Done)> {
    let mut done = Done::default();
    loop {
        let (id, mark) = (done.calls, payload::mark(caller, done.calls));
        let mut request = Vec::with_capacity(256);
        write_call(&mut request, id, &mark, size)?;
        let response = connection.post(request.into()).await?;
        let check = |message: Message<'_>| {
            ensure!(message.id == Some(id), "the answer to another call");
            let result = message.result.context("no result")?;
            ensure!(!result.is_error, "the tool failed");
            let content = result.content.first().context("no content")?;
            checker.text(&mark, size, &content.text)
        };
        done.notifications += read_answer(response, check).await?;
        done.calls += 1;
        if Instant::now() >= until {
            return Ok((connection, done));
        }
    }
}

/// Reads the body to its end, so that the connection can be used again, and checks the one answer
/// in it. Returns how many notifications were there.
async fn read_answer(response: Response<Incoming>, check: impl Fn(Message<'_>) -> Result<()>) -> Result<u64> {
    let is_stream = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == EVENTS);
    let mut body = response.into_body();
    let (mut input, mut searched) = (BytesMut::new(), 0);
    let (mut answers, mut notifications) = (0, 0);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        input.extend_from_slice(&data);
        if !is_stream {
            continue;
        }
        while let Some(at) = memchr::memchr(b'\n', &input[searched..]) {
            let line = input.split_to(searched + at + 1);
            searched = 0;
            let Some(data) = line.strip_prefix(b"data: ") else { continue };
            let message = Message::read(data)?;
            if message.method.as_deref() == Some("notifications/message") {
                notifications += 1;
            } else {
                check(message)?;
                answers += 1;
            }
        }
        searched = input.len();
    }
    if !is_stream {
        check(Message::read(&input)?)?;
        answers += 1;
    }
    ensure!(answers == 1, "{answers} answers");
    Ok(notifications)
}

impl Connection {
    async fn open(server: Arc<Server>) -> Result<Self> {
        let stream = TcpStream::connect(server.authority.as_str()).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { server, sender })
    }

    async fn post(&mut self, message: Bytes) -> Result<Response<Incoming>> {
        let mut request = Request::new(Full::new(message));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.server.path.clone();
        *request.headers_mut() = self.server.headers.clone();
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        ensure!(response.status().is_success(), "{}", response.status());
        Ok(response)
    }
}

impl Server {
    fn new(url: &str) -> Result<Self> {
        let url = url.parse::<Uri>()?;
        let authority = url.authority().context("no host")?.clone();
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(authority.as_str())?);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert("mcp-protocol-version", HeaderValue::from_static("2025-11-25"));
        Ok(Self { authority, path: url.path().parse()?, headers })
    }
}
