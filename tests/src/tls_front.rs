//! Ends TLS in front of a server of plain HTTP, with certificates made for one test.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::Folder;

/// How a front meets its clients.
#[derive(Clone, Debug)]
pub struct TlsOptions {
    /// The protocols that it takes by ALPN; `http/1.1` alone by default.
    pub alpn: Vec<String>,
    /// The names and addresses in its certificate; `localhost` and `127.0.0.1` by default.
    pub names: Vec<String>,
    /// Whether its certificate has expired; it has not by default.
    pub expired: bool,
}

impl Default for TlsOptions {
    fn default() -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Self { alpn: texts(&["http/1.1"]), names: texts(&["localhost", "127.0.0.1"]), expired: false }
    }
}

/// How the handshakes ended so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handshakes {
    /// Those that succeeded.
    pub done: usize,
    /// Those that the client broke off, or that failed otherwise.
    pub failed: usize,
}

/// A listener on 127.0.0.1 that forwards what comes over TLS. Dropping it ends its connections.
pub struct TlsFront {
    address: SocketAddr,
    ca_pem: String,
    folder: Folder,
    handshakes: watch::Sender<Handshakes>,
    task: AbortHandle,
}

impl TlsFront {
    /// Forwards to `to`, with the default options.
    ///
    /// # Panics
    ///
    /// If it cannot listen, or there is no runtime.
    pub fn start(to: SocketAddr) -> Self {
        Self::start_with(to, &TlsOptions::default())
    }

    /// Forwards to `to`.
    ///
    /// # Panics
    ///
    /// If it cannot listen, the names make no certificate, or there is no runtime.
    pub fn start_with(to: SocketAddr, options: &TlsOptions) -> Self {
        let (ca_pem, config) = certify(options);
        let folder = Folder::new();
        std::fs::write(folder.path(CA_FILE), &ca_pem).expect("a file for the certificate");

        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port to listen on");
        listener.set_nonblocking(true).expect("a socket that does not block");
        let listener = TcpListener::from_std(listener).expect("a runtime");
        let address = listener.local_addr().expect("the address of a listener");
        let handshakes = watch::Sender::default();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let task = tokio::spawn(accept(listener, acceptor, to, handshakes.clone())).abort_handle();
        Self { address, ca_pem, folder, handshakes, task }
    }

    /// A URL by the name `localhost`; `path` begins with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.address.port())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The certificate of the authority that vouches for it.
    pub fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// The same in a file, which lives as long as the front.
    pub fn ca_file(&self) -> PathBuf {
        self.folder.path(CA_FILE)
    }

    /// The handshakes so far.
    pub fn handshakes(&self) -> Handshakes {
        *self.handshakes.borrow()
    }

    /// Waits until this holds for the handshakes so far.
    ///
    /// # Panics
    ///
    /// If it never does.
    #[track_caller]
    pub fn wait_for(&self, condition: impl Fn(&Handshakes) -> bool) -> impl Future<Output = Handshakes> {
        let mut changes = self.handshakes.subscribe();
        crate::within(async move {
            *changes.wait_for(|handshakes| condition(handshakes)).await.expect("the front lives")
        })
    }
}

impl Drop for TlsFront {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for TlsFront {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TlsFront")
            .field("address", &self.address)
            .field("handshakes", &self.handshakes())
            .finish_non_exhaustive()
    }
}

const CA_FILE: &str = "ca.pem";

/// An authority of its own, as PEM, and a server that it vouches for.
fn certify(options: &TlsOptions) -> (String, ServerConfig) {
    let ca_key = KeyPair::generate().expect("a key");
    let mut ca = CertificateParams::default();
    ca.distinguished_name.push(DnType::CommonName, "authority of one test");
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let ca_certificate = ca.self_signed(&ca_key).expect("a certificate of an authority");

    let key = KeyPair::generate().expect("a key");
    let mut server = CertificateParams::new(options.names.clone()).expect("names of a server");
    server.distinguished_name.push(DnType::CommonName, "server of one test");
    if options.expired {
        server.not_after = rcgen::date_time_ymd(2002, 1, 1);
    }
    let issuer = Issuer::new(ca, ca_key);
    let certificate = server.signed_by(&key, &issuer).expect("a certificate of a server");

    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("the key just made");
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("a certificate with its key");
    config.alpn_protocols = options.alpn.iter().map(|name| name.clone().into_bytes()).collect();
    (ca_certificate.pem(), config)
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    to: SocketAddr,
    handshakes: watch::Sender<Handshakes>,
) {
    // Dropped with this task, and all connections with it.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A client that is gone already is no matter of the test.
                let Ok((client, _)) = accepted else { continue };
                connections.spawn(forward(client, acceptor.clone(), to, handshakes.clone()));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Ends when both sides did. Errors show at the client, as the end of its connection.
async fn forward(
    client: TcpStream,
    acceptor: TlsAcceptor,
    to: SocketAddr,
    handshakes: watch::Sender<Handshakes>,
) -> io::Result<()> {
    client.set_nodelay(true)?;
    let accepted = acceptor.accept(client).await;
    handshakes.send_modify(|handshakes| match accepted {
        Ok(_) => handshakes.done += 1,
        Err(_) => handshakes.failed += 1,
    });
    let mut client = accepted?;
    let mut server = TcpStream::connect(to).await?;
    server.set_nodelay(true)?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await?;
    client.shutdown().await
}

#[cfg(test)]
mod tests {
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore};

    use super::*;
    use crate::http_peer::raw_client::{INITIALIZE, RawClient, post};
    use crate::http_peer::{HttpPeer, McpBehaviour};

    async fn connect(
        front: &TlsFront,
        name: &str,
        trusts: bool,
    ) -> io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        if trusts {
            roots.add(CertificateDer::from_pem_file(front.ca_file()).unwrap()).unwrap();
        }
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let stream = TcpStream::connect(front.address()).await.unwrap();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        crate::within(TlsConnector::from(Arc::new(config)).connect(name, stream)).await
    }

    #[tokio::test]
    async fn what_comes_over_tls_is_forwarded() {
        let peer = HttpPeer::mcp(McpBehaviour::new());
        let front = TlsFront::start(peer.address());
        for name in ["localhost", "127.0.0.1"] {
            let stream = connect(&front, name, true).await.unwrap();
            assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
            let mut client = RawClient::over(stream);
            client.send(post("/", INITIALIZE)).await;
            client.read_until("serverInfo").await;
        }
        assert_eq!(front.handshakes(), Handshakes { done: 2, failed: 0 });
        assert_eq!(front.ca_pem(), std::fs::read_to_string(front.ca_file()).unwrap());
    }

    #[tokio::test]
    async fn who_does_not_trust_it_gets_nowhere() {
        let peer = HttpPeer::mcp(McpBehaviour::new());
        let front = TlsFront::start(peer.address());
        connect(&front, "localhost", false).await.unwrap_err();
        connect(&front, "another.example", true).await.unwrap_err();
        front.wait_for(|handshakes| handshakes.failed == 2).await;
        assert_eq!(peer.connections(), 0);
    }
}
