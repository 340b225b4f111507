//! Which tools of a server there are for us, by the lists of the host.

use super::dialect::Dialect;
use super::error::EntryProblem;
use super::fields::{Fault, Fields, wrong};
use super::host::Host;
use super::node;
use crate::names::{Glob, ToolFilter};

/// Reads the lists. In ours, `*` and `?` stand for other characters.
pub(super) fn read(fields: &mut Fields<'_>, host: Host) -> Result<ToolFilter, Fault> {
    if host == Host::Own {
        return own(fields);
    }
    let dialect = Dialect::of(host);
    let mut filter = ToolFilter::default();
    if let Some(allow) = dialect.allow {
        // Hosts take names as they are. One with a `*` is that of no tool, and must not become that of many.
        let names = fields.texts(allow)?.map(|names| names.into_iter().map(|name| cut(name, host)));
        let names = names.map(|names| names.filter(|name| !name.contains(['*', '?'])).collect());
        filter.allow = names.map(|names| globs(names, allow)).transpose()?;
    }
    if let Some(deny) = dialect.deny {
        filter.deny = globs(fields.texts(deny)?.unwrap_or_default(), deny)?;
    }
    Ok(filter)
}

/// Gemini writes a tool with arguments as well: `run(ls)`.
fn cut(name: String, host: Host) -> String {
    match name.split_once('(') {
        Some((tool, _)) if host == Host::GeminiCli => tool.to_owned(),
        _ => name,
    }
}

fn own(fields: &mut Fields<'_>) -> Result<ToolFilter, Fault> {
    let mut filter = ToolFilter::default();
    let Some(tools) = fields.node("tools") else { return Ok(filter) };
    let members = tools.members().ok_or_else(|| wrong("tools", "an object with lists", tools))?;
    if let Some((name, at)) = node::duplicate(members) {
        return Err(EntryProblem::FieldTwice { field: format!("tools.{name}") }.at(at));
    }
    for (name, list) in members {
        match name.as_str() {
            "allow" => {
                let field = "tools.allow";
                filter.allow = Some(globs(fields.texts_of(list, field)?, field)?);
            }
            "deny" => {
                let field = "tools.deny";
                filter.deny = globs(fields.texts_of(list, field)?, field)?;
            }
            // A misspelt list must not let all tools through.
            _ => return Err(wrong("tools", "an object with the lists \"allow\" and \"deny\"", list)),
        }
    }
    Ok(filter)
}

fn globs(patterns: Vec<String>, field: &str) -> Result<Vec<Glob>, Fault> {
    let glob = |(at, pattern): (usize, String)| {
        Glob::new(&pattern).map_err(|problem| {
            let field = format!("{field}[{at}]");
            Fault::from(EntryProblem::Pattern { field, problem })
        })
    };
    patterns.into_iter().enumerate().map(glob).collect()
}
