//! Connections without TLS and proxies.

use std::error::Error;
use std::time::Duration;

use mcp_transport_http::Endpoint;
use mcp_transport_http::connector::{
    ConnectKind, Connector, ConnectorConfig, ConnectorError, Pem, Protocol, ProxyPolicy,
};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::{config, connect, everything, failure, listen};

#[tokio::test]
async fn localhost_reaches_a_server_on_the_v4_loopback_only() {
    let (listener, port) = listen().await;
    let config = config();
    for host in ["localhost", "a.localhost", "127.0.0.1"] {
        let url = format!("http://{host}:{port}/");
        let (connection, accepted) = tokio::join!(connect(&config, &url), listener.accept());
        let (mut connection, mut server) = (connection.unwrap(), accepted.unwrap().0);
        assert_eq!(connection.protocol, Protocol::Http1);
        assert!(connection.forward.is_none());
        assert!(connection.io.is_write_vectored());

        connection.io.write_all(b"ping").await.unwrap();
        let mut four = [0; 4];
        server.read_exact(&mut four).await.unwrap();
        assert_eq!(&four, b"ping");
        drop(server);
        assert_eq!(connection.io.read(&mut four).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn localhost_reaches_a_server_on_the_v6_loopback_only() {
    // Some systems have no IPv6.
    let Ok(listener) = tokio::net::TcpListener::bind("[::1]:0").await else { return };
    let port = listener.local_addr().unwrap().port();
    let config = config();
    for host in ["localhost", "[::1]"] {
        let url = format!("http://{host}:{port}/");
        let (connection, _accepted) = tokio::join!(connect(&config, &url), listener.accept());
        connection.unwrap();
    }
}

#[tokio::test]
async fn a_port_where_nothing_listens_refuses() {
    let (listener, port) = listen().await;
    drop(listener);
    let failure = failure(&config(), &format!("http://127.0.0.1:{port}/mcp?key=SECRET")).await;
    assert_eq!(failure.kind(), ConnectKind::Refused);
    assert_eq!(failure.origin(), format!("127.0.0.1:{port}"));
    assert_eq!(failure.to_string(), format!("connection to 127.0.0.1:{port} refused"));
    assert!(failure.hint().is_some() && failure.source().is_some());
    assert!(!everything(&failure).contains("SECRET"));
}

#[tokio::test]
async fn a_name_without_address_does_not_resolve() {
    // A label of more than 63 letters needs no name server to be wrong.
    let host = format!("{}.invalid", "a".repeat(64));
    let failure = failure(&config(), &format!("http://{host}/")).await;
    assert_eq!(failure.kind(), ConnectKind::Resolve);
    assert_eq!(failure.to_string(), format!("cannot resolve `{host}`"));
}

#[tokio::test]
async fn a_dropped_connection_is_closed() {
    let (listener, port) = listen().await;
    let endpoint = Endpoint::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
    let connector = Connector::new(&config()).unwrap();
    let connection = connector.connect(endpoint.origin()).await.unwrap();
    drop(connection);
    let (mut server, _) = listener.accept().await.unwrap();
    assert_eq!(server.read(&mut [0; 1]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_limit_of_zero_is_none() {
    let (listener, port) = listen().await;
    let mut config = config();
    config.connect_timeout = Duration::ZERO;
    let url = format!("http://127.0.0.1:{port}/");
    let (connection, _accepted) = tokio::join!(connect(&config, &url), listener.accept());
    connection.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_unix_socket_is_spoken_to() {
    let path = std::env::temp_dir().join(format!("mcp-connector-{}.sock", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let url = format!("http+unix://{}/mcp", path.to_str().unwrap().replace('/', "%2F"));
    let failed = failure(&config(), &url).await;
    assert_eq!(failed.kind(), ConnectKind::Socket);
    assert_eq!(failed.to_string(), format!("cannot connect to the socket `{}`", path.display()));

    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    // Even with a proxy for everything.
    let mut config = config();
    if cfg!(feature = "proxy") {
        config.proxy = ProxyPolicy::Url("http://127.0.0.1:1".into());
    }
    let (connection, accepted) = tokio::join!(connect(&config, &url), listener.accept());
    let (mut connection, mut server) = (connection.unwrap(), accepted.unwrap().0);
    std::fs::remove_file(&path).unwrap();
    assert!(connection.forward.is_none());
    server.write_all(b"x").await.unwrap();
    assert_eq!(connection.io.read_u8().await.unwrap(), b'x');
}

#[test]
fn a_configuration_shows_nothing_secret() {
    let mut config = ConnectorConfig::default();
    config.extra_roots = vec![Pem::Text("SECRET".into())];
    config.client_identity = Some(mcp_transport_http::connector::Identity {
        certificates: Pem::Text("SECRET".into()),
        key: Pem::Text("SECRET".into()),
    });
    config.proxy = ProxyPolicy::Url("http://me:SECRET@p.test".into());
    let shown = format!("{config:?}");
    assert!(!shown.contains("SECRET"), "{shown}");
}

#[cfg(feature = "proxy")]
#[test]
fn an_unusable_proxy_is_an_error_without_its_url() {
    let check = |url: &str, expected: &str| {
        let mut config = config();
        config.proxy = ProxyPolicy::Url(url.to_owned());
        let error = Connector::new(&config).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!format!("{error:?}").contains("SECRET"));
    };
    check("http://me:SECRET@", "the proxy is not given as a URL such as `http://proxy:3128`");
    check(
        "socks4://me:SECRET@p.test",
        "proxies of the kind `socks4` are not supported, only `http` and `socks5`",
    );
}

#[cfg(not(feature = "proxy"))]
#[test]
fn a_proxy_needs_its_feature() {
    let mut config = config();
    config.proxy = ProxyPolicy::Url("http://p.test".into());
    assert!(matches!(Connector::new(&config), Err(ConnectorError::NoProxies)));
}

#[cfg(not(feature = "tls"))]
#[tokio::test]
async fn https_needs_its_feature() {
    use mcp_transport_http::connector::TlsProblem;

    let failure = failure(&config(), "https://127.0.0.1:1/").await;
    assert_eq!(failure.kind(), ConnectKind::Tls(TlsProblem::NotBuilt));
    let mut config = config();
    config.extra_roots = vec![Pem::Text(String::new())];
    assert!(matches!(Connector::new(&config), Err(ConnectorError::NoTls)));
}

#[cfg(feature = "tls")]
#[test]
fn an_unreadable_file_is_an_error_with_its_path() {
    let mut config = config();
    config.extra_roots = vec![Pem::File("/no/such/ca.pem".into())];
    let error = Connector::new(&config).unwrap_err();
    assert!(matches!(error, ConnectorError::File { .. }));
    assert_eq!(error.to_string(), "cannot read `/no/such/ca.pem`");
    assert!(error.source().is_some());
}

#[tokio::test]
async fn the_addresses_of_a_name_are_told_in_the_order_of_the_tries() {
    let connector = Connector::new(&config()).unwrap();
    let origin = |url: &str| Endpoint::parse(url).unwrap().origin().clone();
    let found = async |url: &str| connector.resolve(&origin(url)).await.unwrap();
    assert_eq!(found("http://127.0.0.1:7/").await, ["127.0.0.1:7".parse().unwrap()]);
    assert_eq!(found("http://[::1]:7/").await, ["[::1]:7".parse().unwrap()]);
    let both = ["[::1]:7", "127.0.0.1:7"].map(|it| it.parse().unwrap());
    assert_eq!(found("http://localhost:7/").await, both);
    assert_eq!(found("http+unix://%2Fs/").await, []);
    let failure = connector.resolve(&origin("http://no-such-host.invalid/")).await.unwrap_err();
    assert_eq!(failure.kind(), ConnectKind::Resolve);
}
