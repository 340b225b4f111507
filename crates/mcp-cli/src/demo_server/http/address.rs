//! Where to listen, as the command line has it: `HOST:PORT`, `[IPV6]:PORT`, or only the port.

use std::fmt;
use std::str::FromStr;

const DEFAULT_HOST: &str = "127.0.0.1";

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    host: String,
    port: u16,
}

impl Address {
    /// A name, or an IP address without brackets.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// 0 lets the system choose.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl FromStr for Address {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
        let port = port.parse().map_err(|_| "the port must be a number from 0 to 65535")?;
        let host = match host.strip_prefix('[').map(|host| host.strip_suffix(']')) {
            Some(Some(host)) => host,
            None if host.is_empty() => DEFAULT_HOST,
            None if !host.contains([':', ']']) => host,
            _ => return Err("an IPv6 address must be in brackets"),
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (host, port) = (&self.host, self.port);
        if host.contains(':') {
            write!(formatter, "[{host}]:{port}")
        } else {
            write!(formatter, "{host}:{port}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, u16)>) {
        let found = text.parse::<Address>().ok();
        assert_eq!(found.as_ref().map(|found| (found.host(), found.port())), expected, "{text}");
    }

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        check("8080", Some(("127.0.0.1", 8080)));
        check(":0", Some(("127.0.0.1", 0)));
    }

    #[test]
    fn a_host_is_a_name_or_an_address() {
        check("localhost:1", Some(("localhost", 1)));
        check("0.0.0.0:65535", Some(("0.0.0.0", 65535)));
        check("[::1]:80", Some(("::1", 80)));
    }

    #[test]
    fn what_is_neither_is_refused() {
        for wrong in ["", "x", "localhost", "localhost:", "a:65536", "a:-1", "::1:80", "[::1:80", "::1]:80"] {
            check(wrong, None);
        }
    }
}
