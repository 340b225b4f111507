//! A configuration that changed while its servers run.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::manager::Manager;
use crate::spec::ServerSpec;

/// What a reload did, by the names of the servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reloaded {
    /// New servers; they are being connected, unless they are lazy.
    pub started: Vec<Arc<str>>,
    /// Servers that are no longer wanted; nothing of them is left.
    pub stopped: Vec<Arc<str>>,
    /// Servers that changed; the old ones are gone, and the new ones are being connected.
    pub restarted: Vec<Arc<str>>,
    /// Servers that are the same, and were not touched.
    pub kept: Vec<Arc<str>>,
}

impl Manager {
    /// Makes these the servers: starts, stops and restarts only what changed, as their
    /// [`fingerprint`](ServerSpec::fingerprint)s tell. Returns once what is to end has ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves some of it done; the same call again does the rest.
    pub async fn reload(&self, servers: impl IntoIterator<Item = ServerSpec>) -> Reloaded {
        let servers: Vec<_> = servers.into_iter().collect();
        let wanted: BTreeSet<_> = servers.iter().map(|spec| spec.name.clone()).collect();
        let mut done = Reloaded::default();
        for (name, _) in self.status() {
            // One that is gone by now needs no more.
            if !wanted.contains(&name) && self.remove(&name).await.is_ok() {
                done.stopped.push(name);
            }
        }
        for spec in servers {
            let name = spec.name.clone();
            match self.known(&name) {
                Some(known) if known.spec.fingerprint == spec.fingerprint => {
                    done.kept.push(name);
                    continue;
                }
                Some(known) => {
                    known.disconnect().await;
                    done.restarted.push(name);
                }
                None => done.started.push(name),
            }
            let is_lazy = spec.lazy;
            let server = self.add(spec);
            server.recall().await;
            if !is_lazy {
                server.start();
            }
        }
        done
    }
}
