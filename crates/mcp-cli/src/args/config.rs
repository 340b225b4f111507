//! The commands about configuration files and trust in them.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mcp_manager::config::Host;

#[derive(Args, Debug)]
pub(crate) struct TrustArgs {
    /// The file to trust as it is now [default: the files of the project in the current folder]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// List the trusted files, and whether each still is what it was
    #[arg(long, conflicts_with_all = ["file", "remove"])]
    pub(crate) list: bool,
    /// Trust this file no more
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub(crate) remove: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show what counts for a server, and where each value stands
    Explain {
        /// A configured server
        #[arg(value_name = "SERVER")]
        server: String,
    },
    /// List all errors and warnings in config files
    Check {
        /// The files [default: those of --config, else all that are found, trusted or not]
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Print the servers of another application in our own format
    Import(ImportArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// claude-code, claude-desktop, vscode, cursor, windsurf, codex, gemini, zed or opencode
    #[arg(long, value_name = "HOST", value_parser = host)]
    pub(crate) from: Host,
    /// Add them to this file instead of printing them
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
    /// Replace servers that FILE has under the same name
    #[arg(long, requires = "to")]
    pub(crate) force: bool,
}

fn host(name: &str) -> Result<Host, String> {
    Host::parse(name).filter(|host| *host != Host::Own).ok_or_else(|| {
        let names: Vec<_> = Host::ALL[1..].iter().map(|host| host.name()).collect();
        format!("the applications are {}", names.join(", "))
    })
}
