//! Names with a hash at their end, for pairs whose plain name does not serve.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::MAX_NAME;
use super::registry::Origin;
use super::style::NameStyle;

/// Hexadecimal digits behind the last `_`: few to read, enough by chance (40 bits).
const SHORT: usize = 10;
/// When two short ones are equal, which takes intent: 208 bits, beyond any intent.
const LONG: usize = 52;

/// The name with a short hash: what the pair is called unless another pair is called so too.
pub(super) fn short(style: &NameStyle, origin: &Origin) -> String {
    hashed(style, origin, SHORT)
}

/// The name with a long hash.
pub(super) fn long(style: &NameStyle, origin: &Origin) -> String {
    hashed(style, origin, LONG)
}

/// Whether a name ends as those made here do. No plain name that does is ever given away, so that no
/// tool can be named to take the place of another. Short and long ones differ in where the `_` stands.
pub(super) fn is_hashed(name: &str) -> bool {
    let digits = name.bytes().rev().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    let before = name.len() - digits;
    name[..before].ends_with('_') && (digits == SHORT || digits == LONG)
}

fn hashed(style: &NameStyle, origin: &Origin, digits: usize) -> String {
    let mut name = style.cut(&origin.server, &origin.tool, MAX_NAME - 1 - digits);
    let most = name.len() + 1 + digits;
    name.push('_');
    for byte in digest(origin) {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name.truncate(most);
    name
}

/// Over the whole pair. The length in front tells (`a`, `bc`) from (`ab`, `c`).
fn digest(origin: &Origin) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update((origin.server.len() as u64).to_be_bytes());
    hash.update(&origin.server);
    hash.update(&origin.tool);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(server: &str, tool: &str) -> Origin {
        Origin { server: server.to_owned(), tool: tool.to_owned() }
    }

    #[test]
    fn the_hash_tells_where_the_server_ends() {
        assert_ne!(digest(&of("a", "bc")), digest(&of("ab", "c")));
        assert_ne!(digest(&of("", "abc")), digest(&of("abc", "")));
    }

    #[test]
    fn long_names_fill_the_room_and_no_more() {
        let (style, origin) = (NameStyle::default(), of(&"s".repeat(40), &"t".repeat(128)));
        for name in [short(&style, &origin), long(&style, &origin)] {
            assert_eq!(name.len(), MAX_NAME);
            assert!(is_hashed(&name), "{name}");
        }
        assert!(short(&style, &of("s", "t")).starts_with("mcp__s__t_"));
    }

    #[test]
    fn only_the_two_lengths_look_hashed() {
        assert!(is_hashed("a_0123456789"));
        assert!(is_hashed("_abcdefabcd"));
        assert!(is_hashed(&format!("a_{}", "0".repeat(52))));
        for plain in ["", "_", "0123456789", "a-0123456789", "a_012345678", "a_01234567890", "a_012345678A"] {
            assert!(!is_hashed(plain), "{plain}");
        }
    }
}
