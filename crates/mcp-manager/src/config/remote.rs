//! A server behind an address: where it is, what goes with each request, how connections are made.

use std::fmt;
use std::path::PathBuf;

use mcp_transport_http::connector::{Connector, ConnectorConfig, Identity, Pem, ProxyPolicy};
use mcp_transport_http::{Endpoint, EndpointError, HeaderError, Headers, HttpConfig};

use super::dialect::Dialect;
use super::error::EntryProblem;
use super::expand::named;
use super::fields::{Fault, Fields};
use super::host::Host;
use super::server::Kind;
use super::stdio;

/// What such an entry says. `Debug` shows no header value and no secret of an address.
#[derive(Clone)]
pub struct HttpServer {
    /// As it is written, variables filled in.
    url: String,
    /// All headers in order; `config` has them checked.
    headers: Vec<(String, String)>,
    ca: Vec<PathBuf>,
    client: Option<(PathBuf, PathBuf)>,
    proxy: Option<String>,
    config: HttpConfig,
}

impl HttpServer {
    /// The server at this address, all else at its default.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] if it is no address.
    pub fn at(url: &str) -> Result<Self, EndpointError> {
        let config = HttpConfig::new(url)?;
        Ok(Self {
            url: url.to_owned(),
            headers: Vec::new(),
            ca: Vec::new(),
            client: None,
            proxy: None,
            config,
        })
    }

    pub(super) fn read(fields: &mut Fields<'_>, host: Host, kind: Kind) -> Result<Self, Fault> {
        let dialect = Dialect::of(host);
        let mut server = address(fields, dialect, kind)?;
        server.headers = headers(fields, dialect.headers, host)?;
        server.check_headers().map_err(|problem| bad_header(&server.headers, dialect.headers, problem))?;
        if host == Host::Own {
            server.read_connection(fields)?;
        }
        Ok(server)
    }

    fn read_connection(&mut self, fields: &mut Fields<'_>) -> Result<(), Fault> {
        let folder = fields.filler().folder;
        let path = |path: String| folder.join(path);
        for file in fields.text_or_texts("ca")? {
            self.add_root(path(file));
        }
        let certificates = fields.text("client_cert")?.map(path);
        let key = fields.text("client_key")?.map(path);
        self.client = match (certificates, key) {
            (None, None) => None,
            (None, Some(_)) => return Err(EntryProblem::KeyAlone.into()),
            // A certificate without a key of its own has it in the same file.
            (Some(certificates), key) => Some((certificates.clone(), key.unwrap_or(certificates))),
        };
        self.config.connector.client_identity = self.client.clone().map(|(certificates, key)| Identity {
            certificates: Pem::File(certificates),
            key: Pem::File(key),
        });
        if let Some(proxy) = fields.text("proxy")? {
            self.config.connector.proxy = policy(&proxy)?;
            self.proxy = Some(proxy);
        }
        Ok(())
    }

    /// Adds headers, which take the place of those of the same names.
    ///
    /// # Errors
    ///
    /// [`HeaderError`] if one cannot be sent.
    pub fn add_headers(&mut self, added: Vec<(String, String)>) -> Result<(), HeaderError> {
        self.headers.retain(|(known, _)| !added.iter().any(|(name, _)| name.eq_ignore_ascii_case(known)));
        self.headers.extend(added);
        self.check_headers()
    }

    /// Adds a file with certificates of authorities to trust.
    pub fn add_root(&mut self, file: PathBuf) {
        self.config.connector.extra_roots.push(Pem::File(file.clone()));
        self.ca.push(file);
    }

    /// The address; it is shown with its secrets masked.
    pub fn endpoint(&self) -> &Endpoint {
        &self.config.endpoint
    }

    /// The headers, checked.
    pub fn headers(&self) -> &Headers {
        &self.config.headers
    }

    /// The address as it is written, its secrets too.
    pub(super) fn written_url(&self) -> &str {
        &self.url
    }

    /// What is odd about it and does no harm.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        let ignored = self.config.headers.ignored().iter();
        ignored.map(|name| format!("header `{name}` is set by the protocol itself, yours is ignored"))
    }

    /// What the transport is to do.
    pub(super) fn transport(&self) -> HttpConfig {
        self.config.clone()
    }

    /// All that it says, secrets included, for [`ServerConfig::fingerprint_input`](super::ServerConfig).
    pub(super) fn parts(&self) -> Vec<(&'static str, Vec<String>)> {
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let headers =
            self.headers.iter().flat_map(|(name, value)| [name.to_ascii_lowercase(), value.clone()]);
        let client = self.client.iter().flat_map(|(certificates, key)| [path(certificates), path(key)]);
        vec![
            ("url", vec![self.url.clone()]),
            ("headers", headers.collect()),
            ("ca", self.ca.iter().map(path).collect()),
            ("client", client.collect()),
            ("proxy", self.proxy.iter().cloned().collect()),
        ]
    }

    fn check_headers(&mut self) -> Result<(), HeaderError> {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        self.config.headers = Headers::new(headers)?;
        Ok(())
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(formatter)
    }
}

/// The server at the address of the entry.
fn address(fields: &mut Fields<'_>, dialect: &Dialect, kind: Kind) -> Result<HttpServer, Fault> {
    for (field, _) in dialect.urls {
        let Some(url) = fields.text(field)?.filter(|url| !url.trim().is_empty()) else { continue };
        let at = fields.places().get(*field).copied();
        return HttpServer::at(&socket(&url)).map_err(|problem| Fault {
            at,
            problem: EntryProblem::Address { field: (*field).to_owned(), problem },
        });
    }
    let field = dialect.urls.first().map_or("url", |(field, _)| field);
    Err(EntryProblem::NoUrl { kind: kind.name(), field }.into())
}

/// VS Code writes a socket as `unix:///run/a.sock#/mcp`, we as `http+unix://%2Frun%2Fa.sock/mcp`.
pub(super) fn socket(url: &str) -> String {
    let Some(rest) = url.trim().strip_prefix("unix://") else { return url.to_owned() };
    let (socket, path) = rest.split_once('#').unwrap_or((rest, "/"));
    let mut encoded = String::from("http+unix://");
    for byte in socket.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded + path
}

/// Header values may hold variables, their names may not.
fn headers(fields: &mut Fields<'_>, field: &'static str, host: Host) -> Result<Vec<(String, String)>, Fault> {
    let mut headers = Vec::new();
    let pairs = fields.raw_pairs(field)?;
    // A wrong name must not become that of a field in what follows.
    let names: Vec<_> = pairs.iter().map(|(name, _)| ((*name).to_owned(), String::new())).collect();
    Headers::new(names.iter().map(|(name, _)| (name.as_str(), "")))
        .map_err(|problem| bad_header(&names, field, problem))?;
    for (name, node) in pairs {
        headers.push((name.to_owned(), stdio::value(fields, &format!("{field}.{name}"), node, host)?));
    }
    if host == Host::Codex {
        headers.extend(from_environment(fields)?);
    }
    Ok(headers)
}

/// Codex: headers whose values are those of variables, the token of the server among them.
fn from_environment(fields: &mut Fields<'_>) -> Result<Vec<(String, String)>, Fault> {
    let field = "env_http_headers";
    let mut headers = Vec::new();
    let values = fields.filler().values;
    for (name, node) in fields.raw_pairs(field)? {
        let path = format!("{field}.{name}");
        let variable = fields.filled(node, &path, "a string")?;
        let value = named(&variable, values)
            .map_err(|problem| EntryProblem::Variable { field: path, problem }.at(node.at))?;
        headers.push((name.to_owned(), value));
    }
    let field = "bearer_token_env_var";
    if let Some(variable) = fields.text(field)? {
        let token = named(&variable, values)
            .map_err(|problem| EntryProblem::Variable { field: field.to_owned(), problem })?;
        headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
    }
    Ok(headers)
}

/// The error of a header, whose field is named as it is written there. What is no name is not shown:
/// it may be more than a name.
fn bad_header(headers: &[(String, String)], field: &str, problem: HeaderError) -> EntryProblem {
    let name = match &problem {
        HeaderError::Value { name, .. } | HeaderError::OfTheConnection { name } => Some(name.as_str()),
        _ => None,
    };
    let is_it = |written: &str| name.is_some_and(|name| name.eq_ignore_ascii_case(written));
    let field = match headers.iter().find(|(written, _)| is_it(written)) {
        Some((written, _)) => format!("{field}.{written}"),
        None => field.to_owned(),
    };
    EntryProblem::Header { field, problem }
}

fn policy(proxy: &str) -> Result<ProxyPolicy, EntryProblem> {
    if proxy == "none" {
        return Ok(ProxyPolicy::None);
    }
    let mut alone = ConnectorConfig::default();
    alone.proxy = ProxyPolicy::Url(proxy.to_owned());
    // This opens nothing; a proxy is all that can be wrong.
    match Connector::new(&alone) {
        Ok(_) => Ok(alone.proxy),
        Err(error) => Err(EntryProblem::Proxy { reason: error.to_string() }),
    }
}
