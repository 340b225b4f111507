//! Which revision has which method and which notification.

use super::Revision;
use super::Revision::{V2024_11_05 as R1, V2025_06_18 as R3, V2025_11_25 as R4, V2026_07_28 as R5};

/// Requests of either side: their name, and the first and the last revision that has them.
///
/// The methods of the extension `io.modelcontextprotocol/tasks` count as those of the revision that
/// extensions came with.
const METHODS: [(&str, Revision, Revision); 23] = [
    ("initialize", R1, R4),
    ("server/discover", R5, R5),
    ("ping", R1, R4),
    ("tools/list", R1, R5),
    ("tools/call", R1, R5),
    ("resources/list", R1, R5),
    ("resources/templates/list", R1, R5),
    ("resources/read", R1, R5),
    ("resources/subscribe", R1, R4),
    ("resources/unsubscribe", R1, R4),
    ("prompts/list", R1, R5),
    ("prompts/get", R1, R5),
    ("completion/complete", R1, R5),
    ("logging/setLevel", R1, R4),
    ("subscriptions/listen", R5, R5),
    ("tasks/get", R4, R5),
    ("tasks/result", R4, R4),
    ("tasks/list", R4, R4),
    ("tasks/cancel", R4, R5),
    ("tasks/update", R5, R5),
    // The server asks; in 2026-07-28 by results, no more by requests.
    ("roots/list", R1, R4),
    ("sampling/createMessage", R1, R4),
    ("elicitation/create", R3, R4),
];

/// Notifications of either side.
const NOTICES: [(&str, Revision, Revision); 13] = [
    ("notifications/initialized", R1, R4),
    ("notifications/roots/list_changed", R1, R4),
    ("notifications/cancelled", R1, R5),
    ("notifications/progress", R1, R5),
    ("notifications/message", R1, R5),
    ("notifications/tools/list_changed", R1, R5),
    ("notifications/resources/list_changed", R1, R5),
    ("notifications/resources/updated", R1, R5),
    ("notifications/prompts/list_changed", R1, R5),
    ("notifications/elicitation/complete", R4, R4),
    ("notifications/tasks/status", R4, R4),
    ("notifications/subscriptions/acknowledged", R5, R5),
    ("notifications/tasks", R5, R5),
];

impl Revision {
    /// Whether a request of that name, from whichever side, is part of the revision.
    ///
    /// Names that no revision has are somebody's own, and no revision is against them: then it is true.
    pub fn has_method(self, method: &str) -> bool {
        has(&METHODS, self, method)
    }

    /// Whether a notification of that name, from whichever side, is part of the revision. True also
    /// for names that no revision has.
    pub fn has_notice(self, method: &str) -> bool {
        has(&NOTICES, self, method)
    }
}

fn has(table: &[(&str, Revision, Revision)], revision: Revision, method: &str) -> bool {
    let row = table.iter().find(|(name, ..)| *name == method);
    row.is_none_or(|(_, first, last)| (*first..=*last).contains(&revision))
}

#[cfg(test)]
mod tests;
