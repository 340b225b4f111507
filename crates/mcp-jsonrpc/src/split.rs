//! Splits a long response at its `result` without reading the result.
//!
//! Reading a long answer would cost a scan for its envelope and one for its typed value. The first
//! is saved where the other members stand before the result or behind it, as servers write them:
//! then the result is what lies between. That holds exactly if what lies between is one JSON
//! value. Whether it is turns out when the value is read: [`Raw::parse`](crate::Raw::parse) then
//! fails, or puts it right where members that nobody knows follow the result.

/// Shorter frames are read as a whole: that costs little, and what is wrong with them is seen at
/// once.
const LEAST: usize = 16 * 1024;

/// The longest end of a frame in which the id is looked for.
const LONGEST_TAIL: usize = 256;

/// A response, cut at its result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Split<'a> {
    /// The JSON text of the id.
    pub(crate) id: &'a str,
    /// What should be the JSON text of the result.
    pub(crate) result: &'a str,
}

/// Splits a frame that looks like a long response; `None` leaves it to the envelope parser.
pub(crate) fn response(frame: &[u8]) -> Option<Split<'_>> {
    if frame.len() < LEAST {
        return None;
    }
    let frame = std::str::from_utf8(frame).ok()?.trim_ascii();
    let mut members = Members::default();
    let body = members.before_result(frame.strip_prefix('{')?)?;
    let mut result = body.strip_suffix('}')?.trim_ascii_end();
    if members.id.is_none() {
        let end = result.rfind('}').filter(|end| result.len() - end <= LONGEST_TAIL)? + 1;
        members.until_end(result[end..].trim_ascii_start().strip_prefix(',')?)?;
        result = &result[..end];
    }
    // The results of methods are objects; a scalar would make the cut less certain. And a second
    // message glued to the first shows a member that no text inside a string can.
    let is_object = result.starts_with('{') && result.ends_with('}') && !result.contains("\"jsonrpc\"");
    let id = members.id.filter(|id| *id != "null")?;
    (members.has_version && is_object).then_some(Split { id, result })
}

/// The short members around a result.
#[derive(Default)]
struct Members<'a> {
    has_version: bool,
    id: Option<&'a str>,
}

impl<'a> Members<'a> {
    /// Reads members up to `result`; yields what follows its colon.
    fn before_result(&mut self, mut text: &'a str) -> Option<&'a str> {
        loop {
            let (name, value) = name(text)?;
            if name == "result" {
                return Some(value);
            }
            text = self.short(name, value)?.strip_prefix(',')?;
        }
    }

    /// Reads members until nothing is left.
    fn until_end(&mut self, mut text: &'a str) -> Option<()> {
        loop {
            let (name, value) = name(text)?;
            text = self.short(name, value)?;
            if text.is_empty() {
                return Some(());
            }
            text = text.strip_prefix(',')?;
        }
    }

    /// Reads the value of `jsonrpc` or `id`; yields what follows it.
    fn short(&mut self, name: &str, text: &'a str) -> Option<&'a str> {
        let length = match text.strip_prefix('"') {
            Some(inside) => inside.find(['"', '\\']).filter(|at| inside.as_bytes()[*at] == b'"')? + 2,
            None => text.find([',', ' ', '\t']).unwrap_or(text.len()),
        };
        let (value, rest) = text.split_at(length);
        match name {
            "jsonrpc" => self.has_version = value == "\"2.0\"",
            "id" => self.id = Some(value),
            _ => return None,
        }
        Some(rest.trim_ascii_start())
    }
}

/// The name of a member, and what follows its colon.
fn name(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.trim_ascii_start().strip_prefix('"')?.split_once('"')?;
    Some((name, rest.trim_ascii_start().strip_prefix(':')?.trim_ascii_start()))
}

#[cfg(test)]
mod tests {
    use super::{LEAST, Split, response};

    /// Splits `frame`, in which `@` stands for a long object.
    fn check(frame: &str, expected: Option<(&str, &str)>) {
        let long = format!(r#"{{"text":"{}"}}"#, "x".repeat(LEAST));
        let (frame, expected) =
            (frame.replace('@', &long), expected.map(|(id, result)| (id, result.replace('@', &long))));
        let split = response(frame.as_bytes()).map(|Split { id, result }| (id, result.to_owned()));
        assert_eq!(split, expected, "{}", frame.replace(&long, "@"));
    }

    #[test]
    fn the_usual_orders_are_split() {
        check(r#"{"jsonrpc":"2.0","id":"a-1","result":@}"#, Some(("\"a-1\"", "@")));
        check(r#"{"id":7,"jsonrpc":"2.0","result":@}"#, Some(("7", "@")));
        check(r#"{"result":@,"jsonrpc":"2.0","id":7}"#, Some(("7", "@")));
        check(r#"{"jsonrpc":"2.0","result":@,"id":"b"}"#, Some(("\"b\"", "@")));
        check(" { \"jsonrpc\" : \"2.0\" , \"id\" : 7 , \"result\" : @ } ", Some(("7", "@")));
        check(" {\"result\": @ , \"id\": 7 , \"jsonrpc\": \"2.0\" }\t", Some(("7", "@")));
    }

    #[test]
    fn everything_else_is_left_to_the_parser() {
        check(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, None);
        check(r#"{"jsonrpc":"2.0","id":null,"result":@}"#, None);
        check(r#"{"jsonrpc":"2.0","id":7,"error":@}"#, None);
        check(r#"{"jsonrpc":"2.0","id":7,"method":"m","params":@}"#, None);
        check(r#"{"jsonrpc":"1.0","id":7,"result":@}"#, None);
        check(r#"{"id":7,"result":@}"#, None);
        check(r#"{"jsonrpc":"2.0","result":@}"#, None);
        check(r#"{"jsonrpc":"2.0","id":"a\"b","result":@}"#, None);
        check(r#"{"jsonrpc":"2.0","id":[7],"result":@}"#, Some(("[7]", "@")));
        check(r#"{"jsonrpc":"2.0","id":7,"result":[@]}"#, None);
        check(r#"{"result":@,"id":7}"#, None);
        check(r#"{"result":@,"id":7,"jsonrpc":"2.0","x":1}"#, None);
        check(r#"{"result":@}"#, None);
        check("[@]", None);
        check("@", None);
        check(r#"{"jsonrpc":"2.0","id":7,"result":@"#, None);
    }

    #[test]
    fn messages_glued_together_are_left_to_the_parser() {
        let long = r#"{"jsonrpc":"2.0","id":7,"result":@}"#;
        let short = r#"{"jsonrpc":"2.0","id":8,"result":{}}"#;
        check(&format!("{long}{long}"), None);
        check(&format!("{long}{short}"), None);
        check(&format!("{short}{long}"), None);
        check(
            r#"{"jsonrpc":"2.0","id":7,"result":{"t":"\"jsonrpc\"","o":@}}"#,
            Some(("7", r#"{"t":"\"jsonrpc\"","o":@}"#)),
        );
    }

    #[test]
    fn bad_bytes_are_left_to_the_parser() {
        let mut frame = br#"{"jsonrpc":"2.0","id":7,"result":{"t":""#.to_vec();
        frame.extend([0xff; LEAST]);
        frame.extend(b"\"}}");
        assert_eq!(response(&frame), None);
    }
}
