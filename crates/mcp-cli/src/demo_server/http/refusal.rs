//! A request that HTTP itself answers, with a status that says why.

use hyper::header::{ALLOW, HeaderValue};
use hyper::{Response, StatusCode};

use super::super::outcome::{BAD_VERSION_HEADER, INVALID_REQUEST, RpcError};
use super::super::wire;
use super::content::{self, Content};

/// Why a request does not reach the server behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    NoSuchPath,
    ForeignOrigin,
    Method,
    /// There is no session that a GET or DELETE would be about.
    OnlyPost,
    /// An answer, though nothing was asked.
    Unasked,
    UnknownVersion,
    Accept,
    ContentType,
    BodyTooLong,
    BodyTooSlow,
    BodyBroken,
    NoSession,
    UnknownSession,
    TooManySessions,
}

impl Refusal {
    fn status(self) -> StatusCode {
        match self {
            Self::UnknownVersion | Self::NoSession | Self::Unasked | Self::BodyBroken => {
                StatusCode::BAD_REQUEST
            }
            Self::ForeignOrigin => StatusCode::FORBIDDEN,
            Self::NoSuchPath | Self::UnknownSession => StatusCode::NOT_FOUND,
            Self::Method | Self::OnlyPost => StatusCode::METHOD_NOT_ALLOWED,
            Self::Accept => StatusCode::NOT_ACCEPTABLE,
            Self::BodyTooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::BodyTooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooManySessions => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::NoSuchPath => "the endpoint is /mcp",
            Self::ForeignOrigin => "this origin may not ask",
            Self::Method => "the endpoint takes POST, GET and DELETE",
            Self::OnlyPost => "without a session the endpoint takes only POST",
            Self::Unasked => "nothing was asked that this would answer",
            Self::UnknownVersion => "`MCP-Protocol-Version` is no revision that this server speaks",
            Self::Accept => {
                "`Accept` must list text/event-stream, and application/json too where something is posted"
            }
            Self::ContentType => "`Content-Type` must be application/json",
            Self::BodyTooLong => "the body is too long",
            Self::BodyTooSlow => "the body did not come in time",
            Self::BodyBroken => "the body cannot be read",
            Self::NoSession => "`Mcp-Session-Id` is missing",
            Self::UnknownSession => "there is no such session",
            Self::TooManySessions => "too many sessions at once",
        }
    }
}

impl From<Refusal> for Response<Content> {
    /// The body is an error object, as the protocol allows.
    fn from(refusal: Refusal) -> Self {
        let code = match refusal {
            Refusal::UnknownVersion => BAD_VERSION_HEADER,
            _ => INVALID_REQUEST,
        };
        let error = RpcError::new(code, refusal.text());
        let mut response = content::json(refusal.status(), wire::refusal(None, &error).text);
        let allowed = match refusal {
            Refusal::Method => "POST, GET, DELETE",
            Refusal::OnlyPost => "POST",
            _ => return response,
        };
        response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
        response
    }
}
