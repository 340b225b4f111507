//! The table from exposed names to tools, and back.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::assign::{self, Collision};
use super::style::NameStyle;

/// A tool by its own names: the server, as it is configured, and the tool, as that server calls it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The name of the server in the configuration.
    pub server: String,
    /// The server's own name of the tool: what a call has to carry.
    pub tool: String,
}

/// A tool and the name it is exposed by.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name for the model: of `[a-zA-Z0-9_-]`, 1 to [`super::MAX_NAME`] characters, and nobody else's.
    pub exposed: String,
    /// The tool.
    pub origin: Origin,
}

/// All exposed names at one time, one for each tool.
///
/// The names depend on the set of tools alone, not on who came first. A tool that comes or goes changes
/// no name but those it collides with. It holds what it is built from and has no limit of its own: the
/// lists of tools have theirs.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    entries: Vec<Entry>,
    by_exposed: HashMap<String, usize>,
    by_server: HashMap<String, HashMap<String, usize>>,
    collisions: Vec<Collision>,
    repeated: Vec<Origin>,
}

impl Registry {
    /// Names the tools of all servers: pairs of a server and the names of its tools, in its own order.
    ///
    /// A server that is there twice has both lists, one behind the other. Of a tool that a server lists
    /// twice the first place counts; see [`Registry::repeated`].
    pub fn build<S, T>(servers: impl IntoIterator<Item = (S, T)>, style: &NameStyle) -> Self
    where
        S: Into<String>,
        T: IntoIterator<Item: Into<String>>,
    {
        let (origins, repeated) = sorted(servers);
        let (names, collisions) = assign::assign(style, &origins);
        let mut registry = Self { collisions, repeated, ..Self::default() };
        for (exposed, origin) in names.into_iter().zip(origins) {
            registry.insert(Entry { exposed, origin });
        }
        registry
    }

    /// The tool that is exposed by this name.
    pub fn origin(&self, exposed: &str) -> Option<&Origin> {
        self.by_exposed.get(exposed).map(|&index| &self.entries[index].origin)
    }

    /// The name that this tool of this server is exposed by.
    pub fn exposed(&self, server: &str, tool: &str) -> Option<&str> {
        let index = *self.by_server.get(server)?.get(tool)?;
        Some(&self.entries[index].exposed)
    }

    /// All tools: by the name of their server, then in the server's own order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The tools of one server, in its own order.
    pub fn of_server(&self, server: &str) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.origin.server.as_str() < server);
        let behind = &self.entries[start..];
        &behind[..behind.partition_point(|entry| entry.origin.server == server)]
    }

    /// Tools that would have had the same name, by that name.
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }

    /// Tools that their server lists more than once: each further time once.
    pub fn repeated(&self) -> &[Origin] {
        &self.repeated
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn insert(&mut self, entry: Entry) {
        let Entry { exposed, origin } = &entry;
        let index = self.entries.len();
        // Only two equal hashes of 208 bits could bring a name twice. Then one tool stays away, rather than
        // that a call goes to the wrong one.
        if self.by_exposed.contains_key(exposed) {
            return;
        }
        self.by_exposed.insert(exposed.clone(), index);
        self.by_server.entry(origin.server.clone()).or_default().insert(origin.tool.clone(), index);
        self.entries.push(entry);
    }
}

/// Each pair once, by server and then in the server's order; and the pairs that came again.
fn sorted<S, T>(servers: impl IntoIterator<Item = (S, T)>) -> (Vec<Origin>, Vec<Origin>)
where
    S: Into<String>,
    T: IntoIterator<Item: Into<String>>,
{
    let mut lists = BTreeMap::<String, Vec<String>>::new();
    for (server, tools) in servers {
        lists.entry(server.into()).or_default().extend(tools.into_iter().map(Into::into));
    }
    let (mut origins, mut repeated) = (Vec::new(), Vec::new());
    for (server, tools) in lists {
        let mut seen = HashSet::with_capacity(tools.len());
        for tool in tools {
            let list = if seen.insert(tool.clone()) { &mut origins } else { &mut repeated };
            list.push(Origin { server: server.clone(), tool });
        }
    }
    (origins, repeated)
}

#[cfg(test)]
mod tests;
