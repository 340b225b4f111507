//! What is trusted, and for how long.

use super::*;
use crate::config::{TrustError, TrustStore};

#[test]
fn trust_holds_for_one_path_and_one_content() {
    let folder = Folder::new("trust-content");
    let file = folder.write("p/.mcp.json", "{}");
    let copy = folder.write("q/.mcp.json", "{}");
    let store = TrustStore::new(folder.0.join("state"));
    let mut trusted = store.read().unwrap();
    assert!(!trusted.covers(&file, b"{}"));
    trusted.add(&file, b"{}").unwrap();
    store.write(&trusted).unwrap();
    let read = store.read().unwrap();
    assert_eq!(read, trusted);
    assert!(read.covers(&file, b"{}") && !read.covers(&file, b"{ }") && !read.covers(&copy, b"{}"));
    // The same file by another way.
    assert!(read.covers(&folder.0.join("p/../p/.mcp.json"), b"{}"));
}

#[test]
fn what_is_gone_can_be_removed() {
    let folder = Folder::new("trust-gone");
    let file = folder.write("p/.mcp.json", "{}");
    let store = TrustStore::new(folder.0.join("state"));
    let mut trusted = store.read().unwrap();
    trusted.add(&file, b"{}").unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(trusted.files().count(), 1);
    assert!(trusted.remove(&file) && !trusted.remove(&file));
    assert!(trusted.add(&folder.0.join("gone/.mcp.json"), b"{}").is_err());
    trusted.add(&file, b"{}").unwrap();
    let path = trusted.files().next().unwrap().to_owned();
    std::fs::remove_dir_all(folder.0.join("p")).unwrap();
    assert!(trusted.remove(&path));
}

#[cfg(unix)]
#[test]
fn a_link_to_a_trusted_file_of_another_project_is_not_that_file() {
    let folder = Folder::new("trust-link");
    let mine = folder.write("mine/.cursor/mcp.json", "{}");
    folder.write("theirs/keep", "");
    let mut trusted = crate::config::Trusted::default();
    trusted.add(&mine, b"{}").unwrap();
    // Its relative paths would lead to programs over there.
    std::os::unix::fs::symlink(folder.0.join("mine/.cursor"), folder.0.join("theirs/.cursor")).unwrap();
    assert!(!trusted.covers(&folder.0.join("theirs/.cursor/mcp.json"), b"{}"));
    // The whole project by another way is the same one.
    std::os::unix::fs::symlink(folder.0.join("mine"), folder.0.join("way")).unwrap();
    assert!(trusted.covers(&folder.0.join("way/.cursor/mcp.json"), b"{}"));
}

#[test]
fn a_damaged_list_trusts_nothing() {
    let folder = Folder::new("trust-damaged");
    let store = TrustStore::new(folder.0.join("state"));
    for text in ["", "{", "[]", r#"{"version":2,"files":{}}"#, r#"{"version":1,"files":[]}"#, "\u{0}"] {
        folder.write("state/trust.json", text);
        assert!(matches!(store.read(), Err(TrustError::Damaged { .. })), "{text}");
    }
    folder.write("state/trust.json", &" ".repeat(3 * 1024 * 1024));
    assert!(matches!(store.read(), Err(TrustError::Read { .. })));
    // What cannot be read can still be replaced.
    store.write(&Default::default()).unwrap();
    assert_eq!(store.read().unwrap().files().count(), 0);
}

#[cfg(unix)]
#[test]
fn the_list_is_for_its_owner_alone_and_is_no_link() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("trust-modes");
    let store = TrustStore::new(folder.0.join("state"));
    store.write(&Default::default()).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&store.file()), mode(&folder.0.join("state"))), (0o600, 0o700));
    assert_eq!(std::fs::read_dir(folder.0.join("state")).unwrap().count(), 1);
    std::fs::remove_file(store.file()).unwrap();
    let elsewhere = folder.write("elsewhere.json", r#"{"version":1,"files":{}}"#);
    std::os::unix::fs::symlink(elsewhere, store.file()).unwrap();
    assert!(matches!(store.read(), Err(TrustError::Read { .. })));
}
