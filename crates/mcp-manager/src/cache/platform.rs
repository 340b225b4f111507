//! Where a platform wants its caches.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A family of platforms, by where programs keep what can be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Platform {
    /// Linux and all that follow the XDG base directories: `XDG_CACHE_HOME`, or `.cache` in `HOME`.
    Xdg,
    /// macOS: `Library/Caches` in `HOME`.
    MacOs,
    /// Windows: `LOCALAPPDATA`.
    Windows,
}

impl Platform {
    /// The one this program is built for.
    pub const CURRENT: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_vendor = "apple") {
        Self::MacOs
    } else {
        Self::Xdg
    };
}

/// The folder for cached lists of tools, from the variables of an environment. `None` if they name no
/// folder: one that is empty or, but on Windows, does not begin at the root counts as absent.
pub fn platform_folder(platform: Platform, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let base = match platform {
        Platform::Xdg => named(platform, &variable, "XDG_CACHE_HOME", Path::new(".cache")),
        Platform::MacOs => below_home(platform, &variable, &Path::new("Library").join("Caches")),
        Platform::Windows => usable(platform, &variable, "LOCALAPPDATA"),
    };
    Some(base?.join("mcp-manager").join("tools"))
}

/// The folder for what was decided on this machine and cannot be made again, such as which files are
/// trusted: `XDG_STATE_HOME` or `.local/state` in `HOME`, `Library/Application Support` in `HOME`, or
/// `LOCALAPPDATA`; in it `mcp-manager`. `None` as for [`platform_folder`].
pub fn state_folder(platform: Platform, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let base = match platform {
        Platform::Xdg => named(platform, &variable, "XDG_STATE_HOME", &Path::new(".local").join("state")),
        Platform::MacOs => below_home(platform, &variable, &Path::new("Library").join("Application Support")),
        Platform::Windows => usable(platform, &variable, "LOCALAPPDATA"),
    };
    Some(base?.join("mcp-manager"))
}

type Variable<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The folder that the variable names, or this one in the user's.
fn named(platform: Platform, variable: Variable<'_>, name: &str, below: &Path) -> Option<PathBuf> {
    usable(platform, variable, name).or_else(|| below_home(platform, variable, below))
}

fn below_home(platform: Platform, variable: Variable<'_>, below: &Path) -> Option<PathBuf> {
    Some(usable(platform, variable, "HOME")?.join(below))
}

fn usable(platform: Platform, variable: Variable<'_>, name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(variable(name)?);
    let is_usable = match platform {
        Platform::Windows => !folder.as_os_str().is_empty(),
        Platform::Xdg | Platform::MacOs => folder.has_root(),
    };
    is_usable.then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(platform: Platform, variables: &[(&str, &str)], expected: Option<&str>) {
        let variable = |name: &str| {
            let found = variables.iter().find(|(it, _)| *it == name);
            found.map(|(_, value)| OsString::from(value))
        };
        // Without regard to which way the slashes lean.
        let folder = platform_folder(platform, variable);
        let folder = folder.map(|folder| folder.to_str().unwrap().replace('\\', "/"));
        assert_eq!(folder.as_deref(), expected);
    }

    #[test]
    fn linux_follows_the_base_directories() {
        let xdg = Platform::Xdg;
        let home = ("HOME", "/home/u");
        check(xdg, &[home], Some("/home/u/.cache/mcp-manager/tools"));
        check(xdg, &[home, ("XDG_CACHE_HOME", "/c")], Some("/c/mcp-manager/tools"));
        check(xdg, &[("XDG_CACHE_HOME", "/c")], Some("/c/mcp-manager/tools"));
        for unusable in ["", "relative/c", "."] {
            check(xdg, &[home, ("XDG_CACHE_HOME", unusable)], Some("/home/u/.cache/mcp-manager/tools"));
            check(xdg, &[("HOME", unusable)], None);
        }
        check(xdg, &[], None);
    }

    #[test]
    fn state_has_folders_of_its_own() {
        let folder = |platform, variables: &[(&str, &str)]| {
            let variable = |name: &str| {
                let found = variables.iter().find(|(it, _)| *it == name);
                found.map(|(_, value)| OsString::from(value))
            };
            state_folder(platform, variable).map(|folder| folder.to_str().unwrap().replace('\\', "/"))
        };
        let home = ("HOME", "/h");
        let expected = |path: &str| Some(path.to_owned());
        assert_eq!(folder(Platform::Xdg, &[home]), expected("/h/.local/state/mcp-manager"));
        assert_eq!(folder(Platform::Xdg, &[home, ("XDG_STATE_HOME", "/s")]), expected("/s/mcp-manager"));
        assert_eq!(folder(Platform::Xdg, &[("XDG_STATE_HOME", "s")]), None);
        let mac_os = "/h/Library/Application Support/mcp-manager";
        assert_eq!(folder(Platform::MacOs, &[home]), expected(mac_os));
        assert_eq!(folder(Platform::Windows, &[("LOCALAPPDATA", "C:/d")]), expected("C:/d/mcp-manager"));
    }

    #[test]
    fn mac_os_has_its_library() {
        let variables = [("HOME", "/Users/u"), ("XDG_CACHE_HOME", "/c")];
        check(Platform::MacOs, &variables, Some("/Users/u/Library/Caches/mcp-manager/tools"));
        check(Platform::MacOs, &[("XDG_CACHE_HOME", "/c")], None);
    }

    #[test]
    fn windows_has_its_local_data() {
        let folder = r"C:\Users\u\AppData\Local";
        let expected = "C:/Users/u/AppData/Local/mcp-manager/tools";
        check(Platform::Windows, &[("LOCALAPPDATA", folder)], Some(expected));
        check(Platform::Windows, &[("LOCALAPPDATA", "")], None);
        check(Platform::Windows, &[("HOME", "/home/u")], None);
    }
}
