//! The flags behind a command's name.

use anyhow::{Context, Result};

/// How long each fuzz target runs, in seconds.
pub(crate) const FUZZ_SECONDS: u32 = 10;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Leaves out what needs real servers, and so Node and Python.
    pub(crate) no_peers: bool,
    pub(crate) fuzz_seconds: u32,
    /// Which scenarios of the conformance suite are run; all where none is named.
    pub(crate) scenarios: Vec<String>,
    /// Everything else, for the program that the step starts.
    pub(crate) rest: Vec<String>,
}

impl Options {
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut options =
            Self { no_peers: false, fuzz_seconds: FUZZ_SECONDS, scenarios: Vec::new(), rest: Vec::new() };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--no-peers" => options.no_peers = true,
                "--fuzz-seconds" | "--seconds" => {
                    let value = arguments.next().with_context(|| format!("`{argument}` needs a number"))?;
                    options.fuzz_seconds = value
                        .parse()
                        .with_context(|| format!("`{argument} {value}`: not a number of seconds"))?;
                }
                "--scenario" => {
                    let name = arguments.next().with_context(|| format!("`{argument}` needs a name"))?;
                    options.scenarios.push(name);
                }
                "--" => options.rest.extend(std::iter::once(argument).chain(arguments.by_ref())),
                _ => options.rest.push(argument),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn flags_are_taken_and_the_rest_is_passed_on() {
        let line = "-p mcp-client --no-peers --fuzz-seconds 3 --scenario a --scenario b";
        let expected = Options {
            no_peers: true,
            fuzz_seconds: 3,
            scenarios: vec!["a".into(), "b".into()],
            rest: vec!["-p".into(), "mcp-client".into()],
        };
        assert_eq!(parse(line).unwrap(), expected);
    }

    #[test]
    fn nothing_is_taken_behind_two_dashes() {
        let options = parse("-- --no-peers").unwrap();
        assert!(!options.no_peers);
        assert_eq!(options.rest, ["--", "--no-peers"]);
    }

    #[test]
    fn a_flag_without_its_value_is_refused() {
        assert!(parse("--scenario").is_err());
        assert!(parse("--seconds").is_err());
        assert!(parse("--seconds soon").is_err());
    }
}
