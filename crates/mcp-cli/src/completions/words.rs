//! What was typed, and how a name is written to go on with it. Pure.

use crate::show::escape;

/// A line up to the cursor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Typed {
    /// The words after the program that are complete, without their quotes.
    pub(super) before: Vec<String>,
    /// The word at the cursor, as far as names can be told apart by it.
    pub(super) prefix: String,
    style: Style,
}

/// How a name is written.
#[derive(Debug, PartialEq, Eq)]
enum Style {
    /// As it is: the shell quotes it.
    Bare,
    /// For bash, outside of quotes. What bash takes for words of their own, it is not to get again.
    Escaped { skip: String },
    /// For bash, which closes this quote by itself.
    Quoted(char),
}

/// A word of a line: its text, and how it stands there.
#[derive(Default)]
struct Word {
    text: String,
    raw: String,
    /// The quote that is open at its end.
    open: Option<char>,
    quotes: usize,
}

impl Typed {
    /// From words without quotes.
    pub(super) fn in_words(mut words: Vec<String>) -> Option<Self> {
        let current = words.pop()?;
        // The shell compares names with what is typed, quotes and all.
        let prefix = if current.starts_with('-') { current } else { String::new() };
        Some(Self { before: words, prefix, style: Style::Bare })
    }

    /// From a line of bash, which breaks words at `breaks`, too. `None` where a name would have to go on
    /// with a word in several quotes.
    pub(super) fn in_bash(line: &str, breaks: Option<&String>) -> Option<Self> {
        let mut words = split(line);
        let current = words.pop().filter(|_| !words.is_empty())?;
        let style = match (current.open, current.quotes) {
            (None, 0) => {
                Style::Escaped { skip: head(&current.raw, breaks.map_or("", String::as_str)).to_owned() }
            }
            (Some(quote), 1) if current.raw.starts_with(quote) => Style::Quoted(quote),
            _ => return None,
        };
        let before = words.into_iter().skip(1).map(|word| word.text).collect();
        Some(Self { before, prefix: current.text, style })
    }

    /// A name as the shell is to get it. `None` if a line cannot hold it here.
    pub(super) fn render(&self, name: &str) -> Option<String> {
        // Nor does a terminal show names that hide or reorder what is on it.
        if name.is_empty() || escape::line(name) != name {
            return None;
        }
        match &self.style {
            Style::Bare => Some(name.to_owned()),
            Style::Escaped { skip } => Some(escaped(name).strip_prefix(skip.as_str())?.to_owned()),
            Style::Quoted('\'') => (!name.contains('\'')).then(|| name.to_owned()),
            Style::Quoted(_) => (!name.contains(['"', '$', '`', '\\', '!'])).then(|| name.to_owned()),
        }
    }
}

/// Splits a line as a shell does, without evaluating anything. The last word is the one at its end, which
/// is empty behind a blank.
fn split(line: &str) -> Vec<Word> {
    let mut words = vec![Word::default()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let Some(word) = words.last_mut() else { return words };
        if word.open.is_none() && matches!(character, ' ' | '\t' | '\n') {
            if !word.raw.is_empty() {
                words.push(Word::default());
            }
            continue;
        }
        word.raw.push(character);
        match (word.open, character) {
            (None, '\'' | '"') => {
                word.open = Some(character);
                word.quotes += 1;
            }
            (Some(open), _) if character == open => word.open = None,
            (None | Some('"'), '\\') => {
                if let Some(next) = characters.next() {
                    word.raw.push(next);
                    if word.open.is_some() && !matches!(next, '"' | '\\' | '$' | '`') {
                        word.text.push('\\');
                    }
                    word.text.push(next);
                }
            }
            _ => word.text.push(character),
        }
    }
    words
}

/// The part of a word up to where bash breaks it last.
fn head<'a>(raw: &'a str, breaks: &str) -> &'a str {
    let (mut end, mut is_escaped) = (0, false);
    for (at, character) in raw.char_indices() {
        if !is_escaped && breaks.contains(character) {
            end = at + character.len_utf8();
        }
        is_escaped = !is_escaped && character == '\\';
    }
    &raw[..end]
}

/// With a backslash before whatever may mean something to a shell.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for character in name.chars() {
        let is_plain = character.is_alphanumeric() || "_-./:@%+,=".contains(character);
        if !is_plain {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Typed;

    const BREAKS: &str = " \t\n\"'@><=;|&(:";

    #[track_caller]
    fn check(line: &str, before: &[&str], prefix: &str, name: &str, expected: Option<&str>) {
        let typed = Typed::in_bash(line, Some(&BREAKS.to_owned())).unwrap();
        assert_eq!(
            (typed.before.as_slice(), typed.prefix.as_str()),
            (&before.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..], prefix)
        );
        assert_eq!(typed.render(name).as_deref(), expected);
    }

    #[test]
    fn a_line_is_split_as_bash_does_it() {
        check("mcp-cli ", &[], "", "tools", Some("tools"));
        check(
            "  mcp-cli  --config 'a b' tools fi",
            &["--config", "a b", "tools"],
            "fi",
            "files",
            Some("files"),
        );
        check(
            r#"mcp-cli --config "a\"b\x" call a\ b"#,
            &["--config", "a\"b\\x", "call"],
            "a b",
            "a b",
            Some(r"a\ b"),
        );
        check("mcp-cli $(rm x) `y` t", &["$(rm", "x)", "`y`"], "t", "tools", Some("tools"));
    }

    #[test]
    fn what_a_shell_would_run_is_escaped() {
        check("mcp-cli call ", &["call"], "", "$(touch x)", Some(r"\$\(touch\ x\)"));
        check(
            "mcp-cli call ",
            &["call"],
            "",
            "a;b|c&d`e`'f'\"g\"*?~#!",
            Some(r#"a\;b\|c\&d\`e\`\'f\'\"g\"\*\?\~\#\!"#),
        );
        check("mcp-cli call ", &["call"], "", "naïve", Some("naïve"));
    }

    #[test]
    fn names_that_no_line_can_hold_are_left_out() {
        for name in ["a\nb", "a\u{1b}[2J", "a\tb", "a\u{202e}b", ""] {
            check("mcp-cli call ", &["call"], "", name, None);
        }
    }

    #[test]
    fn an_open_quote_is_gone_on_with() {
        check("mcp-cli call 'my s", &["call"], "my s", "my server", Some("my server"));
        check("mcp-cli call 'my s", &["call"], "my s", "my s'x", None);
        check("mcp-cli call \"my s", &["call"], "my s", "my $(x)", None);
        assert_eq!(Typed::in_bash("mcp-cli call a'b", None), None);
        assert_eq!(Typed::in_bash("mcp-cli call 'a''b", None), None);
        assert_eq!(Typed::in_bash("mcp-", None), None);
    }

    #[test]
    fn what_bash_breaks_off_is_not_given_again() {
        check("mcp-cli call a:b", &["call"], "a:b", "a:bc", Some("bc"));
        check("mcp-cli call @sc", &["call"], "@sc", "@scope/x", Some("scope/x"));
        check(r"mcp-cli call a\:b", &["call"], "a:b", "a:bc", Some("a:bc"));
    }

    #[test]
    fn other_shells_compare_names_themselves() {
        let typed = |words: &[&str]| Typed::in_words(words.iter().map(|it| (*it).to_owned()).collect());
        assert_eq!(typed(&["call", "'my s"]).unwrap().prefix, "");
        assert_eq!(typed(&["call", "--js"]).unwrap().prefix, "--js");
        assert_eq!(typed(&["call", ""]).unwrap().render("$(x) y").as_deref(), Some("$(x) y"));
        assert_eq!(typed(&["call", ""]).unwrap().render("x\ny"), None);
        assert_eq!(typed(&[]), None);
    }
}
