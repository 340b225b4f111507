//! Connections through proxies, which write down what they were asked.

use std::error::Error;

use mcp_transport_http::Endpoint;
use mcp_transport_http::connector::{
    ConnectFailure, ConnectKind, Connection, Connector, ConnectorConfig, ProxyFailure, ProxyPolicy,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{config, connect, everything, failure, listen};

/// `me:SECRET` in base64.
const BASIC: &str = "Basic bWU6U0VDUkVU";

fn through(port: u16) -> ConnectorConfig {
    let mut config = config();
    config.proxy = ProxyPolicy::Url(format!("http://me:SECRET@127.0.0.1:{port}"));
    config
}

/// Takes one request for a tunnel, gives an answer and hangs up. What it was asked comes back.
#[cfg(feature = "tls")]
async fn answer(listener: &tokio::net::TcpListener, answer: &str) -> String {
    let mut stream = listener.accept().await.unwrap().0;
    let mut seen = Vec::new();
    while !seen.ends_with(b"\r\n\r\n") {
        assert_ne!(stream.read_buf(&mut seen).await.unwrap(), 0);
    }
    stream.write_all(answer.as_bytes()).await.unwrap();
    String::from_utf8(seen).unwrap()
}

#[cfg(feature = "tls")]
async fn refused(status: &str) -> (String, ConnectFailure) {
    let (listener, port) = listen().await;
    let config = through(port);
    let url = "https://a.test:8443/mcp?key=SECRET";
    let status = format!("HTTP/1.1 {status}\r\n\r\n");
    let (seen, failure) = tokio::join!(answer(&listener, &status), failure(&config, url));
    assert!(!everything(&failure).contains("SECRET") && !everything(&failure).contains(BASIC));
    (seen, failure)
}

fn cause(failure: &ConnectFailure) -> &ProxyFailure {
    failure.source().unwrap().downcast_ref().unwrap()
}

#[tokio::test]
async fn plain_requests_are_left_to_a_forward_proxy() {
    let (listener, port) = listen().await;
    let config = through(port);
    // Nothing listens on port 1: the proxy is asked, and it alone.
    let (connection, _accepted) = tokio::join!(connect(&config, "http://a.test:1/mcp"), listener.accept());
    let Connection { forward, .. } = connection.unwrap();
    let value = forward.unwrap().authorization.unwrap();
    assert_eq!(value, BASIC);
    assert!(value.is_sensitive());
}

#[tokio::test]
async fn a_proxy_that_cannot_be_reached_is_named() {
    let (listener, port) = listen().await;
    drop(listener);
    let mut socks = config();
    socks.proxy = ProxyPolicy::Url(format!("socks5://me:SECRET@127.0.0.1:{port}"));
    for config in [through(port), socks] {
        let failure = failure(&config, "http://a.test/?key=SECRET").await;
        assert_eq!(failure.kind(), ConnectKind::Proxy);
        let ProxyFailure::Connect(cause) = cause(&failure) else { panic!("{failure:?}") };
        assert_eq!(cause.kind(), ConnectKind::Refused);
        assert_eq!(cause.to_string(), format!("connection to 127.0.0.1:{port} refused"));
        assert!(!everything(&failure).contains("SECRET"));
    }
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_proxy_that_wants_a_login_says_so() {
    let (seen, failure) = refused("407 Proxy Authentication Required").await;
    assert_eq!(
        seen,
        format!("CONNECT a.test:8443 HTTP/1.1\r\nHost: a.test:8443\r\nProxy-Authorization: {BASIC}\r\n\r\n")
    );
    assert_eq!(failure.kind(), ConnectKind::Proxy);
    assert_eq!(failure.to_string(), "no connection to a.test:8443 through the proxy");
    assert!(matches!(cause(&failure), ProxyFailure::AuthenticationRequired));
    assert!(failure.hint().unwrap().contains("password"));
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_proxy_that_opens_no_tunnel_says_why() {
    let (_, failure) = refused("502 Bad Gateway").await;
    assert_eq!(failure.kind(), ConnectKind::Proxy);
    assert!(matches!(cause(&failure), ProxyFailure::Status(502)));
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn tls_goes_through_the_tunnel() {
    let authority = crate::tls::Authority::new("tunnel");
    let acceptor = authority.acceptor(&authority.certificate("a.test", |_| {}), &[b"http/1.1"]);
    let (listener, port) = listen().await;
    let mut config = through(port);
    config.extra_roots = vec![authority.pem()];

    let proxy = async {
        let mut stream = listener.accept().await.unwrap().0;
        let mut seen = Vec::new();
        while !seen.ends_with(b"\r\n\r\n") {
            assert_ne!(stream.read_buf(&mut seen).await.unwrap(), 0);
        }
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
        let mut server = acceptor.accept(stream).await.unwrap();
        server.write_all(b"x").await.unwrap();
        server.flush().await.unwrap();
        server
    };
    let (connection, _server) = tokio::join!(connect(&config, "https://a.test/"), proxy);
    let mut connection = connection.unwrap();
    assert!(connection.forward.is_none());
    assert_eq!(connection.io.read_u8().await.unwrap(), b'x');
}

#[tokio::test]
async fn a_socks_proxy_is_asked_for_the_name() {
    let (listener, port) = listen().await;
    let mut config = config();
    config.proxy = ProxyPolicy::Url(format!("socks5://127.0.0.1:{port}"));
    let proxy = async {
        let mut stream = listener.accept().await.unwrap().0;
        let mut hello = [0; 3];
        stream.read_exact(&mut hello).await.unwrap();
        assert_eq!(hello, [5, 1, 0]);
        stream.write_all(&[5, 0]).await.unwrap();
        let mut request = [0; 4 + 1 + 6 + 2];
        stream.read_exact(&mut request).await.unwrap();
        assert_eq!(&request, b"\x05\x01\x00\x03\x06a.test\x00\x51");
        stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
        stream.write_all(b"x").await.unwrap();
        stream
    };
    let (connection, _proxy) = tokio::join!(connect(&config, "http://a.test:81/"), proxy);
    let mut connection = connection.unwrap();
    assert!(connection.forward.is_none());
    assert_eq!(connection.io.read_u8().await.unwrap(), b'x');
}

#[tokio::test]
async fn a_socks_proxy_that_refuses_is_a_proxy_failure() {
    let (listener, port) = listen().await;
    let mut config = config();
    config.proxy = ProxyPolicy::Url(format!("socks5://me:SECRET@127.0.0.1:{port}"));
    let proxy = async {
        let mut stream = listener.accept().await.unwrap().0;
        stream.read_u8().await.unwrap();
        // No way to log in is acceptable.
        stream.write_all(&[5, 0xff]).await.unwrap();
    };
    let (failure, ()) = tokio::join!(failure(&config, "http://a.test/"), proxy);
    assert_eq!(failure.kind(), ConnectKind::Proxy);
    assert!(matches!(cause(&failure), ProxyFailure::Socks(_)));
    assert!(!everything(&failure).contains("SECRET"));
}

#[test]
fn the_proxy_of_a_server_is_told_without_its_password() {
    let origin = |url: &str| Endpoint::parse(url).unwrap().origin().clone();
    let connector = Connector::new(&through(3128)).unwrap();
    assert_eq!(connector.proxy(&origin("https://a.test/")).unwrap().as_deref(), Some("127.0.0.1:3128"));
    assert_eq!(connector.proxy(&origin("http+unix://%2Fs/")).unwrap(), None);
    let direct = Connector::new(&config()).unwrap();
    assert_eq!(direct.proxy(&origin("http://127.0.0.1/")).unwrap(), None);
}
