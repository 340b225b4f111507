//! A program that the peers need, recent enough.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process;

pub(super) struct Tool {
    pub(super) command: &'static str,
    /// As it prints it: `v20.1.0`, `Python 3.11.2`.
    pub(super) version: String,
}

impl Tool {
    /// Takes the first of `commands` that is at least version `least`.
    pub(super) fn find(name: &str, commands: &[&'static str], least: (u32, u32)) -> Result<Self> {
        let mut seen = Vec::new();
        for &command in commands {
            match process::first_line(Command::new(command).arg("--version")) {
                Some(version) if parse_version(&version) >= Some(least) => {
                    return Ok(Self { command, version });
                }
                Some(version) => seen.push(format!("`{command}` is {version}")),
                None => seen.push(format!("no `{command}`")),
            }
        }
        let (major, minor) = least;
        bail!(
            "the tests with real servers need {name} {major}.{minor} or newer ({}); \
             install it, or leave these tests out with --no-peers",
            seen.join(", ")
        )
    }
}

/// The first two numbers in `text`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let number = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut parts = number.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_programs_print_them() {
        assert_eq!(parse_version("v20.20.2"), Some((20, 20)));
        assert_eq!(parse_version("Python 3.11.7"), Some((3, 11)));
        assert_eq!(parse_version("11.19.1"), Some((11, 19)));
        assert_eq!(parse_version("none"), None);
        assert_eq!(parse_version("v20"), None);
    }

    #[test]
    fn what_is_missing_is_named_with_the_way_out() {
        let error = Tool::find("Node", &["no-such-program"], (20, 0)).err().unwrap().to_string();
        assert!(error.contains("need Node 20.0 or newer (no `no-such-program`)"), "{error}");
        assert!(error.contains("--no-peers"), "{error}");
    }
}
