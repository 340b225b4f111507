//! Connections with TLS, to servers whose certificates are made here.

use std::sync::Arc;
use std::time::Duration;

use mcp_transport_http::connector::{
    ConnectFailure, ConnectKind, Connection, Connector, ConnectorConfig, ConnectorError, Identification,
    Identity, Pem, Protocol, TlsProblem, tls_problem,
};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

use crate::{config, connect, everything, failure, listen};

/// A certificate authority of a test.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    der: CertificateDer<'static>,
    pem: String,
}

/// A certificate with its key.
pub(crate) struct Leaf {
    der: CertificateDer<'static>,
    pem: String,
    key: KeyPair,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.self_signed(&key).unwrap();
        let (der, pem) = (certificate.der().clone(), certificate.pem());
        Self { issuer: Issuer::new(params, key), der, pem }
    }

    pub(crate) fn pem(&self) -> Pem {
        Pem::Text(self.pem.clone())
    }

    pub(crate) fn certificate(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> Leaf {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        change(&mut params);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Leaf { der: certificate.der().clone(), pem: certificate.pem(), key }
    }

    /// A server without client certificates.
    pub(crate) fn acceptor(&self, leaf: &Leaf, protocols: &[&[u8]]) -> TlsAcceptor {
        acceptor(leaf, protocols, None, rustls::ALL_VERSIONS)
    }

    /// Trusts this authority.
    fn config(&self) -> ConnectorConfig {
        let mut config = config();
        config.extra_roots = vec![self.pem()];
        config
    }
}

impl Leaf {
    fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::try_from(self.key.serialize_der()).unwrap()
    }

    fn identity(&self) -> Identity {
        Identity { certificates: Pem::Text(self.pem.clone()), key: Pem::Text(self.key.serialize_pem()) }
    }
}

fn acceptor(
    leaf: &Leaf,
    protocols: &[&[u8]],
    clients: Option<&Authority>,
    versions: &[&'static SupportedProtocolVersion],
) -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider.clone()).with_protocol_versions(versions).unwrap();
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(authority.der.clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let mut config = builder.with_single_cert(vec![leaf.der.clone()], leaf.key()).unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

/// Connects to a server at `host`, which says `x` when its handshake went well.
async fn attempt(
    config: &ConnectorConfig,
    host: &str,
    acceptor: &TlsAcceptor,
) -> Result<Connection, ConnectFailure> {
    let (listener, port) = listen().await;
    let url = format!("https://{host}:{port}/mcp?key=SECRET");
    let server = async {
        let stream = listener.accept().await.unwrap().0;
        if let Ok(mut stream) = acceptor.accept(stream).await {
            let _ = stream.write_all(b"x").await;
            let _ = stream.shutdown().await;
        }
    };
    tokio::join!(connect(config, &url), server).0
}

#[track_caller]
fn problem(attempt: Result<Connection, ConnectFailure>, expected: TlsProblem, message: &str) {
    let failure = attempt.unwrap_err();
    assert_eq!(failure.kind(), ConnectKind::Tls(expected), "{}", everything(&failure));
    let port = failure.origin().rsplit_once(':').unwrap().1;
    assert_eq!(failure.to_string(), message.replace("PORT", port));
    assert!(!everything(&failure).contains("SECRET"));
}

#[tokio::test]
async fn a_certificate_of_an_extra_authority_is_trusted() {
    let authority = Authority::new("ours");
    let leaf = authority.certificate("localhost", |_| {});
    let acceptor = authority.acceptor(&leaf, &[]);
    let mut connection = attempt(&authority.config(), "localhost", &acceptor).await.unwrap();
    assert_eq!(connection.protocol, Protocol::Http1);
    assert!(connection.io.is_write_vectored());
    assert_eq!(connection.io.read_u8().await.unwrap(), b'x');
}

#[tokio::test]
async fn an_address_is_a_name_too() {
    let authority = Authority::new("ours");
    let leaf = authority.certificate("127.0.0.1", |_| {});
    attempt(&authority.config(), "127.0.0.1", &authority.acceptor(&leaf, &[])).await.unwrap();
}

#[tokio::test]
async fn the_server_chooses_http2_where_it_is_offered() {
    let authority = Authority::new("ours");
    let leaf = authority.certificate("localhost", |_| {});
    let both = authority.acceptor(&leaf, &[b"h2", b"http/1.1"]);
    let mut config = authority.config();
    let offered = if cfg!(feature = "http2") { Protocol::Http2 } else { Protocol::Http1 };
    assert_eq!(attempt(&config, "localhost", &both).await.unwrap().protocol, offered);
    let old = authority.acceptor(&leaf, &[b"http/1.1"]);
    assert_eq!(attempt(&config, "localhost", &old).await.unwrap().protocol, Protocol::Http1);
    config.http2 = false;
    assert_eq!(attempt(&config, "localhost", &both).await.unwrap().protocol, Protocol::Http1);
}

#[tokio::test]
async fn a_certificate_out_of_its_time_is_told_apart() {
    let authority = Authority::new("ours");
    let old = authority.certificate("localhost", |params| {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    });
    let failed = attempt(&authority.config(), "localhost", &authority.acceptor(&old, &[])).await;
    problem(failed, TlsProblem::Expired, "the TLS certificate of `localhost` has expired");

    let early = authority.certificate("localhost", |params| params.not_before = date_time_ymd(3000, 1, 1));
    let failed = attempt(&authority.config(), "localhost", &authority.acceptor(&early, &[])).await;
    problem(failed, TlsProblem::NotYetValid, "the TLS certificate of `localhost` is not valid yet");
}

#[tokio::test]
async fn a_certificate_for_another_name_is_told_apart() {
    let authority = Authority::new("ours");
    let leaf = authority.certificate("b.test", |_| {});
    let failed = attempt(&authority.config(), "localhost", &authority.acceptor(&leaf, &[])).await;
    problem(failed, TlsProblem::WrongName, "the TLS certificate of `localhost` is for another name");
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_told_apart() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let leaf = theirs.certificate("localhost", |_| {});
    let failed = attempt(&ours.config(), "localhost", &theirs.acceptor(&leaf, &[])).await;
    assert!(failed.as_ref().unwrap_err().hint().unwrap().contains("SSL_CERT_FILE"));
    let message = "the TLS certificate of `localhost` was issued by an unknown authority";
    problem(failed, TlsProblem::UnknownIssuer, message);
}

#[tokio::test]
async fn a_client_certificate_is_shown_to_a_server_that_wants_one() {
    let authority = Authority::new("ours");
    let leaf = authority.certificate("localhost", |_| {});
    let mut config = authority.config();
    config.client_identity = Some(authority.certificate("me", |_| {}).identity());
    for version in rustls::ALL_VERSIONS {
        let acceptor = acceptor(&leaf, &[], Some(&authority), &[version]);
        let mut connection = attempt(&config, "localhost", &acceptor).await.unwrap();
        assert_eq!(connection.io.read_u8().await.unwrap(), b'x');
    }
}

/// What the server says in the handshake of TLS 1.2, and after that of TLS 1.3.
async fn refusals(config: &ConnectorConfig, leaf: &Leaf, clients: &Authority, expected: Identification) {
    let expected = TlsProblem::ClientCertificate(expected);
    let old = acceptor(leaf, &[], Some(clients), &[&rustls::version::TLS12]);
    let failure = attempt(config, "localhost", &old).await.unwrap_err();
    assert_eq!(failure.kind(), ConnectKind::Tls(expected), "{}", everything(&failure));

    let new = acceptor(leaf, &[], Some(clients), &[&rustls::version::TLS13]);
    let mut connection = attempt(config, "localhost", &new).await.unwrap();
    let error = connection.io.read_u8().await.unwrap_err();
    assert_eq!(tls_problem(&error), Some(expected), "{error:?}");
}

#[tokio::test]
async fn a_lacking_or_unwanted_client_certificate_is_told_apart() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let leaf = ours.certificate("localhost", |_| {});
    let mut config = ours.config();
    refusals(&config, &leaf, &ours, Identification::Needed).await;
    config.client_identity = Some(theirs.certificate("me", |_| {}).identity());
    refusals(&config, &leaf, &ours, Identification::Refused).await;
}

#[tokio::test]
async fn a_server_that_answers_in_plain_text_has_no_tls() {
    let (listener, port) = listen().await;
    let server = async {
        let mut stream = listener.accept().await.unwrap().0;
        stream.read_u8().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").await.unwrap();
        stream
    };
    let url = format!("https://127.0.0.1:{port}/");
    let config = Authority::new("ours").config();
    let (failed, _server) = tokio::join!(connect(&config, &url), server);
    problem(failed, TlsProblem::NotTls, "127.0.0.1:PORT does not speak TLS");
}

#[tokio::test]
async fn a_server_that_hangs_up_in_the_handshake_is_an_error() {
    let (listener, port) = listen().await;
    let server = async { drop(listener.accept().await.unwrap()) };
    let url = format!("https://127.0.0.1:{port}/");
    let config = Authority::new("ours").config();
    let (failed, ()) = tokio::join!(connect(&config, &url), server);
    problem(failed, TlsProblem::Other, "the TLS handshake with 127.0.0.1:PORT failed");
}

#[tokio::test]
async fn a_silent_server_meets_the_limit() {
    let (listener, port) = listen().await;
    let mut config = Authority::new("ours").config();
    config.connect_timeout = Duration::from_millis(50);
    let failure = failure(&config, &format!("https://127.0.0.1:{port}/")).await;
    assert_eq!(failure.kind(), ConnectKind::TimedOut);
    assert_eq!(failure.to_string(), format!("connection to 127.0.0.1:{port} timed out"));
    drop(listener);
}

#[tokio::test]
async fn a_dropped_handshake_closes_the_connection() {
    let (listener, port) = listen().await;
    let config = Authority::new("ours").config();
    let url = format!("https://127.0.0.1:{port}/");
    let mut server = tokio::select! {
        _ = connect(&config, &url) => panic!("the server said nothing"),
        // The first byte shows that the handshake is on.
        server = async {
            let mut stream = listener.accept().await.unwrap().0;
            stream.read_u8().await.unwrap();
            stream
        } => server,
    };
    let mut rest = Vec::new();
    server.read_to_end(&mut rest).await.unwrap();
}

#[test]
fn bad_certificates_and_keys_are_errors_at_once() {
    let authority = Authority::new("ours");
    let (one, other) = (authority.certificate("a", |_| {}), authority.certificate("b", |_| {}));
    let fails = |change: &dyn Fn(&mut ConnectorConfig)| {
        let mut config = config();
        change(&mut config);
        let error = Connector::new(&config).unwrap_err();
        assert!(!everything(&error).contains("PRIVATE"));
        error
    };
    let with = |certificates: Pem, key: Pem| {
        fails(&|config| {
            config.client_identity = Some(Identity { certificates: certificates.clone(), key: key.clone() });
        })
    };
    let text = |text: &str| Pem::Text(text.to_owned());
    let (pem, key) = (text(&one.pem), text(&one.key.serialize_pem()));

    let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for bad in ["", "no PEM", garbage, "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n"] {
        let error = fails(&|config| config.extra_roots = vec![text(bad)]);
        assert!(matches!(error, ConnectorError::Certificate { .. }), "{error:?}");
    }
    assert!(matches!(with(text(""), key.clone()), ConnectorError::Certificate { .. }));
    assert!(matches!(with(text(garbage), key), ConnectorError::Certificate { .. }));
    assert!(matches!(with(pem.clone(), text("")), ConnectorError::Key { .. }));
    let bad_key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    assert!(matches!(with(pem.clone(), text(bad_key)), ConnectorError::Key { .. }));
    let mismatch = with(pem, text(&other.key.serialize_pem()));
    assert!(matches!(mismatch, ConnectorError::KeyMismatch), "{mismatch:?}");
}
