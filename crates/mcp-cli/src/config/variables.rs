//! `${NAME}` and `${NAME:-default}` in a text, filled in from the environment.

use std::env::VarError;
use std::fmt;

/// Longest name that an error shows: what is longer is no name.
const MAX_SHOWN: usize = 64;

/// Where values come from.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Result<String, VarError>;

/// Fills in variables, in one pass: what a value or a default holds is taken as it is. A default
/// stands in for a variable that is unset or empty; `$$` is a `$`, and so is one before anything
/// else.
pub(super) fn expand(text: &str, lookup: Lookup<'_>) -> Result<String, VariableProblem> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(inner) = after.strip_prefix('{') {
            let (value, after) = fill(inner, lookup)?;
            out.push_str(&value);
            rest = after;
        } else {
            out.push('$');
            rest = after.strip_prefix('$').unwrap_or(after);
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// The value of what begins after `${`, and what follows its `}`.
fn fill<'a>(text: &'a str, lookup: Lookup<'_>) -> Result<(String, &'a str), VariableProblem> {
    let end = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    let shown = || name[..name.len().min(MAX_SHOWN)].to_owned();
    let Some((inside, rest)) = after.split_once('}') else {
        return Err(VariableProblem::Unclosed { name: shown() });
    };
    // The rest of what is no name may be a value that went to the wrong place.
    let default = match inside.strip_prefix(":-") {
        _ if name.is_empty() || name.starts_with(|it: char| it.is_ascii_digit()) => {
            return Err(VariableProblem::NoName);
        }
        None if !inside.is_empty() => return Err(VariableProblem::NoName),
        default => default,
    };
    if default.is_some_and(|default| default.contains("${")) {
        return Err(VariableProblem::Nested { name: shown() });
    }
    match (lookup(name), default) {
        (Err(VarError::NotUnicode(_)), _) => Err(VariableProblem::NotText { name: shown() }),
        (Err(VarError::NotPresent), None) => Err(VariableProblem::Unset { name: shown() }),
        (Err(VarError::NotPresent), Some(default)) => Ok((default.to_owned(), rest)),
        (Ok(value), Some(default)) if value.is_empty() => Ok((default.to_owned(), rest)),
        (Ok(value), _) => Ok((value, rest)),
    }
}

/// Why a text cannot be filled in. No message shows a value, or text that stands around a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VariableProblem {
    Unset { name: String },
    NotText { name: String },
    Unclosed { name: String },
    Nested { name: String },
    NoName,
}

impl VariableProblem {
    /// What may help.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Unset { .. } => "set it, or give it a default: ${NAME:-default}",
            Self::NotText { .. } | Self::Nested { .. } => "put the value into a variable of its own",
            Self::Unclosed { .. } | Self::NoName => {
                "a variable is ${NAME} or ${NAME:-default}; a $ that is none is written $$"
            }
        }
    }
}

impl fmt::Display for VariableProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset { name } => write!(formatter, "the variable `{name}` is not set"),
            Self::NotText { name } => write!(formatter, "the value of the variable `{name}` is not Unicode"),
            Self::Unclosed { name } => write!(formatter, "`${{{name}` has no closing brace"),
            Self::Nested { name } => {
                write!(formatter, "the default of the variable `{name}` holds a variable itself")
            }
            Self::NoName => {
                formatter.write_str("what stands between `${` and `}` is not the name of a variable")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(name: &str) -> Result<String, VarError> {
        match name {
            "KEY" => Ok("${OTHER} $$".to_owned()),
            "_E2" => Ok(String::new()),
            "BYTES" => Err(VarError::NotUnicode("x".into())),
            _ => Err(VarError::NotPresent),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(expand(text, &lookup).as_deref(), Ok(expected), "{text}");
    }

    #[track_caller]
    fn check_bad(text: &str, expected: &str) {
        assert_eq!(expand(text, &lookup).unwrap_err().to_string(), expected, "{text}");
    }

    #[test]
    fn a_variable_is_filled_in_once() {
        check("", "");
        check("no variable", "no variable");
        check("Bearer ${KEY}!", "Bearer ${OTHER} $$!");
        check("${KEY}${_E2}${KEY}", "${OTHER} $$${OTHER} $$");
    }

    #[test]
    fn a_default_stands_in_for_what_is_unset_or_empty() {
        check("${NONE:-a b}", "a b");
        check("${_E2:-x}", "x");
        check("${NONE:-}", "");
        check("${KEY:-x}", "${OTHER} $$");
        check("${NONE:-$$a:-b$C}", "$$a:-b$C");
    }

    #[test]
    fn a_dollar_alone_stays_and_two_are_one() {
        check("$KEY $ 5$", "$KEY $ 5$");
        check("$${KEY}", "${KEY}");
        check("$$$$", "$$");
        check("$$${_E2}", "$");
    }

    // Field case 172.
    #[test]
    fn a_variable_that_cannot_be_filled_in_is_named_and_nothing_else() {
        check_bad("SECRET ${NONE} SECRET", "the variable `NONE` is not set");
        check_bad("SECRET ${KEY", "`${KEY` has no closing brace");
        check_bad("${KEY SECRET", "`${KEY` has no closing brace");
        check_bad("${", "`${` has no closing brace");
        check_bad("${BYTES:-x}", "the value of the variable `BYTES` is not Unicode");
        check_bad("${NONE:-${KEY}}", "the default of the variable `NONE` holds a variable itself");
        for text in ["${}", "${:-x}", "${sk-SECRET}", "${9A}", "${env:KEY}", "${ KEY}", "${KEY-x}"] {
            check_bad(text, "what stands between `${` and `}` is not the name of a variable");
        }
    }
}
