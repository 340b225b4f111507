//! Drives the opening of a connection over a transport, in either era.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CallError, Connect, NotifyOptions, Phase, Raw, RawParams, RequestOptions, Transport};
use mcp_types::{ClientCapabilities, Discover, Initialize, Initialized, Method, Notice, Revision};

use crate::agreed::Agreed;
use crate::answering;
use crate::client::{Client, Inner};
use crate::error::ConnectError;
use crate::handshake::Failure;
use crate::modern::{Modern, Stamp, Stamped};
use crate::negotiation::{Negotiation, Opening, Outcome};
use crate::options::ClientOptions;
use crate::params;
use crate::router::Router;

impl Client {
    /// Opens a connection and finds out what the server speaks, the way that
    /// [`ClientOptions::protocol`] says: by `initialize`, its answer and `notifications/initialized`,
    /// or by `server/discover`. Nothing else is sent before that.
    ///
    /// # Errors
    ///
    /// See [`ConnectError`]. The transport is closed then; connecting again is up to the caller.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the transport, which leaves nothing running. `initialize` is never
    /// cancelled by a message, whatever happens (C-253).
    pub async fn connect(to: &dyn Connect, options: ClientOptions) -> Result<Self, ConnectError> {
        let server: Arc<str> = options.server.clone().unwrap_or_else(|| to.label()).into();
        let capabilities = answering::capabilities(&options);
        let promised_roots =
            capabilities.roots.as_ref().is_some_and(|roots| roots.list_changed == Some(true));
        let stamp = Stamp::new(&options.info, &capabilities)
            .map_err(|source| ConnectError::Params { server: server.clone(), source })?;
        let opened = open(to, &server, &options, capabilities, &stamp).await?;
        let Opened { transport, router, agreed } = opened;
        let modern = agreed.version.is_modern().then(|| Modern::new(agreed.version, stamp));
        let promised_roots = promised_roots && modern.is_none();
        if options.listen && modern.is_none() {
            transport.listen();
        }
        let inner = Inner { transport, router, server, agreed, options, promised_roots, modern };
        if let Some(modern) = &inner.modern {
            modern.listen(&inner);
        }
        Ok(Self { inner: Arc::new(inner) })
    }
}

/// A connection that both sides agree on.
struct Opened {
    transport: Arc<dyn Transport>,
    router: Arc<Router>,
    agreed: Agreed,
}

/// Connects, and connects again where the server ended at being asked in the other era.
async fn open(
    to: &dyn Connect,
    server: &Arc<str>,
    options: &ClientOptions,
    capabilities: ClientCapabilities,
    stamp: &Stamp,
) -> Result<Opened, ConnectError> {
    let mut negotiation = Negotiation::new(options.protocol, capabilities, options.info.clone());
    loop {
        let router = Arc::new(Router::new(server, options));
        let transport = match to.connect(router.clone()).await {
            Ok(transport) => transport,
            Err(source) => return Err(ConnectError::Open { server: server.clone(), source }),
        };
        let talk = Talk { transport: &*transport, router: &router, server, options, stamp };
        match talk.negotiate(&mut negotiation).await {
            Ok(Some(agreed)) => return Ok(Opened { transport, router, agreed }),
            Ok(None) => transport.close().await,
            Err(error) => {
                transport.close().await;
                return Err(error);
            }
        }
    }
}

/// A transport before there is an agreement.
struct Talk<'a> {
    transport: &'a dyn Transport,
    router: &'a Router,
    server: &'a Arc<str>,
    options: &'a ClientOptions,
    stamp: &'a Stamp,
}

impl Talk<'_> {
    /// `None` if it takes a new connection.
    async fn negotiate(&self, negotiation: &mut Negotiation) -> Result<Option<Agreed>, ConnectError> {
        loop {
            let opening = negotiation.opening();
            let method = opening.method();
            let outcome = match self.ask(opening, negotiation.is_probe()).await? {
                Ok(answer) => negotiation.answered(&answer),
                Err(CallError::Rpc(error)) => negotiation.refused(error),
                Err(error) => match negotiation.unanswered(&error, !self.transport.mirrors()) {
                    Some(outcome) => Ok(outcome),
                    None => return Err(self.broken(error)),
                },
            };
            match outcome.map_err(|failure| self.failed(method, failure))? {
                Outcome::Again => {}
                Outcome::Reconnect => return Ok(None),
                Outcome::Agreed(agreed) => {
                    if !agreed.version.is_modern() {
                        self.finish(agreed.version).await.map_err(|error| self.broken(error))?;
                    }
                    return Ok(Some(*agreed));
                }
            }
        }
    }

    /// Fails if the question cannot be written.
    async fn ask(&self, opening: Opening, is_probe: bool) -> Result<Result<Raw, CallError>, ConnectError> {
        let unwritten = |source| ConnectError::Params { server: self.server.clone(), source };
        let mut timeout = self.options.initialize_timeout;
        let (method, params) = match opening {
            Opening::Initialize(params) => {
                if self.router.is_stateless() {
                    self.enter(Phase::Initial);
                }
                (Initialize::NAME, params::plain(&params).map_err(unwritten)?)
            }
            Opening::Discover(version) => {
                self.enter(Phase::Stateless { version: version.as_str() });
                if is_probe && !self.transport.mirrors() {
                    timeout = Some(sooner(timeout, self.options.probe_timeout));
                }
                (Discover::NAME, Some(self.discover(version).map_err(unwritten)?))
            }
        };
        Ok(self.transport.request(method, params, within(timeout)).await)
    }

    fn discover(&self, version: Revision) -> serde_json::Result<RawParams> {
        self.stamp.on(Stamped::new(version, None))
    }

    /// The handshake is done once the server has been told so.
    async fn finish(&self, version: Revision) -> Result<(), CallError> {
        self.enter(Phase::Negotiated { version: version.as_str() });
        let mut options = NotifyOptions::default();
        options.timeout = self.options.initialize_timeout;
        self.transport.notify(Initialized::NAME, None, options).await?;
        self.enter(Phase::Ready);
        Ok(())
    }

    fn enter(&self, phase: Phase<'_>) {
        self.router.enter(phase);
        self.transport.enter(phase);
    }

    fn failed(&self, method: &'static str, failure: Failure) -> ConnectError {
        let server = self.server.clone();
        match failure {
            Failure::Version { offered, answered, supported, refusal } => {
                ConnectError::Version { server, offered, answered, supported, refusal }
            }
            Failure::Refused(error) => ConnectError::Refused { server, method, error },
            Failure::Answer { source, sample } => ConnectError::Answer { server, method, source, sample },
        }
    }

    fn broken(&self, error: CallError) -> ConnectError {
        let server = self.server.clone();
        match error {
            CallError::Timeout { limit, sent, .. } => {
                let status = self.transport.status();
                let (heard, stderr_tail) = (status.received > 0, status.stderr_tail);
                ConnectError::TimedOut { server, limit, sent, heard, stderr_tail }
            }
            source => ConnectError::Call { server, source },
        }
    }
}

impl Opening {
    fn method(&self) -> &'static str {
        match self {
            Self::Initialize(_) => Initialize::NAME,
            Self::Discover(_) => Discover::NAME,
        }
    }
}

/// The shorter of two limits, of which zero is none.
fn sooner(one: Option<Duration>, other: Duration) -> Duration {
    match one {
        Some(one) if !one.is_zero() && (one < other || other.is_zero()) => one,
        _ => other,
    }
}

/// The answer never extends its own limit, so the total is the same; left to the transport, a shorter
/// one could win. There is no cancel notice: `initialize` is never cancelled (C-253), and of a probe
/// nothing is to be cancelled.
fn within(timeout: Option<Duration>) -> RequestOptions {
    let mut options = RequestOptions::default();
    options.timeout = timeout;
    options.max_total_timeout = timeout;
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_waits_no_longer_than_any_answer_may_take() {
        let second = Duration::from_secs;
        for (one, other, sooner_one) in [
            (None, 10, 10),
            (Some(0), 10, 10),
            (Some(3), 10, 3),
            (Some(30), 10, 10),
            (Some(3), 0, 3),
            (Some(0), 0, 0),
        ] {
            assert_eq!(sooner(one.map(second), second(other)), second(sooner_one));
        }
    }
}
