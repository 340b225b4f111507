//! `subscriptions/listen`: one request that brings what the server has to say by itself (2026-07-28).

use crate::extra::Extra;
use crate::meta::Meta;
use crate::object::object;

/// Params of `subscriptions/listen`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListenParams {
    /// What the client wants to hear.
    pub notifications: SubscriptionFilter,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ListenParams {
    /// Wants what the filter says.
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications, ..Self::default() }
    }
}

object!(ListenParams {
    "notifications" => notifications: required,
    "_meta" => meta: optional,
});

/// Which notifications are wanted, or will come. What is absent is not wanted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SubscriptionFilter {
    /// `notifications/tools/list_changed`.
    pub tools_list_changed: Option<bool>,
    /// `notifications/prompts/list_changed`.
    pub prompts_list_changed: Option<bool>,
    /// `notifications/resources/list_changed`.
    pub resources_list_changed: Option<bool>,
    /// `notifications/resources/updated` of these URIs and what is below them.
    pub resource_subscriptions: Option<Vec<String>>,
    /// Members this crate does not know, such as those of extensions.
    pub extra: Extra,
}

object!(SubscriptionFilter {
    "toolsListChanged" => tools_list_changed: optional,
    "promptsListChanged" => prompts_list_changed: optional,
    "resourcesListChanged" => resources_list_changed: optional,
    "resourceSubscriptions" => resource_subscriptions: optional,
});

/// Params of `notifications/subscriptions/acknowledged`, the first message of a subscription.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AcknowledgedParams {
    /// The part of the filter that the server will honour.
    pub notifications: SubscriptionFilter,
    /// The `_meta` member, which names the subscription.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(AcknowledgedParams {
    "notifications" => notifications: required,
    "_meta" => meta: optional,
});

#[cfg(test)]
mod tests {
    use super::{AcknowledgedParams, ListenParams, SubscriptionFilter};

    #[test]
    fn what_is_not_wanted_is_not_written() {
        let filter = SubscriptionFilter {
            prompts_list_changed: Some(true),
            resource_subscriptions: Some(vec!["note://7".to_owned()]),
            ..SubscriptionFilter::default()
        };
        let json = serde_json::to_string(&ListenParams::new(filter)).unwrap();
        assert_eq!(
            json,
            r#"{"notifications":{"promptsListChanged":true,"resourceSubscriptions":["note://7"]}}"#
        );
    }

    #[test]
    fn an_acknowledgement_names_its_subscription() {
        let json =
            r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{"taskIds":["t"]}}"#;
        let params: AcknowledgedParams = serde_json::from_str(json).unwrap();
        assert_eq!(params.meta.unwrap().subscription_id(), Some(7.into()));
        assert_eq!(params.notifications.extra.get("taskIds").unwrap().get(), r#"["t"]"#);
    }
}
