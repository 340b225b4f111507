//! Texts of a host in the syntax of our own files: variables stay variables.

use crate::config::expand::Syntax;
use crate::config::values::Input;

/// A text in our syntax.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Translated {
    pub(super) text: String,
    /// Whether some of it is only known when it is filled in.
    pub(super) has_variables: bool,
    /// What whoever uses the text has to know.
    pub(super) notes: Vec<String>,
}

/// Translates a text. What has no counterpart becomes a form that our reader refuses, so that nothing is
/// started with half of a value.
pub(super) fn translate(text: &str, syntax: Syntax, inputs: &[Input]) -> Translated {
    let mut out = Translated::default();
    let mark = if syntax == Syntax::Curly { '{' } else { '$' };
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(mark) {
        out.literal(before);
        rest = match syntax {
            Syntax::Own => out.own(after),
            Syntax::Braces | Syntax::Bare => out.braces(after, syntax == Syntax::Bare),
            Syntax::Prefixed => out.prefixed(after, inputs),
            Syntax::Curly => out.curly(after),
            Syntax::Literal => out.plain(mark, after),
        };
    }
    out.literal(rest);
    out
}

/// A text that stands for itself.
pub(super) fn literal(text: &str) -> String {
    text.replace('$', "$$")
}

impl Translated {
    fn literal(&mut self, text: &str) {
        self.text.push_str(&literal(text));
    }

    /// The mark is only a character.
    fn plain<'t>(&mut self, mark: char, rest: &'t str) -> &'t str {
        self.literal(mark.encode_utf8(&mut [0; 4]));
        rest
    }

    fn variable(&mut self, name: &str, form: &str) {
        self.has_variables = true;
        let is_name = name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
        if is_name && !name.is_empty() && !name.starts_with(|it: char| it.is_ascii_digit()) {
            self.text.push_str(&format!("${{{name}}}"));
        } else {
            self.refuse(form);
        }
    }

    fn refuse(&mut self, form: &str) {
        self.has_variables = true;
        self.text.push_str(&format!("${{!{form}}}"));
        let form = form.split([':', '}']).next().unwrap_or_default();
        self.notes.push(format!("`{form}:...` has no counterpart: put a variable in its place"));
    }

    fn own<'t>(&mut self, rest: &'t str) -> &'t str {
        self.has_variables |= rest.starts_with('{');
        self.text.push('$');
        match rest.strip_prefix('$') {
            Some(rest) => {
                self.text.push('$');
                rest
            }
            None => self.as_it_is(rest),
        }
    }

    /// What is in braces is written alike here, and so is what is wrong with it.
    fn as_it_is<'t>(&mut self, rest: &'t str) -> &'t str {
        let end = if rest.starts_with('{') { rest.find('}').map_or(rest.len(), |at| at + 1) } else { 0 };
        self.text.push_str(&rest[..end]);
        &rest[end..]
    }

    fn braces<'t>(&mut self, rest: &'t str, is_bare: bool) -> &'t str {
        if rest.starts_with('{') {
            self.has_variables = true;
            self.text.push('$');
            return self.as_it_is(rest);
        }
        let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if is_bare && !name.is_empty() && !name.starts_with(|it: char| it.is_ascii_digit()) {
            self.variable(name, name);
            return after;
        }
        self.plain('$', rest)
    }

    fn prefixed<'t>(&mut self, rest: &'t str, inputs: &[Input]) -> &'t str {
        let Some((inside, after)) = rest.strip_prefix('{').and_then(|it| it.split_once('}')) else {
            return self.plain('$', rest);
        };
        match inside.split_once(':') {
            Some(("env", name)) => self.variable(name, inside),
            Some(("input", id)) => self.input(id, inputs),
            Some(("file" | "command" | "config", _)) => self.refuse(inside),
            Some(_) => return self.plain('$', rest),
            None => match inside {
                "userHome" if cfg!(windows) => self.variable("USERPROFILE", inside),
                "userHome" => self.variable("HOME", inside),
                "workspaceFolder" | "workspaceRoot" | "workspaceFolderBasename" => {
                    self.variable(inside, inside);
                    self.notes.push(format!("set the variable {inside}, which the host knows by itself"));
                }
                "pathSeparator" | "/" => {
                    self.literal(std::path::MAIN_SEPARATOR_STR);
                }
                _ => return self.plain('$', rest),
            },
        }
        after
    }

    /// What the host asks the user for becomes a variable of that name.
    fn input(&mut self, id: &str, inputs: &[Input]) {
        let name = variable_of(id);
        let is_taken = inputs.iter().any(|it| it.id != id && variable_of(&it.id) == name);
        if is_taken {
            return self.refuse(&format!("input:{id}"));
        }
        self.has_variables = true;
        let input = inputs.iter().find(|input| input.id == id);
        let about = input.and_then(|input| input.description.as_ref());
        let about = about.map(|about| format!(": {about}")).unwrap_or_default();
        let default = input.and_then(|input| input.default.as_deref());
        match default.filter(|it| !it.contains('}') && !it.contains("${")) {
            Some(default) => self.text.push_str(&format!("${{{name}:-{default}}}")),
            None => self.text.push_str(&format!("${{{name}}}")),
        }
        self.notes.push(format!("set the variable {name}, which the host asks for{about}"));
    }

    fn curly<'t>(&mut self, rest: &'t str) -> &'t str {
        let form = ["env:", "file:"].into_iter().find(|form| rest.starts_with(form));
        match rest.split_once('}').filter(|_| form.is_some()) {
            Some((inside, after)) => {
                match inside.strip_prefix("env:") {
                    Some(name) => self.variable(name, inside),
                    None => self.refuse(inside),
                }
                after
            }
            None => self.plain('{', rest),
        }
    }
}

/// The variable that stands in for an input.
fn variable_of(id: &str) -> String {
    let name = id.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' });
    format!("MCP_INPUT_{}", name.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(syntax: Syntax, text: &str, expected: &str) {
        assert_eq!(translate(text, syntax, &[]).text, expected, "{text}");
    }

    #[test]
    fn variables_stay_variables_and_other_text_stays_text() {
        check(Syntax::Literal, "a ${X} $$ $", "a $${X} $$$$ $$");
        check(Syntax::Own, "${X:-$} $$ $Y $", "${X:-$} $$ $Y $");
        check(Syntax::Braces, "a${X:-d}$Y $$", "a${X:-d}$$Y $$$$");
        check(Syntax::Bare, "$X-${Y} $1 $", "${X}-${Y} $$1 $$");
        check(Syntax::Prefixed, "${env:X} ${X} ${x:y} $X", "${X} $${X} $${x:y} $$X");
        check(Syntax::Prefixed, "${workspaceFolder}/a", "${workspaceFolder}/a");
        check(Syntax::Curly, "{env:X} {X} ${X} {env:X", "${X} {X} $${X} {env:X");
    }

    #[test]
    fn what_has_no_counterpart_becomes_what_is_refused() {
        check(Syntax::Prefixed, "${env:-x}", "${!env:-x}");
        check(Syntax::Prefixed, "${file:a} ${command:b}", "${!file:a} ${!command:b}");
        check(Syntax::Curly, "{file:~/key}", "${!file:~/key}");
        assert_eq!(translate("{file:~/key}", Syntax::Curly, &[]).notes.len(), 1);
    }

    #[test]
    fn an_input_is_a_variable_of_its_own() {
        let input = |id: &str, default: Option<&str>| Input {
            id: id.to_owned(),
            default: default.map(str::to_owned),
            ..Input::default()
        };
        let inputs =
            [input("api-key", None), input("region", Some("eu")), input("a.b", None), input("a-b", None)];
        let check = |text: &str, expected: &str| {
            let found = translate(text, Syntax::Prefixed, &inputs);
            assert_eq!((found.text.as_str(), found.notes.len()), (expected, 1));
        };
        check("Bearer ${input:api-key}", "Bearer ${MCP_INPUT_api_key}");
        check("${input:region}", "${MCP_INPUT_region:-eu}");
        // Of two inputs neither gets the other's answer.
        check("${input:a.b}", "${!input:a.b}");
    }
}
