//! Why a server is off, in words that name the setting.

use std::fmt;

/// What turned a server off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DisabledBy {
    /// The entry itself.
    Entry,
    /// A setting of the host beside the entry: a list of servers that are off or denied, or one of those that
    /// are allowed and this one is not among them.
    List {
        /// The setting, as the host calls it.
        setting: &'static str,
    },
    /// The host asks its user before it starts such a server, and the user has not said yes there.
    Unapproved {
        /// The setting in which the host keeps the answer.
        setting: &'static str,
    },
    /// A file of the administrator, which lets no others be.
    Managed,
}

/// As a reason, such as after "disabled: ".
impl fmt::Display for DisabledBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry => formatter.write_str("its entry says so"),
            Self::List { setting } => write!(formatter, "by the host's setting \"{setting}\""),
            Self::Unapproved { setting } => {
                write!(formatter, "not approved in the host's setting \"{setting}\"")
            }
            Self::Managed => formatter.write_str("by the administrator's managed-mcp.json"),
        }
    }
}
