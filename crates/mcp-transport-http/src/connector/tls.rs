//! TLS over an open stream, and what its errors mean.

use std::error::Error;
use std::io;
use std::sync::{Arc, OnceLock};

use rustls::client::ResolvesClientCert;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{AlertDescription, CertificateError, ClientConfig, InvalidMessage, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::config::{ConnectorConfig, ConnectorError, Identity, Pem};
use super::failure::{ConnectFailure, ConnectKind, Identification, NoRoots, TlsProblem};
use super::{Io, Origin, Protocol, roots};

/// The TLS of a connector: what it was told, and once it is needed, the library's configuration.
pub(super) struct Tls {
    provider: Arc<CryptoProvider>,
    extra_roots: Vec<CertificateDer<'static>>,
    identity: Option<Arc<dyn ResolvesClientCert>>,
    protocols: Vec<Vec<u8>>,
    ready: OnceLock<Arc<ClientConfig>>,
}

impl Tls {
    pub(super) fn new(config: &ConnectorConfig) -> Result<Self, ConnectorError> {
        // Given explicitly everywhere: a process has one default, and it is not ours to set.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut extra_roots = Vec::new();
        for pem in &config.extra_roots {
            let found = certificates(pem)?;
            let mut usable = RootCertStore::empty();
            if usable.add_parsable_certificates(found.iter().cloned()).1 > 0 {
                return Err(ConnectorError::Certificate { origin: pem.origin() });
            }
            extra_roots.extend(found);
        }
        let identity =
            config.client_identity.as_ref().map(|identity| resolver(identity, &provider)).transpose()?;
        let offered: &[&[u8]] =
            if config.http2 && cfg!(feature = "http2") { &[b"h2", b"http/1.1"] } else { &[b"http/1.1"] };
        let protocols = offered.iter().map(|name| name.to_vec()).collect();
        Ok(Self { provider, extra_roots, identity, protocols, ready: OnceLock::new() })
    }

    pub(super) async fn handshake(
        &self,
        origin: &Origin,
        stream: TcpStream,
    ) -> Result<(Io, Protocol), ConnectFailure> {
        let failed = |problem| ConnectFailure::new(origin, ConnectKind::Tls(problem));
        let host = origin.host().strip_suffix('.').unwrap_or(origin.host());
        let name = ServerName::try_from(host.to_owned())
            .map_err(|error| failed(TlsProblem::Other).caused_by(error))?;
        let config = self.config(origin).await?;
        match TlsConnector::from(config).connect(name, stream).await {
            Ok(stream) => {
                let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                Ok((stream.into(), if is_http2 { Protocol::Http2 } else { Protocol::Http1 }))
            }
            Err(error) => Err(failed(problem(&error).unwrap_or(TlsProblem::Other)).caused_by(error)),
        }
    }

    /// Made at the first connection, since the platform's certificates take their time.
    async fn config(&self, origin: &Origin) -> Result<Arc<ClientConfig>, ConnectFailure> {
        if let Some(config) = self.ready.get() {
            return Ok(config.clone());
        }
        let mut roots = roots::platform().await;
        if !self.extra_roots.is_empty() {
            let mut all = RootCertStore::clone(&roots);
            all.add_parsable_certificates(self.extra_roots.iter().cloned());
            roots = Arc::new(all);
        }
        if roots.is_empty() {
            let failure = ConnectFailure::new(origin, ConnectKind::Tls(TlsProblem::NoRoots));
            return Err(failure.caused_by(NoRoots));
        }
        let builder = ClientConfig::builder_with_provider(self.provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| {
                ConnectFailure::new(origin, ConnectKind::Tls(TlsProblem::Other)).caused_by(error)
            })?
            .with_root_certificates(roots);
        let mut config = match &self.identity {
            Some(identity) => builder.with_client_cert_resolver(identity.clone()),
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols.clone_from(&self.protocols);
        Ok(self.ready.get_or_init(|| Arc::new(config)).clone())
    }
}

fn resolver(
    identity: &Identity,
    provider: &CryptoProvider,
) -> Result<Arc<dyn ResolvesClientCert>, ConnectorError> {
    let chain = certificates(&identity.certificates)?;
    let no_key = || ConnectorError::Key { origin: identity.key.origin() };
    let key = PrivateKeyDer::from_pem_slice(&identity.key.read()?).map_err(|_| no_key())?;
    match CertifiedKey::from_der(chain, key, provider) {
        Ok(key) => Ok(Arc::new(SingleCertAndKey::from(key))),
        Err(rustls::Error::InconsistentKeys(_)) => Err(ConnectorError::KeyMismatch),
        Err(rustls::Error::InvalidCertificate(_)) => {
            Err(ConnectorError::Certificate { origin: identity.certificates.origin() })
        }
        Err(_) => Err(no_key()),
    }
}

fn certificates(pem: &Pem) -> Result<Vec<CertificateDer<'static>>, ConnectorError> {
    let text = pem.read()?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    found
        .ok()
        .filter(|found| !found.is_empty())
        .ok_or_else(|| ConnectorError::Certificate { origin: pem.origin() })
}

/// See [`tls_problem`](super::tls_problem).
pub(super) fn problem(error: &(dyn Error + 'static)) -> Option<TlsProblem> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return Some(meaning(error));
        }
        // The source of an `io::Error` is that of the error inside, which itself would be passed over.
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner as _),
            None => error.source(),
        };
    }
    None
}

fn meaning(error: &rustls::Error) -> TlsProblem {
    match error {
        rustls::Error::InvalidCertificate(error) => match error {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => TlsProblem::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                TlsProblem::NotYetValid
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                TlsProblem::WrongName
            }
            CertificateError::UnknownIssuer => TlsProblem::UnknownIssuer,
            CertificateError::Revoked => TlsProblem::Revoked,
            _ => TlsProblem::Other,
        },
        rustls::Error::AlertReceived(alert) => match alert {
            AlertDescription::CertificateRequired | AlertDescription::NoCertificate => {
                TlsProblem::ClientCertificate(Identification::Needed)
            }
            // A server can mean no certificate but the client's.
            AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied => TlsProblem::ClientCertificate(Identification::Refused),
            _ => TlsProblem::Other,
        },
        rustls::Error::InvalidMessage(
            InvalidMessage::InvalidContentType
            | InvalidMessage::UnknownProtocolVersion
            | InvalidMessage::MessageTooLarge
            | InvalidMessage::InvalidEmptyPayload,
        ) => TlsProblem::NotTls,
        _ => TlsProblem::Other,
    }
}
