//! `_meta`: data beside the data, on params, results and most objects.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;

use crate::extra::Extra;
use crate::id::{ProgressToken, RequestId};
use crate::lifecycle::Implementation;

/// The `_meta` member: an [`Extra`] with helpers for the keys that have a meaning.
///
/// Values under keys reserved for MCP are kept and otherwise left alone (C-032). Own keys need a
/// prefix such as `com.example/` (C-033 to C-035); that is up to who inserts them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Meta(Extra);

impl Meta {
    const PROGRESS_TOKEN: &str = "progressToken";

    /// On each request: the version it keeps to (2026-07-28).
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// On each request: what the client can do for it (2026-07-28).
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// On each request: who the client is (2026-07-28).
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// On a request: the least level of log messages that it wants (2026-07-28).
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    /// On results: who the server is, for display only (2026-07-28).
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// On notifications: the request `subscriptions/listen` that they belong to (2026-07-28).
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

    /// On what belongs to a task, of either side: which one (2025-11-25 only; C-369).
    pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
    /// On a result that is a task: what the model may be told meanwhile (2025-11-25 only).
    pub const MODEL_IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";

    /// No keys.
    pub const fn new() -> Self {
        Self(Extra::new())
    }

    /// Asks the peer for progress notifications that carry this token (C-239).
    pub fn set_progress_token(&mut self, token: &ProgressToken) {
        #[expect(clippy::expect_used, reason = "a string or an integer can always be written")]
        let token = to_raw_value(token).expect("a token is a string or an integer");
        self.insert(Self::PROGRESS_TOKEN, token);
    }

    /// The token under which the sender wants progress notifications.
    ///
    /// `None` if there is none, and if it is neither string nor integer.
    pub fn progress_token(&self) -> Option<ProgressToken> {
        self.read(Self::PROGRESS_TOKEN)
    }

    /// The subscription that a notification belongs to. `None` if there is none, and if it is
    /// neither string nor integer.
    pub fn subscription_id(&self) -> Option<RequestId> {
        self.read(Self::SUBSCRIPTION_ID)
    }

    /// Who the server says it is. `None` if it does not say, and if what it says has another shape.
    pub fn server_info(&self) -> Option<Implementation> {
        self.read(Self::SERVER_INFO)
    }

    /// Says to which task this belongs (C-369).
    pub fn set_related_task(&mut self, task_id: &str) {
        #[expect(clippy::expect_used, reason = "a map of strings can always be written")]
        let related = to_raw_value(&BTreeMap::from([("taskId", task_id)])).expect("strings");
        self.insert(Self::RELATED_TASK, related);
    }

    /// The task that this belongs to, by its id. `None` if there is none, and if what is there has
    /// another shape.
    pub fn related_task(&self) -> Option<String> {
        let related: Extra = self.read(Self::RELATED_TASK)?;
        serde_json::from_str(related.get("taskId")?.get()).ok()
    }

    /// What the model may be told while the task works. `None` if there is nothing, and if it is no
    /// text. Untrusted.
    pub fn model_immediate_response(&self) -> Option<String> {
        self.read(Self::MODEL_IMMEDIATE_RESPONSE)
    }

    fn read<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }
}

impl Deref for Meta {
    type Target = Extra;

    fn deref(&self) -> &Extra {
        &self.0
    }
}

impl DerefMut for Meta {
    fn deref_mut(&mut self) -> &mut Extra {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Meta;

    #[test]
    fn a_progress_token_keeps_its_type() {
        for (token, json) in [(7.into(), r#"{"progressToken":7}"#), ("7".into(), r#"{"progressToken":"7"}"#)]
        {
            let mut meta = Meta::new();
            meta.set_progress_token(&token);
            assert_eq!(serde_json::to_string(&meta).unwrap(), json);
            assert_eq!(meta.progress_token(), Some(token));
        }
    }

    #[test]
    fn a_token_of_another_type_is_kept_but_is_no_token() {
        let json = r#"{"progressToken":{"a":1},"com.example/x":[1e400]}"#;
        let meta: Meta = serde_json::from_str(json).unwrap();
        assert_eq!(meta.progress_token(), None);
        assert_eq!(serde_json::to_string(&meta).unwrap(), json);
    }
}
