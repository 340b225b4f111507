//! The command line of `listen`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use mcp_types::LoggingLevel;

use super::{AdHoc, ServerName};

/// The levels of log messages, the least serious first.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

#[derive(Args, Debug)]
pub(crate) struct ListenArgs {
    #[command(flatten)]
    pub(crate) server: ServerName,
    /// Stop after so many milliseconds [default: when interrupted]
    #[arg(long = "for", value_name = "MS")]
    pub(crate) time: Option<u64>,
    /// A resource whose changes are wanted too; repeatable
    #[arg(long = "resource", value_name = "URI")]
    pub(crate) resources: Vec<String>,
    /// Least level of the log messages that are wanted [default: the server decides]
    #[arg(long, value_name = "LEVEL", value_parser = level())]
    pub(crate) log: Option<LoggingLevel>,
    #[command(flatten)]
    pub(crate) ad_hoc: AdHoc,
}

fn level() -> impl TypedValueParser<Value = LoggingLevel> {
    PossibleValuesParser::new(LEVELS).map(LoggingLevel::from)
}

#[cfg(test)]
mod tests {
    use mcp_types::LoggingLevel;

    use super::LEVELS;

    #[test]
    fn every_level_that_can_be_chosen_is_known() {
        for name in LEVELS {
            let level = LoggingLevel::from(name.to_owned());
            assert!(!matches!(level, LoggingLevel::Unknown(_)), "{name}");
        }
    }
}
