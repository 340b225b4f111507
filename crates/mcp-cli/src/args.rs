//! The command line.

mod complete;
mod config;
mod listen;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};

pub(crate) use self::complete::{CompleteArgs, Of};
pub(crate) use self::config::{ConfigArgs, ConfigCommand, ImportArgs, TrustArgs};
pub(crate) use self::listen::ListenArgs;
use crate::completions::Shell;
use crate::demo_server::{Address, Era};
use crate::protocol::Choice;
use crate::trust::Asker;

const AFTER_HELP: &str = "\
Exit status:
  0  done                          4  timeout
  1  the tool said isError         5  the server answered with an error
  2  usage or configuration        6  some of several servers failed
  3  no start, or link lost      130  interrupted

Examples:
  mcp-cli demo
  mcp-cli tools - -- npx -y @modelcontextprotocol/server-everything
  mcp-cli tools https://example.com/mcp --header 'Authorization: Bearer TOKEN'
  mcp-cli --config servers.json call files read_file path=README.md";

/// Calls MCP servers from the command line.
#[derive(Debug, Parser)]
#[command(name = "mcp-cli", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Globals {
    /// A config file, {"mcpServers": {...}}; repeatable, later files win; nothing else is then loaded
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Vec<PathBuf>,
    /// A header for SERVER, if it is one over HTTP; repeatable, over configured ones of its name
    #[arg(long, value_name = "NAME: VALUE", global = true)]
    pub(crate) header: Vec<Secret>,
    /// A PEM file with certificates of authorities to trust for SERVER beside the system's; repeatable
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) ca: Vec<PathBuf>,
    /// A folder that SERVER is told it may work on; repeatable [default: none]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) root: Vec<PathBuf>,
    /// Timeout of every request, over the config's value; 0 = none
    #[arg(long, value_name = "MS", global = true)]
    pub(crate) timeout: Option<u64>,
    /// Revision of the protocol to speak, over the config's: auto, discover, or one such as 2025-11-25
    #[arg(long, value_name = "V", global = true)]
    pub(crate) protocol: Option<Choice>,
    /// One JSON document on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// More on stderr: -v all log messages and the servers' stderr, -vv what the library does
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Who is asked whether a file is trusted: nobody unless the program runs a command.
    #[arg(skip)]
    pub(crate) asker: Asker,
}

/// An argument that is shown to nobody.
#[derive(Clone)]
pub(crate) struct Secret(pub(crate) String);

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the main job on the built-in demo server
    Demo,
    /// Be the built-in demo server, on stdin and stdout or over HTTP
    DemoServer(DemoServerArgs),
    /// List the configured servers; starts nothing without --connect
    Servers(ServersArgs),
    /// List the tools of one server, or of all
    Tools(ToolsArgs),
    /// Call a tool
    Call(CallArgs),
    /// List the resources of one server, or of all
    Resources(ToolsArgs),
    /// List the resource templates of one server, or of all
    Templates(ToolsArgs),
    /// Read a resource
    Read(ReadArgs),
    /// List the prompts of one server, or of all
    Prompts(ToolsArgs),
    /// Get the messages of a prompt
    Prompt(PromptArgs),
    /// Complete an argument of a prompt, or a variable of a resource template
    Complete(CompleteArgs),
    /// Ping a server and tell the round trip time
    Ping(PingArgs),
    /// Send any request and print the raw result
    Request(RequestArgs),
    /// Print notifications as they arrive
    Listen(ListenArgs),
    /// Find out at which step a server fails, and what to try
    Doctor(ToolsArgs),
    /// Print a script that completes commands, servers and tools in a shell
    Completions(CompletionsArgs),
    /// What such a script asks
    #[command(hide = true)]
    CompleteNames(CompleteNamesArgs),
    /// Look into config files, and take over those of other applications
    Config(ConfigArgs),
    /// Trust the config files of a project, so that their servers are started
    Trust(TrustArgs),
}

#[derive(Args, Debug)]
pub(crate) struct DemoServerArgs {
    /// Serve over HTTP on HOST:PORT; port 0 picks one, and no HOST is this machine
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<Address>,
    /// Which clients to serve [default: both]
    #[arg(long, value_name = "ERA", default_value = "both", hide_default_value = true)]
    pub(crate) era: Era,
    /// Items on one page of a list [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) page: Option<u32>,
}

#[derive(Args, Debug)]
pub(crate) struct ServersArgs {
    /// Connect to each and tell how that went
    #[arg(long)]
    pub(crate) connect: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ToolsArgs {
    /// A configured server, an http:// or https:// address, or - for the COMMAND after -- [default: all]
    #[arg(value_name = "SERVER")]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) ad_hoc: AdHoc,
}

#[derive(Args, Debug)]
pub(crate) struct CallArgs {
    #[command(flatten)]
    pub(crate) server: ServerName,
    /// The tool
    pub(crate) tool: String,
    /// Arguments, typed by the tool's schema; KEY:=JSON is taken as it is
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// All arguments as one JSON object; @FILE reads a file, - reads stdin
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) args: Option<String>,
    #[command(flatten)]
    pub(crate) ad_hoc: AdHoc,
}

#[derive(Args, Debug)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    pub(crate) server: ServerName,
    /// The address of the resource
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
    #[command(flatten)]
    pub(crate) ad_hoc: AdHoc,
}

#[derive(Args, Debug)]
pub(crate) struct PromptArgs {
    #[command(flatten)]
    pub(crate) server: ServerName,
    /// The prompt
    #[arg(value_name = "NAME")]
    pub(crate) prompt: String,
    /// Its arguments; all are texts
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) ad_hoc: AdHoc,
}

#[derive(Args, Debug)]
pub(crate) struct PingArgs {
    #[command(flatten)]
    pub(crate) server: ServerName,
    #[command(flatten)]
    pub(crate) ad_hoc: AdHoc,
}

#[derive(Args, Debug)]
pub(crate) struct RequestArgs {
    #[command(flatten)]
    pub(crate) server: ServerName,
    /// The method, such as tools/list
    pub(crate) method: String,
    /// The params, a JSON object; @FILE reads a file, - reads stdin
    #[arg(value_name = "PARAMS-JSON")]
    pub(crate) params: Option<String>,
    #[command(flatten)]
    pub(crate) ad_hoc: AdHoc,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Args, Debug)]
pub(crate) struct CompleteNamesArgs {
    pub(crate) shell: Shell,
    #[arg(last = true)]
    pub(crate) words: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct ServerName {
    /// A configured server, an http:// or https:// address, or - for the COMMAND after --
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,
}

/// A server given on the command line itself.
#[derive(Args, Debug)]
pub(crate) struct AdHoc {
    /// The server to start if SERVER is -
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::{Command, CommandLine};

    #[test]
    fn the_definition_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn what_follows_the_dashes_belongs_to_the_server() {
        let line = ["mcp-cli", "call", "-", "add", "a=-1", "--json", "--", "srv", "--json", "--", "-v"];
        let parsed = CommandLine::try_parse_from(line).unwrap();
        assert!(parsed.globals.json && parsed.globals.verbose == 0);
        let Command::Call(call) = parsed.command else { panic!("call") };
        assert_eq!((call.server.server.as_str(), call.arguments.as_slice()), ("-", &["a=-1".to_owned()][..]));
        assert_eq!(call.ad_hoc.command, ["srv", "--json", "--", "-v"]);
    }

    #[test]
    fn a_timeout_is_a_whole_number_of_milliseconds() {
        for wrong in ["-1", "1.5", "x", ""] {
            let line = ["mcp-cli", "--timeout", wrong, "demo"];
            assert!(CommandLine::try_parse_from(line).is_err(), "{wrong}");
        }
    }
}
