//! How each host writes an entry: its keys, units and variables, as a table.

use mcp_transport_stdio::EnvPolicy;

use super::expand::Syntax;
use super::fields::Unit;
use super::host::Host;
use super::server::Kind;

/// How one host writes what all of them have in some way.
#[derive(Debug)]
pub(super) struct Dialect {
    /// The member at the top that holds the servers.
    pub(super) container: &'static str,
    /// Whether a file without that member is wrong; else it merely has no servers.
    pub(super) is_required: bool,
    pub(super) syntax: Syntax,
    /// Whether `command` is an array that holds the arguments too.
    pub(super) command_is_list: bool,
    pub(super) env: &'static str,
    /// What a server gets of our environment unless the entry says otherwise.
    pub(super) env_policy: EnvPolicy,
    /// The keys of an address, and what each of them means where `type` is absent.
    pub(super) urls: &'static [(&'static str, Kind)],
    pub(super) headers: &'static str,
    pub(super) timeout: (&'static str, Unit),
    /// The first one that is there counts.
    pub(super) start_timeout: &'static [(&'static str, Unit)],
    /// Keys with lists of the tools that are allowed, and of those that are not.
    pub(super) allow: Option<&'static str>,
    pub(super) deny: Option<&'static str>,
    /// Keys of this host that mean nothing here: they are kept and are no reason for a warning.
    pub(super) kept: &'static [&'static str],
    /// Keys that change what a server may do or gets, in a way that is not done here.
    pub(super) refused: &'static [(&'static str, &'static str)],
}

const URL: &[(&str, Kind)] = &[("url", Kind::Http)];
const MILLIS: (&str, Unit) = ("timeout", Unit::Milliseconds);

const PLAIN: Dialect = Dialect {
    container: "mcpServers",
    is_required: false,
    syntax: Syntax::Literal,
    command_is_list: false,
    env: "env",
    env_policy: EnvPolicy::Inherit,
    urls: URL,
    headers: "headers",
    timeout: MILLIS,
    start_timeout: &[],
    allow: None,
    deny: None,
    kept: &["description"],
    refused: &[],
};

const HELPER: (&str, &str) = ("headersHelper", "names a program that makes headers, and it is not run here");

static OWN: Dialect = Dialect {
    is_required: true,
    syntax: Syntax::Own,
    start_timeout: &[("start_timeout", Unit::Milliseconds)],
    refused: &[HELPER],
    ..PLAIN
};

static CLAUDE_CODE: Dialect = Dialect {
    syntax: Syntax::Braces,
    kept: &["oauth", "alwaysLoad", "description"],
    refused: &[HELPER],
    ..PLAIN
};

// It starts servers with little more than the paths of the system.
static CLAUDE_DESKTOP: Dialect = Dialect { env_policy: EnvPolicy::Clean, ..PLAIN };

static VS_CODE: Dialect = Dialect {
    container: "servers",
    is_required: true,
    syntax: Syntax::Prefixed,
    kept: &["dev", "oauth", "sandbox", "gallery", "version", "description"],
    ..PLAIN
};

static CURSOR: Dialect =
    Dialect { is_required: true, syntax: Syntax::Prefixed, kept: &["auth", "description"], ..PLAIN };

static WINDSURF: Dialect = Dialect {
    is_required: true,
    syntax: Syntax::Prefixed,
    urls: &[("serverUrl", Kind::Http)],
    deny: Some("disabledTools"),
    ..PLAIN
};

// It starts servers with a short list of variables, and with those that an entry names.
static CODEX: Dialect = Dialect {
    container: "mcp_servers",
    env_policy: EnvPolicy::Clean,
    headers: "http_headers",
    timeout: ("tool_timeout_sec", Unit::Seconds),
    start_timeout: &[("startup_timeout_sec", Unit::Seconds), ("startup_timeout_ms", Unit::Milliseconds)],
    allow: Some("enabled_tools"),
    deny: Some("disabled_tools"),
    kept: &["required", "supports_parallel_tool_calls", "scopes", "oauth", "oauth_resource"],
    refused: &[(
        "bearer_token",
        "is a secret in the file, which Codex rejects: use \"bearer_token_env_var\"",
    )],
    ..PLAIN
};

static GEMINI: Dialect = Dialect {
    syntax: Syntax::Bare,
    urls: &[("httpUrl", Kind::Http), ("url", Kind::Sse)],
    allow: Some("includeTools"),
    deny: Some("excludeTools"),
    kept: &[
        "description",
        "oauth",
        "authProviderType",
        "targetAudience",
        "targetServiceAccount",
        "extension",
    ],
    ..PLAIN
};

static ZED: Dialect = Dialect {
    container: "context_servers",
    timeout: ("timeout", Unit::Seconds),
    kept: &["source", "settings", "oauth", "remote"],
    ..PLAIN
};

static OPENCODE: Dialect = Dialect {
    container: "mcp",
    syntax: Syntax::Curly,
    command_is_list: true,
    env: "environment",
    kept: &["oauth"],
    ..PLAIN
};

impl Dialect {
    pub(super) fn of(host: Host) -> &'static Self {
        match host {
            Host::Own => &OWN,
            Host::ClaudeCode => &CLAUDE_CODE,
            Host::ClaudeDesktop => &CLAUDE_DESKTOP,
            Host::VsCode => &VS_CODE,
            Host::Cursor => &CURSOR,
            Host::Windsurf => &WINDSURF,
            Host::Codex => &CODEX,
            Host::GeminiCli => &GEMINI,
            Host::Zed => &ZED,
            Host::Opencode => &OPENCODE,
        }
    }
}
