//! Who is called what: a function of the set of pairs, whatever their order.

use std::collections::{BTreeMap, HashMap};

use super::MAX_NAME;
use super::hashed;
use super::registry::Origin;
use super::style::NameStyle;

/// Tools that would have had the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collision {
    /// The name all of them would have had: in allowed characters, and perhaps longer than a name may be.
    pub exposed: String,
    /// Who they are, sorted by server and tool; two or more. None of them has the name, each has a hash at
    /// the end of its own; [`super::Registry::exposed`] tells it.
    pub members: Vec<Origin>,
}

/// The names of `origins`, in their order, and the collisions, sorted. No pair may be there twice.
///
/// A plain name belongs to the only pair that wants it. If several do, none has it, not even one that
/// has it without a change: a name that meant one tool a moment ago had better mean none than another.
pub(super) fn assign(style: &NameStyle, origins: &[Origin]) -> (Vec<String>, Vec<Collision>) {
    let mut wanted = BTreeMap::<String, Vec<usize>>::new();
    for (index, origin) in origins.iter().enumerate() {
        wanted.entry(style.plain(&origin.server, &origin.tool)).or_default().push(index);
    }
    let mut names = vec![String::new(); origins.len()];
    let mut others = Vec::new();
    let mut collisions = Vec::new();
    for (plain, members) in wanted {
        if let [only] = members[..]
            && can_serve(&plain)
        {
            names[only] = plain;
            continue;
        }
        others.extend_from_slice(&members);
        if members.len() > 1 {
            let mut members: Vec<_> = members.iter().map(|&index| origins[index].clone()).collect();
            members.sort();
            collisions.push(Collision { exposed: plain, members });
        }
    }
    name_with_hashes(style, origins, &others, &mut names);
    (names, collisions)
}

fn can_serve(plain: &str) -> bool {
    (1..=MAX_NAME).contains(&plain.len()) && !hashed::is_hashed(plain)
}

fn name_with_hashes(style: &NameStyle, origins: &[Origin], indices: &[usize], names: &mut [String]) {
    let mut same = HashMap::<String, Vec<usize>>::new();
    for &index in indices {
        same.entry(hashed::short(style, &origins[index])).or_default().push(index);
    }
    for (name, members) in same {
        if let [only] = members[..] {
            names[only] = name;
            continue;
        }
        for index in members {
            names[index] = hashed::long(style, &origins[index]);
        }
    }
}
