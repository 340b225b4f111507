//! Clients as most tests want them.

use mcp_client::{Client, ClientOptions};
use mcp_jsonrpc::Connect;

use crate::within;

/// The options of a client of these tests.
pub fn options() -> ClientOptions {
    ClientOptions::new("mcp-tests", "1")
}

/// Connects, with the default options.
///
/// # Panics
///
/// If that fails.
#[track_caller]
pub fn connect(to: &dyn Connect) -> impl Future<Output = Client> {
    connect_with(to, options())
}

/// Connects with options of the test's own.
///
/// # Panics
///
/// If that fails.
#[track_caller]
pub fn connect_with(to: &dyn Connect, options: ClientOptions) -> impl Future<Output = Client> {
    let place = std::panic::Location::caller();
    async move {
        match within(Client::connect(to, options)).await {
            Ok(client) => client,
            Err(error) => panic!("{place}: {error:?}"),
        }
    }
}
