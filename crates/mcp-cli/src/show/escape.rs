//! Makes text of servers harmless: nothing in it can drive a terminal or pretend to be what it is not.

/// One line: every control character is escaped, line ends too.
pub(crate) fn line(text: &str) -> String {
    escape(text, |_| false)
}

/// Text of several lines: line ends and tabs stay. `\r\n` counts as a line end.
pub(crate) fn block(text: &str) -> String {
    escape(&text.replace("\r\n", "\n"), |character| matches!(character, '\n' | '\t'))
}

/// JSON text: characters are escaped in JSON's own way, so the value stays the same.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) && !matches!(character, '\n' | '\r' | '\t') {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) && !keep(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Control characters, and those that reorder text or do not show at all. Joiners (U+200C, U+200D)
/// are no such thing: Persian and emoji need them.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::{block, json, line};

    #[test]
    fn control_characters_cannot_reach_the_terminal() {
        assert_eq!(line("\x1b[2Ja\u{9b}b\x07\u{7f}\n"), r"\u{1b}[2Ja\u{9b}b\u{7}\u{7f}\n");
        assert_eq!(block("a\tb\r\nc\rd\x1b"), "a\tb\nc\\rd\\u{1b}");
    }

    #[test]
    fn what_reorders_or_hides_text_is_shown() {
        assert_eq!(line("a\u{202e}b\u{2066}c\u{e0041}d"), r"a\u{202e}b\u{2066}c\u{e0041}d");
        assert_eq!(block("a\u{2028}b"), r"a\u{2028}b");
    }

    #[test]
    fn all_scripts_stay_readable() {
        let text = "naïve – 日本語 می\u{200c}خواهم 👩\u{200d}💻";
        assert_eq!((line(text).as_str(), block(text).as_str(), json(text).as_str()), (text, text, text));
    }

    #[test]
    fn json_stays_the_same_value() {
        let text = "\"\u{202e}\u{e0041}\u{9b}\"";
        let escaped = json(text);
        assert_eq!(escaped, r#""\u202e\udb40\udc41\u009b""#);
        let values = [text, &escaped].map(|text| serde_json::from_str::<String>(text).unwrap());
        assert_eq!(values[0], values[1]);
    }
}
