//! `envFile`: a file with lines `NAME=VALUE`, as VS Code and Cursor read one for a server.

use std::collections::BTreeMap;

use super::error::EntryProblem;
use super::expand::VariableProblem;
use super::fields::{Fault, Fields};

const FIELD: &str = "envFile";

/// The variables of the file that the entry names.
pub(super) fn read(fields: &mut Fields<'_>) -> Result<BTreeMap<String, Option<String>>, Fault> {
    let Some(path) = fields.text(FIELD)? else { return Ok(BTreeMap::new()) };
    let filler = fields.filler();
    let text = match filler.values.file {
        Some(read) => read(&filler.folder.join(path))
            .map_err(|error| VariableProblem::File { reason: error.kind().to_string() }),
        None => Err(VariableProblem::Unsupported { form: FIELD.to_owned() }),
    };
    let text = text.map_err(|problem| EntryProblem::Variable { field: FIELD.to_owned(), problem })?;
    Ok(text.lines().filter_map(variable).collect())
}

/// The variable of one line; `None` if it is empty, a comment, or no variable.
fn variable(line: &str) -> Option<(String, Option<String>)> {
    let line = line.trim_start();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let name = name.trim();
    if name.is_empty() || name.starts_with('#') {
        return None;
    }
    let value = value.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| {
        let inner = value.strip_prefix(quote)?;
        inner.find(quote).map(|end| &inner[..end])
    });
    let plain = || value.split_once(" #").map_or(value, |(value, _)| value.trim_end());
    Some((name.to_owned(), Some(quoted.unwrap_or_else(plain).to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_variable_or_nothing() {
        let check = |line: &str, expected: Option<(&str, &str)>| {
            let found = variable(line);
            let found = found.as_ref().map(|(name, value)| (name.as_str(), value.as_deref().unwrap()));
            assert_eq!(found, expected, "{line}");
        };
        check("A=1", Some(("A", "1")));
        check("export A = 1 # one", Some(("A", "1")));
        check("A=\"a # b\" # c", Some(("A", "a # b")));
        check("A='b'", Some(("A", "b")));
        check("A=b=c", Some(("A", "b=c")));
        check("A=", Some(("A", "")));
        for line in ["", "# A=1", "A", "=1"] {
            check(line, None);
        }
    }
}
