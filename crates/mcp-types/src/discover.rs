//! `server/discover`: what a server is, asked without a session (2026-07-28).

use crate::capabilities::ServerCapabilities;
use crate::extra::Extra;
use crate::lifecycle::Implementation;
use crate::meta::Meta;
use crate::object::object;

/// Result of `server/discover`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DiscoverResult {
    /// The versions that the server speaks, legacy ones too; perhaps none that
    /// [`Revision`](crate::Revision) knows.
    pub supported_versions: Vec<String>,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// How to use the server, for the model.
    pub instructions: Option<String>,
    /// How long this holds, in milliseconds.
    pub ttl_ms: Option<i64>,
    /// Whether this holds for others too: `public` or `private`.
    pub cache_scope: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl DiscoverResult {
    /// Who the server says it is, for display only: in `_meta`, or in the member of its own that
    /// drafts had.
    pub fn server_info(&self) -> Option<Implementation> {
        let named = self.meta.as_ref().and_then(Meta::server_info);
        named.or_else(|| serde_json::from_str(self.extra.get("serverInfo")?.get()).ok())
    }
}

object!(DiscoverResult {
    "supportedVersions" => supported_versions: required,
    "capabilities" => capabilities: required,
    "instructions" => instructions: optional,
    "ttlMs" => ttl_ms: optional,
    "cacheScope" => cache_scope: optional,
    "_meta" => meta: optional,
});

#[cfg(test)]
mod tests {
    use super::DiscoverResult;

    #[test]
    fn the_server_is_named_in_meta_or_where_drafts_had_it() {
        let meta = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},
            "ttlMs":0,"cacheScope":"private",
            "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}}}"#;
        let body = r#"{"supportedVersions":[],"capabilities":{},"serverInfo":{"name":"b","version":"1"}}"#;
        let nobody = r#"{"supportedVersions":[],"capabilities":{},"serverInfo":7}"#;
        for (json, name) in [(meta, Some("a")), (body, Some("b")), (nobody, None)] {
            let result: DiscoverResult = serde_json::from_str(json).unwrap();
            assert_eq!(result.server_info().map(|info| info.name).as_deref(), name);
        }
    }

    #[test]
    fn a_result_without_versions_or_capabilities_is_none() {
        for json in ["{}", r#"{"supportedVersions":["2026-07-28"]}"#, r#"{"capabilities":{}}"#, "[]"] {
            serde_json::from_str::<DiscoverResult>(json).unwrap_err();
        }
    }
}
