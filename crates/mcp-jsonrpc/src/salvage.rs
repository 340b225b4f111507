//! Finds the id of a response in bytes that are no proper message.
//!
//! A response with a byte that is not UTF-8, with broken JSON inside, or longer than the limit
//! cannot be delivered, but the call that waits for it should fail now and not at its deadline
//! (D-01). This scanner keeps no more than the id, takes the bytes in any chunks, and does not
//! mind what is wrong with them as long as strings and brackets can be followed. Only what begins
//! like a message counts: a log line that quotes a response must not fail the call whose real
//! response is still to come.

use mcp_types::RequestId;

/// Longest id text that is remembered; a longer one is not one of ours.
const MAX_ID: usize = 128;

/// A scanner over the bytes of one frame.
#[derive(Debug, Default)]
pub struct Salvage {
    depth: usize,
    /// The depth at which members of a message stand: 1, or 2 inside a batch.
    level: usize,
    string: Option<StringState>,
    /// The member name being read or last read at `level`, cut at `MAX_ID`.
    name: Vec<u8>,
    /// Whether a colon followed `name`, so that its value comes now.
    in_value: bool,
    id: Vec<u8>,
    is_response: bool,
    is_request: bool,
    /// Whether something stood where only messages can: then the rest is not looked at.
    is_noise: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringState {
    Plain,
    /// After a backslash.
    Escaped,
}

impl Salvage {
    /// A scanner at the start of a frame.
    pub fn new() -> Self {
        Self::default()
    }

    /// Scans more of the frame, and hands each id of a response to `found` as soon as it is
    /// certain: both the id, and `result` or `error`, but no `method`, have been seen.
    pub fn push(&mut self, bytes: &[u8], mut found: impl FnMut(RequestId)) {
        for &byte in bytes {
            if self.is_noise {
                return;
            }
            if let Some(state) = self.string {
                self.in_string(byte, state);
            } else if let Some(id) = self.outside(byte) {
                found(id);
            }
        }
    }

    fn in_string(&mut self, byte: u8, state: StringState) {
        self.string = match (state, byte) {
            (StringState::Plain, b'"') => None,
            (StringState::Plain, b'\\') => Some(StringState::Escaped),
            _ => Some(StringState::Plain),
        };
        if self.depth == self.level && self.level > 0 {
            if self.in_value {
                self.keep_id(byte);
            } else if self.string.is_some() && self.name.len() < MAX_ID {
                self.name.push(byte);
            }
        }
    }

    fn outside(&mut self, byte: u8) -> Option<RequestId> {
        if self.depth == 0 && !matches!(byte, b'{' | b'[') {
            // A byte-order mark before each message is a known vice.
            let is_blank = byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(&byte);
            self.is_noise = !is_blank;
            return None;
        }
        let at_level = self.level > 0 && self.depth == self.level;
        match byte {
            b'"' => {
                self.string = Some(StringState::Plain);
                if at_level && !self.in_value {
                    self.name.clear();
                } else if at_level {
                    self.keep_id(byte);
                }
            }
            b':' if at_level => {
                self.in_value = true;
                match self.name.as_slice() {
                    b"id" => self.id.clear(),
                    b"result" | b"error" => self.is_response = true,
                    b"method" => self.is_request = true,
                    _ => {}
                }
                // With the id in front, `result` makes it certain.
                return if self.name == b"id" { None } else { self.certain() };
            }
            b',' if at_level => return self.end_of_member(),
            b'{' | b'[' => {
                self.depth += 1;
                if byte == b'{' && self.level == 0 {
                    self.level = self.depth;
                }
            }
            b'}' | b']' => {
                let id = if at_level { self.end_of_member() } else { None };
                self.depth = self.depth.saturating_sub(1);
                // Responses can stand glued together. What follows a bracket is a log line with a
                // tag in front, not a second batch.
                self.is_noise = byte == b']' && self.depth == 0;
                if at_level {
                    *self = Self { depth: self.depth, is_noise: self.is_noise, ..Self::default() };
                }
                return id;
            }
            _ if at_level && self.in_value => self.keep_id(byte),
            _ => {}
        }
        None
    }

    fn keep_id(&mut self, byte: u8) {
        if self.name == b"id" && self.id.len() <= MAX_ID {
            self.id.push(byte);
        }
    }

    fn end_of_member(&mut self) -> Option<RequestId> {
        let was_id = self.in_value && self.name == b"id";
        self.in_value = false;
        self.name.clear();
        if was_id { self.certain() } else { None }
    }

    /// The id, once, if it is complete and known to be that of a response.
    fn certain(&mut self) -> Option<RequestId> {
        if self.is_request || !self.is_response || self.id.is_empty() {
            return None;
        }
        let id = serde_json::from_slice(&self.id).ok();
        self.id.clear();
        id
    }
}

#[cfg(test)]
mod tests {
    use super::Salvage;
    use crate::testing::every_cut;

    fn check(bytes: &[u8], expected: &[&str]) {
        every_cut(bytes, |chunks| {
            let (mut salvage, mut found) = (Salvage::new(), Vec::new());
            for chunk in chunks {
                salvage.push(chunk, |id| found.push(id.to_string()));
            }
            assert_eq!(found, expected, "{}", String::from_utf8_lossy(bytes));
        });
    }

    #[test]
    fn an_id_is_found_before_and_after_the_damage() {
        check(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"t\":\"\xb0\xa1\"}}", &["2"]);
        check(b"{\"result\":{\"t\":\"\xb0\xa1\"},\"jsonrpc\":\"2.0\",\"id\":\"a b\"}", &[r#""a b""#]);
        check(br#"{"id" : 7 , "error" : {bad"#, &["7"]);
        check(br#"{"result":[1,{"id":3}],"id":9}"#, &["9"]);
    }

    #[test]
    fn only_a_response_shows_an_id() {
        check(br#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{"#, &[]);
        check(br#"{"method":"x","id":2,"result":1}"#, &[]);
        check(br#"{"jsonrpc":"2.0","id":4,"resu"#, &[]);
        check(br#"{"params":{"id":4,"result":1}}"#, &[]);
        check(br#""id":4,"result":1"#, &[]);
    }

    #[test]
    fn a_log_line_that_quotes_a_response_shows_nothing() {
        check(br#"sent {"jsonrpc":"2.0","id":1,"result":{}}"#, &[]);
        check(br#"[debug] {"jsonrpc":"2.0","id":1,"result":{}}"#, &[]);
        check(br#""{" {"id":1,"result":{}}"#, &[]);
        check(b"\x1b[32m {\"id\":1,\"result\":{}}", &[]);
        check(br#"{"id":1,"result":{}} sent {"id":2,"result":{}}"#, &["1"]);
    }

    #[test]
    fn glued_responses_and_one_behind_a_byte_order_mark_show_their_ids() {
        check(br#"{"id":1,"result":{}}{"id":2,"error":{}} {"id":3,"result":1}"#, &["1", "2", "3"]);
        check(b"\xef\xbb\xbf {\"id\":1,\"result\":{}}", &["1"]);
    }

    #[test]
    fn strings_cannot_fake_structure() {
        check(br#"{"result":"\",\"id\":1,\"x\":{","id":2}"#, &["2"]);
        check(br#"{"x":"id","result":"id","id":"\"}"}"#, &[r#""\"}""#]);
    }

    #[test]
    fn each_member_of_a_batch_shows_its_own_id() {
        check(
            b"[{\"id\":1,\"result\":{}},{\"id\":2,\"method\":\"x\"},{\"result\":\"\xff\",\"id\":3}]",
            &["1", "3"],
        );
    }

    #[test]
    fn an_endless_id_is_not_kept() {
        let mut salvage = Salvage::new();
        salvage.push(b"{\"result\":1,\"id\":\"", |_| panic!("no id"));
        salvage.push(&[b'a'; 1 << 16], |_| panic!("no id"));
        salvage.push(b"\"}", |_| panic!("no id"));
        assert!(salvage.id.capacity() < 4 * super::MAX_ID);
    }
}
