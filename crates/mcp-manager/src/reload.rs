//! A configuration that changed while its servers run.

use std::collections::BTreeMap;
use std::sync::Arc;

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
    /// of one name the later one counts. Returns once what is to end has ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves some of it done; the same call again does the rest.
    pub async fn reload(&self, servers: impl IntoIterator<Item = ServerSpec>) -> Reloaded {
        let mut wanted: Vec<ServerSpec> = Vec::new();
        for spec in servers {
            match wanted.iter_mut().find(|it| it.name == spec.name) {
                Some(same) => *same = spec,
                None => wanted.push(spec),
            }
        }
        let known = self.all().into_iter().map(|it| (it.spec.name.clone(), it.spec.fingerprint.clone()));
        let prints = wanted.iter().map(|spec| (spec.name.clone(), spec.fingerprint.clone()));
        let changes = plan(&known.collect::<Vec<_>>(), &prints.collect::<Vec<_>>());
        let mut specs: BTreeMap<_, _> =
            wanted.into_iter().map(|spec| (spec.name.to_string(), spec)).collect();
        let mut done = Reloaded::default();
        for change in changes {
            match change {
                Change::Stop(name) => {
                    // One that is gone by now needs no more.
                    if self.remove(&name).await.is_ok() {
                        done.stopped.push(name.into());
                    }
                }
                Change::Keep(name) => done.kept.push(name.into()),
                Change::Restart(name) => {
                    if let Some(known) = self.known(&name) {
                        known.disconnect().await;
                    }
                    self.launch_known(specs.remove(&name)).await;
                    done.restarted.push(name.into());
                }
                Change::Start(name) => {
                    self.launch_known(specs.remove(&name)).await;
                    done.started.push(name.into());
                }
            }
        }
        done
    }

    async fn launch_known(&self, spec: Option<ServerSpec>) {
        if let Some(spec) = spec {
            self.launch(spec).recall().await;
        }
    }
}
