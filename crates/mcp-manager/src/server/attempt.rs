//! Keeps one server connected, as far as the policy wants it: connect, list its tools, watch it,
//! and again after a loss.

use std::sync::Arc;
use std::time::Instant;

use mcp_client::{Client, ClientError, ConnectError, EventStream};
use tokio_util::sync::CancellationToken;

use super::opened::Opened;
use super::{Again, Live, Run, Server, State, is_unknown_method, now, random, watch};
use crate::error::StartError;
use crate::events::What;
use crate::policy::{Next, RetryPlan, ServerKind, is_lasting};

/// Runs until the server is lost for good or `run` is to stop; nothing is left running then. It
/// begins when nothing is left of `before`, and the first attempt comes not before `at`.
pub(super) async fn run(server: Arc<Server>, run: Run, before: Run, mut at: Option<Instant>) {
    let _ended = run.ended.clone().drop_guard();
    let token = run.stop;
    let _guard = Unsettled { server: server.clone(), token: token.clone() };
    before.ended.cancelled().await;
    loop {
        if let Some(at) = at
            && token.run_until_cancelled(tokio::time::sleep_until(at.into())).await.is_none()
        {
            return;
        }
        let opened = Opened::new(server.spec.connect.clone());
        let outcome = token.run_until_cancelled(bounded(&server, &opened)).await;
        let end = match outcome {
            Some(Ok((client, events))) => {
                opened.forget();
                stay(&server, client, events, &token).await
            }
            Some(Err(error)) => Some(End::Failed(error)),
            None => None,
        };
        let next = end.and_then(|end| after(&server, &token, end));
        // An attempt that was given up: for a process, it is reaped before another one starts.
        server.within_close(opened.close()).await;
        let Some(next) = next else { return };
        at = Some(next);
        // Nobody reads the state of the time in between, which may be none.
        if !wait(&server, &token, next).await {
            return;
        }
    }
}

/// Why a connection is not there.
enum End {
    Failed(StartError),
    Lost(Arc<str>),
    /// Its session is lost; a new one is made at once.
    Renew,
}

/// A connected server, to the end of its connection; `None` if nobody wants it any more.
async fn stay(
    server: &Arc<Server>,
    client: Client,
    events: EventStream,
    token: &CancellationToken,
) -> Option<End> {
    let live = Live::new(client.clone(), token);
    server.backoff().connected(now());
    let end = if server.turn(token, State::Connected(live.clone())) {
        server.publish(What::Connected { tools: server.tool_list().tools.len() });
        live.is_lost.run_until_cancelled(watch::run(server, &live, events)).await
    } else {
        None
    };
    if live.is_session_lost() && !token.is_cancelled() {
        server.shared.tasks.spawn(settle(server.clone(), live.clone(), token.clone()));
    } else {
        // The old connection is gone before a new one is made: for a process, it is reaped.
        server.within_close(client.close()).await;
    }
    if token.is_cancelled() {
        return None;
    }
    let is_renewed = live.lost.get() == Some(&Again::Now) && server.shared.options.reconnect.enabled;
    Some(match end {
        Some(reason) => End::Lost(reason),
        None if is_renewed => End::Renew,
        None => End::Lost("the server ended the session".into()),
    })
}

/// Closes a connection without its session once its calls are answered: each has an answer of its own
/// coming, be it that the session is lost (case 87). The new session does not wait for that.
async fn settle(server: Arc<Server>, live: Live, token: CancellationToken) {
    live.calls.close();
    let limit = server.shared.options.close_timeout;
    // Those that take longer are cut off, and fail as such.
    let _ = token.run_until_cancelled(tokio::time::timeout(limit, live.calls.wait())).await;
    server.within_close(live.client.close()).await;
}

/// Tells what happened, and when the next attempt is due, if there is one.
fn after(server: &Server, token: &CancellationToken, end: End) -> Option<Instant> {
    let (error, is_final) = match end {
        End::Renew => {
            return server.turn(token, State::Connecting).then(now);
        }
        End::Failed(error) => {
            let is_final = error.call_error().is_some_and(is_lasting);
            (error, is_final)
        }
        End::Lost(reason) => (StartError::Lost { server: server.spec.name.clone(), reason }, false),
    };
    let reason: Arc<str> = one_line(&error).into();
    tracing::warn!(server = &*server.spec.name, "not connected: {reason}");
    let what = match &error {
        StartError::Lost { .. } => What::Closed { reason },
        _ => What::Failed { reason },
    };
    let error = Arc::new(error);
    let next = if is_final {
        server.backoff().stopped();
        Next::Off
    } else {
        server.backoff().lost(now(), random())
    };
    let (state, next) = match next {
        Next::RetryAt(at) => (State::Waiting(error), Some(at)),
        Next::GaveUp { .. } | Next::Off => (State::Failed(error), None),
    };
    if !server.turn(token, state) {
        return None;
    }
    server.publish(what);
    next
}

/// Waits for the next attempt; false if nobody wants it any more.
async fn wait(server: &Server, token: &CancellationToken, at: Instant) -> bool {
    if token.run_until_cancelled(tokio::time::sleep_until(at.into())).await.is_none() {
        return false;
    }
    if server.spec.kind == ServerKind::Process {
        let place = server.pace(now());
        if token.run_until_cancelled(tokio::time::sleep_until(place.into())).await.is_none() {
            return false;
        }
    }
    let begins = server.turn(token, State::Connecting);
    if begins {
        server.publish(What::Connecting);
    }
    begins
}

/// Connects within the server's own limit.
async fn bounded(server: &Server, opened: &Opened) -> Result<(Client, EventStream), StartError> {
    // The semaphore is never closed.
    let _turn = server.shared.starts.clone().acquire_owned().await.ok();
    let limit = server.start_timeout();
    let late = || StartError::TimedOut { server: server.spec.name.clone(), limit };
    super::bounded(limit, connect(server, opened)).await.unwrap_or_else(|| Err(late()))
}

async fn connect(server: &Server, opened: &Opened) -> Result<(Client, EventStream), StartError> {
    let limits = &server.shared.options.reconnect.retries;
    let mut plan = RetryPlan::new(limits.clone());
    let client = loop {
        match open(server, opened).await {
            Ok(client) => break client,
            Err(ConnectError::Call { source, server: name }) => match plan.next(&source, random()) {
                Some(delay) => tokio::time::sleep(delay).await,
                None => {
                    let error = ConnectError::Call { server: name, source };
                    return Err(StartError::Connect(Box::new(error)));
                }
            },
            Err(error) => return Err(StartError::Connect(Box::new(error))),
        }
    };
    let events = client.events();
    let mut plan = RetryPlan::new(limits.clone());
    let tools = loop {
        match client.list_tools().await {
            Ok(tools) => break tools,
            // A server without tools is a server all the same; -32601 is an answer (case 161).
            Err(ClientError::NotOffered { .. }) => break Vec::new(),
            Err(error) if is_unknown_method(&error) => break Vec::new(),
            Err(error) => match error.call_error().and_then(|source| plan.next(source, random())) {
                Some(delay) => tokio::time::sleep(delay).await,
                // What is opened is closed by whoever gets this.
                None => return Err(StartError::List(Box::new(error))),
            },
        }
    };
    server.keep(&client, tools).await;
    Ok((client, events))
}

async fn open(server: &Server, opened: &Opened) -> Result<Client, ConnectError> {
    let mut options = server.shared.options.client.clone();
    options.server = Some(server.spec.name.to_string());
    options.protocol = server.spec.protocol.unwrap_or(options.protocol);
    if let Some(version) = server.spoken() {
        options.protocol = options.protocol.beginning_with(version);
    }
    if let Some(delegate) = &server.shared.options.delegate {
        options.delegate = delegate(&server.spec.name);
    }
    // The limit of the start is on the whole.
    options.initialize_timeout = Some(std::time::Duration::ZERO);
    Client::connect(opened, options).await
}

/// An error and its causes.
fn one_line(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// Says that the attempt panicked, if it is dropped by that.
struct Unsettled {
    server: Arc<Server>,
    token: CancellationToken,
}

impl Drop for Unsettled {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let error = StartError::Panicked { server: self.server.spec.name.clone() };
            self.server.turn(&self.token, State::Failed(Arc::new(error)));
        }
    }
}
