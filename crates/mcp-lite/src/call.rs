//! One request over HTTP, and its answer.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcp_transport_http::Endpoint;
use mcp_transport_http::connector::{Connection, Connector, Protocol};
use serde::Serialize;
use tokio::task::JoinHandle;

use crate::envelope::Envelope;
use crate::error::LiteError;
use crate::options::CallOptions;
use crate::pick::Picker;
use crate::refusal;
use crate::request::{self, ID};

/// Most bytes of the head of a response.
const MAX_HEAD: usize = 64 * 1024;

/// Calls `method` of the server at `url`, and returns the envelope of its answer (S-89).
///
/// As [`call_mcp_with`] with the default options: without a time limit.
///
/// # Errors
///
/// See [`LiteError`]; an error in the answer is none.
///
/// # Cancel safety
///
/// Dropping the future closes the connection. The server may have run the request.
pub async fn call_mcp(
    url: &str,
    method: &str,
    params: Option<&(impl Serialize + ?Sized)>,
) -> Result<Envelope, LiteError> {
    call_mcp_with(&CallOptions::default(), url, method, params).await
}

/// Calls `method` of the server at `url` as `options` say, and returns the envelope of its answer.
///
/// This is one POST over a connection of its own: no session, no handshake before it, no retry,
/// and redirects are not followed. Of an event stream everything is passed over until the answer
/// comes, and nothing is read after it. Must be called within a tokio runtime.
///
/// # Errors
///
/// See [`LiteError`]; an error in the answer is none.
///
/// # Cancel safety
///
/// Dropping the future closes the connection. The server may have run the request.
pub async fn call_mcp_with(
    options: &CallOptions,
    url: &str,
    method: &str,
    params: Option<&(impl Serialize + ?Sized)>,
) -> Result<Envelope, LiteError> {
    let endpoint = Endpoint::parse(url).map_err(LiteError::Url)?;
    let message = request::message(method, params).map_err(LiteError::Params)?;
    within(options.timeout, exchange(options, &endpoint, message)).await
}

async fn within(
    limit: Option<Duration>,
    exchange: impl Future<Output = Result<Envelope, LiteError>>,
) -> Result<Envelope, LiteError> {
    let Some(after) = limit else { return exchange.await };
    tokio::time::timeout(after, exchange).await.unwrap_or(Err(LiteError::Timeout { after }))
}

async fn exchange(
    options: &CallOptions,
    endpoint: &Endpoint,
    message: Vec<u8>,
) -> Result<Envelope, LiteError> {
    let connector = Connector::new(&options.connector).map_err(LiteError::Connector)?;
    let connection = connector.connect(endpoint.origin()).await.map_err(LiteError::Connect)?;
    let request = request::post(options, endpoint, &connection, message);
    let (response, _driver) = send(connection, request).await.map_err(LiteError::Broken)?;
    if !response.status().is_success() {
        let failure = refusal::read(response, options, endpoint).await;
        return Err(LiteError::Status(Box::new(failure)));
    }
    answer(response.into_body(), options.max_body).await
}

/// Speaks HTTP over the connection, up to the head of the response.
async fn send(
    connection: Connection,
    request: Request<Full<Bytes>>,
) -> hyper::Result<(Response<Incoming>, Driver)> {
    let io = TokioIo::new(connection.io);
    if connection.protocol == Protocol::Http2 {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder.max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX));
        let (mut sender, connection) = builder.handshake(io).await?;
        let driver = Driver::of(connection);
        return Ok((sender.send_request(request).await?, driver));
    }
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_HEAD);
    let (mut sender, connection) = builder.handshake(io).await?;
    let driver = Driver::of(connection);
    Ok((sender.send_request(request).await?, driver))
}

/// Reads the body until the answer is there.
async fn answer(mut body: Incoming, limit: usize) -> Result<Envelope, LiteError> {
    let mut picker = Picker::new(ID.into(), limit);
    while let Some(frame) = body.frame().await {
        // Trailers say nothing here.
        let Ok(data) = frame.map_err(LiteError::Broken)?.into_data() else { continue };
        if let Some(answer) = picker.push(data)? {
            return Ok(answer);
        }
    }
    picker.finish()
}

/// The task that drives a connection; it ends with this.
struct Driver(JoinHandle<()>);

impl Driver {
    fn of(connection: impl Future<Output = hyper::Result<()>> + Send + 'static) -> Self {
        // How it ends, the exchange on it hears.
        Self(tokio::spawn(async move { drop(connection.await) }))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}
