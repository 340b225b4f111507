//! What a file says about which calls the user has to approve.

use super::error::EntryProblem;
use super::fields::{Fault, Fields, wrong};
use super::host::{Host, Scope};
use super::node::{self, Node};
use super::origin::Origin;
use super::server::{Approval, Approvals};

/// Reads the keys that the host has for it.
pub(super) fn read(fields: &mut Fields<'_>, origin: &Origin) -> Result<Approvals, Fault> {
    let mut approvals = match origin.host {
        Host::Codex => of_codex(fields)?,
        Host::GeminiCli => Approvals {
            default: fields.flag("trust")?.map_or(Approval::Unstated, |trust| {
                if trust { Approval::Granted } else { Approval::Required }
            }),
            ..Approvals::default()
        },
        _ => Approvals::default(),
    };
    if origin.scope == Scope::Project {
        let all = approvals.tools.values_mut().chain([&mut approvals.default]);
        for approval in all.filter(|approval| **approval == Approval::Granted) {
            *approval = Approval::Unstated;
        }
    }
    Ok(approvals)
}

fn of_codex(fields: &mut Fields<'_>) -> Result<Approvals, Fault> {
    let mut approvals = Approvals::default();
    if let Some(mode) = fields.node("default_tools_approval_mode") {
        approvals.default = approval(mode);
    }
    let Some(tools) = fields.node("tools") else { return Ok(approvals) };
    let members = tools.members().ok_or_else(|| wrong("tools", "a table of tools by name", tools))?;
    if let Some((name, at)) = node::duplicate(members) {
        return Err(EntryProblem::FieldTwice { field: format!("tools.{name}") }.at(at));
    }
    for (name, tool) in members {
        if let Some(mode) = tool.member("approval_mode") {
            approvals.tools.insert(name.clone(), approval(mode));
        }
    }
    Ok(approvals)
}

/// A mode that is not known may be a stricter one.
fn approval(mode: &Node) -> Approval {
    match mode.text() {
        Some("auto") => Approval::Unstated,
        Some("approve") => Approval::Granted,
        _ => Approval::Required,
    }
}
