//! A server behind an address: where it is, what goes with each request, how connections are made.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use mcp_transport_http::connector::{Connector, ConnectorConfig, Identity, Pem, ProxyPolicy};
use mcp_transport_http::{EndpointError, HeaderError, Headers, HttpConfig, Wire};

use super::Source;
use super::error::EntryProblem;
use super::fields::Fields;
use super::variables::{Lookup, expand};

/// What such an entry says. Keys that are absent leave the library's default.
#[derive(Clone)]
pub(crate) struct RemoteServer {
    config: HttpConfig,
    /// All headers in order, those of the command line too; `config` has them checked.
    headers: Vec<(String, String)>,
    /// Of the handshake; absent, the timeout of requests holds for it.
    pub(crate) start_timeout: Option<Duration>,
}

impl RemoteServer {
    /// The keys of such an entry, but for those that all entries have.
    pub(super) const KEYS: [&str; 10] = [
        "url",
        "headers",
        "timeout",
        "start_timeout",
        "max_total_timeout",
        "request_id_format",
        "ca",
        "client_cert",
        "client_key",
        "proxy",
    ];

    /// The server at this address, all else at its default.
    pub(crate) fn at(url: &str) -> Result<Self, EndpointError> {
        Ok(Self { config: HttpConfig::new(url)?, headers: Vec::new(), start_timeout: None })
    }

    pub(super) fn read(
        fields: &Fields<'_>,
        source: &Source,
        kind: &'static str,
        variables: Lookup<'_>,
    ) -> Result<Self, EntryProblem> {
        let url = fields.text("url")?.filter(|url| !url.trim().is_empty());
        let url = filled_in("url", &url.ok_or(EntryProblem::NoUrl { kind })?, variables)?;
        let mut server = Self::at(&url).map_err(EntryProblem::Address)?;
        server.headers = read_headers(fields, variables)?;
        server.check_headers().map_err(|problem| bad_header(&server.headers, problem))?;
        server.start_timeout = fields.millis("start_timeout")?;
        let config = &mut server.config;
        if kind == "sse" {
            config.wire = Wire::Sse;
        }
        if let Some(timeout) = fields.millis("timeout")? {
            config.timeout = timeout;
        }
        if let Some(limit) = fields.millis("max_total_timeout")? {
            config.max_total_timeout = limit;
        }
        if let Some(format) = fields.id_format()? {
            config.ids = format;
        }
        let path = |path: String| source.folder().join(path);
        config.connector.extra_roots =
            fields.text_or_texts("ca")?.into_iter().map(|it| Pem::File(path(it))).collect();
        config.connector.client_identity =
            identity(fields.text("client_cert")?.map(path), fields.text("client_key")?.map(path))?;
        if let Some(proxy) = fields.text("proxy")? {
            config.connector.proxy = read_proxy(proxy)?;
        }
        Ok(server)
    }

    /// Adds headers, which take the place of those of the same names.
    pub(crate) fn add_headers(&mut self, added: Vec<(String, String)>) -> Result<(), HeaderError> {
        self.headers.retain(|(known, _)| !added.iter().any(|(name, _)| name.eq_ignore_ascii_case(known)));
        self.headers.extend(added);
        self.check_headers()
    }

    /// Adds a file with certificates of authorities to trust.
    pub(crate) fn add_root(&mut self, file: PathBuf) {
        self.config.connector.extra_roots.push(Pem::File(file));
    }

    /// The address, secrets masked.
    pub(crate) fn url(&self) -> String {
        self.config.endpoint.to_string()
    }

    /// What is odd about it and does no harm.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let ignored = self.config.headers.ignored().iter();
        ignored
            .map(|name| format!("header `{name}` is set by the protocol itself, yours is ignored"))
            .collect()
    }

    /// What the transport is to do for the server of this name.
    pub(crate) fn transport(&self, name: &str) -> HttpConfig {
        let mut config = self.config.clone();
        config.name = Some(name.to_owned());
        config
    }

    fn check_headers(&mut self) -> Result<(), HeaderError> {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        self.config.headers = Headers::new(headers)?;
        Ok(())
    }
}

/// Header values may hold variables, their names may not.
fn read_headers(fields: &Fields<'_>, variables: Lookup<'_>) -> Result<Vec<(String, String)>, EntryProblem> {
    let headers = fields.pairs("headers")?;
    // A wrong name must not become that of a field in what follows.
    Headers::new(headers.iter().map(|(name, _)| (name.as_str(), "")))
        .map_err(|problem| bad_header(&headers, problem))?;
    let headers = headers.into_iter().map(|(name, value)| {
        let value = filled_in(&format!("headers.{name}"), &value, variables)?;
        Ok((name, value))
    });
    headers.collect()
}

/// The error of a header, whose field is named as it is written there. What is no name is not shown:
/// it may be more than a name.
fn bad_header(headers: &[(String, String)], problem: HeaderError) -> EntryProblem {
    let name = match &problem {
        HeaderError::Value { name, .. } | HeaderError::OfTheConnection { name } => Some(name.as_str()),
        _ => None,
    };
    let is_it = |written: &str| name.is_some_and(|name| name.eq_ignore_ascii_case(written));
    let field = match headers.iter().find(|(written, _)| is_it(written)) {
        Some((written, _)) => format!("headers.{written}"),
        None => "headers".to_owned(),
    };
    EntryProblem::Header { field, problem }
}

fn filled_in(field: &str, text: &str, variables: Lookup<'_>) -> Result<String, EntryProblem> {
    expand(text, variables).map_err(|problem| EntryProblem::Variable { field: field.to_owned(), problem })
}

/// A certificate without a key of its own has it in the same file.
fn identity(certificates: Option<PathBuf>, key: Option<PathBuf>) -> Result<Option<Identity>, EntryProblem> {
    match (certificates, key) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(EntryProblem::KeyAlone),
        (Some(certificates), key) => {
            let key = key.unwrap_or_else(|| certificates.clone());
            Ok(Some(Identity { certificates: Pem::File(certificates), key: Pem::File(key) }))
        }
    }
}

fn read_proxy(proxy: String) -> Result<ProxyPolicy, EntryProblem> {
    if proxy == "none" {
        return Ok(ProxyPolicy::None);
    }
    let mut alone = ConnectorConfig::default();
    alone.proxy = ProxyPolicy::Url(proxy);
    // This opens nothing; a proxy is all that can be wrong.
    match Connector::new(&alone) {
        Ok(_) => Ok(alone.proxy),
        Err(error) => Err(EntryProblem::Proxy { reason: error.to_string() }),
    }
}

/// Shows no header value and no secret of an address.
impl fmt::Debug for RemoteServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(formatter)
    }
}
