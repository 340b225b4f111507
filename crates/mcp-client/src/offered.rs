//! Which capability of the server a method needs (C-050, C-051).

use mcp_types::ServerCapabilities;

/// The capability that `method` needs and the server did not declare.
pub(crate) fn missing(method: &str, offered: &ServerCapabilities) -> Option<&'static str> {
    let (capability, is_offered) = match method.split('/').next()? {
        "tools" => ("tools", offered.tools.is_some()),
        "resources" => ("resources", offered.resources.is_some()),
        "prompts" => ("prompts", offered.prompts.is_some()),
        "logging" => ("logging", offered.logging.is_some()),
        "tasks" => ("tasks", offered.tasks.is_some()),
        // `completion/complete` is left out: 2024-11-05 has the method but no capability for it.
        _ => return None,
    };
    (!is_offered).then_some(capability)
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn what_is_not_declared_is_missing_and_unknown_methods_need_nothing() {
        let offered = serde_json::from_str(r#"{"tools":{},"logging":{}}"#).unwrap();
        for method in ["tools/list", "tools/call", "logging/setLevel", "ping", "x/y", "completion/complete"] {
            assert_eq!(missing(method, &offered), None, "{method}");
        }
        let nothing = serde_json::from_str("{}").unwrap();
        assert_eq!(missing("logging/setLevel", &nothing), Some("logging"));
        assert_eq!(missing("prompts/list", &offered), Some("prompts"));
        assert_eq!(missing("resources/templates/list", &offered), Some("resources"));
        assert_eq!(missing("tasks/get", &offered), Some("tasks"));
    }
}
