//! Where trusted certificates are taken from.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("mcp-roots-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A file with one new certificate.
    fn certificate(&self, name: &str) -> PathBuf {
        let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
        let path = self.0.join(name);
        fs::write(&path, made.cert.pem()).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_variables_add_to_the_bundle_of_the_platform() {
    let (own, platform) = (Folder::new(), Folder::new());
    let file = own.certificate("file.pem");
    let bundle = platform.certificate("bundle.pem");
    let bundles = ["/no/such/bundle.pem", bundle.to_str().unwrap()];
    assert_eq!(read(Some(&file), &[], &bundles).len(), 2);

    let folder = Folder::new();
    folder.certificate("a.pem");
    folder.certificate("b.pem");
    assert_eq!(read(Some(&file), std::slice::from_ref(&folder.0), &bundles).len(), 4);
    assert_eq!(read(None, std::slice::from_ref(&folder.0), &bundles).len(), 3);
}

#[test]
fn a_bundle_named_by_the_variable_is_read_once() {
    let folder = Folder::new();
    let bundle = folder.certificate("bundle.pem");
    assert_eq!(read(Some(&bundle), &[], &[bundle.to_str().unwrap()]).len(), 1);
}

#[test]
fn a_file_that_is_not_there_leaves_the_rest() {
    let folder = Folder::new();
    let bundle = folder.certificate("bundle.pem");
    assert_eq!(read(Some(&folder.0.join("gone")), &[], &[bundle.to_str().unwrap()]).len(), 1);
    assert!(read(Some(&folder.0.join("gone")), &[], &[]).is_empty());
}
