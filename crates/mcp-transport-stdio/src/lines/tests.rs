//! The decoder on every kind of line, cut everywhere.

use mcp_jsonrpc::testing::every_cut;
use proptest::prelude::{any, prop};

use super::{Line, LineDecoder, READ};

fn decode(max_line: usize, chunks: &[&[u8]]) -> Vec<Line> {
    let (mut decoder, mut lines) = (LineDecoder::new(max_line), Vec::new());
    for chunk in chunks {
        decoder.push(chunk);
        lines.extend(std::iter::from_fn(|| decoder.next_line()));
    }
    lines.extend(decoder.finish());
    assert_eq!(decoder.buffered(), 0, "nothing is left behind");
    lines
}

/// The lines as text; the parts of an overlong one joined, since they depend on the cuts.
fn show(lines: &[Line]) -> Vec<String> {
    let mut out = Vec::new();
    for line in lines {
        match line {
            Line::Whole(bytes) => out.push(bytes.escape_ascii().to_string()),
            Line::TooLong(bytes) => out.push(format!("too long: {}", bytes.escape_ascii())),
            Line::More(bytes) => out.last_mut().unwrap().push_str(&bytes.escape_ascii().to_string()),
        }
    }
    out
}

fn check_with(max_line: usize, input: &[u8], expected: &[&str]) {
    every_cut(input, |chunks| assert_eq!(show(&decode(max_line, chunks)), expected));
}

fn check(input: &[u8], expected: &[&str]) {
    check_with(1 << 20, input, expected);
}

#[test]
fn only_a_line_feed_ends_a_line() {
    check("a\u{2028}b\u{2029}c\u{c}d\n".as_bytes(), &[r"a\xe2\x80\xa8b\xe2\x80\xa9c\x0cd"]);
}

#[test]
fn crlf_and_blank_lines_are_no_noise() {
    check(b"{1}\r\n\r\n\n   \n\t \r\n{2}\r\n", &["{1}", "{2}"]);
    check(b"a\r\r\n", &[r"a\r"]);
}

#[test]
fn one_byte_order_mark_is_taken_off_the_start_of_the_stream() {
    let mark = r"\xef\xbb\xbf";
    check("\u{feff}{\u{feff}}\n\u{feff}b\n".as_bytes(), &[&format!("{{{mark}}}"), &format!("{mark}b")]);
    check("\u{feff}\n1\n".as_bytes(), &["1"]);
}

#[test]
fn a_last_line_without_its_end_counts() {
    check(b"1\n2", &["1", "2"]);
    check(b"1\n2\r", &["1", "2"]);
    check(b"1\n  ", &["1"]);
    check(b"", &[]);
}

#[test]
fn an_overlong_line_is_handed_out_in_parts_and_the_next_one_decodes() {
    check_with(4, b"1234\n12345678901\nabcd\n", &["1234", "too long: 12345678901", "abcd"]);
    check_with(4, b"12345", &["too long: 12345"]);
    check_with(4, b"12345\n\xef\xbb\xbfa\n", &["too long: 12345", r"\xef\xbb\xbfa"]);
}

#[test]
fn memory_stays_near_the_limit_in_a_flood_without_a_line_end() {
    const MAX: usize = 256 * 1024;
    let mut decoder = LineDecoder::new(MAX);
    let mut found = 0;
    for _ in 0..1000 {
        decoder.push(&[b'a'; READ]);
        while decoder.next_line().is_some() {
            found += 1;
        }
        assert!(decoder.buffered() <= MAX + READ);
        assert!(decoder.space().capacity() <= 4 * (MAX + READ));
    }
    assert!(found > 900, "the flood is handed out as it comes");
    decoder.push(b"\n{}\n");
    assert_eq!(decoder.next_line(), Some(Line::Whole("{}".into())));
}

#[test]
fn a_large_buffer_is_kept_until_it_is_released() {
    let mut decoder = LineDecoder::new(1 << 26);
    decoder.push(&vec![b'a'; 1 << 24]);
    decoder.push(b"\nnext");
    assert!(matches!(decoder.next_line(), Some(Line::Whole(line)) if line.len() == 1 << 24));
    decoder.release();
    assert_eq!(decoder.buffered(), 4, "what is held back is not lost");
    decoder.push(b" one\n");
    assert_eq!(decoder.next_line(), Some(Line::Whole("next one".into())));
    assert!(decoder.is_idle_and_large());
    decoder.release();
    assert!(!decoder.is_idle_and_large() && decoder.space().capacity() <= 2 * READ);
}

proptest::proptest! {
    /// Against the obvious decoder: split at LF, trim, skip blanks.
    #[test]
    fn any_stream_in_any_cut_gives_the_lines_of_the_obvious_decoder(
        input in prop::collection::vec(prop::sample::select(b"ab{}\" \t\r\n\n\n\xff".to_vec()), 0..200),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let obvious: Vec<_> = input
            .split(|byte| *byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .filter(|line| !line.trim_ascii().is_empty())
            .map(|line| Line::Whole(line.to_vec().into()))
            .collect();
        let mut at: Vec<_> = cuts.iter().map(|cut| cut.index(input.len() + 1)).collect();
        at.sort_unstable();
        let mut chunks = Vec::new();
        let mut start = 0;
        for end in at.into_iter().chain([input.len()]) {
            chunks.push(&input[start..end]);
            start = end;
        }
        proptest::prop_assert_eq!(decode(1 << 20, &chunks), obvious);
    }
}
