//! Patterns with `*` and `?`, matched in one pass whatever the pattern.

use std::collections::HashMap;
use std::fmt;

/// The most characters a [`Glob`] has besides its `*`.
pub const MAX_PATTERN: usize = WORDS * 64 - 1;
/// One bit a state, and one more state than there are characters to match.
const WORDS: usize = 8;

/// A pattern for whole names of tools: `*` stands for any number of characters, `?` for exactly one, and
/// every other character for itself, case and all. There is no escape.
///
/// A match looks at each character of the name once and does the same bounded work for each, also for
/// patterns like `*a*a*a*a*`.
#[derive(Clone)]
pub struct Glob {
    text: String,
    /// Bit `n`: a `*` stands behind the `n` first of the other characters.
    stars: States,
    /// Bit `n`: any character leads from state `n` to the next.
    any: States,
    /// Bit `n`: this character does.
    by_char: HashMap<char, States>,
    last: usize,
}

/// A set of numbers below `WORDS * 64`: how many characters of the pattern may have been matched so far.
type States = [u64; WORDS];

/// Why a text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlobError {
    /// It would match nothing but a tool without a name.
    #[error("a pattern for tools is empty")]
    Empty,
    /// More than [`MAX_PATTERN`] characters besides its `*`; this many.
    #[error("a pattern for tools has {0} characters besides `*`, more than {MAX_PATTERN}")]
    TooLong(usize),
}

impl Glob {
    /// The pattern of that text.
    pub fn new(text: &str) -> Result<Self, GlobError> {
        let last = text.chars().filter(|&c| c != '*').count();
        if text.is_empty() {
            return Err(GlobError::Empty);
        }
        if last > MAX_PATTERN {
            return Err(GlobError::TooLong(last));
        }
        let none = [0; WORDS];
        let mut glob = Self { text: text.to_owned(), stars: none, any: none, by_char: HashMap::new(), last };
        let mut state = 0;
        for c in text.chars() {
            let set = match c {
                '*' => &mut glob.stars,
                '?' => &mut glob.any,
                c => glob.by_char.entry(c).or_insert(none),
            };
            set[state / 64] |= 1 << (state % 64);
            state += usize::from(c != '*');
        }
        Ok(glob)
    }

    /// Whether the whole name fits.
    pub fn matches(&self, name: &str) -> bool {
        let mut states = [0; WORDS];
        states[0] = 1;
        for c in name.chars() {
            states = self.step(&states, c);
            if states == [0; WORDS] {
                return false;
            }
        }
        states[self.last / 64] >> (self.last % 64) & 1 == 1
    }

    /// The pattern as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn step(&self, from: &States, c: char) -> States {
        let this = self.by_char.get(&c).unwrap_or(&[0; WORDS]);
        let mut to = [0; WORDS];
        let mut carry = 0;
        for (word, to) in to.iter_mut().enumerate() {
            let forward = from[word] & (self.any[word] | this[word]);
            *to = forward << 1 | carry | from[word] & self.stars[word];
            carry = forward >> 63;
        }
        to
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Glob {}

impl std::str::FromStr for Glob {
    type Err = GlobError;

    fn from_str(text: &str) -> Result<Self, GlobError> {
        Self::new(text)
    }
}

impl fmt::Debug for Glob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Glob({:?})", self.text)
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    #[track_caller]
    fn check(pattern: &str, fits: &[&str], others: &[&str]) {
        let glob = Glob::new(pattern).unwrap();
        for name in fits {
            assert!(glob.matches(name), "{pattern} should match {name}");
        }
        for name in others {
            assert!(!glob.matches(name), "{pattern} should not match {name}");
        }
    }

    #[test]
    fn a_pattern_matches_whole_names_only() {
        check("read", &["read"], &["", "rea", "reads", "READ", "xread"]);
        check("read_*", &["read_", "read_file"], &["read", "a_read_x"]);
        check("*_file", &["_file", "read_file"], &["file", "a_files"]);
        check("*", &["", "a", "ä b"], &[]);
        check("**", &["", "a"], &[]);
        check("?", &["a", "ä", "*"], &["", "ab"]);
        check("a?c*e", &["abce", "axc__e"], &["ace", "abc", "abced"]);
        check("a*a", &["aa", "aba", "aaa"], &["a", "ab"]);
    }

    #[test]
    fn signs_of_other_pattern_languages_mean_themselves() {
        check("[ab].{c}\\d+", &["[ab].{c}\\d+"], &["a.c1", "axc1"]);
    }

    #[test]
    fn a_text_that_is_no_pattern_is_refused() {
        assert_eq!(Glob::new(""), Err(GlobError::Empty));
        assert!(Glob::new(&"a".repeat(MAX_PATTERN)).unwrap().matches(&"a".repeat(MAX_PATTERN)));
        let long = "?".repeat(MAX_PATTERN + 1);
        assert_eq!(Glob::new(&long), Err(GlobError::TooLong(MAX_PATTERN + 1)));
        assert!(Glob::new(&"*".repeat(10_000)).unwrap().matches("a"));
    }

    #[test]
    fn many_stars_cost_no_more_than_one() {
        let glob = Glob::new(&"*a".repeat(MAX_PATTERN)).unwrap();
        let name = "a".repeat(100_000);
        assert!(glob.matches(&name));
        assert!(!glob.matches(&(name + "b")));
    }

    /// By the definition, slowly.
    fn reference(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (['*', rest @ ..], _) => (0..=name.len()).any(|skipped| reference(rest, &name[skipped..])),
            (['?', pattern @ ..], [_, name @ ..]) => reference(pattern, name),
            ([p, pattern @ ..], [n, name @ ..]) => p == n && reference(pattern, name),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn matching_agrees_with_the_definition(pattern in "[ab?*]{1,8}", name in "[ab]{0,8}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            let expected = reference(&chars(&pattern), &chars(&name));
            prop_assert_eq!(Glob::new(&pattern).unwrap().matches(&name), expected);
        }

        #[test]
        fn states_pass_from_word_to_word(length in 1..MAX_PATTERN, more in 0_usize..3) {
            let (pattern, name) = ("a".repeat(length), "a".repeat(length + more));
            prop_assert_eq!(Glob::new(&pattern).unwrap().matches(&name), more == 0);
            prop_assert_eq!(Glob::new(&(pattern.clone() + "*")).unwrap().matches(&name), true);
            prop_assert_eq!(Glob::new(&(pattern + "*?")).unwrap().matches(&name), more > 0);
        }
    }
}
