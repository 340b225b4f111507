//! What `--header` and `--ca` add to a server: to the one that a command names, and to no other.

use mcp_manager::config::ServerKind;

use super::Server;
use crate::args::Globals;
use crate::failure::Failure;

/// Adds them.
pub(super) fn add(globals: &Globals, server: &mut Server) -> Result<(), Failure> {
    if globals.header.is_empty() && globals.ca.is_empty() {
        return Ok(());
    }
    let (ServerKind::Http(remote) | ServerKind::Sse(remote)) = &mut server.config.kind else {
        return Err(Failure::usage("--header and --ca are for servers over HTTP").of(&server.name));
    };
    let headers = globals.header.iter().map(|header| parse(&header.0)).collect::<Result<_, _>>()?;
    remote.add_headers(headers).map_err(|error| Failure::usage(format!("--header: {error}")))?;
    globals.ca.iter().for_each(|file| remote.add_root(file.clone()));
    for name in remote.headers().ignored() {
        let warning = format!("header `{name}` is set by the protocol itself, yours is ignored");
        if !server.warnings.contains(&warning) {
            server.warnings.push(warning);
        }
    }
    Ok(())
}

/// Refuses them where all servers are meant: what is meant for one is not sent to others.
pub(super) fn refuse(globals: &Globals) -> Result<(), Failure> {
    if !globals.root.is_empty() {
        return Err(Failure::usage("--root needs a SERVER, which alone is told"));
    }
    if globals.header.is_empty() && globals.ca.is_empty() {
        return Ok(());
    }
    Err(Failure::usage("--header and --ca need a SERVER, which alone gets them"))
}

/// Takes a header apart. An error shows nothing of it.
fn parse(header: &str) -> Result<(String, String), Failure> {
    let (name, value) =
        header.split_once(':').ok_or_else(|| Failure::usage("--header must be of the form `NAME: VALUE`"))?;
    Ok((name.trim().to_owned(), value.to_owned()))
}
