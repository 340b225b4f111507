//! The applications whose files are read, and where they keep them.

use std::fmt;
use std::path::{Path, PathBuf};

/// The application that a file is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Host {
    /// This project.
    Own,
    /// Claude Code: `.mcp.json`, `~/.claude.json`, `managed-mcp.json`.
    ClaudeCode,
    /// Claude Desktop: `claude_desktop_config.json`.
    ClaudeDesktop,
    /// VS Code: `mcp.json` with `servers`.
    VsCode,
    /// Cursor: `.cursor/mcp.json`.
    Cursor,
    /// Windsurf: `mcp_config.json`.
    Windsurf,
    /// Codex: `config.toml`.
    Codex,
    /// Gemini CLI: `.gemini/settings.json`.
    GeminiCli,
    /// Zed: `settings.json` with `context_servers`.
    Zed,
    /// opencode, v1 and v2: `opencode.json`, `opencode.jsonc`.
    Opencode,
}

/// Whose file it is, the strongest first: of two entries of one name the one of the stronger scope counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Named by the caller.
    Given,
    /// Put there by the administrator of the machine.
    Managed,
    /// The user's own, for one project.
    Local,
    /// Part of the project. Whoever wrote the project wrote it, so it cannot give itself trust.
    Project,
    /// The user's own, for all projects.
    User,
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Given => "given",
            Self::Managed => "managed",
            Self::Local => "local",
            Self::Project => "project",
            Self::User => "user",
        })
    }
}

/// Which system's folders are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux, and all that is neither of the others.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The system this program runs on.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// Where programs keep a user's settings.
    fn settings(self, home: &Path) -> PathBuf {
        match self {
            Self::Linux => home.join(".config"),
            Self::MacOs => home.join("Library").join("Application Support"),
            Self::Windows => home.join("AppData").join("Roaming"),
        }
    }
}

impl Host {
    /// All of them; the order is that of [`discover`](super::discover) by default.
    pub const ALL: [Self; 10] = [
        Self::Own,
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::VsCode,
        Self::Cursor,
        Self::Windsurf,
        Self::Codex,
        Self::GeminiCli,
        Self::Zed,
        Self::Opencode,
    ];

    /// The name in options and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::Windsurf => "windsurf",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Zed => "zed",
            Self::Opencode => "opencode",
        }
    }

    /// The host of that name; `gemini` is `gemini-cli`. `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        if name == "gemini" {
            return Some(Self::GeminiCli);
        }
        Self::ALL.into_iter().find(|host| host.name() == name)
    }

    /// Where a user's own file may be. Of several, all that exist count, the first one most.
    pub fn user_files(self, home: &Path, platform: Platform) -> Vec<PathBuf> {
        let settings = platform.settings(home);
        let file = match (self, platform) {
            (Self::Own, _) => settings.join("mcp").join("servers.json"),
            (Self::ClaudeCode, _) => home.join(".claude.json"),
            (Self::ClaudeDesktop, _) => settings.join("Claude").join("claude_desktop_config.json"),
            (Self::VsCode, _) => settings.join("Code").join("User").join("mcp.json"),
            (Self::Cursor, _) => home.join(".cursor").join("mcp.json"),
            (Self::Windsurf, _) => home.join(".codeium").join("windsurf").join("mcp_config.json"),
            (Self::Codex, _) => home.join(".codex").join("config.toml"),
            (Self::GeminiCli, _) => home.join(".gemini").join("settings.json"),
            (Self::Zed, Platform::Windows) => settings.join("Zed").join("settings.json"),
            (Self::Zed, _) => home.join(".config").join("zed").join("settings.json"),
            (Self::Opencode, _) => {
                let folder = home.join(".config").join("opencode");
                return vec![folder.join("opencode.jsonc"), folder.join("opencode.json")];
            }
        };
        vec![file]
    }

    /// Where a project in this folder may have its file.
    pub fn project_files(self, project: &Path) -> Vec<PathBuf> {
        let file = match self {
            Self::Own => project.join("mcp-servers.json"),
            Self::ClaudeCode => project.join(".mcp.json"),
            Self::VsCode => project.join(".vscode").join("mcp.json"),
            Self::Cursor => project.join(".cursor").join("mcp.json"),
            Self::Codex => project.join(".codex").join("config.toml"),
            Self::GeminiCli => project.join(".gemini").join("settings.json"),
            Self::Zed => project.join(".zed").join("settings.json"),
            Self::Opencode => return vec![project.join("opencode.jsonc"), project.join("opencode.json")],
            Self::ClaudeDesktop | Self::Windsurf => return Vec::new(),
        };
        vec![file]
    }

    /// Where an administrator puts the files of Claude Code: `managed-mcp.json`, which takes the place of
    /// all others, and `managed-settings.json` with the lists of what is allowed.
    pub fn managed_folder(platform: Platform) -> &'static Path {
        Path::new(match platform {
            Platform::Linux => "/etc/claude-code",
            Platform::MacOs => "/Library/Application Support/ClaudeCode",
            Platform::Windows => r"C:\Program Files\ClaudeCode",
        })
    }

    /// The host that a file belongs to by its name. `None` if many could have one of that name.
    pub fn of_path(file: &Path) -> Option<Self> {
        let folder = file.parent().and_then(Path::file_name).and_then(|it| it.to_str()).unwrap_or("");
        let file = file.file_name()?.to_str()?;
        Some(match (folder, file) {
            (_, ".mcp.json" | ".claude.json" | "managed-mcp.json" | "managed-settings.json") => {
                Self::ClaudeCode
            }
            (".claude", "settings.json" | "settings.local.json") => Self::ClaudeCode,
            (_, "claude_desktop_config.json") => Self::ClaudeDesktop,
            (".vscode", "mcp.json") => Self::VsCode,
            (".cursor", "mcp.json") => Self::Cursor,
            ("windsurf", "mcp_config.json") => Self::Windsurf,
            (".gemini", "settings.json") => Self::GeminiCli,
            ("zed" | "Zed" | ".zed", "settings.json") => Self::Zed,
            (_, "opencode.json" | "opencode.jsonc") => Self::Opencode,
            (_, file) if file.ends_with(".toml") => Self::Codex,
            _ => return None,
        })
    }
}

impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The folder that relative paths in a file start from: its own, or the project's where it stands in a
/// folder of its host in there.
pub(super) fn folder_of(file: &Path, scope: Scope) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    let is_hosts = [".vscode", ".cursor", ".codex", ".gemini", ".zed"].iter().any(|it| folder.ends_with(it));
    match folder.parent() {
        Some(project) if is_hosts && scope != Scope::User => project.to_owned(),
        _ => folder.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_found_by_its_name() {
        for host in Host::ALL {
            assert_eq!(Host::parse(host.name()), Some(host));
        }
        assert_eq!(Host::parse("gemini"), Some(Host::GeminiCli));
        assert_eq!(Host::parse("Claude"), None);
    }

    #[test]
    fn the_files_of_a_host_are_known_for_its_own() {
        for host in Host::ALL {
            let mut files = host.project_files(Path::new("/p"));
            for platform in [Platform::Linux, Platform::MacOs, Platform::Windows] {
                files.extend(host.user_files(Path::new("/h"), platform));
            }
            for file in files {
                let by_name = Host::of_path(&file);
                let is_ambiguous = matches!(host, Host::Own) || file.ends_with("User/mcp.json");
                assert_eq!(by_name, (!is_ambiguous).then_some(host), "{}", file.display());
            }
        }
    }

    #[test]
    fn paths_start_from_the_file_or_from_the_project() {
        let check = |file: &str, scope, folder: &str| {
            assert_eq!(folder_of(Path::new(file), scope), Path::new(folder), "{file}");
        };
        check("/p/.mcp.json", Scope::Project, "/p");
        check("/p/.vscode/mcp.json", Scope::Project, "/p");
        check("/p/.cursor/mcp.json", Scope::Given, "/p");
        check("/h/.cursor/mcp.json", Scope::User, "/h/.cursor");
        check("conf/servers.json", Scope::Given, "conf");
        check("servers.json", Scope::Given, "");
    }
}
