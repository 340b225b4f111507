//! Keeps configured secrets out of what people get to read.

use std::collections::BTreeMap;

/// Shorter values are not masked: `1`, `true` or `debug` would take half of a text with them.
const LEAST: usize = 6;

/// What stands in place of a secret.
const MASK: &str = "***";

/// Replaces the values that a configuration calls secret wherever they stand in a text.
///
/// Secret are all configured environment values, and arguments whose name says so
/// (`--token X`, `--api-key=X`), of at least six bytes: as they are, each line of one that has
/// several, and as they stand in JSON strings.
#[derive(Clone, Default)]
pub(crate) struct Mask {
    /// Longest first, so that a secret inside another does not leave the rest of it.
    secrets: Vec<String>,
}

impl Mask {
    pub(crate) fn new(env: &BTreeMap<String, Option<String>>, args: &[String]) -> Self {
        let mut secrets: Vec<_> = env.values().flatten().cloned().collect();
        for (at, arg) in args.iter().enumerate() {
            match arg.split_once('=') {
                Some((name, value)) if names_a_secret(name) => secrets.push(value.to_owned()),
                None if arg.starts_with('-') && names_a_secret(arg) => {
                    secrets.extend(args.get(at + 1).cloned());
                }
                _ => {}
            }
        }
        let lines = secrets.iter().flat_map(|secret| secret.lines()).map(str::to_owned).collect::<Vec<_>>();
        secrets.extend(lines);
        let quoted = secrets.iter().map(|secret| in_json(secret)).collect::<Vec<_>>();
        secrets.extend(quoted);
        secrets.retain(|secret| secret.len() >= LEAST);
        secrets.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        secrets.dedup();
        Self { secrets }
    }

    pub(crate) fn apply(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), MASK))
    }

    /// The length of the longest secret.
    pub(crate) fn longest(&self) -> usize {
        self.secrets.first().map_or(0, String::len)
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

fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "secret", "password", "passwd", "key", "auth", "credential", "bearer"]
        .iter()
        .any(|word| name.contains(word))
}

/// An argument as a configuration shows it: the names of options stay, all values are masked.
pub(crate) fn shown(arg: &str) -> String {
    match arg.split_once('=') {
        Some((name, _)) if name.starts_with('-') => format!("{name}={MASK}"),
        None if arg.starts_with('-') => arg.to_owned(),
        _ => MASK.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_values_and_secret_arguments_are_masked() {
        let env = BTreeMap::from([
            ("A".to_owned(), Some("SECRET-1".to_owned())),
            ("B".to_owned(), Some("SECRET-1-longer".to_owned())),
            ("C".to_owned(), Some("1".to_owned())),
            ("D".to_owned(), None),
        ]);
        let args =
            ["--token", "tok-123456", "--api-key=key-123456", "--root", "/srv/data"].map(str::to_owned);
        let mask = Mask::new(&env, &args);
        let text = "1 SECRET-1-longer SECRET-1 tok-123456 key-123456 /srv/data";
        assert_eq!(mask.apply(text), "1 *** *** *** *** /srv/data");
        assert_eq!(mask.longest(), "SECRET-1-longer".len());
    }

    #[test]
    fn lines_and_quoted_forms_of_a_secret_are_masked() {
        let env = BTreeMap::from([("K".to_owned(), Some("FIRST-LINE\nsay \"SECOND\"".to_owned()))]);
        let mask = Mask::new(&env, &[]);
        for text in ["FIRST-LINE", "say \"SECOND\"", r#"{"k":"FIRST-LINE\nsay \"SECOND\""}"#] {
            let masked = mask.apply(text);
            assert!(!masked.contains("FIRST") && !masked.contains("SECOND"), "{masked}");
        }
    }

    #[test]
    fn shown_arguments_hold_no_value() {
        assert_eq!(["-y", "--key=x", "/srv", "a=b"].map(shown), ["-y", "--key=***", "***", "***"]);
    }
}
