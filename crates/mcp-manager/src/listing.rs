//! What all servers list beside tools: resources, their templates, prompts.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::Raw;
use tokio::task::JoinSet;

use crate::error::ManagerError;
use crate::manager::Manager;
use crate::server::{Again, Server, Topic, is_session_lost};

/// What the servers list, and which of them could not say.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Listing {
    /// By the name of the server, then in its own order.
    pub items: Vec<Listed>,
    /// The servers whose lists are missing, by name, and why.
    pub failures: Vec<(Arc<str>, ManagerError)>,
}

/// Something that one server lists.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listed {
    /// The server.
    pub server: Arc<str>,
    /// The item, exactly as it was sent; [`Raw::parse`] reads it.
    pub item: Raw,
}

impl Manager {
    /// The resources of all servers (`resources/list`). A list is asked for when it is first
    /// needed, all pages of it and all servers at once, and again when its server says that it
    /// changed, as long as the connection lasts. What a server does not offer, it has none of.
    ///
    /// A server that is being connected is waited for as long as the gate
    /// ([`ManagerOptions::gate`](crate::ManagerOptions::gate)), and a list may take as long as a
    /// start. Those that fail or are too slow are in [`Listing::failures`] and cost the others
    /// nothing; those that were disconnected on purpose are left out. How much one list may hold,
    /// the [`ClientOptions`](mcp_client::ClientOptions) say.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the listings up.
    pub async fn resources(&self) -> Listing {
        self.listing(Topic::Resources).await
    }

    /// The templates of resources of all servers (`resources/templates/list`), as with
    /// [`resources`](Self::resources).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the listings up.
    pub async fn resource_templates(&self) -> Listing {
        self.listing(Topic::Templates).await
    }

    /// The prompts of all servers (`prompts/list`), as with [`resources`](Self::resources).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the listings up.
    pub async fn prompts(&self) -> Listing {
        self.listing(Topic::Prompts).await
    }

    async fn listing(&self, topic: Topic) -> Listing {
        let gate = self.options().gate;
        let mut asked = JoinSet::new();
        let servers = self.all().into_iter().filter(|server| !server.is_unwanted());
        for (number, server) in servers.enumerate() {
            asked.spawn(async move {
                let list = list_of(&server, topic, gate).await;
                (number, server.spec.name.clone(), list)
            });
        }
        let mut all = Vec::new();
        while let Some(done) = asked.join_next().await {
            // None is stopped from outside, and one that panicked has said so.
            all.extend(done);
        }
        all.sort_by_key(|(number, ..)| *number);
        let mut listing = Listing::default();
        for (_, server, list) in all {
            match list {
                Ok(items) => listing
                    .items
                    .extend(items.iter().map(|item| Listed { server: server.clone(), item: item.clone() })),
                Err(error) => listing.failures.push((server, error)),
            }
        }
        listing
    }
}

async fn list_of(server: &Arc<Server>, topic: Topic, gate: Duration) -> Result<Arc<[Raw]>, ManagerError> {
    let not_in_time = |_| ManagerError::NotReadyInTime { server: server.spec.name.clone(), limit: gate };
    // A gate of zero waits for nobody, where a limit of zero would be none.
    let ready = tokio::time::timeout(gate, server.ready_within(Duration::ZERO)).await;
    let live = ready.map_err(not_in_time)??;
    let _call = live.calls.token();
    let listed = server.listed(live.lists.get(&live.client, topic)).await;
    if let Err(ManagerError::Client(error)) = &listed
        && is_session_lost(error)
    {
        server.renew(&live.client, Again::Now);
    }
    listed
}
