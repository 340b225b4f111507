//! Log messages of the server, and how serious they have to be: `logging/setLevel`.

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;

/// Params of `notifications/message`. All of it is untrusted (C-237).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LogMessageParams {
    /// How serious it is.
    pub level: LoggingLevel,
    /// Which part of the server says so.
    pub logger: Option<String>,
    /// What there is to say: any JSON, often a string. Servers that leave it out say `null`.
    pub data: Box<RawValue>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl LogMessageParams {
    /// A message of no particular logger.
    pub fn new(level: LoggingLevel, data: Box<RawValue>) -> Self {
        Self { level, logger: None, data, meta: None, extra: Extra::new() }
    }
}

object!(LogMessageParams {
    "level" => level: required,
    "logger" => logger: optional,
    "data" => data: lenient,
    "_meta" => meta: optional,
});

/// Params of `logging/setLevel` (2024-11-05 to 2025-11-25).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SetLevelParams {
    /// The least level that is wanted.
    pub level: LoggingLevel,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl SetLevelParams {
    /// Wants messages of this level and above.
    pub fn new(level: LoggingLevel) -> Self {
        Self { level, meta: None, extra: Extra::new() }
    }
}

object!(SetLevelParams {
    "level" => level: required,
    "_meta" => meta: optional,
});

/// How serious a log message is, as in RFC 5424.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoggingLevel {
    /// `debug`.
    Debug,
    /// `info`.
    Info,
    /// `notice`: normal, but worth a look.
    Notice,
    /// `warning`.
    Warning,
    /// `error`.
    Error,
    /// `critical`.
    Critical,
    /// `alert`: something must be done at once.
    Alert,
    /// `emergency`: the system is unusable.
    Emergency,
    /// Any other word. It must not cost us the message.
    Unknown(String),
}

impl LoggingLevel {
    /// The word in messages.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
            Self::Unknown(level) => level,
        }
    }
}

impl From<String> for LoggingLevel {
    fn from(level: String) -> Self {
        match level.as_str() {
            "debug" => Self::Debug,
            "info" => Self::Info,
            "notice" => Self::Notice,
            "warning" => Self::Warning,
            "error" => Self::Error,
            "critical" => Self::Critical,
            "alert" => Self::Alert,
            "emergency" => Self::Emergency,
            _ => Self::Unknown(level),
        }
    }
}

impl<'de> Deserialize<'de> for LoggingLevel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for LoggingLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for LoggingLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::LoggingLevel;

    #[test]
    fn every_level_keeps_its_word_and_an_unknown_one_too() {
        let words = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
        for word in words {
            let level = LoggingLevel::from(word.to_owned());
            assert_eq!(level.as_str(), word);
            assert!(!matches!(level, LoggingLevel::Unknown(_)), "{word}");
        }
        assert_eq!(LoggingLevel::from("WARN".to_owned()), LoggingLevel::Unknown("WARN".to_owned()));
    }
}
