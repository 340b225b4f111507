//! One Rust file, its comments and literals told from its code.

use std::ops::Range;

use super::lexer::{self, Kind};

pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
    /// The text with comments and literals blanked; offsets and lines are the same.
    pub(super) code: String,
    /// What is compiled for tests only; see `test_code`.
    pub(super) tests: Vec<Range<usize>>,
    spans: Vec<(Kind, Range<usize>)>,
}

impl Source {
    pub(super) fn new(path: &str, text: &str) -> Self {
        let spans = lexer::spans(text);
        let code = blanked(text, &spans);
        Self { path: path.to_owned(), text: text.to_owned(), code, tests: Vec::new(), spans }
    }

    /// Offset and text of each comment.
    pub(super) fn comments(&self) -> impl Iterator<Item = (usize, &str)> {
        self.spans_of(Kind::Comment)
    }

    /// Offset and text of each literal, quotes included.
    pub(super) fn literals(&self) -> impl Iterator<Item = (usize, &str)> {
        self.spans_of(Kind::Literal)
    }

    /// Offsets where `word` stands in the code, with no letter, digit or `_` beside it.
    pub(super) fn words<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        self.code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
            !self.code[..at].ends_with(is_word) && !self.code[at + word.len()..].starts_with(is_word)
        })
    }

    /// All of it is for tests.
    pub(super) fn mark_whole(&mut self) {
        self.tests.clear();
        self.tests.push(0..self.text.len());
    }

    pub(super) fn is_test(&self, offset: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&offset))
    }

    /// `path:line`, as complaints begin.
    pub(super) fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.path, self.text[..offset].matches('\n').count() + 1)
    }

    fn spans_of(&self, kind: Kind) -> impl Iterator<Item = (usize, &str)> {
        let chosen = self.spans.iter().filter(move |(it, _)| *it == kind);
        chosen.map(|(_, range)| (range.start, &self.text[range.clone()]))
    }
}

fn blanked(text: &str, spans: &[(Kind, Range<usize>)]) -> String {
    let mut code = String::with_capacity(text.len());
    let mut end = 0;
    for (_, range) in spans {
        code += &text[end..range.start];
        for byte in text[range.clone()].bytes() {
            code.push(if byte == b'\n' { '\n' } else { ' ' });
        }
        end = range.end;
    }
    code + &text[end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanking_keeps_offsets_and_lines() {
        let source = Source::new("a.rs", "let é = \"x\ny\"; // é\nend");
        assert_eq!(source.code, "let é =   \n  ;      \nend");
        assert_eq!(source.text.find("end"), source.code.find("end"));
    }

    #[test]
    fn words_stand_alone_and_outside_of_comments() {
        let source = Source::new("a.rs", "tokio my_tokio tokios // tokio\nuse tokio::x;");
        let places: Vec<_> = source.words("tokio").map(|at| source.place(at)).collect();
        assert_eq!(places, ["a.rs:1", "a.rs:2"]);
    }
}
