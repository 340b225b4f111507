//! Questions to the user: forms, and addresses to open.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_types::{ElicitAction, ElicitParams, ElicitResult, ElicitationCapability, Extra};
use serde_json::value::to_raw_value;

use super::opened::Opened;
use super::refusal::Refusal;
use super::url::UrlElicitation;
use crate::form::{Form, FormContent};

/// Lets the server ask the user. The user must see who asks, and be able to change the answer, to
/// decline and to cancel (C-328 to C-335), which is the host's matter.
///
/// No more questions are open at once than [`ClientOptions::max_server_requests`] says; that is the
/// only limit of their rate (C-336).
///
/// [`ClientOptions::max_server_requests`]: crate::ClientOptions::max_server_requests
#[async_trait]
pub trait ElicitationHandler: Send + Sync + 'static {
    /// Which modes are declared; without any it is forms. Asked before the handshake and with each
    /// request: one of a mode that is not declared gets `-32602` (C-325). Defaults to forms.
    fn capability(&self) -> ElicitationCapability {
        let mut capability = ElicitationCapability::default();
        capability.form = Some(Extra::new());
        capability
    }

    /// Shows a form, which is within the subset that elicitation has. What is accepted is checked
    /// against it (C-338); if it does not fit, the server gets `-32603`.
    ///
    /// # Errors
    ///
    /// What the server is told instead. The user's no is none: it is [`FormAnswer::Decline`]. The
    /// default says that forms are not served.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when the server cancels the request and when the connection closes.
    async fn form(&self, request: FormRequest) -> Result<FormAnswer, Refusal> {
        let _ = request;
        Err(undeclared("form"))
    }

    /// Asks the user to open an address. It must not be fetched, must be shown in full with its host,
    /// and is opened only after consent (C-333, C-341 to C-346).
    ///
    /// # Errors
    ///
    /// As [`form`](Self::form). The default says that addresses are not served.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when the server cancels the request and when the connection closes.
    async fn url(&self, request: UrlRequest) -> Result<UrlAnswer, Refusal> {
        let _ = request;
        Err(undeclared("url"))
    }
}

/// A form to fill in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FormRequest {
    /// The name of the server that asks.
    pub server: Arc<str>,
    /// What it asks, and why.
    pub message: String,
    /// The form.
    pub form: Form,
}

impl FormRequest {
    /// A question of a server, as its handler gets it.
    pub fn new(server: impl Into<Arc<str>>, message: impl Into<String>, form: Form) -> Self {
        Self { server: server.into(), message: message.into(), form }
    }
}

/// An address to open.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UrlRequest {
    /// The name of the server that asks.
    pub server: Arc<str>,
    /// What it wants opened, and why.
    pub elicitation: UrlElicitation,
}

impl UrlRequest {
    /// A question of a server, as its handler gets it.
    pub fn new(server: impl Into<Arc<str>>, elicitation: UrlElicitation) -> Self {
        Self { server: server.into(), elicitation }
    }
}

/// What the user made of a form.
#[derive(Clone, Debug, PartialEq)]
pub enum FormAnswer {
    /// Sent it off, filled in so. [`Form::with_defaults`] keeps what was not changed.
    Accept(FormContent),
    /// Said no.
    Decline,
    /// Chose nothing.
    Cancel,
}

/// What the user made of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlAnswer {
    /// Agreed to open it. What happens there is not over with that.
    Accept,
    /// Said no.
    Decline,
    /// Chose nothing.
    Cancel,
}

/// Who asks.
pub(super) struct Asked<'a> {
    pub(super) server: &'a Arc<str>,
    pub(super) opened: &'a Arc<Opened>,
}

impl Asked<'_> {
    pub(super) async fn answer(
        &self,
        handler: &dyn ElicitationHandler,
        params: ElicitParams,
    ) -> Result<ElicitResult, Refusal> {
        let capability = handler.capability();
        match params.mode.as_deref() {
            None | Some("form") if capability.has_form() => self.form(handler, params).await,
            Some("url") if capability.url.is_some() => self.url(handler, &params).await,
            mode => Err(undeclared(mode.unwrap_or("form"))),
        }
    }

    async fn form(
        &self,
        handler: &dyn ElicitationHandler,
        params: ElicitParams,
    ) -> Result<ElicitResult, Refusal> {
        let schema = params.requested_schema.unwrap_or_default();
        let form = Form::read(&schema).map_err(|error| Refusal::Unusable(error.to_string()))?;
        let request = FormRequest::new(self.server.clone(), params.message, form.clone());
        match handler.form(request).await? {
            FormAnswer::Accept(content) => accepted(&form, &content),
            FormAnswer::Decline => Ok(ElicitResult::new(ElicitAction::Decline)),
            FormAnswer::Cancel => Ok(ElicitResult::new(ElicitAction::Cancel)),
        }
    }

    /// Its completion can be told from now on, also while the user still thinks about it.
    async fn url(
        &self,
        handler: &dyn ElicitationHandler,
        params: &ElicitParams,
    ) -> Result<ElicitResult, Refusal> {
        let elicitation =
            UrlElicitation::read(params).map_err(|error| Refusal::Unusable(error.to_string()))?;
        let opening = elicitation.id.as_deref().map(|id| self.opened.begin(id));
        let request = UrlRequest::new(self.server.clone(), elicitation);
        match handler.url(request).await? {
            UrlAnswer::Accept => {
                if let Some(opening) = opening {
                    opening.keep();
                }
                Ok(ElicitResult::new(ElicitAction::Accept))
            }
            UrlAnswer::Decline => Ok(ElicitResult::new(ElicitAction::Decline)),
            UrlAnswer::Cancel => Ok(ElicitResult::new(ElicitAction::Cancel)),
        }
    }
}

/// Content goes with an accepted form, and with nothing else (C-340).
fn accepted(form: &Form, content: &FormContent) -> Result<ElicitResult, Refusal> {
    form.check(content).map_err(|error| Refusal::Failed(error.to_string()))?;
    let mut members = Extra::new();
    for (name, value) in content.iter() {
        let value = to_raw_value(value).map_err(|error| Refusal::Failed(error.to_string()))?;
        members.insert(name, value);
    }
    let mut result = ElicitResult::new(ElicitAction::Accept);
    result.content = Some(members);
    Ok(result)
}

fn undeclared(mode: &str) -> Refusal {
    let mode = mcp_jsonrpc::Sample::of(mode.as_bytes());
    Refusal::Unusable(format!("The elicitation mode {mode} was not declared"))
}
