//! Bodies that are whole, cut everywhere, damaged, hostile, or flushed event by event.

use std::io::Write;

use bytes::Bytes;
use flate2::write::GzEncoder;
use flate2::{Compression, Crc, GzBuilder};
use mcp_jsonrpc::testing::every_cut;
use proptest::prelude::{any, prop};

use super::{Gunzip, GunzipError, MAX_PIECE};

const TEXT: &[u8] = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// All that comes out now.
fn drain(gunzip: &mut Gunzip) -> Result<Vec<u8>, GunzipError> {
    let mut out = Vec::new();
    let mut is_bounded = true;
    while let Some(piece) = gunzip.next()? {
        is_bounded &= !piece.is_empty() && piece.len() <= MAX_PIECE;
        out.extend_from_slice(&piece);
    }
    Ok(if is_bounded { out } else { b"an empty piece, or one that is too large".to_vec() })
}

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>, GunzipError> {
    let mut gunzip = Gunzip::new();
    let mut out = Vec::new();
    for chunk in chunks {
        gunzip.push(Bytes::copy_from_slice(chunk));
        out.extend(drain(&mut gunzip)?);
    }
    gunzip.finish()?;
    Ok(out)
}

/// In every cut; the error as its message.
#[track_caller]
fn check(body: &[u8], expected: Result<&[u8], &str>) {
    every_cut(body, |chunks| {
        let found = decode(chunks.iter().copied()).map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    });
}

#[test]
fn a_body_comes_out_whole_however_it_is_cut() {
    check(&gzip(TEXT), Ok(TEXT));
    check(&gzip(b""), Ok(b""));
    check(&gzip(&[TEXT; 20].concat()), Ok(&[TEXT; 20].concat()));
}

#[test]
fn an_empty_body_is_empty() {
    check(b"", Ok(b""));
}

#[test]
fn members_follow_each_other() {
    check(&[gzip(b"one "), gzip(b""), gzip(b"two")].concat(), Ok(b"one two"));
}

#[test]
fn all_parts_of_a_header_are_passed_over() {
    for extra in [&b""[..], b"extra"] {
        let mut body = Vec::new();
        let builder = GzBuilder::new().filename("name").comment("comment").extra(extra);
        let mut encoder = builder.write(&mut body, Compression::fast());
        encoder.write_all(TEXT).unwrap();
        encoder.finish().unwrap();
        check(&body, Ok(TEXT));
    }
}

#[test]
fn the_checksum_of_a_header_is_checked() {
    let body = gzip(TEXT);
    let mut header = body[..10].to_vec();
    header[3] = 2;
    let mut crc = Crc::new();
    crc.update(&header);
    let [low, high, ..] = crc.sum().to_le_bytes();
    check(&[&header, &[low, high][..], &body[10..]].concat(), Ok(TEXT));
    let wrong = [&header, &[low ^ 1, high][..], &body[10..]].concat();
    check(&wrong, Err("the gzip header does not match its checksum"));
}

#[test]
fn flushed_events_come_out_at_once() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut gunzip = Gunzip::new();
    for number in 0..50 {
        // Some are larger than the decoder's window.
        let event = format!("data: {number}{}\n\n", "x".repeat(number * 1000));
        encoder.write_all(event.as_bytes()).unwrap();
        encoder.flush().unwrap();
        let sent = std::mem::take(encoder.get_mut());
        for chunk in sent.chunks(1 + number) {
            gunzip.push(Bytes::copy_from_slice(chunk));
        }
        assert_eq!(drain(&mut gunzip).unwrap(), event.as_bytes());
        assert!(matches!(gunzip.finish(), Err(GunzipError::Truncated)));
    }
    gunzip.push(encoder.finish().unwrap().into());
    assert_eq!(drain(&mut gunzip).unwrap(), b"");
    gunzip.finish().unwrap();
}

#[test]
fn a_bomb_comes_out_piece_by_piece() {
    const SIZE: usize = 64 << 20;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..SIZE / MAX_PIECE {
        encoder.write_all(&[0; MAX_PIECE]).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < SIZE / 900);

    let mut gunzip = Gunzip::new();
    gunzip.push(bomb.into());
    let mut size = 0;
    while let Some(piece) = gunzip.next().unwrap() {
        assert!(piece.len() <= MAX_PIECE);
        size += piece.len();
    }
    assert_eq!(size, SIZE);
    gunzip.finish().unwrap();
}

#[test]
fn a_body_that_ends_too_early_is_truncated() {
    let body = gzip(TEXT);
    for end in 1..body.len() {
        assert!(matches!(decode([&body[..end]]), Err(GunzipError::Truncated)), "{end}");
        // The same for a second member, as soon as it can be known as one.
        let second = decode([&body[..], &body[..end]]);
        assert_eq!(matches!(second, Err(GunzipError::Truncated)), end > 1, "{end}");
    }
    let mut gunzip = Gunzip::new();
    gunzip.push(body.into());
    assert!(matches!(gunzip.finish(), Err(GunzipError::Truncated)), "nothing was taken yet");
}

#[test]
fn what_is_no_gzip_is_an_error() {
    check(b"{\"jsonrpc\":\"2.0\"}", Err("the body is not gzip"));
    check(b"\x1f\x8c", Err("the body is not gzip"));
    check(b"\x1f\x8b\x07\0\0\0\0\0\0\0", Err("the gzip header is not understood"));
    check(b"\x1f\x8b\x08\x80\0\0\0\0\0\0", Err("the gzip header is not understood"));
}

#[test]
fn damage_is_an_error() {
    let body = gzip(TEXT);
    let mut damaged = body.clone();
    damaged[10] = 0xff;
    check(&damaged, Err("the compressed data are damaged"));
    for from_end in [1, 5] {
        let mut damaged = body.clone();
        let at = damaged.len() - from_end;
        damaged[at] ^= 1;
        check(&damaged, Err("the decompressed data do not match their checksum"));
    }
}

#[test]
fn nothing_comes_after_an_error() {
    let mut gunzip = Gunzip::new();
    gunzip.push(Bytes::from_static(b"no gzip"));
    assert!(matches!(gunzip.next(), Err(GunzipError::NotGzip)));
    gunzip.push(gzip(TEXT).into());
    assert!(matches!(gunzip.next(), Ok(None)));
    assert!(matches!(gunzip.finish(), Err(GunzipError::Truncated)));
}

#[test]
fn a_header_is_bounded() {
    let mut gunzip = Gunzip::new();
    gunzip.push(Bytes::from_static(b"\x1f\x8b\x08\x08\0\0\0\0\0\0"));
    gunzip.push(vec![b'x'; 1 << 20].into());
    assert!(matches!(gunzip.next(), Err(GunzipError::LongHeader)));
}

#[test]
fn what_follows_the_last_member_is_passed_over() {
    for rest in [&b"\0\0\0\0"[..], b"rest", b"\x1f", b"\x1f\x1f\x8b"] {
        check(&[&gzip(TEXT), rest].concat(), Ok(TEXT));
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn any_data_in_any_cut_come_back(
        data in prop::collection::vec(prop::sample::select(b"ab\0\xff".to_vec()), 0..1_000),
        times in 1..40usize,
        level in 0..10u32,
        cut in 1..2_000usize,
    ) {
        let data = data.repeat(times);
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(&data).unwrap();
        assert_eq!(decode(encoder.finish().unwrap().chunks(cut)).unwrap(), data);
    }

    #[test]
    fn any_damage_is_survived(
        data in prop::collection::vec(any::<u8>(), 0..300),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        let mut body = gzip(&data);
        for (at, byte) in damage {
            let at = at.index(body.len());
            body[at] = byte;
        }
        if let Ok(found) = decode(body.chunks(7)) {
            assert_eq!(found, data);
        }
    }
}
