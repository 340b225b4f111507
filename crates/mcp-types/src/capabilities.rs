//! What client and server can do. Capabilities with options of their own get a struct, the others
//! stay raw.

mod tasks;

use serde_json::value::RawValue;

use crate::extra::Extra;
use crate::object::object;

pub use self::tasks::{TaskRequestsCapability, TasksCapability};

/// What the client can do. The default is nothing.
///
/// A capability is an object; an empty one means yes, without options.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// Outside the specification: name to object.
    pub experimental: Option<Extra>,
    /// It can list roots.
    pub roots: Option<RootsCapability>,
    /// It can run model requests.
    pub sampling: Option<SamplingCapability>,
    /// It can ask the user (2025-06-18 and later).
    pub elicitation: Option<ElicitationCapability>,
    /// It can run requests as tasks (2025-11-25 only).
    pub tasks: Option<TasksCapability>,
    /// Extensions: name to settings (2026-07-28).
    pub extensions: Option<Extra>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ClientCapabilities {
    "experimental" => experimental: optional,
    "roots" => roots: optional,
    "sampling" => sampling: optional,
    "elicitation" => elicitation: optional,
    "tasks" => tasks: optional,
    "extensions" => extensions: optional,
});

/// How far the client supports roots.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RootsCapability {
    /// It says when the list changes.
    pub list_changed: Option<bool>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(RootsCapability { "listChanged" => list_changed: optional });

/// How far the client supports sampling.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SamplingCapability {
    /// It serves `includeContext` other than `none` (C-588; 2025-11-25 and later, deprecated).
    pub context: Option<Extra>,
    /// It takes tools and results of tools (C-289; 2025-11-25 and later).
    pub tools: Option<Extra>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(SamplingCapability {
    "context" => context: optional,
    "tools" => tools: optional,
});

/// How far the client supports elicitation. The default, without any mode, means forms (C-323).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ElicitationCapability {
    /// It shows forms.
    pub form: Option<Extra>,
    /// It lets the user open addresses (2025-11-25 and later).
    pub url: Option<Extra>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ElicitationCapability {
    /// Whether forms are served, said or unsaid.
    pub fn has_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }
}

object!(ElicitationCapability {
    "form" => form: optional,
    "url" => url: optional,
});

/// What the server can do. Only what it declares may be used (C-050, C-051).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// Outside the specification: name to object.
    pub experimental: Option<Extra>,
    /// It sends log messages.
    pub logging: Option<Box<RawValue>>,
    /// It completes arguments (2025-03-26 and later).
    pub completions: Option<Box<RawValue>>,
    /// It has prompts.
    pub prompts: Option<PromptsCapability>,
    /// It has resources.
    pub resources: Option<ResourcesCapability>,
    /// It has tools.
    pub tools: Option<ToolsCapability>,
    /// It can run requests as tasks (2025-11-25 only).
    pub tasks: Option<TasksCapability>,
    /// Extensions: name to settings (2026-07-28).
    pub extensions: Option<Extra>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ServerCapabilities {
    "experimental" => experimental: optional,
    "logging" => logging: optional,
    "completions" => completions: optional,
    "prompts" => prompts: optional,
    "resources" => resources: optional,
    "tools" => tools: optional,
    "tasks" => tasks: optional,
    "extensions" => extensions: optional,
});

/// How far the server supports prompts.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PromptsCapability {
    /// It says when the list changes.
    pub list_changed: Option<bool>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(PromptsCapability { "listChanged" => list_changed: optional });

/// How far the server supports resources.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ResourcesCapability {
    /// It takes subscriptions to single resources (C-213, C-214).
    pub subscribe: Option<bool>,
    /// It says when the list changes.
    pub list_changed: Option<bool>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ResourcesCapability {
    "subscribe" => subscribe: optional,
    "listChanged" => list_changed: optional,
});

/// How far the server supports tools.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolsCapability {
    /// It says when the list changes.
    pub list_changed: Option<bool>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ToolsCapability { "listChanged" => list_changed: optional });
