//! The steps on the way to the tools of a server.

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Step {
    /// The entry of the config, and what the command line adds.
    Config,
    /// Finding the program and starting it.
    Command,
    /// The Unix socket.
    Socket,
    /// The name of the host.
    Dns,
    /// The proxy in between.
    Proxy,
    /// The connection.
    Tcp,
    /// The certificate, and all else about TLS.
    Tls,
    /// The POST of `initialize`: its status, its media type, authorization.
    Http,
    /// The answer to `initialize`.
    Handshake,
    /// The revision that both sides know.
    Protocol,
    /// The list of tools.
    Tools,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Command,
    Socket,
    Direct { tls: bool },
    Proxy { tls: bool },
}

impl Step {
    /// Its name in the report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Command => "command",
            Self::Socket => "socket",
            Self::Dns => "dns",
            Self::Proxy => "proxy",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Http => "http",
            Self::Handshake => "handshake",
            Self::Protocol => "protocol",
            Self::Tools => "tools",
        }
    }
}

impl Route {
    /// Its steps, in order.
    pub(crate) fn steps(self) -> Vec<Step> {
        use Step::{Command, Config, Dns, Handshake, Http, Protocol, Proxy, Socket, Tcp, Tls, Tools};
        let way: &[Step] = match self {
            Self::Command => &[Command],
            Self::Socket => &[Socket, Http],
            Self::Direct { tls: false } => &[Dns, Tcp, Http],
            Self::Direct { tls: true } => &[Dns, Tcp, Tls, Http],
            Self::Proxy { tls: false } => &[Proxy, Http],
            Self::Proxy { tls: true } => &[Proxy, Tls, Http],
        };
        [&[Config][..], way, &[Handshake, Protocol, Tools]].concat()
    }

    /// The step of this route that `step` is: a failure can name one that is not on it.
    pub(crate) fn own(self, step: Step) -> Step {
        let steps = self.steps();
        match step {
            step if steps.contains(&step) => step,
            Step::Dns | Step::Tcp | Step::Proxy if self != Self::Command => {
                steps.get(1).copied().unwrap_or(step)
            }
            Step::Socket | Step::Command => Step::Handshake,
            _ if steps.contains(&Step::Http) => Step::Http,
            _ => Step::Handshake,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Route, Step};

    const ROUTES: [Route; 6] = [
        Route::Command,
        Route::Socket,
        Route::Direct { tls: false },
        Route::Direct { tls: true },
        Route::Proxy { tls: false },
        Route::Proxy { tls: true },
    ];

    #[test]
    fn every_route_begins_with_the_config_and_ends_with_the_tools_in_order() {
        for route in ROUTES {
            let steps = route.steps();
            assert_eq!((steps.first(), steps.last()), (Some(&Step::Config), Some(&Step::Tools)));
            assert!(steps.is_sorted() && steps.len() > 4, "{route:?}");
        }
    }

    #[test]
    fn a_step_is_always_one_of_the_route() {
        let all = ROUTES.iter().flat_map(|route| route.steps()).collect::<Vec<_>>();
        for route in ROUTES {
            for step in &all {
                assert!(route.steps().contains(&route.own(*step)), "{route:?} {step:?}");
            }
        }
        assert_eq!(Route::Proxy { tls: true }.own(Step::Tcp), Step::Proxy);
        assert_eq!(Route::Direct { tls: false }.own(Step::Tls), Step::Http);
    }
}
