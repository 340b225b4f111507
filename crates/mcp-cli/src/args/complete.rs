//! The command line of `complete`.

use clap::{Args, ValueEnum};

use super::{AdHoc, ServerName};

#[derive(Args, Debug)]
pub(crate) struct CompleteArgs {
    #[command(flatten)]
    pub(crate) server: ServerName,
    /// What the argument belongs to
    #[arg(value_name = "OF")]
    pub(crate) of: Of,
    /// The name of the prompt, or the URI template as the server lists it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The argument or variable, with what was typed of it so far
    #[arg(value_name = "ARG[=PREFIX]")]
    pub(crate) argument: String,
    /// What others have already; the values may depend on it
    #[arg(value_name = "OTHER=VALUE")]
    pub(crate) others: Vec<String>,
    #[command(flatten)]
    pub(crate) ad_hoc: AdHoc,
}

/// What has arguments that can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Of {
    /// A prompt
    Prompt,
    /// A template of resources
    Template,
}
