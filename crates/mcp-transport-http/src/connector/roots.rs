//! The authorities that the platform trusts, read once in a process.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use rustls::RootCertStore;
use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};

/// Where systems keep all their certificates in one file. The first that is there is taken. Needed only
/// beside `SSL_CERT_FILE` and `SSL_CERT_DIR`, since the loader of the platform's own certificates reads
/// those instead of the platform's.
const BUNDLES: [&str; 8] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/etc/openssl/certs/ca-certificates.crt",
    "/usr/local/share/certs/ca-root-nss.crt",
    "/usr/local/etc/ssl/cert.pem",
];

static PLATFORM: OnceLock<Arc<RootCertStore>> = OnceLock::new();

/// Held while the certificates are read, so that many first connections read them once.
static READING: Mutex<()> = Mutex::new(());

/// Those of the platform and of `SSL_CERT_FILE` and `SSL_CERT_DIR`. An empty store is not kept: the next
/// connection looks again.
///
/// # Cancel safety
///
/// When the future is dropped, the thread reads on and keeps what it read.
pub(super) async fn platform() -> Arc<RootCertStore> {
    if let Some(roots) = PLATFORM.get() {
        return roots.clone();
    }
    // The thread fails only when the runtime is going down.
    tokio::task::spawn_blocking(read_once).await.unwrap_or_else(|_| Arc::new(RootCertStore::empty()))
}

fn read_once() -> Arc<RootCertStore> {
    let _reading = READING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(roots) = PLATFORM.get() {
        return roots.clone();
    }
    let file = env::var_os("SSL_CERT_FILE").map(PathBuf::from).filter(|file| !file.as_os_str().is_empty());
    let folders = env::var_os("SSL_CERT_DIR").map_or_else(Vec::new, |folders| {
        env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty()).collect()
    });
    let roots = Arc::new(read(file.as_deref(), &folders, &BUNDLES));
    if !roots.is_empty() {
        let _ = PLATFORM.set(roots.clone());
    }
    roots
}

fn read(file: Option<&Path>, folders: &[PathBuf], bundles: &[&str]) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    if file.is_none() && folders.is_empty() {
        add(&mut roots, load_native_certs());
        return roots;
    }
    add(&mut roots, load_certs_from_paths(file, None));
    for folder in folders {
        add(&mut roots, load_certs_from_paths(None, Some(folder)));
    }
    let bundle = bundles.iter().map(Path::new).find(|bundle| bundle.is_file());
    if let Some(bundle) = bundle.filter(|&bundle| file != Some(bundle)) {
        add(&mut roots, load_certs_from_paths(Some(bundle), None));
    }
    roots
}

fn add(roots: &mut RootCertStore, found: CertificateResult) {
    for error in found.errors {
        tracing::warn!(%error, "a CA certificate cannot be read");
    }
    // Stores hold certificates that are too odd to be used; they are passed over.
    roots.add_parsable_certificates(found.certs);
}

#[cfg(test)]
mod tests;
