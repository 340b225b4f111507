//! The property that the fuzz target checks, beside the code it is about.

use crate::lines::{Line, LineDecoder};

/// Any bytes in any cut: the lines are those of the uncut stream and of the obvious decoder, none
/// is longer than the limit, and nothing is held back beyond limit plus what was pushed.
///
/// The first byte says how the rest is cut, the second is the limit.
pub fn lines(data: &[u8]) {
    let [cut, limit, input @ ..] = data else { return };
    let (cut, limit) = (usize::from(*cut).max(1), usize::from(*limit));
    let whole = decode(input, input.len().max(1), limit);
    assert_eq!(decode(input, cut, limit), whole, "cuts do not matter");
    assert_eq!(whole, obvious(input, limit), "the obvious decoder agrees");
}

/// A line, or a mark that one was too long.
#[derive(Debug, PartialEq)]
enum Found {
    Line(Vec<u8>),
    TooLong,
}

fn decode(input: &[u8], cut: usize, limit: usize) -> Vec<Found> {
    let (mut decoder, mut found) = (LineDecoder::new(limit), Vec::new());
    let mut take = |line| match line {
        Line::Whole(line) => found.push(Found::Line(line.to_vec())),
        Line::TooLong(_) => found.push(Found::TooLong),
        Line::More(_) => {}
    };
    for chunk in input.chunks(cut) {
        decoder.push(chunk);
        while let Some(line) = decoder.next_line() {
            take(line);
        }
        assert!(decoder.buffered() <= limit, "nothing is held back beyond the limit");
    }
    if let Some(line) = decoder.finish() {
        take(line);
    }
    found
}

fn obvious(input: &[u8], limit: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let mut lines: Vec<_> = input.split(|byte| *byte == b'\n').collect();
    if lines.last() == Some(&&[][..]) {
        lines.pop();
    }
    for (at, line) in lines.into_iter().enumerate() {
        if line.len() > limit {
            found.push(Found::TooLong);
            continue;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = if at == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        if !line.trim_ascii().is_empty() {
            found.push(Found::Line(line.to_vec()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_corpus_of_lines_holds() {
        let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/lines");
        let mut files = 0;
        for entry in std::fs::read_dir(&corpus).unwrap() {
            super::lines(&std::fs::read(entry.unwrap().path()).unwrap());
            files += 1;
        }
        assert!(files > 0, "no corpus in {}", corpus.display());
    }
}
