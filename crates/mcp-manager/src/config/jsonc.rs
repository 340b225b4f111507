//! JSON as people write it: comments and commas after the last item become spaces, byte for byte, so that
//! every place in the text stays where it was.

/// The text as plain JSON, of the same length. What is wrong in other ways stays for the parser to find.
pub(super) fn plain(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    // The last byte that is part of the JSON, and where it stood if it was a comma after a value.
    let (mut last, mut comma) = (b' ', None);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let end = match (byte, bytes.get(at + 1)) {
            (b'"', _) => end_of_string(&bytes, at),
            (b'/', Some(b'/')) => blank(&mut bytes, at, |rest| rest.iter().position(|it| *it == b'\n')),
            (b'/', Some(b'*')) => match end_of_comment(&bytes[at + 2..]) {
                Some(length) => blank(&mut bytes, at, |_| Some(length + 4)),
                None => break,
            },
            _ => at + 1,
        };
        match byte {
            b'/' if end > at + 1 => {}
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b',' => {
                comma = (!matches!(last, b'[' | b'{' | b',' | b':' | b' ')).then_some(at);
                last = byte;
            }
            _ => {
                if let (b']' | b'}', Some(comma)) = (byte, comma) {
                    bytes[comma] = b' ';
                }
                (last, comma) = (byte, None);
            }
        }
        at = end;
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Makes spaces of what begins at `from`, but for line breaks; returns where it ends.
fn blank(bytes: &mut [u8], from: usize, length: impl Fn(&[u8]) -> Option<usize>) -> usize {
    let end = length(&bytes[from..]).map_or(bytes.len(), |length| from + length);
    for byte in bytes[from..end].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
    end
}

/// Where the two characters that close a comment begin.
fn end_of_comment(rest: &[u8]) -> Option<usize> {
    rest.windows(2).position(|pair| pair == b"*/")
}

fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let plain = plain(text);
        assert_eq!((plain.as_str(), plain.len()), (expected, text.len()), "{text}");
    }

    #[test]
    fn comments_and_last_commas_become_spaces() {
        check("{} // é", "{}      ");
        check("{/* a\nb */}", "{    \n    }");
        check("[1,]", "[1 ]");
        check("{\"a\":[1 , /* x */ ] , }", "{\"a\":[1           ]   }");
        check("[\"a\",\n// last\n]", "[\"a\" \n       \n]");
        check("// a\r\n{}", "    \r\n{}");
    }

    #[test]
    fn what_stands_in_a_string_stays() {
        check(r#"{"a":"// no, /* no */ ,]"}"#, r#"{"a":"// no, /* no */ ,]"}"#);
        check(r#"["\"//",]"#, r#"["\"//" ]"#);
        check(r#"["http://a.test"]"#, r#"["http://a.test"]"#);
    }

    #[test]
    fn what_is_wrong_stays_wrong() {
        for text in
            ["[,]", "{,}", "[1,,]", "{\"a\":,}", "{ /* open", "\"open", "\"\\", "/", "[1/2]", ",", ",]"]
        {
            assert!(serde_json::from_str::<serde_json::Value>(&plain(text)).is_err(), "{text}");
        }
    }
}
