//! Every kind of error has its step, and something to try.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::{InputError, PagesError};
use mcp_jsonrpc::{
    CallError, CloseCause, ErrorObject, FailureKind, Malformed, OpenError, Sample, TimeoutPhase,
    TransportFailure,
};
use mcp_transport_http::connector::{ConnectorError, Identification, TlsProblem};
use mcp_transport_http::{EndpointError, RedirectProblem};
use mcp_types::Revision;

use super::*;

fn sample() -> Sample {
    Sample::of(b"x")
}

fn broken_json() -> serde_json::Error {
    serde_json::from_str::<u8>("x").unwrap_err()
}

#[track_caller]
fn check(error: &ConnectError, step: Step, next: &str) {
    let blame = Blame::of_connect(error);
    assert_eq!(blame.step, step, "{error:?}");
    assert!(!blame.next.is_empty() && blame.next.contains(next), "{error:?}: {}", blame.next);
}

#[track_caller]
fn check_call(source: CallError, step: Step, next: &str) {
    check(&ConnectError::Call { server: "s".into(), source }, step, next);
}

#[track_caller]
fn check_http(error: HttpError, step: Step, next: &str) {
    check_call(CallError::Transport(TransportFailure::new(error.kind(), false, error)), step, next);
}

#[test]
fn a_program_that_does_not_start_fails_at_the_command() {
    let check_spawn = |error: SpawnError, next| {
        check(&ConnectError::Open { server: "s".into(), source: OpenError::new(error) }, Step::Command, next);
    };
    let command = || "c".to_owned();
    let source = || io::Error::from(io::ErrorKind::NotFound);
    check_spawn(
        SpawnError::Start { command: command(), hint: Some("on PATH?"), source: source() },
        "on PATH?",
    );
    check_spawn(SpawnError::Start { command: command(), hint: None, source: source() }, "in a terminal");
    let path = "/nonexistent".into();
    check_spawn(SpawnError::WorkingDirectory { command: command(), path, source: source() }, "`cwd`");
    check_spawn(SpawnError::UnsafeArgument { command: command(), number: 1 }, "argument");
    check_spawn(SpawnError::NoRuntime { command: command() }, "");
    check_spawn(SpawnError::Again, "");
}

#[test]
fn what_cannot_be_used_fails_at_the_config() {
    let open = |source| ConnectError::Open { server: "s".into(), source };
    let connector = http::ConnectError::Connector(ConnectorError::ProxyUrl);
    check(&open(OpenError::new(connector)), Step::Config, "certificates or the proxy");
    check(&open(OpenError::new(http::ConnectError::Again)), Step::Config, "entry");
    check(&open(OpenError::new(io::Error::other("x"))), Step::Config, "entry");
    check(&ConnectError::Params { server: "s".into(), source: broken_json() }, Step::Config, "report");
}

#[test]
fn a_timeout_fails_where_the_wait_was() {
    let late = |sent, heard| ConnectError::TimedOut {
        server: "s".into(),
        limit: Duration::from_secs(1),
        sent,
        heard,
        stderr_tail: String::new(),
    };
    check(&late(false, false), Step::Tcp, "firewall");
    check(&late(true, false), Step::Http, "--timeout");
    check(&late(true, true), Step::Handshake, "--timeout");
    let limit = Duration::from_secs(1);
    let source = CallError::Timeout { phase: TimeoutPhase::Request, limit, total: false, sent: true };
    check_call(source, Step::Handshake, "--timeout");
}

#[test]
fn what_the_server_answers_fails_at_the_handshake_or_the_protocol() {
    let error = ErrorObject::new(-32603, "no");
    check(
        &ConnectError::Refused { server: "s".into(), method: "initialize", error },
        Step::Handshake,
        "server says",
    );
    let version = ConnectError::Version {
        server: "s".into(),
        offered: Revision::LATEST_LEGACY,
        answered: None,
        supported: Vec::new(),
        refusal: None,
    };
    check(&version, Step::Protocol, "--protocol");
    let answer = ConnectError::Answer {
        server: "s".into(),
        method: "initialize",
        source: broken_json(),
        sample: sample(),
    };
    check(&answer, Step::Handshake, "MCP server");
}

#[test]
fn a_call_that_fails_has_its_step() {
    check_call(CallError::Rpc(ErrorObject::new(-1, "no")), Step::Handshake, "server says");
    check_call(
        CallError::Malformed { problem: Malformed::Utf8, sample: sample() },
        Step::Handshake,
        "messages",
    );
    check_call(CallError::TooLarge { limit: 1 }, Step::Handshake, "more than");
    check_call(CallError::NoResponse { id: "1".into(), cause: None }, Step::Http, "stream");
    check_call(CallError::NotConnected, Step::Handshake, "again");
    check_call(CallError::Cancelled { reason: None, sent: false }, Step::Handshake, "again");
    let other = TransportFailure::new(FailureKind::Protocol, true, io::Error::other("x"));
    check_call(CallError::Transport(other), Step::Http, "MCP");
}

#[test]
fn a_process_that_ends_is_blamed_by_its_exit_status() {
    #[track_caller]
    fn check_exit(code: Option<i32>, stderr: &str, step: Step, next: &str) {
        #[cfg(unix)]
        let exit = code.map(|code| std::os::unix::process::ExitStatusExt::from_raw(code << 8));
        #[cfg(windows)]
        let exit = code.map(|code| std::os::windows::process::ExitStatusExt::from_raw(code as u32));
        let reason = CloseReason::of_process(CloseCause::Exited, exit, stderr.to_owned());
        check_call(CallError::Closed { reason: Arc::new(reason), sent: true }, step, next);
    }
    check_exit(Some(127), "env: node: not found", Step::Command, "install");
    check_exit(Some(126), "", Step::Command, "executable");
    check_exit(Some(0), "", Step::Handshake, "arguments");
    check_exit(Some(1), "no TOKEN", Step::Handshake, "stderr");
    check_exit(Some(1), " \n", Step::Handshake, "terminal");
    check_exit(None, "", Step::Handshake, "terminal");
}

#[test]
fn each_kind_of_connection_failure_has_its_step() {
    use ConnectKind::{Other, Proxy, Refused, Resolve, Socket, TimedOut, Tls, Unreachable};
    for (kinds, step) in [
        (&[Resolve][..], Step::Dns),
        (&[Refused, Unreachable, TimedOut, Other], Step::Tcp),
        (&[Proxy], Step::Proxy),
        (&[Socket], Step::Socket),
    ] {
        kinds.iter().for_each(|kind| assert_eq!(step_of(*kind), step, "{kind:?}"));
    }
    for problem in [
        TlsProblem::Expired,
        TlsProblem::NotYetValid,
        TlsProblem::WrongName,
        TlsProblem::UnknownIssuer,
        TlsProblem::Revoked,
        TlsProblem::ClientCertificate(Identification::Needed),
        TlsProblem::ClientCertificate(Identification::Refused),
        TlsProblem::NotTls,
        TlsProblem::NoRoots,
        TlsProblem::NotBuilt,
        TlsProblem::Other,
    ] {
        assert_eq!(step_of(Tls(problem)), Step::Tls, "{problem:?}");
    }
}

#[test]
fn each_status_has_something_to_try() {
    for (statuses, next) in [
        (&[401, 403][..], "--header"),
        (&[404, 410], "path"),
        (&[400, 405, 406, 415], "MCP server"),
        (&[429], "later"),
        (&[500, 502, 503, 504, 599], "log"),
        (&[402, 418, 300, 600], "address"),
    ] {
        for status in statuses {
            let blame = Blame::of_status(*status);
            assert!(blame.step == Step::Http && blame.next.contains(next), "{status}: {blame:?}");
        }
    }
}

#[test]
fn an_exchange_that_breaks_the_rules_fails_at_http() {
    check_http(HttpError::MediaType { found: "text/html".to_owned() }, Step::Http, "MCP endpoint");
    let (target, problem) = ("http://b/".to_owned(), RedirectProblem::OtherOrigin);
    check_http(
        HttpError::Redirect { status: 302, target: target.clone(), problem },
        Step::Http,
        "redirects to",
    );
    check_http(HttpError::SessionHeader("is too long"), Step::Http, "endpoint");
    check_http(HttpError::ContentEncoding(sample()), Step::Http, "endpoint");
    check_http(HttpError::NoAnswer { status: 202 }, Step::Http, "MCP server");
    check_http(HttpError::WrongId { expected: "1".into(), found: "2".to_owned() }, Step::Http, "endpoint");
    check_http(HttpError::StreamEnded, Step::Http, "endpoint");
    check_http(HttpError::NoEndpoint, Step::Http, "endpoint");
    check_http(HttpError::Endpoint(EndpointError::NotAUrl), Step::Http, "endpoint");
    check_http(HttpError::EndpointOrigin { target }, Step::Http, "endpoint");
    let first = HttpError::MediaType { found: "text/html".to_owned() };
    let first = CallError::Transport(TransportFailure::new(FailureKind::MediaType, true, first));
    let second = Box::new(CallError::NotConnected);
    check_http(HttpError::Neither { first: Box::new(first), second }, Step::Http, "MCP endpoint");
}

#[test]
fn tools_that_are_not_listed_fail_at_the_tools() {
    let (server, method) = (|| "s".into(), || "tools/list".into());
    let closed = CloseReason::of_process(CloseCause::Exited, None, "boom".to_owned());
    let call = |source| ClientError::Call { server: server(), method: method(), source };
    for (error, next) in [
        (call(CallError::Rpc(ErrorObject::new(-1, "no"))), "server says"),
        (call(CallError::NoResponse { id: "1".into(), cause: None }), "stream"),
        (call(CallError::Closed { reason: Arc::new(closed), sent: true }), "stderr"),
        (
            ClientError::Answer {
                server: server(),
                method: method(),
                source: broken_json(),
                sample: sample(),
            },
            "author",
        ),
        (ClientError::Params { server: server(), method: method(), source: broken_json() }, "this program"),
        (
            ClientError::ResultType { server: server(), method: method(), found: sample() },
            "as if it were a call",
        ),
        (
            ClientError::Input { server: server(), method: method(), source: InputError::Nothing },
            "as if it were a call",
        ),
        (ClientError::NotOffered { server: server(), method: method(), capability: "tools" }, "no tools"),
        (
            ClientError::Pages {
                server: server(),
                method: method(),
                source: PagesError::TooManyPages { limit: 1 },
            },
            "pages",
        ),
    ] {
        let blame = Blame::of_tools(&error);
        assert!(blame.step == Step::Tools && blame.next.contains(next), "{error:?}: {blame:?}");
    }
}

#[test]
fn a_server_that_knows_no_discovery_fails_at_the_protocol() {
    let refused = |method, code| ConnectError::Refused {
        server: "s".into(),
        method,
        error: ErrorObject::new(code, "no"),
    };
    check(&refused("server/discover", -32601), Step::Protocol, "--protocol auto");
    check(&refused("server/discover", -32021), Step::Handshake, "server says");
    check(&refused("initialize", -32601), Step::Handshake, "server says");
}
