//! Reads challenges out of header lines, as far as they can be read.

use super::Challenge;

const MAX_CHALLENGES: usize = 16;
const MAX_PARAMS: usize = 32;
/// Most bytes that are read, of all lines together.
const MAX_TEXT: usize = 8 * 1024;

/// The challenges of some lines, which go on from one to the next as if they were one.
pub(super) fn read<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<Challenge> {
    let mut found = Vec::new();
    let mut room = MAX_TEXT;
    for line in lines {
        let text = &line[..line.len().min(room)];
        room -= text.len();
        let is_full = Line { rest: text }.read(&mut found).is_none();
        if is_full || room == 0 {
            break;
        }
    }
    found
}

struct Line<'a> {
    rest: &'a [u8],
}

impl<'a> Line<'a> {
    /// Adds what the line says; `None` once there are enough challenges.
    fn read(mut self, found: &mut Vec<Challenge>) -> Option<()> {
        let mut is_element_start = true;
        loop {
            is_element_start |= self.skip_separators();
            if self.rest.is_empty() {
                return Some(());
            }
            let name = self.take_while(is_token);
            let has_space = self.skip_space();
            if name.is_empty() {
                self.skip_element();
            } else if self.skip_byte(b'=') {
                self.skip_space();
                if let Some(value) = self.value()
                    && let Some(challenge) = found.last_mut()
                {
                    add(challenge, name, value);
                }
            } else if is_element_start && (has_space || matches!(self.rest.first(), None | Some(b','))) {
                if found.len() == MAX_CHALLENGES {
                    return None;
                }
                found.push(Challenge { scheme: text(name), token68: self.token68(), params: Vec::new() });
            } else {
                self.skip_element();
            }
            is_element_start = false;
        }
    }

    /// A quoted or a plain value; none if the quote does not end, or there is nothing.
    fn value(&mut self) -> Option<Vec<u8>> {
        if self.rest.first() == Some(&b'"') {
            return self.quoted();
        }
        // More than the grammar allows, since addresses are sent without quotes too.
        let value = self.take_while(|byte| !is_space(byte) && byte != b',');
        (!value.is_empty()).then(|| value.to_vec())
    }

    /// A quoted text without its quotes and escapes.
    fn quoted(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        let mut bytes = self.rest.iter().copied().enumerate().skip(1);
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'"' => {
                    self.rest = &self.rest[at + 1..];
                    return Some(value);
                }
                b'\\' => value.extend(bytes.next().map(|(_, escaped)| escaped)),
                _ => value.push(byte),
            }
        }
        self.rest = &[];
        None
    }

    /// The token that stands in place of parameters, if one does: it fills its element.
    fn token68(&mut self) -> Option<String> {
        let before = self.rest;
        self.take_while(is_token68);
        self.take_while(|byte| byte == b'=');
        let token = &before[..before.len() - self.rest.len()];
        self.skip_space();
        if !token.is_empty() && matches!(self.rest.first(), None | Some(b',')) {
            return Some(text(token));
        }
        self.rest = before;
        None
    }

    /// Goes to the next comma that is not in quotes.
    fn skip_element(&mut self) {
        while let Some(byte) = self.rest.first() {
            match byte {
                b',' => return,
                b'"' => drop(self.quoted()),
                _ => self.rest = &self.rest[1..],
            }
        }
    }

    /// Whether there was a comma.
    fn skip_separators(&mut self) -> bool {
        self.take_while(|byte| is_space(byte) || byte == b',').contains(&b',')
    }

    fn skip_space(&mut self) -> bool {
        !self.take_while(is_space).is_empty()
    }

    fn skip_byte(&mut self, wanted: u8) -> bool {
        let rest = self.rest.strip_prefix(&[wanted]);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take_while(&mut self, mut is_wanted: impl FnMut(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| !is_wanted(*byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

/// Adds a parameter; of two with one name the first counts.
fn add(challenge: &mut Challenge, name: &[u8], value: Vec<u8>) {
    let name = text(name).to_ascii_lowercase();
    if challenge.params.len() < MAX_PARAMS && challenge.param(&name).is_none() {
        challenge.params.push((name, text(&value)));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte)
}
