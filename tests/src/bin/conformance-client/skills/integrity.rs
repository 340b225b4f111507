//! Whether a file is, byte for byte, the one that was listed.

use sha2::{Digest, Sha256};
use thiserror::Error;

/// The only algorithm that digests are given in.
const SHA_256: &str = "sha256:";

/// What is wrong with a file.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum Tampered {
    #[error("{found} bytes are not the {listed} that are listed")]
    Size { listed: u64, found: u64 },
    #[error("the digest is `{found}` and not the one that is listed")]
    Digest { found: String },
}

/// Compares `text` with its listed size and digest, the letters of which may be of either case.
pub(super) fn check(text: &str, size: u64, digest: &str) -> Result<(), Tampered> {
    let found = text.len() as u64;
    if found != size {
        return Err(Tampered::Size { listed: size, found });
    }
    let found = of(text);
    // An algorithm that is not known here cannot be verified, which is no better than a mismatch.
    if found.eq_ignore_ascii_case(digest) { Ok(()) } else { Err(Tampered::Digest { found }) }
}

fn of(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().fold(SHA_256.to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn what_is_listed_is_used() {
        assert_eq!(check("abc", 3, ABC), Ok(()));
        assert_eq!(check("abc", 3, &ABC.to_uppercase()), Ok(()));
    }

    #[test]
    fn a_size_counts_bytes_and_is_looked_at_first() {
        assert_eq!(check("ab", 3, ABC), Err(Tampered::Size { listed: 3, found: 2 }));
        assert_eq!(check("ä", 1, ABC), Err(Tampered::Size { listed: 1, found: 2 }));
    }

    #[test]
    fn the_same_size_with_other_bytes_is_tampered_with() {
        assert!(matches!(check("abd", 3, ABC), Err(Tampered::Digest { .. })));
    }

    #[test]
    fn a_digest_that_cannot_be_verified_is_no_match() {
        for digest in ["", "sha256:", "md5:900150983cd24fb0d6963f7d28e17f72", &ABC[7..], &ABC[..40]] {
            assert!(check("abc", 3, digest).is_err(), "{digest}");
        }
    }
}
