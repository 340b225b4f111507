//! Which revision of the protocol a connection speaks, and which way it finds out.

use mcp_types::Revision;

/// How a connection opens, and what it may come to (D-19).
///
/// Up to 2025-11-25 a connection opens with a handshake, `initialize`; 2026-07-28 has none, and what
/// the server speaks is asked by `server/discover`. Whichever comes out is in
/// [`Agreed::version`](crate::Agreed::version) and stays; calls are made the same way over both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// `initialize` first, offering 2025-11-25; a server that refuses it as one that speaks only
    /// 2026-07-28 does is asked by `server/discover` on the same connection. What nearly all servers
    /// understand at once.
    #[default]
    Auto,
    /// `server/discover` first; a server that does not answer it as one of 2026-07-28 does gets
    /// `initialize`. Where all messages share a channel (stdio) this is also so if it is silent for
    /// [`probe_timeout`](crate::ClientOptions::probe_timeout), and if it ends, in which case it is
    /// started again.
    Discover,
    /// This revision and no other: connecting fails if the server does not speak it.
    Only(Revision),
}

impl Protocol {
    /// The same, beginning with the way that leads to `version` at once: what a server spoke the last
    /// time. It may have changed since, so the other way stays open.
    #[must_use]
    pub fn beginning_with(self, version: Revision) -> Self {
        match self {
            Self::Only(_) => self,
            Self::Auto | Self::Discover if version.is_modern() => Self::Discover,
            Self::Auto | Self::Discover => Self::Auto,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learnt_changes_the_order_and_never_a_fixed_choice() {
        let (old, new) = (Revision::V2025_06_18, Revision::V2026_07_28);
        for open in [Protocol::Auto, Protocol::Discover] {
            assert_eq!(open.beginning_with(old), Protocol::Auto);
            assert_eq!(open.beginning_with(new), Protocol::Discover);
        }
        assert_eq!(Protocol::Only(old).beginning_with(new), Protocol::Only(old));
    }
}
