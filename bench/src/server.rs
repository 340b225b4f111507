//! The neutral server, over stdio and over HTTP.

mod answers;
mod http;
mod parts;
mod stdio;

use anyhow::Result;

use crate::arguments::{ServerOptions, Transport};

/// Serves until stdin ends.
pub(crate) fn run(options: &ServerOptions) -> Result<()> {
    match options.transport {
        Transport::Stdio => stdio::run(options),
        Transport::Http(body) => http::run(options, body),
    }
}
