//! What a server lists beside tools: resources, their templates, prompts. Asked for when they are
//! first needed, and kept as long as the connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_client::{CallOptions, Client, ClientError};
use mcp_jsonrpc::{CallError, Raw};
use mcp_types::{ErrorCode, ListPrompts, ListResourceTemplates, ListResources, Method};
use tokio::sync::Mutex;

/// One of the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    Resources,
    Templates,
    Prompts,
}

impl Topic {
    /// The method that lists it, and the member of the answer.
    fn listing(self) -> (&'static str, &'static str) {
        match self {
            Self::Resources => (ListResources::NAME, "resources"),
            Self::Templates => (ListResourceTemplates::NAME, "resourceTemplates"),
            Self::Prompts => (ListPrompts::NAME, "prompts"),
        }
    }
}

/// The lists of one connection.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    resources: List,
    templates: List,
    prompts: List,
}

/// One list. Held while it is asked for, so that all who want it meanwhile share the answer.
#[derive(Debug, Default)]
struct List {
    known: Mutex<Option<Arc<[Raw]>>>,
    /// Whether it was said that it changed while nobody had asked for it.
    is_told: AtomicBool,
}

impl Lists {
    /// The list as it is known, or else as the server gives it now. A server without it has an
    /// empty one (case 161).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives a listing up.
    pub(crate) async fn get(&self, client: &Client, topic: Topic) -> Result<Arc<[Raw]>, ClientError> {
        let mut known = self.of(topic).known.lock().await;
        if let Some(list) = &*known {
            return Ok(list.clone());
        }
        let list = ask(client, topic).await?;
        *known = Some(list.clone());
        Ok(list)
    }

    /// The server says that the list changed: asks again if anybody did before; true if that is
    /// news. One that cannot be listed again is not known any more.
    pub(super) async fn changed(&self, client: &Client, topic: Topic) -> Result<bool, ClientError> {
        let list = self.of(topic);
        let mut known = list.known.lock().await;
        let Some(before) = known.take() else {
            return Ok(!list.is_told.swap(true, Ordering::Relaxed));
        };
        list.is_told.store(false, Ordering::Relaxed);
        let now = ask(client, topic).await?;
        let is_new = !before.iter().map(Raw::as_str).eq(now.iter().map(Raw::as_str));
        *known = Some(now);
        Ok(is_new)
    }

    fn of(&self, topic: Topic) -> &List {
        match topic {
            Topic::Resources => &self.resources,
            Topic::Templates => &self.templates,
            Topic::Prompts => &self.prompts,
        }
    }
}

async fn ask(client: &Client, topic: Topic) -> Result<Arc<[Raw]>, ClientError> {
    let (method, member) = topic.listing();
    match client.list_raw(method, member, CallOptions::default()).await {
        Ok(items) => Ok(items.into()),
        Err(ClientError::NotOffered { .. }) => Ok(Arc::default()),
        Err(error) if is_unknown_method(&error) => Ok(Arc::default()),
        Err(error) => Err(error),
    }
}

/// Whether the server does not know the method, which is an answer and no failure (case 161).
pub(crate) fn is_unknown_method(error: &ClientError) -> bool {
    let object = error.call_error().and_then(CallError::as_rpc);
    object.is_some_and(|object| object.code == ErrorCode::METHOD_NOT_FOUND)
}
