//! Telling the server that a request was given up (D-05).

use mcp_jsonrpc::{GaveUp, Notice};
use mcp_types::{Cancelled, CancelledParams, Notice as _, RequestId};
use serde_json::value::to_raw_value;

/// The notification for `id`, which keeps its JSON type; the reason is for logs and people.
///
/// The transport sends it, and only for a request that was written.
pub(crate) fn cancel_notice(id: &RequestId, why: &GaveUp) -> Notice {
    let mut params = CancelledParams::new(id.clone());
    params.reason = Some(why.to_string());
    Notice { method: Cancelled::NAME, params: to_raw_value(&params).ok() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_jsonrpc::GaveUp;

    use super::cancel_notice;

    #[test]
    fn the_id_keeps_its_type_and_the_reason_says_why() {
        let timeout = GaveUp::Timeout(Duration::from_secs(3));
        for (id, why, params) in [
            (0.into(), GaveUp::Dropped, r#"{"requestId":0,"reason":"no longer needed"}"#),
            ("0".into(), timeout, r#"{"requestId":"0","reason":"timed out after 3000ms"}"#),
            (
                "".into(),
                GaveUp::Cancelled(Some("user left".into())),
                r#"{"requestId":"","reason":"user left"}"#,
            ),
        ] {
            let notice = cancel_notice(&id, &why);
            assert_eq!(notice.method, "notifications/cancelled");
            assert_eq!(notice.params.unwrap().get(), params);
        }
    }
}
