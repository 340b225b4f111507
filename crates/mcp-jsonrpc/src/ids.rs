//! The ids of our requests: how they are made, and how one is recognised again.

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use mcp_types::RequestId;

use crate::envelope::Id;

/// Which form the ids of our requests have (D-15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdFormat {
    /// Strings: a random part and a timestamp, drawn once for the connection, and a counter that
    /// makes them unique. The default.
    #[default]
    Text,
    /// Integers, counted from 1 on each connection.
    Number,
}

/// Makes the ids of one connection out of a counter, and gets the counter back out of an id.
#[derive(Debug)]
pub(crate) enum Ids {
    Text { prefix: String },
    Number,
}

impl Ids {
    /// `now` is the timestamp in the ids; this crate reads no clock itself.
    pub(crate) fn new(format: IdFormat, now: SystemTime) -> Self {
        match format {
            IdFormat::Number => Self::Number,
            IdFormat::Text => {
                let random = RandomState::new().hash_one(now);
                let millis = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
                Self::Text { prefix: format!("{}-{}-", base36(random), base36(millis)) }
            }
        }
    }

    /// Writes the JSON text of id number `n`.
    pub(crate) fn write(&self, out: &mut Vec<u8>, n: u64) {
        // Writing to a Vec cannot fail.
        let _ = match self {
            Self::Text { prefix } => write!(out, "\"{prefix}{n}\""),
            Self::Number => write!(out, "{n}"),
        };
    }

    /// Id number `n` as a value.
    pub(crate) fn value(&self, n: u64) -> RequestId {
        match self {
            Self::Text { prefix } => RequestId::Text(format!("{prefix}{n}")),
            Self::Number => RequestId::Number(n.cast_signed()),
        }
    }

    /// The number of an id in a message, if it has the form of ours and the same JSON type.
    pub(crate) fn number(&self, id: Id<'_>) -> Option<u64> {
        match self {
            Self::Text { prefix } => match id.plain_text() {
                Some(text) => canonical(text.strip_prefix(prefix.as_str())?),
                None => self.number_of(&id.value()?),
            },
            Self::Number => canonical(id.raw().get()).or_else(|| self.number_of(&id.value()?)),
        }
    }

    /// The number of an id given as a value.
    pub(crate) fn number_of(&self, id: &RequestId) -> Option<u64> {
        match (self, id) {
            (Self::Text { prefix }, RequestId::Text(text)) => canonical(text.strip_prefix(prefix.as_str())?),
            (Self::Number, RequestId::Number(n)) => u64::try_from(*n).ok(),
            _ => None,
        }
    }

    /// The number of an id that a server turned from an integer into a string (case 51).
    pub(crate) fn number_as_text(&self, id: Id<'_>) -> Option<u64> {
        match self {
            Self::Number => canonical(id.plain_text()?),
            Self::Text { .. } => None,
        }
    }
}

/// Digits as we write them: no sign, no leading zero.
fn canonical(digits: &str) -> Option<u64> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}

fn base36(mut n: u64) -> String {
    let mut digits = Vec::new();
    while n > 0 || digits.is_empty() {
        digits.extend(char::from_digit((n % 36) as u32, 36));
        n /= 36;
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    fn number(ids: &Ids, json: &str) -> Option<u64> {
        let raw = serde_json::value::RawValue::from_string(json.to_owned()).unwrap();
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{raw},"result":1}}"#);
        let mut found = None;
        crate::envelope::read(frame.as_bytes(), |_, message| {
            if let Ok(crate::envelope::Message::Response { id: Some(id), .. }) = message {
                found = ids.number(id);
            }
        });
        found
    }

    #[test]
    fn a_text_id_is_random_part_timestamp_and_counter() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(36 * 36);
        let (a, b) = (Ids::new(IdFormat::Text, now), Ids::new(IdFormat::Text, now));
        let RequestId::Text(text) = a.value(7) else { panic!("text") };
        let parts: Vec<_> = text.split('-').collect();
        assert_eq!((parts.len(), parts[1], parts[2]), (3, "100", "7"));
        assert_ne!(a.value(7), b.value(7), "two connections of one instant differ");
    }

    #[test]
    fn an_id_leads_back_to_its_number_by_value_and_type() {
        let text = Ids::new(IdFormat::Text, SystemTime::UNIX_EPOCH);
        let written = |n| {
            let mut out = Vec::new();
            text.write(&mut out, n);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(number(&text, &written(42)), Some(42));
        assert_eq!(number(&text, &written(42).replace('-', "\\u002d")), Some(42));
        assert_eq!(number(&text, &written(42).replace("42\"", "042\"")), None);
        assert_eq!(number(&text, "42"), None);
        let numbers = Ids::new(IdFormat::Number, SystemTime::UNIX_EPOCH);
        assert_eq!(number(&numbers, "5"), Some(5));
        assert_eq!(number(&numbers, "5.0"), Some(5), "an integral float is the integer");
        assert_eq!(number(&numbers, "\"5\""), None, "a numeric string is not a number");
        assert_eq!(number(&numbers, "-5"), None);
        assert_eq!(number(&numbers, "1e400"), None);
    }
}
