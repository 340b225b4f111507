//! Which folders the server is told of.

use std::fmt::Write as _;
use std::path::{Component, Path, Prefix};

use async_trait::async_trait;
use mcp_types::{ListRootsResult, Root};

use super::refusal::Refusal;

/// Tells the server which folders it may work on. Which those are, and whether the user agreed, is
/// the host's matter (C-278 to C-285).
#[async_trait]
pub trait RootsProvider: Send + Sync + 'static {
    /// Whether [`Client::roots_changed`](crate::Client::roots_changed) will be called when they
    /// change: `roots.listChanged`. Asked once, before the handshake. Defaults to false.
    fn list_changed(&self) -> bool {
        false
    }

    /// The roots as they are now. Each must be a `file://` URI without `.` and `..` (C-276, C-279),
    /// see [`file_uri`]; if one is not, the server gets `-32603` and none of them.
    ///
    /// # Errors
    ///
    /// What the server is told instead.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when the server cancels the request and when the connection closes.
    async fn roots(&self) -> Result<Vec<Root>, Refusal>;
}

pub(super) async fn answer(handler: &dyn RootsProvider) -> Result<ListRootsResult, Refusal> {
    let roots = handler.roots().await?;
    match roots.iter().all(|root| is_sound(&root.uri)) {
        true => Ok(ListRootsResult::new(roots)),
        false => Err(Refusal::Failed("A root is no absolute `file://` URI".to_owned())),
    }
}

/// Escapes are taken for what they mean: a server will, too.
fn is_sound(uri: &str) -> bool {
    let Some(rest) = uri.strip_prefix("file://") else { return false };
    let Some((_host, path)) = rest.split_once('/') else { return false };
    let path = path.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/").replace("%5c", "/");
    !path.contains(|character: char| character.is_control() || matches!(character, '\\' | '?' | '#'))
        && path.split('/').all(|part| part != "." && part != "..")
}

/// The `file://` URI of an absolute path. `None` if the path is relative, has `..` in it, is not
/// UTF-8, or is of a kind that such a URI cannot name.
pub fn file_uri(path: &Path) -> Option<String> {
    if !path.is_absolute() {
        return None;
    }
    let mut uri = "file://".to_owned();
    for component in path.components() {
        match component {
            Component::Prefix(prefix) => match prefix.kind() {
                Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
                    let _ = write!(uri, "/{}:", char::from(letter));
                }
                _ => return None,
            },
            Component::RootDir => {}
            Component::Normal(part) => {
                uri.push('/');
                escape(part.to_str()?, &mut uri);
            }
            Component::CurDir | Component::ParentDir => return None,
        }
    }
    if uri == "file://" {
        uri.push('/');
    }
    Some(uri)
}

fn escape(part: &str, uri: &mut String) {
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{file_uri, is_sound};

    #[test]
    fn a_root_is_an_absolute_file_uri_without_traversal() {
        for uri in ["file:///", "file:///a/b", "file:///a..b/.c", "file://host/share", "file:///C:/x%20y"] {
            assert!(is_sound(uri), "{uri}");
        }
        for uri in [
            "",
            "/a",
            "file:/a",
            "file://",
            "https://a/b",
            "FILE:///a",
            "file:///a/../b",
            "file:///a/%2e%2E/b",
            "file:///a/.",
            "file:///a%2F..%2fb",
            "file:///a\\..\\b",
            "file:///a%5c..%5cb",
            "file:///a?b",
            "file:///a\n",
        ] {
            assert!(!is_sound(uri), "{uri}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_becomes_a_uri_that_is_a_sound_root() {
        for (path, uri) in
            [("/", "file:///"), ("/a b/ü#?%", "file:///a%20b/%C3%BC%23%3F%25"), ("/a//b/", "file:///a/b")]
        {
            assert_eq!(file_uri(Path::new(path)).as_deref(), Some(uri));
            assert!(is_sound(uri), "{uri}");
        }
        for path in ["", "a", "./a", "/a/../b"] {
            assert_eq!(file_uri(Path::new(path)), None, "{path}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn a_drive_is_part_of_the_path() {
        assert_eq!(file_uri(Path::new(r"C:\a b")).as_deref(), Some("file:///C:/a%20b"));
        assert_eq!(file_uri(Path::new(r"\\?\C:\a")).as_deref(), Some("file:///C:/a"));
    }
}
