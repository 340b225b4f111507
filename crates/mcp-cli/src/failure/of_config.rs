//! Failures of config files, their entries, and JSON on the command line.

use mcp_manager::config::{ConfigError, EntryError};

use super::{Failure, Stop};
use crate::arguments::InputError;
use crate::config;

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        let failure = Self::usage(error.to_string()).with_causes(&error);
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<&EntryError> for Failure {
    fn from(error: &EntryError) -> Self {
        let place = config::place(&error.origin);
        let place = match error.field() {
            Some(field) => format!("{place}, field \"{field}\""),
            None => place,
        };
        let failure = Self::usage(error.to_string()).of(&error.server).with(place);
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Self {
        Failure::usage(error.to_string()).into()
    }
}
