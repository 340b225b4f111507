//! The environment a server gets.

use std::ffi::{OsStr, OsString};

use tokio::process::Command;

use crate::config::{EnvPolicy, StdioConfig};

/// What [`EnvPolicy::Clean`] lets through: where programs, homes and temporary files are, who the
/// user is, and how to speak to them. `LC_` variables pass as well; values that are exported
/// shell functions do not.
pub const SAFE_ENV: &[&str] = if cfg!(windows) {
    &[
        "APPDATA",
        "COMSPEC",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "NUMBER_OF_PROCESSORS",
        "OS",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "PROGRAMFILES(X86)",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
        "WINDIR",
    ]
} else {
    &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"]
};

/// Sets the environment of `command`: the policy's part of ours, then the configured changes.
pub(crate) fn apply(config: &StdioConfig, command: &mut Command) {
    if config.env_policy == EnvPolicy::Clean {
        command.env_clear().envs(clean(std::env::vars_os()));
    }
    for (name, value) in &config.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

fn clean(all: impl Iterator<Item = (OsString, OsString)>) -> impl Iterator<Item = (OsString, OsString)> {
    all.filter(|(name, value)| is_safe(name) && !value.as_encoded_bytes().starts_with(b"()"))
}

fn is_safe(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    // Windows does not tell the case of names apart.
    let same = |safe: &&str| if cfg!(windows) { safe.eq_ignore_ascii_case(name) } else { **safe == *name };
    SAFE_ENV.iter().any(same) || (!cfg!(windows) && name.starts_with("LC_"))
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[cfg(unix)]
    #[test]
    fn a_clean_environment_holds_only_what_is_safe() {
        let all = [("PATH", "/bin"), ("LC_ALL", "C"), ("AWS_KEY", "x"), ("HOME", "() { :; }"), ("path", "x")];
        let all = all.map(|(name, value)| (name.into(), value.into()));
        let kept: Vec<_> = clean(all.into_iter()).map(|(name, _)| name).collect();
        assert_eq!(kept, ["PATH", "LC_ALL"]);
    }
}
