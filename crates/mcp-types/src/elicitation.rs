//! Elicitation: the server asks the user, by a form or by an address to open.

mod schema;

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

pub use self::schema::{ElicitField, ElicitItems, ElicitOption, ElicitSchema};
use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;

/// Params of `elicitation/create`, of both modes.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ElicitParams {
    /// `form` or `url`. Absent: `form` (C-324).
    pub mode: Option<String>,
    /// What is asked, and why.
    pub message: String,
    /// The form, if this is one.
    pub requested_schema: Option<ElicitSchema>,
    /// What to open, in URL mode (2025-11-25 and later).
    pub url: Option<String>,
    /// Which elicitation it is, in URL mode; opaque (C-348; 2025-11-25 only).
    pub elicitation_id: Option<String>,
    /// Asks for a task (2025-11-25 only). Who declared no tasks ignores it.
    pub task: Option<Extra>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ElicitParams {
    "mode" => mode: optional,
    "message" => message: required,
    "requestedSchema" => requested_schema: optional,
    "url" => url: optional,
    "elicitationId" => elicitation_id: optional,
    "task" => task: optional,
    "_meta" => meta: optional,
});

/// Without the address, whose query may be secret.
impl fmt::Debug for ElicitParams {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ElicitParams")
            .field("mode", &self.mode)
            .field("message", &self.message)
            .field("requested_schema", &self.requested_schema)
            .field("has_url", &self.url.is_some())
            .finish_non_exhaustive()
    }
}

/// What the user chose to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ElicitAction {
    /// `accept`: the form was sent off, or the address may be opened.
    Accept,
    /// `decline`: the user said no.
    Decline,
    /// `cancel`: the user chose nothing.
    Cancel,
    /// Any other word.
    Unknown(String),
}

impl ElicitAction {
    /// The word in messages.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
            Self::Unknown(action) => action,
        }
    }
}

impl From<String> for ElicitAction {
    fn from(action: String) -> Self {
        match action.as_str() {
            "accept" => Self::Accept,
            "decline" => Self::Decline,
            "cancel" => Self::Cancel,
            _ => Self::Unknown(action),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitAction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for ElicitAction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Result of `elicitation/create`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ElicitResult {
    /// What the user chose to do.
    pub action: ElicitAction,
    /// What the form holds: only with `accept`, and only of a form (C-340).
    pub content: Option<Extra>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ElicitResult {
    /// A result without content.
    pub fn new(action: ElicitAction) -> Self {
        Self { action, content: None, meta: None, extra: Extra::new() }
    }
}

object!(ElicitResult {
    "action" => action: required,
    "content" => content: optional,
    "_meta" => meta: optional,
});

/// Params of `notifications/elicitation/complete` (2025-11-25 only).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ElicitationCompleteParams {
    /// Which elicitation is done.
    pub elicitation_id: String,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ElicitationCompleteParams {
    "elicitationId" => elicitation_id: required,
    "_meta" => meta: optional,
});

/// The data of error -32042 (2025-11-25 only): what the user has to do before the request can be
/// repeated (C-353).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UrlElicitationRequired {
    /// Elicitations in URL mode.
    pub elicitations: Vec<ElicitParams>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(UrlElicitationRequired { "elicitations" => elicitations: required });

#[cfg(test)]
mod tests {
    use super::{ElicitAction, ElicitParams};

    #[test]
    fn every_action_keeps_its_word_and_an_unknown_one_too() {
        for word in ["accept", "decline", "cancel"] {
            let action = ElicitAction::from(word.to_owned());
            assert_eq!(action.as_str(), word);
            assert!(!matches!(action, ElicitAction::Unknown(_)), "{word}");
        }
        assert_eq!(ElicitAction::from("no".to_owned()), ElicitAction::Unknown("no".to_owned()));
    }

    #[test]
    fn params_do_not_show_the_address() {
        let json =
            r#"{"mode":"url","message":"m","url":"https://example.com/?k=SECRET-1","elicitationId":"1"}"#;
        let params: ElicitParams = serde_json::from_str(json).unwrap();
        let shown = format!("{params:?}");
        assert!(shown.contains("has_url: true") && !shown.contains("SECRET-1"), "{shown}");
    }
}
