//! What a server says it is, for people.

use mcp_client::Agreed;
use mcp_types::Implementation;

/// Its name and version, where it gives them.
pub(crate) fn name(info: Option<&Implementation>) -> String {
    info.map_or_else(
        || "a server without a name".to_owned(),
        |info| format!("{} {}", info.display_name(), info.version),
    )
}

/// The same with what it speaks.
pub(crate) fn about(agreed: &Agreed) -> String {
    format!("{}, protocol {}", name(agreed.server_info.as_ref()), agreed.version)
}
