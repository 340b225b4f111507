//! Connections over real sockets: plain, through proxies, and with TLS.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests")]

mod plain;
#[cfg(feature = "proxy")]
mod proxies;
#[cfg(feature = "tls")]
mod tls;

use std::error::Error;
use std::time::Duration;

use mcp_transport_http::Endpoint;
use mcp_transport_http::connector::{ConnectFailure, Connection, Connector, ConnectorConfig, ProxyPolicy};
use tokio::net::TcpListener;

/// A configuration which the environment of the test has no part in.
fn config() -> ConnectorConfig {
    let mut config = ConnectorConfig::default();
    config.proxy = ProxyPolicy::None;
    config
}

async fn connect(config: &ConnectorConfig, url: &str) -> Result<Connection, ConnectFailure> {
    let endpoint = Endpoint::parse(url).unwrap();
    // Long before this, something is wrong with the test.
    let limit = Duration::from_secs(60);
    let connector = Connector::new(config).unwrap();
    tokio::time::timeout(limit, connector.connect(endpoint.origin())).await.expect("no answer for a minute")
}

async fn failure(config: &ConnectorConfig, url: &str) -> ConnectFailure {
    connect(config, url).await.expect_err(url)
}

/// A listener, and its port.
async fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

/// All that an error and its causes say, by `Display` and `Debug`.
fn everything(error: &(dyn Error + 'static)) -> String {
    let mut text = format!("{error:?}");
    let mut next = Some(error);
    while let Some(error) = next {
        text = format!("{text}\n{error}\n{error:?}");
        next = error.source();
    }
    text
}
