//! The property that the fuzz target checks, beside the code it is about.

use std::env::VarError;
use std::path::Path;

use super::file::parse;
use super::host::{Host, Scope};
use super::values::Values;

/// Any bytes as a file of any host: what comes out is an error with a place inside of the file, or
/// entries whose servers can be turned into transports and compared with themselves.
pub fn config(data: &[u8]) {
    let env = |name: &str| if name.len() == 1 { Ok(name.to_owned()) } else { Err(VarError::NotPresent) };
    let mut values = Values::of_env(&env);
    values.workspace = Some("/p".into());
    let lines = 1 + data.iter().filter(|byte| **byte == b'\n').count();
    for host in Host::ALL.into_iter().map(Some).chain([None]) {
        match parse(Path::new("conf/servers"), data, host, Scope::Given, &values) {
            Err(error) => {
                let place = error.place();
                assert!(place.is_none_or(|place| (1..=lines).contains(&place.line)), "{error} {place:?}");
            }
            Ok(file) => {
                for entry in file.entries {
                    assert!(entry.origin.place.line <= lines);
                    if let Some(server) = entry.ready() {
                        let _ = format!("{:?}", server.transport());
                        assert_eq!(server.fingerprint_input(), server.clone().fingerprint_input());
                    }
                    if let Ok(exported) = entry.export() {
                        assert!(entry.ready().is_some() || entry.is_disabled() || entry.error().is_some());
                        let is_off = exported.entry.get("enabled") == Some(&false.into());
                        assert!(!entry.is_disabled() || is_off);
                    }
                    if let Some(error) = entry.error() {
                        assert!(!error.to_string().is_empty() && error.origin.place.line <= lines);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
