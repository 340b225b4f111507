//! The decoder on every form of the grammar, cut everywhere.

use std::time::Duration;

use bytes::Bytes;
use mcp_jsonrpc::testing::every_cut;
use proptest::prelude::{Strategy, any, prop};

use super::{Event, Item, SseDecoder};
use crate::fuzzing::{Found, Outcome, decode, obvious};

const MAX: usize = 1 << 20;

/// `type data #id`, without the type where it is `message` and without the id where there is none.
fn show(outcome: &Outcome) -> Vec<String> {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    outcome
        .found
        .iter()
        .map(|found| match found {
            Found::Event { kind, data, id } => {
                let kind = if kind == b"message" { String::new() } else { text(kind) + " " };
                let id = id.as_ref().map_or(String::new(), |id| format!(" #{}", text(id)));
                format!("{kind}<{}>{id}", text(data))
            }
            Found::TooLarge(data) => format!("too large <{}>", text(data)),
        })
        .collect()
}

fn check_with(limit: usize, input: &[u8], expected: &[&str]) {
    every_cut(input, |chunks| assert_eq!(show(&decode(chunks.iter().copied(), limit)), expected));
    assert_eq!(show(&obvious(input, limit)), expected, "the obvious decoder");
}

#[track_caller]
fn check(input: &str, expected: &[&str]) {
    check_with(MAX, input.as_bytes(), expected);
}

/// What is known of the connection after `input`.
fn check_memory(input: &str, last_id: Option<&str>, retry: Option<Duration>) {
    every_cut(input.as_bytes(), |chunks| {
        let outcome = decode(chunks.iter().copied(), MAX);
        assert_eq!(outcome.last_id.as_deref(), last_id.map(str::as_bytes), "{input:?}");
        assert_eq!(outcome.retry, retry, "{input:?}");
    });
}

fn drain(decoder: &mut SseDecoder) -> Vec<Item> {
    std::iter::from_fn(|| decoder.next_event()).collect()
}

fn message(data: impl Into<Bytes>) -> Item {
    Item::Event(Event { kind: "message".into(), data: data.into() })
}

// Field case 123.
#[test]
fn lf_crlf_and_cr_end_a_line_in_any_mix() {
    check("data: a\n\ndata: b\n\n", &["<a>", "<b>"]);
    check("event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", &["x <a>", "<b>"]);
    check("event: x\rdata: a\r\rdata: b\r\r", &["x <a>", "<b>"]);
    check("data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\r\r\n\n", &["<a\\nb\\nc>", "<d>"]);
}

#[test]
fn a_crlf_is_one_end_and_not_two() {
    check("data: a\r\ndata: b\r\n\r\n", &["<a\\nb>"]);
    check(": c\r\ndata\r\ndata: b\r\n\r\n", &["<\\nb>"]);
    check("data: a\n\rdata: b\n\r", &["<a>", "<b>"]);
}

#[test]
fn an_event_comes_with_the_cr_that_ends_it() {
    let mut decoder = SseDecoder::new(MAX);
    decoder.push("data: a\r\n\r".into());
    assert_eq!(drain(&mut decoder), [message("a")]);
    decoder.push("\ndata: b\r\r".into());
    assert_eq!(drain(&mut decoder), [message("b")]);
}

// Field case 125.
#[test]
fn characters_may_be_cut_between_chunks() {
    check("data: 漢😀\n\n", &[r"<\xe6\xbc\xa2\xf0\x9f\x98\x80>"]);
}

#[test]
fn bytes_that_are_no_utf8_are_handed_out_as_they_came() {
    check_with(MAX, b"event: \xff\ndata: \xfe\xc0\0\nid: \xe6\n\n", &[r"\xff <\xfe\xc0\x00> #\xe6"]);
}

// Field case 126.
#[test]
fn one_space_behind_the_colon_is_optional() {
    check("data:a\n\n", &["<a>"]);
    check("data:  a \n\n", &["< a >"]);
    check("data:\ta\n\n", &[r"<\ta>"]);
    check("data::a\n\ndata: :\n\n", &["<:a>", "<:>"]);
    check("event:x\nid:1\ndata:a\n\n", &["x <a> #1"]);
}

#[test]
fn a_name_alone_is_a_field_with_an_empty_value() {
    check("data\n\ndata\ndata\n\ndata:", &["<>", r"<\n>"]);
    check("event: x\nid: 1\nevent\nid\ndata: a\n\n", &["<a> #"]);
}

// Field case 126.
#[test]
fn unknown_fields_are_ignored() {
    check("foo: bar\ndatax: y\ndat: y\n data: y\nDATA: y\ndata : y\nretryy: 1\ndata: a\n\n", &["<a>"]);
    check("foo\ndat\n\u{feff}\n\ndata: a\n\n", &["<a>"]);
}

// Field case 127.
#[test]
fn data_lines_are_joined_by_a_line_feed() {
    check("data: {\"id\":1,\ndata: \"result\":{}}\n\n", &[r#"<{\"id\":1,\n\"result\":{}}>"#]);
    check("data: a\nid: 1\ndata:\n: c\ndata: b\n\n", &[r"<a\n\nb> #1"]);
    check("data:\ndata:\ndata: a\n\n", &[r"<\n\na>"]);
    check("data: a\ndata:\n\n", &[r"<a\n>"]);
}

// Field case 128.
#[test]
fn a_priming_event_has_an_id_and_empty_data() {
    check("id: 1\ndata:\n\nid: 2\ndata: a\n\n", &["<> #1", "<a> #2"]);
}

// Field case 128.
#[test]
fn a_block_without_data_is_no_event_but_its_id_counts() {
    check("id: 3\n\ndata: a\n\n", &["<a> #3"]);
    check("event: x\n\ndata: a\n\n", &["<a>"]);
    check_memory("id: 3\n\n", Some("3"), None);
}

// Field case 129.
#[test]
fn comments_and_blank_lines_are_no_events() {
    check(": ping\n\n:\n\n\n:data: x\n\nevent: ping\ndata: 2025\n\n\ndata: a\n\n", &["ping <2025>", "<a>"]);
}

#[test]
fn only_the_default_type_carries_messages() {
    for (input, is_message) in [
        ("data: a\n\n", true),
        ("event: message\ndata: a\n\n", true),
        ("event:\ndata: a\n\n", true),
        ("event: ping\ndata: a\n\n", false),
        ("event: Message\ndata: a\n\n", false),
    ] {
        let mut decoder = SseDecoder::new(MAX);
        decoder.push(input.into());
        assert!(matches!(decoder.next_event(), Some(Item::Event(event)) if event.is_message() == is_message));
    }
}

#[test]
fn the_last_of_several_types_or_ids_counts_and_a_type_for_one_event_only() {
    check("event: x\nevent: y\nid: 1\nid: 2\ndata: a\n\ndata: b\n\n", &["y <a> #2", "<b> #2"]);
}

#[test]
fn an_id_with_nul_is_ignored_and_an_empty_one_resets() {
    check("id: 1\nid: 2\0\ndata: a\n\nid: \0\ndata: b\n\n", &["<a> #1", "<b> #1"]);
    check("id: 1\ndata: a\n\nid:\ndata: b\n\n", &["<a> #1", "<b> #"]);
}

#[test]
fn an_id_counts_when_its_event_has_ended() {
    check_memory("id: 1\ndata: a\n", None, None);
    check_memory("id: 1\ndata: a\n\nid: 2\ndata: b\n", Some("1"), None);
    check_memory("id: 1\r\r", Some("1"), None);
    check_memory("data: a\n\n", None, None);
}

#[test]
fn retry_is_digits_only_and_holds_at_once() {
    let milliseconds = |number| Some(Duration::from_millis(number));
    check_memory("retry: 500\n", None, milliseconds(500));
    check_memory("retry: 0\nretry: 007\n\n", None, milliseconds(7));
    check_memory("retry: 5\nretry: abc\nretry: -1\nretry:\nretry: 1.5\nretry:  2\n", None, milliseconds(5));
    check_memory("retry: 99999999999\n\n", None, milliseconds(99_999_999_999));
    check_memory("retry: 99999999999999999999\n\n", None, milliseconds(u64::MAX));
    check_memory("retry: 5", None, None);
}

// Field case 135.
#[test]
fn one_byte_order_mark_is_taken_off_the_start_of_the_stream() {
    check("\u{feff}data: a\n\n", &["<a>"]);
    check("\u{feff}\ndata: \u{feff}a\n\n\u{feff}data: b\n\n", &[r"<\xef\xbb\xbfa>"]);
    check("\u{feff}\u{feff}data: a\n\ndata: b\n\n", &["<b>"]);
    check_with(MAX, b"\xef\xbbdata: a\n\xef\n\ndata: b\n\n", &["<b>"]);
    check_with(MAX, b"\xef\r\ndata: b\n\n", &["<b>"]);
}

// Field case 137.
#[test]
fn an_event_without_its_blank_line_is_dropped() {
    for input in ["", "data: a", "data: a\n", "data: a\r\n", "data: {\"id\":1,\"res", "event: x\ndata"] {
        check(input, &[]);
    }
}

// Field case 138.
#[test]
fn comments_and_unknown_fields_do_not_count_against_the_limit() {
    let comments = ": 0123456789\nfoo: 0123456789\n".repeat(20);
    let input = format!("{comments}data: 1234\n{comments}\n");
    check_with(4, input.as_bytes(), &["<1234>"]);
}

#[test]
fn all_values_of_an_event_and_its_joints_count_against_the_limit() {
    check_with(6, b"event: x\nid: 1\ndata: ab\ndata: c\n\n", &[r"x <ab\nc> #1"]);
    check_with(5, b"event: x\nid: 1\ndata: ab\ndata: c\n\n", &[r"too large <ab\nc>"]);
    check_with(3, b"data\ndata\ndata\ndata\n\n", &[r"<\n\n\n>"]);
    check_with(2, b"data\ndata\ndata\ndata\n\n", &[r"too large <\n\n\n>"]);
    check_with(0, b"data:\n\ndata: a\n\n", &["<>", "too large <a>"]);
}

// Field case 138.
#[test]
fn an_event_that_is_too_large_is_reported_once_and_the_next_one_decodes() {
    check_with(4, b"data: 1234\n\ndata: 12345\n\ndata: a\n\n", &["<1234>", "too large <12345>", "<a>"]);
    check_with(4, b"data: 12\ndata: 34\n: c\ndata: 5\n\ndata: a\n\n", &[r"too large <12\n34\n5>", "<a>"]);
    check_with(2, b"event: xyz\ndata: 1\n\ndata: a\n\n", &["too large <1>", "<a>"]);
    check_with(2, b"event: xyz\n\ndata: a\n\n", &["too large <>", "<a>"]);
}

#[test]
fn the_id_of_an_event_that_is_too_large_counts_in_front_and_behind() {
    check_with(4, b"id: 1\ndata: 12345\n\ndata: a\n\n", &["too large <12345>", "<a> #1"]);
    check_with(4, b"data: 12345\nid: 1\n\ndata: a\n\n", &["too large <12345>", "<a> #1"]);
}

#[test]
fn an_id_that_is_longer_than_the_limit_is_passed_over() {
    check_with(4, b"id: 12\n\nid: 12345\ndata: a\n\ndata: b\n\n", &["too large <a>", "<b> #12"]);
}

#[test]
fn an_event_that_is_too_large_is_reported_before_it_ends() {
    let mut decoder = SseDecoder::new(4);
    decoder.push("data: 12345".into());
    assert_eq!(drain(&mut decoder), [Item::TooLarge("12345".into())]);
    decoder.push("678\ndata".into());
    assert_eq!(drain(&mut decoder), [Item::More("678".into())]);
    decoder.push(": 9\n\ndata: a\n\n".into());
    assert_eq!(drain(&mut decoder), [Item::More("\n".into()), Item::More("9".into()), message("a")]);
}

// Field case 138.
#[test]
fn large_events_are_delivered_whole_in_one_line_or_in_many() {
    for size in [70_000, 1_200_000, 12_000_000] {
        let line = format!("data: {}\n\n", "a".repeat(size));
        let (mut decoder, mut items) = (SseDecoder::new(16 << 20), Vec::new());
        for chunk in line.as_bytes().chunks(16 * 1024) {
            decoder.push(Bytes::copy_from_slice(chunk));
            items.extend(drain(&mut decoder));
        }
        assert_eq!(items, [message("a".repeat(size))]);
    }
    let mut decoder = SseDecoder::new(MAX);
    decoder.push(("data: 0123456789\n".repeat(10_000) + "\n").into());
    assert_eq!(drain(&mut decoder), [message(vec!["0123456789"; 10_000].join("\n"))]);
}

#[test]
fn data_that_is_one_line_in_one_chunk_is_not_copied() {
    let chunk = Bytes::from_static(b"event: message\ndata: abc");
    let mut decoder = SseDecoder::new(MAX);
    decoder.push(chunk.clone());
    assert_eq!(drain(&mut decoder), []);
    decoder.push("\r\n\r\n".into());
    let Some(Item::Event(event)) = decoder.next_event() else { panic!("no event") };
    assert_eq!(event.data.as_ptr(), chunk[chunk.len() - 3..].as_ptr());
}

#[test]
fn a_chunk_that_is_used_up_is_let_go() {
    let chunk = Bytes::from(b"data: abc\n\n: comment\n".to_vec());
    let mut decoder = SseDecoder::new(MAX);
    decoder.push(chunk.clone());
    assert_eq!(drain(&mut decoder), [message("abc")]);
    assert!(chunk.is_unique());
}

#[test]
fn chunks_pushed_ahead_are_decoded_in_order() {
    let mut decoder = SseDecoder::new(MAX);
    for chunk in ["data: a\n\nda", "", "ta: b\n", "\n", "data: c\n\n", ""] {
        decoder.push(chunk.into());
    }
    assert_eq!(drain(&mut decoder), [message("a"), message("b"), message("c")]);
}

/// A scan that began again with each chunk would look at 10^13 bytes here.
#[test]
fn single_bytes_cost_no_more_than_their_number() {
    for field in ["data: ", "id: ", ": ", "foo", "foo: "] {
        let mut decoder = SseDecoder::new(usize::MAX);
        let line = field.bytes().chain(std::iter::repeat_n(b'a', 1 << 22)).chain(*b"\n\n");
        let mut found = 0;
        for byte in line {
            decoder.push(Bytes::from_static(&BYTES[usize::from(byte)..][..1]));
            found += drain(&mut decoder).len();
        }
        assert_eq!((found, decoder.buffered()), (usize::from(field == "data: "), 0));
    }
}

static BYTES: [u8; 128] = {
    let mut bytes = [0; 128];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = at as u8;
        at += 1;
    }
    bytes
};

#[test]
fn memory_stays_near_the_limit_in_a_flood_without_an_end() {
    const LIMIT: usize = 256 * 1024;
    for field in ["data: ", "event: ", "id: ", "retry: ", "data\n"] {
        let mut decoder = SseDecoder::new(LIMIT);
        decoder.push(field.into());
        let mut reported = 0;
        let flood =
            Bytes::from(if field == "data\n" { field.repeat(16 * 1024) } else { "7".repeat(80 * 1024) });
        for _ in 0..100 {
            decoder.push(flood.clone());
            while let Some(item) = decoder.next_event() {
                reported += usize::from(matches!(item, Item::TooLarge(_)));
            }
            assert!(decoder.buffered() <= LIMIT + 1, "{field}");
        }
        assert_eq!(reported, 1, "{field}");
        decoder.push("\n\ndata: a\n\n".into());
        assert!(drain(&mut decoder).contains(&message("a")), "{field}");
        assert_eq!(decoder.buffered(), 0, "{field}");
    }
}

/// Pieces of which a stream of events is made, and noise.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let pieces: [&[u8]; 26] = [
        b"data",
        b"data:",
        b"data: ",
        b"event:",
        b"event: message",
        b"event: x",
        b"id",
        b"id: ",
        b"id: 1",
        b"id: 2\0",
        b"retry: ",
        b"retry: 12",
        b"retry: 99999999999999999999",
        b":",
        b" ",
        b"a",
        b"foo",
        b"\n",
        b"\n\n",
        b"\r",
        b"\r\n",
        b"\r\n\r\n",
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        b"\xff",
        b"0123456789",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..60).prop_map(|pieces| pieces.concat())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]
    #[test]
    fn any_stream_in_any_cut_gives_what_the_obvious_decoder_gives(
        input in stream(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        limit in prop::sample::select(vec![0, 1, 5, 12, 30, MAX]),
    ) {
        let mut at: Vec<_> = cuts.iter().map(|cut| cut.index(input.len() + 1)).collect();
        at.sort_unstable();
        let mut chunks = Vec::new();
        let mut start = 0;
        for end in at.into_iter().chain([input.len()]) {
            chunks.push(&input[start..end]);
            start = end;
        }
        let expected = obvious(&input, limit);
        proptest::prop_assert_eq!(&decode(chunks, limit), &expected);
        proptest::prop_assert_eq!(&decode(input.chunks(1), limit), &expected);
    }
}
