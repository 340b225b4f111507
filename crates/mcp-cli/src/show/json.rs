//! JSON text re-spaced without being interpreted: every number, string and member order stays.

use std::borrow::Cow;

/// Members and items on lines of their own, indented by two; empty ones and short arrays of plain
/// values stay on one line.
pub(crate) fn pretty(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth: usize = 0;
    let tokens = tokens(text);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match *token {
            "{" | "[" => {
                if let Some(length) = short(&tokens[at..]) {
                    push_short(&mut out, &tokens[at..at + length]);
                    at += length;
                    continue;
                }
                depth += 1;
                out.push_str(token);
                new_line(&mut out, depth);
            }
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push_str(token);
            }
            "," => {
                out.push(',');
                new_line(&mut out, depth);
            }
            ":" => out.push_str(": "),
            token => out.push_str(token),
        }
        at += 1;
    }
    out
}

/// The same value without white space between its tokens, so that it fits on one line.
pub(crate) fn compact(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        Cow::Owned(tokens(text).concat())
    } else {
        Cow::Borrowed(text)
    }
}

/// Longest array of plain values on one line.
const SHORT: usize = 72;

/// How many tokens are an empty object, or an array of plain values that is short enough.
fn short(tokens: &[&str]) -> Option<usize> {
    if let ["{", "}", ..] = tokens {
        return Some(2);
    }
    if tokens[0] != "[" {
        return None;
    }
    let mut width = 0;
    for (at, token) in tokens.iter().enumerate().skip(1) {
        match *token {
            "]" => return Some(at + 1),
            "{" | "[" => return None,
            token => width += token.len() + 1,
        }
        if width > SHORT {
            return None;
        }
    }
    None
}

fn push_short(out: &mut String, tokens: &[&str]) {
    for token in tokens {
        out.push_str(if *token == "," { ", " } else { token });
    }
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
}

/// The tokens of valid JSON text; of other text, something that loses no visible character.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            b'{' | b'}' | b'[' | b']' | b',' | b':' => {}
            b'"' => at = string_end(bytes, at),
            _ => {
                let is_plain = |byte: &u8| !b" \t\n\r{}[],:\"".contains(byte);
                at += bytes[at..].iter().take_while(|byte| is_plain(byte)).count();
            }
        }
        tokens.push(&text[start..at]);
    }
    tokens
}

/// Behind the quote that ends the string whose content begins at `at`.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{compact, pretty};

    #[test]
    fn pretty_json_keeps_numbers_strings_and_order() {
        let text =
            r#"{"b":9007199254740993,"a":[1,-0,1e400],"s":"{\"x\", [é]}","e":{},"l":[],"n":[{"k":null}]}"#;
        let expected = "{\n  \"b\": 9007199254740993,\n  \"a\": [1, -0, 1e400],\n  \"s\": \"{\\\"x\\\", [é]}\",\n  \
                        \"e\": {},\n  \"l\": [],\n  \"n\": [\n    {\n      \"k\": null\n    }\n  ]\n}";
        assert_eq!(pretty(text), expected);
        assert_eq!(compact(&pretty(text)), text);
    }

    #[test]
    fn plain_values_stay_as_they_are() {
        for text in ["1", "\"a b\"", "null", "[]"] {
            assert_eq!((pretty(text).as_str(), compact(text).as_ref()), (text, text));
        }
    }

    #[test]
    fn text_that_is_no_json_does_no_harm() {
        for text in ["\"a", "\"\\", "]}", "[", "{,", "\u{e9}"] {
            assert_eq!(compact(text).replace(' ', ""), text.replace(' ', ""));
            pretty(text);
        }
    }
}
