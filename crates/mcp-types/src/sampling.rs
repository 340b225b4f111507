//! Sampling: the server asks the client for an answer of its model.

mod content;

use serde_json::Number;

pub use self::content::{SamplingBlock, SamplingContent, ToolResultContent, ToolUseContent};
use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;
use crate::role::Role;
use crate::tool::Tool;

/// Params of `sampling/createMessage`, of all revisions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CreateMessageParams {
    /// The conversation.
    pub messages: Vec<SamplingMessage>,
    /// Which model suits; all of it is advice (C-302).
    pub model_preferences: Option<ModelPreferences>,
    /// A system prompt, which may be changed or dropped (C-303).
    pub system_prompt: Option<String>,
    /// `none`, `thisServer` or `allServers`; it may be ignored (C-304). Absent: `none`.
    pub include_context: Option<String>,
    /// The temperature.
    pub temperature: Option<Number>,
    /// Most tokens of the answer; fewer are fine (C-306).
    pub max_tokens: Number,
    /// Texts at which the model stops.
    pub stop_sequences: Option<Vec<String>>,
    /// For the provider of the model.
    pub metadata: Option<Extra>,
    /// Tools for this request alone (2025-11-25 and later).
    pub tools: Option<Vec<Tool>>,
    /// Whether the model is to use them (2025-11-25 and later).
    pub tool_choice: Option<ToolChoice>,
    /// Asks for a task (2025-11-25 only). Who declared no tasks ignores it.
    pub task: Option<Extra>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl CreateMessageParams {
    /// A conversation and a limit.
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            max_tokens: max_tokens.into(),
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
            task: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

object!(CreateMessageParams {
    "messages" => messages: required,
    "modelPreferences" => model_preferences: optional,
    "systemPrompt" => system_prompt: optional,
    "includeContext" => include_context: optional,
    "temperature" => temperature: optional,
    "maxTokens" => max_tokens: required,
    "stopSequences" => stop_sequences: optional,
    "metadata" => metadata: optional,
    "tools" => tools: optional,
    "toolChoice" => tool_choice: optional,
    "task" => task: optional,
    "_meta" => meta: optional,
});

/// One message of a conversation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Who it is from.
    pub role: Role,
    /// One block, or an array of them (2025-11-25 and later).
    pub content: SamplingContent,
    /// The `_meta` member (2025-11-25 and later).
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl SamplingMessage {
    /// A message without metadata.
    pub fn new(role: Role, content: impl Into<SamplingContent>) -> Self {
        Self { role, content: content.into(), meta: None, extra: Extra::new() }
    }
}

object!(SamplingMessage {
    "role" => role: required,
    "content" => content: required,
    "_meta" => meta: optional,
});

/// Which model suits a request.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Names to look for, the best first (C-298).
    pub hints: Option<Vec<ModelHint>>,
    /// How much cost matters, from 0 to 1.
    pub cost_priority: Option<Number>,
    /// How much speed matters, from 0 to 1.
    pub speed_priority: Option<Number>,
    /// How much intelligence matters, from 0 to 1.
    pub intelligence_priority: Option<Number>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ModelPreferences {
    "hints" => hints: optional,
    "costPriority" => cost_priority: optional,
    "speedPriority" => speed_priority: optional,
    "intelligencePriority" => intelligence_priority: optional,
});

/// A part of the name of a model (C-300).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ModelHint {
    /// The part.
    pub name: Option<String>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ModelHint { "name" => name: optional });

/// Whether the model is to use tools (C-314).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolChoice {
    /// `auto`, `required` or `none`. Absent: `auto`.
    pub mode: Option<String>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ToolChoice { "mode" => mode: optional });

/// Result of `sampling/createMessage`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// Who it is from, normally the assistant.
    pub role: Role,
    /// One block, or an array of them (2025-11-25 and later).
    pub content: SamplingContent,
    /// The model that was used.
    pub model: String,
    /// Why it ended: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or another word.
    pub stop_reason: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl CreateMessageResult {
    /// An answer of the assistant.
    pub fn new(model: impl Into<String>, content: impl Into<SamplingContent>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            model: model.into(),
            stop_reason: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

object!(CreateMessageResult {
    "role" => role: required,
    "content" => content: required,
    "model" => model: required,
    "stopReason" => stop_reason: optional,
    "_meta" => meta: optional,
});

#[cfg(test)]
mod tests;
