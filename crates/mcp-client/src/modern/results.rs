//! Results that still hold: looked up before a request, kept after it, and dropped when the server
//! tells of a change.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mcp_jsonrpc::{Notification, Raw};
use mcp_types::{
    ListPrompts, ListResourceTemplates, ListResources, ListTools, Method, Notice, PromptListChanged,
    ResourceListChanged, ResourceUpdated, ResourceUpdatedParams, ToolListChanged,
};
use serde_json::value::RawValue;

use crate::options::ClientOptions;
use crate::result_cache::{CacheLimits, Key, ResultCache, Stale, Ticket};

/// The results of one connection.
#[derive(Debug)]
pub(crate) struct Results {
    is_on: bool,
    cache: Mutex<ResultCache>,
}

/// What a request found.
#[derive(Debug)]
pub(super) enum Found {
    /// A result that holds.
    Fresh(Raw),
    /// None; with the place where the result of the request can be kept, if it can.
    Nothing(Option<(Key, Ticket)>),
}

impl Results {
    pub(crate) fn new(options: &ClientOptions) -> Self {
        let limits = CacheLimits {
            max_entries: options.max_cached_results,
            max_bytes: options.max_cached_bytes,
            max_ttl: options.max_cached_ttl,
        };
        Self { is_on: limits.max_entries > 0, cache: Mutex::new(ResultCache::new(limits)) }
    }

    /// Looks for the result of a request, unless it is to be a new one.
    pub(super) fn find(&self, method: &str, params: Option<&RawValue>, is_new: bool, now: Instant) -> Found {
        let Some(key) = self.is_on.then(|| Key::of(method, params)).flatten() else {
            return Found::Nothing(None);
        };
        let mut cache = self.lock();
        match cache.lookup(&key, now).filter(|_| !is_new) {
            Some(result) => Found::Fresh(result),
            None => {
                let ticket = cache.ticket(&key);
                Found::Nothing(Some((key, ticket)))
            }
        }
    }

    /// Keeps the result of a request, for as long as the server says.
    pub(super) fn keep(&self, place: (Key, Ticket), result: &Raw, received: Instant) {
        let (key, ticket) = place;
        let kept = self.lock().insert(key, ticket, result, received);
        tracing::trace!(?kept, "a result that may be kept");
    }

    /// Drops what a notification says has changed.
    pub(crate) fn heed(&self, notification: &Notification<'_>) {
        match notification.method {
            ToolListChanged::NAME => self.lock().invalidate(Stale::Tools),
            PromptListChanged::NAME => self.lock().invalidate(Stale::Prompts),
            ResourceListChanged::NAME => self.lock().invalidate(Stale::Resources),
            ResourceUpdated::NAME => {
                let params = notification.params.map_or("null", RawValue::get);
                if let Ok(ResourceUpdatedParams { uri, .. }) = serde_json::from_str(params) {
                    self.lock().invalidate(Stale::Resource(&uri));
                }
            }
            _ => {}
        }
    }

    /// Drops all pages of a list.
    pub(crate) fn forget_list(&self, method: &str) {
        match method {
            ListTools::NAME => self.lock().invalidate(Stale::Tools),
            ListPrompts::NAME => self.lock().invalidate(Stale::Prompts),
            ListResources::NAME | ListResourceTemplates::NAME => self.lock().invalidate(Stale::Resources),
            _ => {}
        }
    }

    /// Drops everything: changes may have been missed.
    pub(crate) fn forget(&self) {
        self.lock().invalidate(Stale::Everything);
    }

    /// Drops what holds for one user only.
    pub(crate) fn forget_private(&self) {
        self.lock().invalidate(Stale::Private);
    }

    fn lock(&self) -> MutexGuard<'_, ResultCache> {
        // A cache that a panic left half changed is at worst too empty.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
