//! The way of one call: params down, answer up.

use std::sync::Arc;

use mcp_jsonrpc::{CallError, KeepAlive, Malformed, NotifyOptions, Raw, RawParams, RequestOptions, Sample};
use mcp_types::{Discover, Initialize, Method, NoParams, Notice, Ping};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::cancel::cancel_notice;
use crate::client::{Client, Inner};
use crate::error::ClientError;
use crate::modern::{Ask, OnTask};
use crate::options::CallOptions;
use crate::params;
use crate::progress::Watched;

impl Client {
    /// Calls method `M`.
    ///
    /// # Errors
    ///
    /// See [`ClientError`]. The connection goes on, unless it was the connection that failed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the call up: nothing of it stays here, and the server is told if
    /// the request was already written. A later answer is ignored.
    pub async fn call<M: Method>(
        &self,
        params: &M::Params,
        options: CallOptions,
    ) -> Result<M::Answer, ClientError> {
        let inner = &*self.inner;
        inner.check_offered(M::NAME)?;
        let params = params::plain(params).map_err(|error| inner.unwritten(M::NAME, error))?;
        let answer = inner.send(M::NAME, params, options).await?;
        inner.read(M::NAME, &answer)
    }

    /// Calls any method with params as text, and returns the result as text, which is checked to
    /// be JSON and otherwise as it came. It is sent whatever the server offers.
    ///
    /// A tool call that became a task (2026-07-28, with the extension declared) is not followed here: the
    /// result is the [`ExtensionTask`](mcp_types::task_extension::ExtensionTask), for those who keep its
    /// id, and look at it, answer it and end it themselves by the methods in
    /// [`task_extension`](mcp_types::task_extension) (C-386).
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call).
    pub async fn request(
        &self,
        method: &str,
        params: Option<Box<RawValue>>,
        options: CallOptions,
    ) -> Result<Raw, ClientError> {
        let inner = &*self.inner;
        let answer = inner.send_written(method, options, OnTask::HandOver, with_token(params)).await?;
        answer.check().map_err(|error| inner.unread(method, &answer, error))
    }

    /// Sends notification `N`; done when it is handed to the wire, within the client's timeout.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call), without an answer to wait for.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may or may not send the notification, never half of it.
    pub async fn notify<N: Notice>(&self, params: &N::Params) -> Result<(), ClientError> {
        let inner = &*self.inner;
        inner.check_notice(N::NAME)?;
        let params = params::plain(params).map_err(|error| inner.unwritten(N::NAME, error))?;
        let mut options = NotifyOptions::default();
        options.timeout = inner.options.timeout;
        let sent = inner.transport.notify(N::NAME, params, options).await;
        sent.map_err(|error| inner.unanswered(N::NAME, error))
    }

    /// Asks whether the server is there: by `ping`, and by `server/discover` where there is none
    /// (2026-07-28).
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call).
    pub async fn ping(&self) -> Result<(), ClientError> {
        let options = CallOptions { is_fresh: true, ..CallOptions::default() };
        match self.inner.modern {
            None => self.call::<Ping>(&NoParams, options).await.map(drop),
            Some(_) => self.call::<Discover>(&NoParams, options).await.map(drop),
        }
    }
}

impl Inner {
    /// Sends a request and waits for its result.
    pub(crate) async fn send(
        &self,
        method: &str,
        params: Option<RawParams>,
        options: CallOptions,
    ) -> Result<Raw, ClientError> {
        self.send_written(method, options, OnTask::Follow, with_token(params)).await
    }

    /// The same, with params that `write` writes: with a progress token if it gets one.
    pub(crate) async fn send_written(
        &self,
        method: &str,
        options: CallOptions,
        on_task: OnTask,
        write: impl FnOnce(Option<i64>) -> serde_json::Result<Option<RawParams>>,
    ) -> Result<Raw, ClientError> {
        if let Some(modern) = &self.modern {
            let params = write(None).map_err(|error| self.unwritten(method, error))?;
            let ask = Ask { inner: self, modern, method, params: params.as_deref(), options, on_task };
            // Boxed, so that the future of a call with a handshake stays small.
            return Box::pin(ask.answer()).await;
        }
        let (watched, keep_alive) = self.watch(&options);
        let params = write(watched.as_ref().map(|watched| watched.token));
        let params = params.map_err(|error| self.unwritten(method, error))?;
        let mut request = RequestOptions::default();
        request.max_total_timeout = options.max_total_timeout.or(self.options.max_total_timeout);
        self.exchange(method, params, request, &options, keep_alive).await
    }

    /// Enters the call among those that want progress, if it does.
    pub(crate) fn watch(&self, options: &CallOptions) -> (Option<Watched<'_>>, Option<KeepAlive>) {
        let extends = options.progress_extends_timeout.unwrap_or(self.options.progress_extends_timeout);
        let keep_alive = extends.then(KeepAlive::new);
        if options.progress.is_none() && keep_alive.is_none() {
            return (None, None);
        }
        let watched = self.router.progress.watch(options.progress.clone(), keep_alive.clone());
        (Some(watched), keep_alive)
    }

    /// One request over the transport, with what `request` says already and what the options add.
    pub(crate) async fn exchange(
        &self,
        method: &str,
        params: Option<RawParams>,
        mut request: RequestOptions,
        options: &CallOptions,
        keep_alive: Option<KeepAlive>,
    ) -> Result<Raw, ClientError> {
        // Nobody should ask for `initialize` here, but who does must not cancel it (C-253).
        let tells = self.options.send_cancelled && method != Initialize::NAME;
        request.timeout = options.timeout.or(self.options.timeout);
        request.cancel = options.cancel.clone();
        request.keep_alive = keep_alive;
        request.cancel_notice = tells.then_some(cancel_notice);
        let answer = self.transport.request(method, params, request).await;
        answer.map_err(|error| {
            self.remember_urls(&error);
            self.unanswered(method, error)
        })
    }

    /// Reads an answer.
    pub(crate) fn read<T: DeserializeOwned>(&self, method: &str, answer: &Raw) -> Result<T, ClientError> {
        answer.parse().map_err(|error| self.unread(method, answer, error))
    }

    pub(crate) fn unread(&self, method: &str, answer: &Raw, source: serde_json::Error) -> ClientError {
        let sample = Sample::of(answer.as_bytes());
        if source.is_data() {
            return ClientError::Answer {
                server: self.server.clone(),
                method: method.into(),
                source,
                sample,
            };
        }
        // A long answer is only now found to be no JSON; the error is that of a short one.
        let problem = Malformed::Json(source.to_string());
        self.unanswered(method, CallError::Malformed { problem, sample })
    }

    pub(crate) fn unwritten(&self, method: &str, source: serde_json::Error) -> ClientError {
        ClientError::Params { server: self.server.clone(), method: Arc::from(method), source }
    }

    pub(crate) fn unanswered(&self, method: &str, source: CallError) -> ClientError {
        ClientError::Call { server: self.server.clone(), method: method.into(), source }
    }
}

/// Params that are written already, with a token where there is to be one.
fn with_token(
    params: Option<RawParams>,
) -> impl FnOnce(Option<i64>) -> serde_json::Result<Option<RawParams>> {
    |token| match token {
        Some(token) => params::with_token(params, token).map(Some),
        None => Ok(params),
    }
}
