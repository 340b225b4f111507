//! Keeps configured secrets out of what people get to read.

use std::fmt;

/// Shorter values are not masked: `1`, `true` or `debug` would take half of a text with them.
const LEAST: usize = 6;

/// What stands in place of a secret.
const MASK: &str = "***";

/// Replaces secrets wherever they stand in a text.
///
/// A secret is masked if it has at least six bytes: as it is, each line of one that has several,
/// and as it stands in a JSON string.
#[derive(Clone, Default)]
pub struct Mask {
    /// Longest first, so that a secret inside another does not leave the rest of it.
    secrets: Vec<String>,
}

impl Mask {
    /// A mask for these secrets.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<_> = secrets.into_iter().collect();
        let lines = secrets.iter().flat_map(|secret| secret.lines()).map(str::to_owned).collect::<Vec<_>>();
        secrets.extend(lines);
        let quoted = secrets.iter().map(|secret| in_json(secret)).collect::<Vec<_>>();
        secrets.extend(quoted);
        secrets.retain(|secret| secret.len() >= LEAST);
        secrets.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        secrets.dedup();
        Self { secrets }
    }

    /// The text with `***` in place of each secret.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), MASK))
    }

    /// The length of the longest secret, in bytes: a text cut inside a secret can be masked if so
    /// much more of it is looked at.
    pub fn longest(&self) -> usize {
        self.secrets.first().map_or(0, String::len)
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Mask({} secrets)", self.secrets.len())
    }
}

/// The text as it stands inside a JSON string.
fn in_json(text: &str) -> String {
    text.replace('\\', r"\\")
        .replace('"', r#"\""#)
        .replace('\n', r"\n")
        .replace('\r', r"\r")
        .replace('\t', r"\t")
}

#[cfg(test)]
mod tests {
    use super::Mask;

    #[test]
    fn secrets_inside_longer_ones_do_not_leave_the_rest() {
        let mask = Mask::new(["SECRET-1", "SECRET-1-longer", "1"].map(str::to_owned));
        assert_eq!(mask.apply("1 SECRET-1-longer SECRET-1"), "1 *** ***");
        assert_eq!(mask.longest(), "SECRET-1-longer".len());
        assert!(!format!("{mask:?}").contains("SECRET"));
    }

    #[test]
    fn lines_and_quoted_forms_of_a_secret_are_masked() {
        let mask = Mask::new(["FIRST-LINE\nsay \"SECOND\"".to_owned()]);
        for text in ["FIRST-LINE", "say \"SECOND\"", r#"{"k":"FIRST-LINE\nsay \"SECOND\""}"#] {
            let masked = mask.apply(text);
            assert!(!masked.contains("FIRST") && !masked.contains("SECOND"), "{masked}");
        }
    }
}
