//! The neutral server, over stdio and over HTTP.

mod answers;
mod http;
mod parts;
mod stdio;

use std::io;

use anyhow::Result;

use crate::arguments::{ServerOptions, Transport};

/// Serves until stdin ends.
pub(crate) fn run(options: &ServerOptions) -> Result<()> {
    if options.hangs {
        // Like a server that waits for something else.
        io::copy(&mut io::stdin(), &mut io::sink())?;
        return Ok(());
    }
    match options.transport {
        Transport::Stdio => stdio::run(options),
        Transport::Http(body) => http::run(options, body),
    }
}
