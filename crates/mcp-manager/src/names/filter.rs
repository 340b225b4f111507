//! Which tools of a server are let through.

use super::glob::Glob;

/// What is let through by the names the server itself gives its tools. By default, everything is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Only tools that match one of these. Default: `None`, all of them; an empty list lets none through.
    pub allow: Option<Vec<Glob>>,
    /// No tool that matches one of these, whatever `allow` says. Default: empty.
    pub deny: Vec<Glob>,
}

/// What a filter made of a list of tools.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filtered<T> {
    /// What was let through, in its order.
    pub kept: Vec<T>,
    /// How many were not.
    pub removed: usize,
    unused: Vec<Unused>,
}

/// An entry of a filter that matched no tool: perhaps misspelt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unused {
    /// The list it stands in.
    pub list: List,
    /// The entry.
    pub pattern: Glob,
}

/// A list of a [`ToolFilter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum List {
    /// [`ToolFilter::allow`].
    Allow,
    /// [`ToolFilter::deny`].
    Deny,
}

impl ToolFilter {
    /// Whether a tool of that name is let through.
    pub fn shows(&self, name: &str) -> bool {
        let any = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(name));
        self.allow.as_deref().is_none_or(any) && !any(&self.deny)
    }

    /// Takes out what is not let through; `name` tells what the server calls a tool.
    pub fn apply<T>(&self, tools: impl IntoIterator<Item = T>, name: impl Fn(&T) -> &str) -> Filtered<T> {
        let mut allow: Vec<_> = self.allow.iter().flatten().map(Tried::new).collect();
        let mut deny: Vec<_> = self.deny.iter().map(Tried::new).collect();
        let (mut kept, mut removed) = (Vec::new(), 0);
        for tool in tools {
            // All entries are tried: one is used even where another decides.
            let allowed = try_all(&mut allow, name(&tool)) || self.allow.is_none();
            let denied = try_all(&mut deny, name(&tool));
            if allowed && !denied {
                kept.push(tool);
            } else {
                removed += 1;
            }
        }
        let unused = unused(&allow, List::Allow).chain(unused(&deny, List::Deny)).collect();
        Filtered { kept, removed, unused }
    }
}

impl<T> Filtered<T> {
    /// The entries of the filter that matched no tool of the list, those of `allow` first.
    pub fn unused(&self) -> &[Unused] {
        &self.unused
    }
}

struct Tried<'a> {
    glob: &'a Glob,
    used: bool,
}

impl<'a> Tried<'a> {
    fn new(glob: &'a Glob) -> Self {
        Self { glob, used: false }
    }
}

/// Whether one matches. Notes each one that does.
fn try_all(entries: &mut [Tried<'_>], name: &str) -> bool {
    let mut any = false;
    for entry in entries {
        let matches = entry.glob.matches(name);
        entry.used |= matches;
        any |= matches;
    }
    any
}

fn unused(entries: &[Tried<'_>], list: List) -> impl Iterator<Item = Unused> {
    let unused = entries.iter().filter(|entry| !entry.used);
    unused.map(move |entry| Unused { list, pattern: entry.glob.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(patterns: &[&str]) -> Vec<Glob> {
        patterns.iter().map(|pattern| Glob::new(pattern).unwrap()).collect()
    }

    fn filter(allow: Option<&[&str]>, deny: &[&str]) -> ToolFilter {
        ToolFilter { allow: allow.map(globs), deny: globs(deny) }
    }

    /// What is kept of `read_a read_b write_a drop`, and what is unused.
    #[track_caller]
    fn check(filter: &ToolFilter, kept: &[&str], unused: &[&str]) {
        let names = ["read_a", "read_b", "write_a", "drop"];
        let filtered = filter.apply(names, |name| name);
        assert_eq!(filtered.kept, kept);
        assert_eq!(filtered.removed, names.len() - kept.len());
        let shown = |unused: &Unused| format!("{:?} {}", unused.list, unused.pattern);
        assert_eq!(filtered.unused().iter().map(shown).collect::<Vec<_>>(), unused);
        for name in names {
            assert_eq!(filter.shows(name), kept.contains(&name), "{name}");
        }
    }

    #[test]
    fn a_default_filter_lets_everything_through() {
        check(&ToolFilter::default(), &["read_a", "read_b", "write_a", "drop"], &[]);
    }

    #[test]
    fn an_empty_list_of_allowed_tools_allows_none() {
        check(&filter(Some(&[]), &[]), &[], &[]);
    }

    #[test]
    fn deny_wins_over_allow() {
        check(&filter(Some(&["read_*", "drop"]), &["*_b", "drop"]), &["read_a"], &[]);
        check(&filter(None, &["*_?"]), &["drop"], &[]);
    }

    #[test]
    fn an_entry_that_matches_nothing_is_reported() {
        check(
            &filter(Some(&["raed_*", "read_*", "read_a"]), &["Drop", "drop"]),
            &["read_a", "read_b"],
            &["Allow raed_*", "Deny Drop"],
        );
    }
}
