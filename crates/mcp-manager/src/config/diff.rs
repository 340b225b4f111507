//! What has to happen when a configuration changes, and what makes two servers the same.

use std::collections::{BTreeMap, BTreeSet};

use mcp_jsonrpc::IdFormat;
use mcp_transport_stdio::EnvPolicy;

use super::server::{Approval, Protocol, ServerConfig, ServerKind};
use crate::names::Glob;

/// What has to happen to one server, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    Start(String),
    /// It is no longer there.
    Stop(String),
    /// It is another one: what runs has to end first.
    Restart(String),
    /// It is the same.
    Keep(String),
}

/// Compares the servers that are to run with those that were. Where a file, a line or a warning differs
/// and the server does not, it is the same. Stops come first, then the new servers in their order.
pub fn diff(old: &[ServerConfig], new: &[ServerConfig]) -> Vec<Change> {
    let inputs = |servers: &[ServerConfig]| -> Vec<_> {
        servers.iter().map(|server| (server.name.clone(), server.fingerprint_input())).collect()
    };
    plan(&inputs(old), &inputs(new))
}

/// The same for servers of which only their names and fingerprints are known; each name is there once.
pub(crate) fn plan<N: AsRef<str>>(old: &[(N, Vec<u8>)], new: &[(N, Vec<u8>)]) -> Vec<Change> {
    let before: BTreeMap<_, _> = old.iter().map(|(name, print)| (name.as_ref(), print)).collect();
    let wanted: BTreeSet<_> = new.iter().map(|(name, _)| name.as_ref()).collect();
    let gone = old.iter().filter(|(name, _)| !wanted.contains(name.as_ref()));
    let gone = gone.map(|(name, _)| Change::Stop(name.as_ref().to_owned()));
    let there = new.iter().map(|(name, print)| {
        let known = before.get(name.as_ref());
        let name = name.as_ref().to_owned();
        match known {
            None => Change::Start(name),
            Some(known) if *known == print => Change::Keep(name),
            Some(_) => Change::Restart(name),
        }
    });
    gone.chain(there).collect()
}

impl ServerConfig {
    /// All that makes this server what it is, as bytes that are the same for the same server: for a hash.
    ///
    /// They hold its secrets and must go nowhere but into a hash. Origin, warnings and `extra` are left out.
    pub fn fingerprint_input(&self) -> Vec<u8> {
        let mut out = Bytes(Vec::new());
        out.put("kind", [self.kind().name()]);
        match &self.kind {
            ServerKind::Stdio(server) => {
                out.put("command", [&server.command]);
                out.put("args", &server.args);
                for (name, value) in &server.env {
                    out.put("env", std::iter::once(name).chain(value));
                }
                let policy = if server.env_policy == EnvPolicy::Clean { "clean" } else { "inherit" };
                out.put("env_policy", [policy]);
                out.put("cwd", server.cwd.iter().map(|cwd| cwd.to_string_lossy()));
            }
            ServerKind::Http(server) | ServerKind::Sse(server) => {
                for (field, values) in server.parts() {
                    out.put(field, values);
                }
            }
        }
        let limits = [
            ("timeout", self.timeout),
            ("start_timeout", self.start_timeout),
            ("max_total_timeout", self.max_total_timeout),
        ];
        for (field, limit) in limits {
            out.put(field, limit.iter().map(|limit| limit.as_nanos().to_string()));
        }
        let format = self.request_id_format.map(|format| match format {
            IdFormat::Text => "text",
            IdFormat::Number => "number",
        });
        out.put("request_id_format", format);
        out.put(
            "protocol",
            match &self.protocol {
                Protocol::Auto => None,
                Protocol::Discover => Some("discover"),
                Protocol::Revision(revision) => Some(revision.as_str()),
            },
        );
        let patterns = |globs: &[Glob]| globs.iter().map(|it| it.as_str().to_owned()).collect::<Vec<_>>();
        // An empty list of allowed tools is not the same as none.
        out.put("has_allow", self.tools.allow.as_ref().map(|_| ""));
        out.put("allow", self.tools.allow.as_deref().map(patterns).unwrap_or_default());
        out.put("deny", patterns(&self.tools.deny));
        let default = [("", self.approvals.default)].into_iter();
        for (tool, approval) in
            default.chain(self.approvals.tools.iter().map(|(tool, it)| (tool.as_str(), *it)))
        {
            out.put("approval", [tool, word(approval)]);
        }
        out.put("lazy", self.lazy.then_some("lazy"));
        out.0
    }
}

fn word(approval: Approval) -> &'static str {
    match approval {
        Approval::Unstated => "unstated",
        Approval::Required => "required",
        Approval::Granted => "granted",
    }
}

/// Fields one after the other, each with its length, so that no two lists of them are the same bytes.
struct Bytes(Vec<u8>);

impl Bytes {
    fn put<T: AsRef<str>>(&mut self, field: &str, values: impl IntoIterator<Item = T>) {
        self.text(field);
        let mut count = 0_u64;
        let at = self.0.len();
        self.0.extend(count.to_le_bytes());
        for value in values {
            self.text(value.as_ref());
            count += 1;
        }
        self.0[at..at + 8].copy_from_slice(&count.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
    }
}
