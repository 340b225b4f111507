//! The way to a version as decisions: how to open, and what each answer means. It neither sends nor
//! waits.

use mcp_jsonrpc::{CallError, FailureKind, Raw, Sample};
use mcp_types::{
    ClientCapabilities, DiscoverResult, ErrorCode, ErrorObject, Implementation, InitializeParams, Revision,
};

use crate::agreed::Agreed;
use crate::handshake::{Failure, Handshake, shown, supported};
use crate::protocol::Protocol;

/// What is to be asked next.
#[derive(Debug)]
pub(crate) enum Opening {
    /// `initialize`.
    Initialize(Box<InitializeParams>),
    /// `server/discover`, as a request of this version.
    Discover(Revision),
}

/// What an answer led to.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// There is an agreement.
    Agreed(Box<Agreed>),
    /// The next [`Opening`] is to be asked.
    Again,
    /// The same, over a new connection: this one is gone.
    Reconnect,
}

/// One negotiation. It takes at most one step from each era to the other, so it ends.
#[derive(Debug)]
pub(crate) struct Negotiation {
    handshake: Handshake,
    /// The version that `server/discover` is asked with; `None` while it is `initialize`'s turn.
    discovering: Option<Revision>,
    /// Whether `server/discover` may still follow `initialize`.
    may_go_forward: bool,
    /// Whether `initialize` may still follow `server/discover`.
    may_fall_back: bool,
    /// Whether `server/discover` was asked again after -32022, which is done once.
    is_repeated: bool,
    /// Whether `initialize` came before `server/discover`.
    has_initialized: bool,
    /// How it was refused.
    refusal: Option<ErrorObject>,
}

impl Negotiation {
    pub(crate) fn new(protocol: Protocol, capabilities: ClientCapabilities, info: Implementation) -> Self {
        let handshake = Handshake::new(capabilities, info);
        let (handshake, discovering) = match protocol {
            Protocol::Only(revision) if revision.is_modern() => (handshake, Some(revision)),
            Protocol::Only(revision) => (handshake.only(revision), None),
            Protocol::Discover => (handshake, Some(Revision::LATEST)),
            Protocol::Auto => (handshake, None),
        };
        let is_open = !matches!(protocol, Protocol::Only(_));
        Self {
            handshake,
            discovering,
            may_go_forward: is_open,
            may_fall_back: is_open,
            is_repeated: false,
            has_initialized: false,
            refusal: None,
        }
    }

    /// What to ask now.
    pub(crate) fn opening(&self) -> Opening {
        match self.discovering {
            Some(version) => Opening::Discover(version),
            None => Opening::Initialize(Box::new(self.handshake.params())),
        }
    }

    /// Whether what is asked now is only to find out how to go on, so that silence is an answer.
    pub(crate) fn is_probe(&self) -> bool {
        self.discovering.is_some() && self.may_fall_back && !self.has_initialized
    }

    /// The server answered with a result.
    pub(crate) fn answered(&mut self, answer: &Raw) -> Result<Outcome, Failure> {
        let Some(version) = self.discovering else {
            return match self.handshake.answered(answer) {
                Err(Failure::Version { answered: Some(it), .. })
                    if self.may_go_forward && is_modern(it.as_str()) =>
                {
                    Ok(self.go_forward(None))
                }
                outcome => outcome.map(|agreed| Outcome::Agreed(Box::new(agreed))),
            };
        };
        match answer.parse::<DiscoverResult>() {
            Ok(result) => self.discovered(version, result),
            Err(source) => {
                let sample = Sample::of(answer.as_bytes());
                self.fall_back().ok_or(Failure::Answer { source, sample })
            }
        }
    }

    fn discovered(&mut self, asked: Revision, result: DiscoverResult) -> Result<Outcome, Failure> {
        let known = || result.supported_versions.iter().filter_map(|version| Revision::parse(version));
        // The server has answered a request of this version, so that is the one that works.
        if known().any(|version| version == asked) {
            return Ok(Outcome::Agreed(Box::new(Agreed::discovered(asked, result))));
        }
        let older = known().filter(|version| !version.is_modern()).max();
        match older.and_then(|version| self.fall_back_to(version)) {
            Some(outcome) => Ok(outcome),
            None => Err(Failure::Version {
                offered: asked,
                answered: None,
                supported: shown(&result.supported_versions),
                refusal: None,
            }),
        }
    }

    /// The server answered with an error.
    pub(crate) fn refused(&mut self, error: ErrorObject) -> Result<Outcome, Failure> {
        match self.discovering {
            Some(version) => self.discover_refused(version, error),
            None if self.may_go_forward && is_modern_only(&error) => Ok(self.go_forward(Some(error))),
            None => self.handshake.refused(error).map(|()| Outcome::Again),
        }
    }

    fn discover_refused(&mut self, asked: Revision, error: ErrorObject) -> Result<Outcome, Failure> {
        if error.code != ErrorCode::UNSUPPORTED_PROTOCOL_VERSION {
            if ErrorCode::is_modern(error.code) {
                return Err(Failure::Refused(error));
            }
            return self.fall_back().ok_or_else(|| Failure::Refused(self.refusal.take().unwrap_or(error)));
        }
        let versions = supported(&error);
        let known = || versions.iter().filter_map(|version| Revision::parse(version));
        let (newer, older) = (
            known().filter(|version| version.is_modern()).max(),
            known().filter(|version| !version.is_modern()).max(),
        );
        // Only 2026-07-28 is known here, so there is no other to go to; but a server may have meant
        // what stands in the list.
        if newer == Some(asked) && !self.is_repeated {
            self.is_repeated = true;
            return Ok(Outcome::Again);
        }
        if newer.is_none()
            && let Some(outcome) = older.and_then(|version| self.fall_back_to(version))
        {
            return Ok(outcome);
        }
        if versions.is_empty() || newer.is_some() {
            return Err(Failure::Refused(error));
        }
        let supported = shown(&versions);
        Err(Failure::Version { offered: asked, answered: None, supported, refusal: Some(error) })
    }

    /// There was no answer. `None` means that this says nothing of the era: the error stands.
    ///
    /// `is_shared` is whether all messages go over one channel (stdio). Only there silence and the
    /// end of the server are what servers of older revisions do; over HTTP they are faults, as is
    /// anything that did not come from the server itself.
    pub(crate) fn unanswered(&mut self, error: &CallError, is_shared: bool) -> Option<Outcome> {
        if !self.is_probe() {
            return None;
        }
        match error {
            CallError::Timeout { .. } if is_shared => self.fall_back(),
            CallError::Closed { .. } if is_shared => self.fall_back().map(|_| Outcome::Reconnect),
            CallError::Malformed { .. } | CallError::NoResponse { cause: None, .. } => self.fall_back(),
            CallError::Transport(failure) => match failure.kind {
                FailureKind::Status(status) if (400..500).contains(&status) => self.fall_back(),
                FailureKind::MediaType | FailureKind::Protocol => self.fall_back(),
                _ => None,
            },
            _ => None,
        }
    }

    fn go_forward(&mut self, refusal: Option<ErrorObject>) -> Outcome {
        self.may_go_forward = false;
        self.discovering = Some(Revision::LATEST);
        self.is_repeated = false;
        self.has_initialized = true;
        self.refusal = refusal;
        Outcome::Again
    }

    /// To `initialize`, unless that was refused already.
    fn fall_back(&mut self) -> Option<Outcome> {
        self.is_probe().then(|| {
            self.may_fall_back = false;
            self.discovering = None;
            Outcome::Again
        })
    }

    /// To `initialize` with a version that the server says it has.
    fn fall_back_to(&mut self, version: Revision) -> Option<Outcome> {
        self.may_fall_back.then(|| {
            self.may_fall_back = false;
            self.discovering = None;
            self.handshake.offer(version);
            Outcome::Again
        })
    }
}

/// Whether a refusal of `initialize` is that of a server which speaks 2026-07-28 (D-19).
fn is_modern_only(error: &ErrorObject) -> bool {
    ErrorCode::is_modern(error.code)
        || error.code == ErrorCode::METHOD_NOT_FOUND
        || supported(error).iter().any(|version| is_modern(version))
}

fn is_modern(version: &str) -> bool {
    Revision::parse(version).is_some_and(Revision::is_modern)
}

#[cfg(test)]
mod tests;
