//! Exit statuses, as the command line contract fixes them.

use std::process::ExitCode;

/// How a run of the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Done,
    /// The tool answered with `isError: true`.
    ToolError,
    /// Usage, configuration, or an unknown server.
    Usage,
    /// A server could not be started or reached, or the link to it failed. So does an answer that
    /// is no answer, and a result that cannot be written.
    Link,
    Timeout,
    /// The server answered with a JSON-RPC error.
    Refused,
    /// Several servers were asked and some failed.
    Partial,
    /// Ended by the signal of this number.
    Signal(u8),
}

impl Status {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::ToolError => 1,
            Self::Usage => 2,
            Self::Link => 3,
            Self::Timeout => 4,
            Self::Refused => 5,
            Self::Partial => 6,
            Self::Signal(number) => 128 + number,
        }
    }

    /// That of a command which asked several servers: one alone speaks for itself.
    pub(crate) fn of_several(statuses: &[Self]) -> Self {
        match statuses {
            [only] => *only,
            all if all.iter().all(|status| *status == Self::Done) => Self::Done,
            _ => Self::Partial,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{self, Done, Link, Partial, Refused, Signal, Timeout, ToolError, Usage};

    #[test]
    fn the_codes_are_those_of_the_contract() {
        let all = [Done, ToolError, Usage, Link, Timeout, Refused, Partial, Signal(2)];
        assert_eq!(all.map(Status::code), [0, 1, 2, 3, 4, 5, 6, 130]);
    }

    #[test]
    fn one_failure_among_several_servers_is_partial() {
        assert_eq!(Status::of_several(&[]), Done);
        assert_eq!(Status::of_several(&[Timeout]), Timeout);
        assert_eq!(Status::of_several(&[Done, Done]), Done);
        assert_eq!(Status::of_several(&[Done, Link]), Partial);
        assert_eq!(Status::of_several(&[Link, Link]), Partial);
    }
}
