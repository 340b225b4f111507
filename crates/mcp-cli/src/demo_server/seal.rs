//! The `requestState` that a client hands back: what it answered so far, and proof that it is ours.

use std::hash::{BuildHasher, RandomState};

use serde_json::{Map, Value};

/// Makes and opens states. The key is random for each run of the program, so that no state outlives it.
#[derive(Debug, Default)]
pub(super) struct Seal {
    key: RandomState,
}

impl Seal {
    /// Only who asks for `purpose` again can use it.
    pub(super) fn close(&self, purpose: &str, answers: &Map<String, Value>) -> String {
        let text = Value::Object(answers.clone()).to_string();
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        format!("{:016x}.{hex}", self.key.hash_one((purpose, text)))
    }

    /// The answers in it; `None` if it is not one of ours, or was made for something else.
    pub(super) fn open(&self, purpose: &str, state: &str) -> Option<Map<String, Value>> {
        let (proof, hex) = state.split_once('.')?;
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let bytes: Option<Vec<u8>> = hex
            .as_bytes()
            .chunks(2)
            .map(|pair| match *pair {
                [high, low] => Some(digit(high)? << 4 | digit(low)?),
                _ => None,
            })
            .collect();
        let text = String::from_utf8(bytes?).ok()?;
        let expected = format!("{:016x}", self.key.hash_one((purpose, &text)));
        (proof == expected).then(|| serde_json::from_str(&text).ok())?
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_state_opens_for_its_purpose_only() {
        let (seal, other) = (Seal::default(), Seal::default());
        let Value::Object(answers) = json!({ "name": { "action": "accept", "content": { "n": "Zoë\n" } } })
        else {
            unreachable!("it is an object")
        };
        let state = seal.close("a", &answers);
        assert_eq!(seal.open("a", &state), Some(answers));
        assert_eq!((seal.open("b", &state), other.open("a", &state)), (None, None));
    }

    #[test]
    fn what_is_no_state_does_not_open() {
        let seal = Seal::default();
        let state = seal.close("a", &Map::new());
        let flipped = state.replace('7', "5");
        for wrong in
            ["", ".", "x", "x.7b7d", "0.é", &state[..state.len() - 1], &format!("{state}0"), &flipped]
        {
            assert_eq!(seal.open("a", wrong), None, "{wrong}");
        }
    }
}
