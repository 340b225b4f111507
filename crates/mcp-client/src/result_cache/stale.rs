//! Which results a change makes stale.

use super::freshness::Scope;
use super::key::{Area, Key};

/// What has changed, or may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale<'a> {
    /// The tools: all pages of their list. Also where a cursor was refused (C-434).
    Tools,
    /// The prompts: all pages of their list. Also where a cursor was refused.
    Prompts,
    /// The resources: all pages of their list, and of that of the templates. Also where a cursor was
    /// refused. What was read holds on: which resources there are has changed, not what is in them, and
    /// that is told by [`Resource`](Self::Resource).
    Resources,
    /// This resource: what was read of it, and of the resources that it is a part of, since a server
    /// may name the part alone. Nothing is known of its own parts or of its neighbours.
    ///
    /// No read that is on its way is kept, of whichever resource: that costs a request, and what was
    /// updated need not be remembered.
    Resource(&'a str),
    /// All that is `private`: the connection acts for somebody else from now on (C-429).
    Private,
    /// All of it: changes may have been missed, since a subscription was lost or the connection is
    /// another.
    Everything,
}

impl Stale<'_> {
    /// Whether a result of this area that is on its way may already be stale.
    pub(super) fn touches(self, area: Area) -> bool {
        match self {
            Self::Tools => area == Area::Tools,
            Self::Prompts => area == Area::Prompts,
            Self::Resources => matches!(area, Area::Resources | Area::Templates),
            Self::Resource(_) => area == Area::Reads,
            Self::Private | Self::Everything => true,
        }
    }

    /// Whether the result that is kept for this key is stale.
    pub(super) fn covers(self, key: &Key, scope: Scope) -> bool {
        match self {
            Self::Resource(changed) => key.uri().is_some_and(|uri| is_within(changed, uri)),
            Self::Private => scope == Scope::Private,
            _ => self.touches(key.area()),
        }
    }
}

/// Whether `part` is `whole`, or a part of it: its address goes on where a segment, a query or a
/// fragment begins. Addresses are compared as they are.
fn is_within(part: &str, whole: &str) -> bool {
    const BOUNDS: [char; 3] = ['/', '?', '#'];
    let Some(rest) = part.strip_prefix(whole) else { return false };
    rest.is_empty() || rest.starts_with(BOUNDS) || whole.ends_with(BOUNDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_goes_on_where_a_segment_a_query_or_a_fragment_begins() {
        for (part, whole) in [
            ("note://7", "note://7"),
            ("note://7/a", "note://7"),
            ("note://7/a/b", "note://7/"),
            ("note://7?a", "note://7"),
            ("note://7#a", "note://7"),
            ("file:///é/a", "file:///é"),
        ] {
            assert!(is_within(part, whole), "{part} in {whole}");
        }
        for (part, whole) in [
            ("note://70", "note://7"),
            ("note://7", "note://7/a"),
            ("NOTE://7", "note://7"),
            ("note://7", "note://7/"),
            ("", "note://7"),
            ("x-note://7", "note://7"),
        ] {
            assert!(!is_within(part, whole), "{part} in {whole}");
        }
    }
}
