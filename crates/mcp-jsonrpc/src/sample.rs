//! A bounded, escaped piece of something a peer sent, safe to show on a terminal.

use std::fmt;

use crate::mask::Mask;

/// Most bytes of input a sample shows.
pub const SAMPLE_BYTES: usize = 256;

/// The beginning of some bytes from a peer: at most [`SAMPLE_BYTES`] of them, control characters
/// and bytes that are not UTF-8 escaped, so that it can neither fill a log nor drive a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    text: String,
    cut: bool,
}

impl Sample {
    /// Takes a sample of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let shown = &bytes[..bytes.len().min(SAMPLE_BYTES)];
        let mut text = String::with_capacity(shown.len());
        for chunk in shown.utf8_chunks() {
            escape_into(&mut text, chunk.valid());
            for byte in chunk.invalid() {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        Self { text, cut: shown.len() < bytes.len() }
    }

    /// The same without these secrets.
    #[must_use]
    pub fn masked(&self, mask: &Mask) -> Self {
        Self { text: mask.apply(&self.text), cut: self.cut }
    }

    /// The escaped text, without the mark that it was cut.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)?;
        if self.cut { formatter.write_str("…") } else { Ok(()) }
    }
}

/// `text` with everything escaped that could drive a terminal or hide text; see [`Sample`].
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

/// Appends `text` to `out`, control characters (C0, DEL, C1) and the characters that reorder or
/// hide text (bidirectional controls, line separators, what has no width, tags) as escapes.
fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        let hidden = matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        );
        if character.is_control() || hidden {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn a_sample_cannot_drive_a_terminal() {
        let sample = Sample::of(b"\x1b[33mwarn\x1b[0m \xff\xfe \xe2\x94\x80 \xe2\x80\xae\r\n");
        assert_eq!(sample.to_string(), r"\u{1b}[33mwarn\u{1b}[0m \xff\xfe ─ \u{202e}\r\n");
    }

    #[test]
    fn text_that_hides_or_reorders_is_shown_as_escapes() {
        for hidden in ['\u{ad}', '\u{61c}', '\u{180e}', '\u{200b}', '\u{206a}', '\u{feff}', '\u{e0041}'] {
            assert_eq!(super::escape(&hidden.to_string()), hidden.escape_unicode().to_string());
        }
        assert_eq!(super::escape("né ─ 漢 🦀"), "né ─ 漢 🦀");
    }

    #[test]
    fn a_sample_is_bounded() {
        let sample = Sample::of(&[b'a'; 1 << 20]);
        assert_eq!(sample.to_string().chars().count(), super::SAMPLE_BYTES + 1);
        assert!(sample.to_string().ends_with('…'));
    }

    #[test]
    fn a_character_cut_by_the_bound_is_escaped_not_a_panic() {
        let text = "€".repeat(200);
        assert!(Sample::of(text.as_bytes()).as_str().ends_with(r"\xe2"));
    }
}
