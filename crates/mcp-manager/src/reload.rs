//! A configuration that changed while its servers run.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::config::{Change, plan};
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
    /// Makes these the servers: starts, stops and restarts only what changed, as
    /// [`config::diff`](crate::config::diff) does by their [`fingerprint`](ServerSpec::fingerprint)s. Of two
    /// of one name the later one counts. Returns once what is to end has ended, all of it at once.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves some of it done; the same call again does the rest.
    pub async fn reload(&self, servers: impl IntoIterator<Item = ServerSpec>) -> Reloaded {
        let mut wanted = by_name(servers);
        let known = self.all().into_iter().map(|it| (it.spec.name.clone(), it.spec.fingerprint.clone()));
        let prints = wanted.values().map(|spec| (spec.name.clone(), spec.fingerprint.clone()));
        let changes = plan(&known.collect::<Vec<_>>(), &prints.collect::<Vec<_>>());
        let mut done = Reloaded::default();
        let mut turning = JoinSet::new();
        for change in changes {
            let (name, list) = match change {
                Change::Start(name) => (name, &mut done.started),
                Change::Stop(name) => (name, &mut done.stopped),
                Change::Restart(name) => (name, &mut done.restarted),
                Change::Keep(name) => {
                    done.kept.push(name.into());
                    continue;
                }
            };
            let name: Arc<str> = name.into();
            list.push(name.clone());
            let (manager, spec) = (self.clone(), wanted.remove(&name));
            // One that is slow to end holds up no other.
            turning.spawn(async move { manager.replace(&name, spec).await });
        }
        turning.join_all().await;
        done
    }

    /// Ends the server of this name, if there is one, and begins the other in its place.
    async fn replace(&self, name: &str, spec: Option<ServerSpec>) {
        match spec {
            // One that is gone by now needs no more.
            None => drop(self.remove(name).await),
            Some(spec) => {
                if let Some(known) = self.known(name) {
                    known.disconnect().await;
                }
                self.launch(spec).recall().await;
            }
        }
    }
}

/// Servers by their names. Of two of one name the later one counts.
pub(crate) fn by_name(servers: impl IntoIterator<Item = ServerSpec>) -> BTreeMap<Arc<str>, ServerSpec> {
    servers.into_iter().map(|spec| (spec.name.clone(), spec)).collect()
}
