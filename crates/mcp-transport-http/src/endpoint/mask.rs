//! The secrets of a URL: found, and left out of what people see.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// What stands in place of a secret.
const MASK: &str = "***";

/// Writes a query with each value replaced.
pub(super) fn write_query(f: &mut fmt::Formatter<'_>, query: &str) -> fmt::Result {
    for (index, part) in query.split('&').enumerate() {
        f.write_str(if index == 0 { "?" } else { "&" })?;
        match part.split_once('=') {
            Some((name, _)) => write!(f, "{name}={MASK}")?,
            None if part.is_empty() => {}
            None => f.write_str(MASK)?,
        }
    }
    Ok(())
}

/// Every secret, as written and decoded, the longest first.
pub(super) fn secrets(user_info: Option<&str>, query: Option<&str>) -> Vec<String> {
    let mut secrets = Vec::new();
    if let Some(user_info) = user_info {
        let (user, password) = user_info.split_once(':').unwrap_or((user_info, ""));
        secrets.push(basic(user_info));
        push_forms(&mut secrets, user);
        push_forms(&mut secrets, password);
    }
    for part in query.unwrap_or_default().split('&') {
        push_forms(&mut secrets, part.split_once('=').map_or(part, |(_, value)| value));
    }
    secrets.retain(|secret| !secret.is_empty());
    secrets.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    secrets.dedup();
    secrets
}

/// `user:password`, percent-decoded, in base64.
pub(super) fn basic(user_info: &str) -> String {
    let mut plain = percent_decoded(user_info);
    if !user_info.contains(':') {
        plain.push(b':');
    }
    STANDARD.encode(plain)
}

pub(super) fn percent_decoded(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let pair = if first == b'%' { tail.first_chunk().and_then(hex) } else { None };
        decoded.push(pair.unwrap_or(first));
        rest = if pair.is_some() { &tail[2..] } else { tail };
    }
    decoded
}

fn hex(&[high, low]: &[u8; 2]) -> Option<u8> {
    let digit = |byte| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

fn push_forms(secrets: &mut Vec<String>, text: &str) {
    let decoded = String::from_utf8_lossy(&percent_decoded(text)).into_owned();
    if text.contains('+') {
        // As a form would be decoded.
        secrets.push(String::from_utf8_lossy(&percent_decoded(&text.replace('+', " "))).into_owned());
    }
    secrets.push(decoded);
    secrets.push(text.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_percent_code_stays() {
        let check = |text, expected: &str| assert_eq!(percent_decoded(text), expected.as_bytes());
        check("a%20b", "a b");
        check("100%", "100%");
        check("%4", "%4");
        check("%zz%41", "%zzA");
        check("%+1", "%+1");
    }
}
