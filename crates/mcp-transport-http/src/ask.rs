//! What is sent: a message, a wish for a stream, the end of the session; and the request it makes.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION};
use hyper::{Method, Request};

use crate::endpoint::Endpoint;
use crate::pool::{Lease, Outbound};
use crate::session::{LAST_EVENT_ID, Outgoing, SESSION_ID};

/// What is sent.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    /// One message.
    Post(Bytes),
    /// One message that stands for itself, and its own headers (2026-07-28).
    Single(Bytes, Box<HeaderMap>),
    /// A stream; with an id, from where it broke.
    Get(Option<HeaderValue>),
    /// The end of the session.
    Delete,
}

impl Ask {
    /// A message, with its own headers where it stands for itself.
    pub(crate) fn message(message: Bytes, own: Option<Box<HeaderMap>>) -> Self {
        match own {
            Some(own) => Self::Single(message, own),
            None => Self::Post(message),
        }
    }

    /// Whether it belongs to no session.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self, Self::Single(..))
    }

    /// The request as it goes to `target` on this connection.
    pub(crate) fn request(&self, target: &Endpoint, outgoing: &Outgoing, lease: &Lease) -> Outbound {
        let (method, headers, body) = match self {
            Self::Post(message) | Self::Single(message, _) => (Method::POST, &outgoing.post, message.clone()),
            Self::Get(_) => (Method::GET, &outgoing.get, Bytes::new()),
            Self::Delete => (Method::DELETE, &outgoing.delete, Bytes::new()),
        };
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.headers_mut() = headers.clone();
        let set = |request: &mut Outbound, name: HeaderName, value: &HeaderValue| {
            request.headers_mut().insert(name, value.clone());
        };
        if lease.is_http2() {
            *request.uri_mut() = target.absolute_uri().clone();
            *request.version_mut() = hyper::Version::HTTP_2;
        } else {
            set(&mut request, HOST, target.host_header());
            *request.uri_mut() = target.uri().clone();
        }
        if let Some(forward) = &lease.forward {
            *request.uri_mut() = target.absolute_uri().clone();
            if let Some(authorization) = &forward.authorization {
                set(&mut request, PROXY_AUTHORIZATION, authorization);
            }
        }
        match self {
            Self::Get(Some(id)) => set(&mut request, LAST_EVENT_ID, id),
            Self::Single(_, own) => {
                // A handshake may have begun since.
                request.headers_mut().remove(SESSION_ID);
                for (name, value) in own.iter() {
                    set(&mut request, name.clone(), value);
                }
            }
            Self::Post(_) | Self::Get(None) | Self::Delete => {}
        }
        request
    }
}
