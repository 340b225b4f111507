//! Values in headers, of which those that would not pass as they are come in Base64.

/// What a header says; `None` if it begins and ends like Base64 and is none.
pub(super) fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|value| value.strip_suffix("?=")) {
        Some(text) => String::from_utf8(base64(text)?).ok(),
        None => Some(value.to_owned()),
    }
}

/// Standard Base64, padded.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    if padding > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    for group in text[..text.len() - padding].chunks(4) {
        let mut bits = 0_u32;
        for place in 0..4 {
            bits = bits << 6 | group.get(place).map_or(Some(0), |byte| digit(*byte))?;
        }
        let [_, whole @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(&whole[..group.len() - 1]);
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u32> {
    let digit = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(digit))
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[track_caller]
    fn check(value: &str, expected: Option<&str>) {
        assert_eq!(decoded(value).as_deref(), expected, "{value}");
    }

    #[test]
    fn plain_values_stand_for_themselves() {
        for value in ["", "eu-2", "two words", "=?base64?", "?=", "=?BASE64?YQ==?=", "YQ=="] {
            check(value, Some(value));
        }
    }

    #[test]
    fn marked_values_are_base64() {
        check("=?base64?WsO8cmljaA==?=", Some("Zürich"));
        check("=?base64?ICBldSA=?=", Some("  eu "));
        check("=?base64?YQpi?=", Some("a\nb"));
        check("=?base64?PT9iYXNlNjQ/aGk/PQ==?=", Some("=?base64?hi?="));
        check("=?base64??=", Some(""));
    }

    #[test]
    fn marked_values_that_are_no_base64_of_a_text_are_nothing() {
        for wrong in ["YQ", "YQ=", "Y===", "====", "Y Q=", "YQ=A", "YQ-_", "/w==", "é"] {
            check(&format!("=?base64?{wrong}?="), None);
        }
    }
}
