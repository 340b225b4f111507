//! Drives the handshake over a transport.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CallError, Connect, NotifyOptions, Phase, RequestOptions, Transport};
use mcp_types::{Initialize, Initialized, Method, Notice};

use crate::agreed::Agreed;
use crate::answering;
use crate::client::{Client, Inner};
use crate::error::ConnectError;
use crate::handshake::{Failure, Handshake};
use crate::options::ClientOptions;
use crate::params;
use crate::router::Router;

impl Client {
    /// Opens a connection and shakes hands: `initialize`, its answer, `notifications/initialized`,
    /// and nothing else before that.
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
        let router = Arc::new(Router::new(&server, &options));
        let transport = match to.connect(router.clone()).await {
            Ok(transport) => transport,
            Err(source) => return Err(ConnectError::Open { server, source }),
        };
        let opening =
            Opening { transport: &*transport, server: &server, timeout: options.initialize_timeout };
        let capabilities = answering::capabilities(&options);
        let promised_roots =
            capabilities.roots.as_ref().is_some_and(|roots| roots.list_changed == Some(true));
        let mut handshake = Handshake::new(capabilities, options.info.clone());
        if let Some(revision) = options.protocol {
            handshake = handshake.offering(revision);
        }
        match opening.shake_hands(handshake).await {
            Ok(agreed) => {
                if options.listen {
                    transport.listen();
                }
                Ok(Self {
                    inner: Arc::new(Inner { transport, router, server, agreed, options, promised_roots }),
                })
            }
            Err(error) => {
                transport.close().await;
                Err(error)
            }
        }
    }
}

/// A transport before the handshake is done.
struct Opening<'a> {
    transport: &'a dyn Transport,
    server: &'a Arc<str>,
    timeout: Option<Duration>,
}

impl Opening<'_> {
    async fn shake_hands(&self, mut handshake: Handshake) -> Result<Agreed, ConnectError> {
        let agreed = loop {
            let params = params::plain(&handshake.params()).map_err(|error| self.unwritten(error))?;
            match self.transport.request(Initialize::NAME, params, self.request_options()).await {
                Ok(answer) => break handshake.answered(&answer).map_err(|failure| self.failed(failure))?,
                Err(CallError::Rpc(error)) => {
                    handshake.refused(error).map_err(|failure| self.failed(failure))?;
                }
                Err(error) => return Err(self.broken(error)),
            }
        };
        self.transport.enter(Phase::Negotiated { version: agreed.version.as_str() });
        self.initialized().await.map_err(|error| self.broken(error))?;
        self.transport.enter(Phase::Ready);
        Ok(agreed)
    }

    /// The answer never extends its own limit, so the total is the same; left to the transport, a
    /// shorter one could win. There is no cancel notice: `initialize` is never cancelled (C-253).
    fn request_options(&self) -> RequestOptions {
        let mut options = RequestOptions::default();
        options.timeout = self.timeout;
        options.max_total_timeout = self.timeout;
        options
    }

    async fn initialized(&self) -> Result<(), CallError> {
        let mut options = NotifyOptions::default();
        options.timeout = self.timeout;
        self.transport.notify(Initialized::NAME, None, options).await
    }

    fn failed(&self, failure: Failure) -> ConnectError {
        let server = self.server.clone();
        match failure {
            Failure::Version { offered, answered, supported, refusal } => {
                ConnectError::Version { server, offered, answered, supported, refusal }
            }
            Failure::Refused(error) => ConnectError::Refused { server, error },
            Failure::Answer { source, sample } => ConnectError::Answer { server, source, sample },
        }
    }

    fn unwritten(&self, source: serde_json::Error) -> ConnectError {
        ConnectError::Params { server: self.server.clone(), source }
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
