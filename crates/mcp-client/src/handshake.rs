//! The handshake as decisions: what to ask, and what an answer means. It neither sends nor waits.

use mcp_jsonrpc::{Raw, Sample};
use mcp_types::{
    ClientCapabilities, ErrorObject, Implementation, InitializeParams, InitializeResult, Revision,
};
use serde::Deserialize;

use crate::agreed::Agreed;

/// Most versions of a refusal that are kept for the error.
const SHOWN_VERSIONS: usize = 16;

/// One handshake by `initialize`, as the revisions up to 2025-11-25 have it.
#[derive(Debug)]
pub(crate) struct Handshake {
    capabilities: ClientCapabilities,
    info: Implementation,
    offered: Revision,
    /// Whether no other revision will do.
    is_only: bool,
    is_second_try: bool,
}

/// Why there is no agreement.
#[derive(Debug)]
pub(crate) enum Failure {
    Version {
        offered: Revision,
        answered: Option<Sample>,
        supported: Vec<Sample>,
        refusal: Option<ErrorObject>,
    },
    Refused(ErrorObject),
    Answer {
        source: serde_json::Error,
        sample: Sample,
    },
}

impl Handshake {
    /// Offers the newest revision that begins with `initialize` (C-078).
    pub(crate) fn new(capabilities: ClientCapabilities, info: Implementation) -> Self {
        Self { capabilities, info, offered: Revision::LATEST_LEGACY, is_only: false, is_second_try: false }
    }

    /// The same, with this revision and no other.
    pub(crate) fn only(self, revision: Revision) -> Self {
        Self { offered: revision, is_only: true, ..self }
    }

    /// Offers this revision next.
    pub(crate) fn offer(&mut self, revision: Revision) {
        self.offered = revision;
    }

    /// The server refused. `Ok` means: ask again, with the [`params`](Self::params) as they are now.
    ///
    /// A refusal that lists what the server supports is asked once more, with the newest version
    /// that both sides know.
    pub(crate) fn refused(&mut self, error: ErrorObject) -> Result<(), Failure> {
        let supported = supported(&error);
        let shared = supported.iter().filter_map(|version| legacy(version)).max();
        match shared {
            Some(shared) if !self.is_second_try && !self.is_only && shared != self.offered => {
                self.offered = shared;
                self.is_second_try = true;
                Ok(())
            }
            _ if !supported.is_empty() && shared != Some(self.offered) => Err(Failure::Version {
                offered: self.offered,
                answered: None,
                supported: shown(&supported),
                refusal: Some(error),
            }),
            _ => Err(Failure::Refused(error)),
        }
    }

    /// The params of the next `initialize`.
    pub(crate) fn params(&self) -> InitializeParams {
        let mut params = InitializeParams::new(self.capabilities.clone(), self.info.clone());
        params.protocol_version = self.offered.to_string();
        params
    }

    /// The server answered. Any revision that we know is fine, also an older one than we offered,
    /// unless only that one will do.
    pub(crate) fn answered(&self, answer: &Raw) -> Result<Agreed, Failure> {
        let read = match answer.parse::<InitializeResult>() {
            // A long answer is only now found to be no JSON: then it says nothing of a version.
            Err(source) if !source.is_data() => {
                return Err(Failure::Answer { source, sample: Sample::of(answer.as_bytes()) });
            }
            read => read,
        };
        let named = match &read {
            Ok(result) => Some(result.protocol_version.clone()),
            Err(_) => version_in(answer),
        };
        // The version comes first: the answer of an unknown one may well have another shape.
        let usable = |version: &Revision| !self.is_only || *version == self.offered;
        let Some(version) = named.as_deref().and_then(legacy).filter(usable) else {
            return Err(Failure::Version {
                offered: self.offered,
                answered: named.as_deref().map(sample),
                supported: Vec::new(),
                refusal: None,
            });
        };
        match read {
            Ok(result) => Ok(Agreed::new(version, result)),
            Err(source) => Err(Failure::Answer { source, sample: Sample::of(answer.as_bytes()) }),
        }
    }
}

/// The revision of that name, if it is one that begins with `initialize`.
fn legacy(version: &str) -> Option<Revision> {
    Revision::parse(version).filter(|revision| !revision.is_modern())
}

fn sample(text: &str) -> Sample {
    Sample::of(text.as_bytes())
}

/// The version in an answer that otherwise does not fit.
fn version_in(answer: &Raw) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        protocol_version: String,
    }
    answer.parse::<Version>().ok().map(|answer| answer.protocol_version)
}

/// Versions of a server, for an error.
pub(crate) fn shown(versions: &[String]) -> Vec<Sample> {
    versions.iter().take(SHOWN_VERSIONS).map(|it| sample(it)).collect()
}

/// The versions in the data of a refusal.
pub(crate) fn supported(error: &ErrorObject) -> Vec<String> {
    #[derive(Deserialize)]
    struct Supported {
        supported: Vec<String>,
    }
    let data = error.data.as_ref().and_then(|data| serde_json::from_str::<Supported>(data.get()).ok());
    data.map(|data| data.supported).unwrap_or_default()
}

#[cfg(test)]
mod tests;
