//! What is remembered of a server, and for how long.

use std::time::{Duration, SystemTime};

use mcp_client::Agreed;
use mcp_types::{Implementation, Tool};

/// How long an entry is good for: 30 days.
pub const MAX_AGE: Duration = Duration::from_secs(30 * DAY);
/// How far an entry may lie in the future, since clocks are set back at times: 1 day.
pub const MAX_SKEW: Duration = Duration::from_secs(DAY);
const DAY: u64 = 24 * 60 * 60;

/// The tools of a server as they were the last time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CachedTools {
    /// The tools in the server's own order, each schema byte for byte as it was sent.
    pub tools: Vec<Tool>,
    /// Who the server said it was: for display only.
    pub server_info: Option<Implementation>,
    /// The revision of the protocol that was spoken.
    pub protocol_version: String,
    /// When the list was taken. A [`super::FileCache`] keeps it to the millisecond.
    pub stored_at: SystemTime,
}

impl CachedTools {
    /// A list taken at `stored_at`.
    pub fn new(
        tools: Vec<Tool>,
        server_info: Option<Implementation>,
        protocol_version: impl Into<String>,
        stored_at: SystemTime,
    ) -> Self {
        Self { tools, server_info, protocol_version: protocol_version.into(), stored_at }
    }

    /// The list of a server that is connected, taken now.
    pub fn of(agreed: &Agreed, tools: &[Tool]) -> Self {
        Self::new(tools.to_vec(), agreed.server_info.clone(), agreed.version.as_str(), SystemTime::now())
    }
}

/// Whether what was stored at `stored_at` is still good at `now`: for [`MAX_AGE`], and no more than
/// [`MAX_SKEW`] ahead of its time.
pub fn is_fresh(stored_at: SystemTime, now: SystemTime) -> bool {
    match now.duration_since(stored_at) {
        Ok(age) => age <= MAX_AGE,
        Err(ahead) => ahead.duration() <= MAX_SKEW,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_good_for_thirty_days_and_a_day_ahead_of_its_time() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let moment = Duration::from_millis(1);
        assert!(is_fresh(now, now));
        assert!(is_fresh(now - MAX_AGE, now));
        assert!(!is_fresh(now - MAX_AGE - moment, now));
        assert!(is_fresh(now + MAX_SKEW, now));
        assert!(!is_fresh(now + MAX_SKEW + moment, now));
    }
}
