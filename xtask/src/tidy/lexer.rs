//! Finds comments and literals in Rust text; all else is code.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One line of `//`, or one whole `/* */`.
    Comment,
    /// A string or character with its quotes.
    Literal,
}

pub(super) fn spans(text: &str) -> Vec<(Kind, Range<usize>)> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let found = match rest {
            [b'/', b'/', ..] => Some((Kind::Comment, line_length(rest))),
            [b'/', b'*', ..] => Some((Kind::Comment, block_length(rest))),
            [b'"', ..] => Some((Kind::Literal, string_length(rest))),
            [b'\'', ..] => char_length(&text[at..]).map(|length| (Kind::Literal, length)),
            [b'r', ..] if starts_raw(bytes, at) => raw_length(rest).map(|length| (Kind::Literal, length)),
            _ => None,
        };
        match found {
            Some((kind, length)) => {
                spans.push((kind, at..at + length));
                at += length;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    spans
}

fn line_length(rest: &[u8]) -> usize {
    rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())
}

/// Block comments nest.
fn block_length(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn string_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Of a character literal; a lifetime is none.
fn char_length(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1);
    let (_, first) = chars.next()?;
    if first == '\\' {
        // What is escaped may be a quote itself.
        let (escaped, _) = chars.next()?;
        return rest[escaped + 1..].find('\'').map(|end| escaped + 1 + end + 1);
    }
    let (end, quote) = chars.next()?;
    (quote == '\'').then_some(end + 1)
}

/// Whether the `r` at `at` can begin a raw string, also in `br` and `cr`.
fn starts_raw(bytes: &[u8], at: usize) -> bool {
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    let before = |back: usize| at.checked_sub(back).map(|index| bytes[index]);
    match before(1) {
        Some(b'b' | b'c') => !before(2).is_some_and(is_word),
        Some(byte) => !is_word(byte),
        None => true,
    }
}

fn raw_length(rest: &[u8]) -> Option<usize> {
    let hashes = rest[1..].iter().take_while(|&&byte| byte == b'#').count();
    let open = 1 + hashes;
    if rest.get(open) != Some(&b'"') {
        return None;
    }
    let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let inside = &rest[open + 1..];
    let length = inside.windows(close.len()).position(|window| window == close);
    Some(length.map_or(rest.len(), |length| open + 1 + length + close.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comments come back in `<>`, literals in `[]`.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut marked = String::new();
        let mut end = 0;
        for (kind, range) in spans(text) {
            let (open, close) = if kind == Kind::Comment { ('<', '>') } else { ('[', ']') };
            marked += &text[end..range.start];
            marked.push(open);
            marked += &text[range.clone()];
            marked.push(close);
            end = range.end;
        }
        marked += &text[end..];
        assert_eq!(marked, expected);
    }

    #[test]
    fn comments_end_where_rust_ends_them() {
        check("a // b\nc", "a <// b>\nc");
        check("a /* b /* c */ d */ e", "a </* b /* c */ d */> e");
        check("a /* open", "a </* open>");
        check("a / b", "a / b");
    }

    #[test]
    fn a_comment_in_a_string_is_none_and_the_reverse() {
        check(r#"f("// no") // "yes"#, r#"f(["// no"]) <// "yes>"#);
    }

    #[test]
    fn escapes_do_not_end_a_string() {
        check(r#""a\"b" c"#, r#"["a\"b"] c"#);
        check(r#""a\\" c"#, r#"["a\\"] c"#);
    }

    #[test]
    fn raw_strings_end_at_as_many_hashes() {
        check(r##"r#"a"b"# c"##, r##"[r#"a"b"#] c"##);
        check(r#"br"a\" c"#, r#"b[r"a\"] c"#);
        check("r#type r", "r#type r");
        check(r#"var"x""#, r#"var["x"]"#);
    }

    #[test]
    fn characters_are_literals_and_lifetimes_are_not() {
        check("'a' 'b 'static", "['a'] 'b 'static");
        check(r"'\'' '\\' '\u{41}'", r"['\''] ['\\'] ['\u{41}']");
        check("'é' '\"' x", "['é'] ['\"'] x");
    }
}
