//! The `initialize` exchange of the revisions up to 2025-11-25.

use crate::capabilities::{ClientCapabilities, ServerCapabilities};
use crate::extra::Extra;
use crate::icon::Icon;
use crate::meta::Meta;
use crate::object::object;
use crate::revision::Revision;

/// Params of `initialize` (C-043).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InitializeParams {
    /// The version the client wants: the newest it knows (C-078).
    pub protocol_version: String,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// Who the client is.
    pub client_info: Implementation,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl InitializeParams {
    /// Proposes the newest revision that has `initialize`.
    pub fn new(capabilities: ClientCapabilities, client_info: Implementation) -> Self {
        Self {
            protocol_version: Revision::LATEST_LEGACY.to_string(),
            capabilities,
            client_info,
            meta: None,
            extra: Extra::new(),
        }
    }
}

object!(InitializeParams {
    "protocolVersion" => protocol_version: required,
    "capabilities" => capabilities: required,
    "clientInfo" => client_info: required,
    "_meta" => meta: optional,
});

/// Result of `initialize`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InitializeResult {
    /// The version the server chose; perhaps none that [`Revision`] knows (C-080, C-081).
    pub protocol_version: String,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// Who the server says it is: for display only (C-072, C-073).
    pub server_info: Implementation,
    /// How to use the server, for the model (C-068).
    pub instructions: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl InitializeResult {
    /// An answer without instructions.
    pub fn new(
        protocol_version: impl Into<String>,
        capabilities: ServerCapabilities,
        server_info: Implementation,
    ) -> Self {
        Self {
            protocol_version: protocol_version.into(),
            capabilities,
            server_info,
            instructions: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

object!(InitializeResult {
    "protocolVersion" => protocol_version: required,
    "capabilities" => capabilities: required,
    "serverInfo" => server_info: required,
    "instructions" => instructions: optional,
    "_meta" => meta: optional,
});

/// Name and version of a client or server.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Implementation {
    /// The name of the program.
    pub name: String,
    /// Its name for people (2025-06-18 and later).
    pub title: Option<String>,
    /// Its version.
    pub version: String,
    /// What it does (2025-11-25 and later).
    pub description: Option<String>,
    /// Where to read more (2025-11-25 and later).
    pub website_url: Option<String>,
    /// Its icons (2025-11-25 and later).
    pub icons: Option<Vec<Icon>>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl Implementation {
    /// A program with nothing but a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }

    /// The name for people: `title`, then `name`.
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

object!(Implementation {
    "name" => name: required,
    "title" => title: optional,
    "version" => version: required,
    "description" => description: optional,
    "websiteUrl" => website_url: optional,
    "icons" => icons: optional,
});
