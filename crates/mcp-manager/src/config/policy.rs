//! The lists with which a host turns servers off that other files turn on.

use super::disabled::DisabledBy;
use super::entry::{Entry, State};
use super::host::{Host, Scope};
use super::node::Node;
use super::server::ServerKind;

/// What the lists of a host say. Lists of several files add up, so that none of them widens another.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    /// Off by name, and the setting that says so.
    disabled: Vec<(&'static str, String)>,
    /// Off by name, if they come from the project.
    disabled_of_project: Vec<String>,
    /// Which servers of the project the user said yes to; `None` if the host keeps no such list, since it
    /// was never asked.
    approved: Option<Vec<String>>,
    /// Whether the user said yes to all of them.
    approves_all: bool,
    /// Whether all that come from the project are off: not if nobody says.
    trusts_project: Option<bool>,
    denied: Vec<Rule>,
    /// A server has to be on each of these.
    allowed: Vec<(&'static str, Vec<Rule>)>,
}

/// A server that a list means.
#[derive(Clone, Debug)]
enum Rule {
    Name(String),
    Command(Vec<String>),
    /// With `*` for any text.
    Url(String),
}

const TRUST_LEVEL: &str = "projects.PATH.trust_level";

impl Policy {
    /// The lists of a file. Those of a project widen nothing either, so they count as well, but what they
    /// approve does not: `can_approve` is false for them.
    pub(super) fn read(top: &Node, host: Host, workspace: Option<&str>, can_approve: bool) -> Self {
        let mut policy = Self::default();
        let texts = |node: &Node, name: &str| node.member(name).map(Node::texts).unwrap_or_default();
        let named = |node: &Node, name: &str, setting: &'static str| -> Vec<_> {
            texts(node, name).into_iter().map(|name| (setting, name)).collect()
        };
        match host {
            Host::Own => policy.disabled = named(top, "disabledServers", "disabledServers"),
            Host::GeminiCli => {
                if let Some(mcp) = top.member("mcp") {
                    policy.disabled = named(mcp, "excluded", "mcp.excluded");
                    let allowed = mcp.member("allowed").map(Node::texts);
                    let rules = allowed.map(|it| it.into_iter().map(Rule::Name).collect());
                    policy.allowed = rules.into_iter().map(|rules| ("mcp.allowed", rules)).collect();
                }
            }
            Host::ClaudeCode => {
                let projects = top.member("projects").and_then(Node::members).into_iter().flatten();
                let project =
                    projects.filter(|(path, _)| Some(path.as_str()) == workspace).map(|(_, node)| node);
                for node in std::iter::once(top).chain(project) {
                    policy.disabled.extend(named(node, "disabledMcpServers", "disabledMcpServers"));
                    policy.disabled_of_project.extend(texts(node, "disabledMcpjsonServers"));
                    if let Some(list) = node.member("enabledMcpjsonServers") {
                        let approved = policy.approved.get_or_insert_default();
                        approved.extend(list.texts().into_iter().filter(|_| can_approve));
                    }
                    let all = node.member("enableAllProjectMcpServers").map(|node| &node.value);
                    policy.approves_all |= can_approve && matches!(all, Some(super::node::Value::Flag(true)));
                }
                policy.denied = top.member("deniedMcpServers").map(rules).unwrap_or_default();
                let allowed = top.member("allowedMcpServers").map(rules);
                policy.allowed = allowed.into_iter().map(|rules| ("allowedMcpServers", rules)).collect();
            }
            Host::Codex => {
                let projects = top.member("projects").zip(workspace);
                policy.trusts_project = projects.map(|(projects, workspace)| {
                    let level = projects.member(workspace).and_then(|it| it.member("trust_level"));
                    level.and_then(Node::text) == Some("trusted")
                });
                // A project says nothing about itself.
                policy.trusts_project = policy.trusts_project.filter(|trusts| can_approve || !trusts);
            }
            _ => {}
        }
        policy
    }

    /// Adds what another file says.
    pub(super) fn extend(&mut self, other: Self) {
        self.disabled.extend(other.disabled);
        self.disabled_of_project.extend(other.disabled_of_project);
        if let Some(approved) = other.approved {
            self.approved.get_or_insert_default().extend(approved);
        }
        self.approves_all |= other.approves_all;
        self.trusts_project = match (self.trusts_project, other.trusts_project) {
            (Some(one), Some(other)) => Some(one && other),
            (one, other) => one.or(other),
        };
        self.denied.extend(other.denied);
        self.allowed.extend(other.allowed);
    }

    /// Turns the entry off if the lists say so.
    pub(super) fn apply(&self, entry: &mut Entry) {
        if entry.is_disabled() {
            return;
        }
        if let Some(by) = self.refusal(entry) {
            entry.state = State::Disabled(by);
        } else if entry.error().is_some() && self.denied.iter().any(|rule| !matches!(rule, Rule::Name(_))) {
            // With its variables filled in it may be one of these.
            entry.may_be_denied = true;
        }
    }

    fn refusal(&self, entry: &Entry) -> Option<DisabledBy> {
        let off = |setting| Some(DisabledBy::List { setting });
        if let Some((setting, _)) = self.disabled.iter().find(|(_, name)| *name == entry.name) {
            return off(setting);
        }
        if self.denied.iter().any(|rule| rule.means(entry)) {
            return off("deniedMcpServers");
        }
        if let Some((setting, _)) = self.allowed.iter().find(|(_, rules)| !is_allowed(rules, entry)) {
            return off(setting);
        }
        if entry.origin.scope != Scope::Project {
            return None;
        }
        if self.disabled_of_project.contains(&entry.name) {
            return off("disabledMcpjsonServers");
        }
        if self.trusts_project == Some(false) {
            return Some(DisabledBy::Unapproved { setting: TRUST_LEVEL });
        }
        let is_approved = |approved: &Vec<String>| self.approves_all || approved.contains(&entry.name);
        let is_unapproved = self.approved.as_ref().is_some_and(|approved| !is_approved(approved));
        is_unapproved.then_some(DisabledBy::Unapproved { setting: "enabledMcpjsonServers" })
    }
}

/// Where a list names commands, a program has to be among those: its name alone is easily taken. With
/// addresses it is the same.
fn is_allowed(rules: &[Rule], entry: &Entry) -> bool {
    let is_strict = |rule: &&Rule| match entry.ready().map(|server| &server.kind) {
        Some(ServerKind::Stdio(_)) => matches!(rule, Rule::Command(_)),
        Some(_) => matches!(rule, Rule::Url(_)),
        None => false,
    };
    if rules.iter().any(|rule| is_strict(&rule)) {
        return rules.iter().filter(is_strict).any(|rule| rule.means(entry));
    }
    rules.iter().any(|rule| rule.means(entry))
}

impl Rule {
    fn means(&self, entry: &Entry) -> bool {
        match (self, entry.ready().map(|server| &server.kind)) {
            (Self::Name(name), _) => *name == entry.name,
            (Self::Command(line), Some(ServerKind::Stdio(server))) => {
                let (command, args) = match line.split_first() {
                    Some((command, args)) => (command, args),
                    None => return false,
                };
                (*command == server.command || *command == server.written) && args == server.args
            }
            (Self::Url(pattern), Some(ServerKind::Http(server) | ServerKind::Sse(server))) => {
                matches(pattern, server.written_url())
            }
            _ => false,
        }
    }
}

fn rules(list: &Node) -> Vec<Rule> {
    let super::node::Value::List(items) = &list.value else { return Vec::new() };
    let rule = |item: &Node| {
        let text = |name| item.member(name).and_then(Node::text).map(str::to_owned);
        let command = || item.member("serverCommand").map(|node| Rule::Command(node.texts()));
        text("serverName").map(Rule::Name).or_else(command).or_else(|| text("serverUrl").map(Rule::Url))
    };
    items.iter().filter_map(rule).collect()
}

/// Whether the text is what the pattern says, with `*` for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text, expected) in [
            ("https://a.test/*", "https://a.test/mcp", true),
            ("https://a.test/*", "https://b.test/mcp", false),
            ("https://*.a.test/*", "https://x.a.test/y", true),
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "ac", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
