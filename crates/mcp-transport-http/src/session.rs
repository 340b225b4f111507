//! The session as decisions: which headers a request carries, and what the server's headers change;
//! or that there is none (2026-07-28).
//!
//! Nothing here sends or waits.

use std::sync::Arc;

use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};

use crate::headers::Headers;

/// `Mcp-Session-Id`.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// `MCP-Protocol-Version`.
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// `Mcp-Method`.
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// `Last-Event-ID`.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Longest session id that is kept, in bytes.
pub(crate) const MAX_SESSION_ID: usize = 4096;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_OR_EVENTS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// What is known of the server's session.
#[derive(Debug)]
pub(crate) struct Session {
    configured: Headers,
    /// From the address, or from the hook.
    authorization: Option<HeaderValue>,
    authorized: Headers,
    offers_gzip: bool,
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
    /// Whether each request stands for itself, so that no id is kept.
    is_stateless: bool,
    current: Arc<Outgoing>,
}

/// The headers of requests, made once for many.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) post: HeaderMap,
    pub(crate) get: HeaderMap,
    pub(crate) delete: HeaderMap,
    /// The session id among them.
    pub(crate) id: Option<HeaderValue>,
    /// Whether there is no session, and so none to learn of from the answer.
    pub(crate) is_stateless: bool,
    /// Which answer of the authorization hook they come from.
    pub(crate) authorized: u64,
}

impl Session {
    /// No session yet. `authorization` is for requests without a configured one.
    pub(crate) fn new(configured: Headers, authorization: Option<HeaderValue>, offers_gzip: bool) -> Self {
        let mut session = Self {
            configured,
            authorization,
            authorized: Headers::default(),
            offers_gzip,
            id: None,
            version: None,
            is_stateless: false,
            current: Arc::new(Outgoing {
                post: HeaderMap::new(),
                get: HeaderMap::new(),
                delete: HeaderMap::new(),
                id: None,
                is_stateless: false,
                authorized: 0,
            }),
        };
        session.renew(0);
        session
    }

    /// The headers of requests from now on.
    pub(crate) fn outgoing(&self) -> Arc<Outgoing> {
        self.current.clone()
    }

    /// Whether each request stands for itself.
    pub(crate) fn is_stateless(&self) -> bool {
        self.is_stateless
    }

    /// The headers with which each message begins that stands for itself; `None` where there is a
    /// session.
    pub(crate) fn of_each(&self) -> Option<HeaderMap> {
        let version = self.version.iter().map(|version| (PROTOCOL_VERSION, version.clone()));
        self.is_stateless.then(|| version.collect())
    }

    /// The peers agreed on a version (C-138).
    pub(crate) fn negotiated(&mut self, version: &str) {
        self.is_stateless = false;
        self.speak(version);
    }

    /// Each request stands for itself from now on, and names this version. An id that is known
    /// is forgotten, and none is learnt (C-160).
    pub(crate) fn stateless(&mut self, version: &str) {
        self.is_stateless = true;
        self.id = None;
        self.speak(version);
    }

    /// Nothing was said yet that counts: neither version nor session.
    pub(crate) fn begin(&mut self) {
        (self.id, self.version, self.is_stateless) = (None, None, false);
        self.renew(self.current.authorized);
    }

    /// The authorization hook gave new headers.
    pub(crate) fn authorized(&mut self, headers: Headers) {
        self.authorized = headers;
        self.renew(self.current.authorized + 1);
    }

    /// Keeps the session id of a response (S-64).
    ///
    /// # Errors
    ///
    /// The id is unusable: it is not kept, and never sent back.
    pub(crate) fn learn(&mut self, headers: &HeaderMap) -> Result<(), &'static str> {
        if self.is_stateless {
            return Ok(());
        }
        let mut ids = headers.get_all(SESSION_ID).iter();
        let Some(id) = ids.next() else { return Ok(()) };
        if ids.any(|other| other != id) {
            return Err("comes twice, with different values");
        }
        if id.len() > MAX_SESSION_ID {
            return Err("is too long");
        }
        if id.is_empty() || !id.as_bytes().iter().all(|byte| (0x21..=0x7e).contains(byte)) {
            return Err("is not visible ASCII");
        }
        if self.id.as_ref() != Some(id) {
            let mut id = id.clone();
            id.set_sensitive(true);
            self.id = Some(id);
            self.renew(self.current.authorized);
        }
        Ok(())
    }

    /// The server does not know session `id` any more: it is forgotten, with what was agreed in
    /// it, unless another one has taken its place (D-18).
    pub(crate) fn lost(&mut self, id: &HeaderValue) {
        if self.id.as_ref() == Some(id) {
            self.id = None;
            self.version = None;
            self.renew(self.current.authorized);
        }
    }

    fn speak(&mut self, version: &str) {
        // A version that is no header value cannot be sent, and none of ours is such.
        self.version = HeaderValue::from_str(version).ok();
        self.renew(self.current.authorized);
    }

    fn renew(&mut self, authorized: u64) {
        let mut base = HeaderMap::new();
        if let Some(authorization) = &self.authorization {
            base.insert(AUTHORIZATION, authorization.clone());
        }
        for headers in [&self.configured, &self.authorized] {
            for name in headers.iter().map(|(name, _)| name).collect::<Vec<_>>() {
                base.remove(name);
            }
            for (name, value) in headers.iter() {
                base.append(name.clone(), value.clone());
            }
        }
        // Protocol headers win over configured ones (D-10).
        if let Some(id) = &self.id {
            base.insert(SESSION_ID, id.clone());
        }
        if let Some(version) = &self.version {
            base.insert(PROTOCOL_VERSION, version.clone());
        }
        if self.offers_gzip {
            base.insert(ACCEPT_ENCODING, GZIP);
        }
        let with = |pairs: &[(HeaderName, HeaderValue)]| {
            let mut headers = base.clone();
            for (name, value) in pairs {
                headers.insert(name, value.clone());
            }
            headers
        };
        self.current = Arc::new(Outgoing {
            post: with(&[(CONTENT_TYPE, JSON), (ACCEPT, JSON_OR_EVENTS)]),
            get: with(&[(ACCEPT, EVENTS)]),
            delete: base,
            id: self.id.clone(),
            is_stateless: self.is_stateless,
            authorized,
        });
    }
}

#[cfg(test)]
mod tests;
