//! The lists with which a host turns servers off that other files turn on.

use super::entry::{DisabledBy, Entry, State};
use super::host::{Host, Scope};
use super::node::Node;
use super::server::ServerKind;

/// What the lists of a host say. Lists of several files add up, so that none of them widens another.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    /// Off by name.
    disabled: Vec<String>,
    /// Off by name, if they come from the project.
    disabled_of_project: Vec<String>,
    /// Whether all that come from the project are off.
    distrusts_project: bool,
    denied: Vec<Rule>,
    /// A server has to be on each of these.
    allowed: Vec<Vec<Rule>>,
}

/// A server that a list means.
#[derive(Clone, Debug)]
enum Rule {
    Name(String),
    Command(Vec<String>),
    /// With `*` for any text.
    Url(String),
}

impl Policy {
    /// The lists of a file. Those of a project widen nothing either, so they count as well.
    pub(super) fn read(top: &Node, host: Host, workspace: Option<&str>) -> Self {
        let mut policy = Self::default();
        let texts = |node: &Node, name: &str| node.member(name).map(Node::texts).unwrap_or_default();
        match host {
            Host::Own => policy.disabled = texts(top, "disabledServers"),
            Host::GeminiCli => {
                if let Some(mcp) = top.member("mcp") {
                    policy.disabled = texts(mcp, "excluded");
                    let allowed = mcp.member("allowed").map(Node::texts);
                    policy.allowed =
                        allowed.into_iter().map(|it| it.into_iter().map(Rule::Name).collect()).collect();
                }
            }
            Host::ClaudeCode => {
                let projects = top.member("projects").and_then(Node::members).into_iter().flatten();
                let project =
                    projects.filter(|(path, _)| Some(path.as_str()) == workspace).map(|(_, node)| node);
                for node in std::iter::once(top).chain(project) {
                    policy.disabled.extend(texts(node, "disabledMcpServers"));
                    policy.disabled_of_project.extend(texts(node, "disabledMcpjsonServers"));
                }
                policy.denied = top.member("deniedMcpServers").map(rules).unwrap_or_default();
                policy.allowed = top.member("allowedMcpServers").map(rules).into_iter().collect();
            }
            Host::Codex => {
                let project = top.member("projects").zip(workspace);
                let project = project.and_then(|(projects, workspace)| projects.member(workspace));
                let trust = project.and_then(|project| project.member("trust_level")).and_then(Node::text);
                policy.distrusts_project = trust.is_some_and(|trust| trust != "trusted");
            }
            _ => {}
        }
        policy
    }

    /// Adds what another file says.
    pub(super) fn extend(&mut self, other: Self) {
        self.disabled.extend(other.disabled);
        self.disabled_of_project.extend(other.disabled_of_project);
        self.distrusts_project |= other.distrusts_project;
        self.denied.extend(other.denied);
        self.allowed.extend(other.allowed);
    }

    /// Turns the entry off if the lists say so.
    pub(super) fn apply(&self, entry: &mut Entry) {
        if !entry.is_disabled() && !self.admits(entry) {
            entry.state = State::Disabled(DisabledBy::List);
        }
    }

    fn admits(&self, entry: &Entry) -> bool {
        let is_in = |names: &[String]| names.contains(&entry.name);
        let is_of_project = entry.origin.scope == Scope::Project;
        let is_off_there = self.distrusts_project || is_in(&self.disabled_of_project);
        let is_off = is_in(&self.disabled) || (is_of_project && is_off_there);
        let is_denied = self.denied.iter().any(|rule| rule.means(entry));
        !is_off && !is_denied && self.allowed.iter().all(|rules| is_allowed(rules, entry))
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
