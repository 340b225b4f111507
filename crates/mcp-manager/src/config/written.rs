//! What an entry says in its file, before any variable is filled in.

mod export;
mod syntax;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::dialect::Dialect;
use super::entry::{Context, Entry, of_zed};
use super::error::{EntryError, EntryProblem};
use super::host::Host;
use super::node::{Members, Node, Value, find};
use super::values::Input;

pub use self::export::Exported;

/// An entry as it is written. `Debug` shows nothing of it.
///
/// What it shows to people has the secrets of addresses masked, and no value of a header or environment
/// variable. Arguments are shown as they are: who decides whether a program may run has to see them.
#[derive(Clone)]
pub struct Written {
    host: Host,
    members: Members,
    inputs: Arc<[Input]>,
    folder: PathBuf,
    /// Of entries that have none of their own.
    timeout: Option<Duration>,
}

impl Written {
    pub(super) fn new(node: &Node, context: &Context<'_>) -> Self {
        let host = context.origin.host;
        let members = match (node.members(), host) {
            (Some(members), Host::Zed) => of_zed(members).into_owned(),
            (Some(members), _) => members.clone(),
            (None, _) => Members::new(),
        };
        Self {
            host,
            members,
            inputs: Arc::clone(&context.inputs),
            folder: context.filler.folder.to_owned(),
            timeout: context.timeout.map(|(timeout, _)| timeout),
        }
    }

    /// The program and its arguments; `None` if there is no program.
    pub fn command_line(&self) -> Option<Vec<String>> {
        let command = find(&self.members, "command")?;
        let mut line = match &command.value {
            Value::List(_) => command.texts(),
            _ => vec![command.text()?.to_owned()],
        };
        line.extend(find(&self.members, "args").map(Node::texts).unwrap_or_default());
        Some(line)
    }

    /// The address, its secrets masked; `None` if there is none.
    pub fn url(&self) -> Option<String> {
        let dialect = Dialect::of(self.host);
        let names = dialect.urls.iter().map(|(name, _)| *name).chain(["url"]);
        let url = names.filter_map(|name| find(&self.members, name)?.text()).next()?;
        Some(masked(url))
    }

    /// The names of the variables that the program gets.
    pub fn env(&self) -> Vec<&str> {
        let env = find(&self.members, Dialect::of(self.host).env).and_then(Node::members);
        env.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
    }
}

impl Entry {
    /// The entry in our own format, variables as they are written. It allows no more than this one: what is
    /// off stays off, and lists of tools are kept. Relative paths become absolute ones if that of the file is.
    ///
    /// # Errors
    ///
    /// Fails if the entry is broken in another way than by a variable that cannot be filled in: then it is
    /// not known what it would be.
    pub fn export(&self) -> Result<Exported, &EntryError> {
        match (self.error(), self.kind) {
            (Some(error), None) => Err(error),
            (Some(error), _) if !matches!(error.problem, EntryProblem::Variable { .. }) => Err(error),
            (_, kind) => {
                let mut exported = self.written.export(kind);
                if let Some(by) = self.disabled_by() {
                    exported.disable(&format!("the server stays disabled: {by}"));
                } else if self.may_be_denied {
                    exported.disable(
                        "the server is disabled: it may be on a list of denied ones, which its variables would tell",
                    );
                }
                Ok(exported)
            }
        }
    }
}

impl fmt::Debug for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Written").field("host", &self.host).finish_non_exhaustive()
    }
}

/// An address without its user info and query.
fn masked(url: &str) -> String {
    let (start, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), url),
    };
    let (rest, query) = match rest.find(['?', '#']) {
        // A default of a variable is `:-`, which has neither.
        Some(at) => (&rest[..at], "?***"),
        None => (rest, ""),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let authority = match authority.rsplit_once('@') {
        Some((_, host)) => format!("***@{host}"),
        None => authority.to_owned(),
    };
    format!("{start}{authority}{path}{query}")
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn an_address_shows_neither_its_user_nor_its_query() {
        assert_eq!(masked("https://u:SECRET@a.test/x@y?k=SECRET#f"), "https://***@a.test/x@y?***");
        assert_eq!(masked("https://${HOST}/mcp"), "https://${HOST}/mcp");
        assert_eq!(masked("u:SECRET@a.test?SECRET"), "***@a.test?***");
    }
}
