//! The statements of the contract about the life of a stdio connection, one by one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use mcp_jsonrpc::{
    CallError, Cancel, CloseCause, CloseReason, Connect, Handler, Ignore, RequestOptions, Transport,
};
use mcp_tests::{Scripted, raw, request, within};
use mcp_transport_stdio::{DEFAULT_TIMEOUT, EnvPolicy, SpawnError, StdioConfig, StdioTransport};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// S-35, D-07.
#[tokio::test]
async fn a_new_transport_is_not_connected_and_has_no_process() {
    let peer = Scripted::new("eof");
    let transport = StdioTransport::new(peer.config.clone(), Arc::new(Ignore));
    assert!(!transport.is_connected());
    let status = transport.status();
    assert_eq!((status.connected, status.pending, status.received), (false, 0, 0));
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.to_string(), "Transport not connected");
    assert!(error.is_safe_to_retry());
    let error = within(transport.notify("n", None, Default::default())).await.unwrap_err();
    assert_eq!(error.to_string(), "Transport not connected");
    assert_eq!(peer.processes(), []);
}

/// S-36, D-21, C-101: the command with its arguments, environment and working directory.
#[tokio::test]
async fn connect_starts_the_command_as_configured() {
    let folder = mcp_tests::Folder::new();
    let script = "send NOTE(at,[$pid,$cwd,ENV(MCP_TESTS_X),ENV(PATH),ENV(CARGO_PKG_NAME)])\neof";
    let peer = Scripted::new(script).with(|config| {
        config.cwd = Some(folder.path(""));
        config.env.insert("MCP_TESTS_X".to_owned(), Some("a \"b\" $c".to_owned()));
        config.env.insert("CARGO_PKG_NAME".to_owned(), None);
    });
    let (transport, seen) = peer.connect().await;
    let note = seen.wait("notification at ").await;
    let at: Vec<Value> = serde_json::from_str(note.strip_prefix("notification at ").unwrap()).unwrap();
    let running = peer.processes();
    assert_eq!(at[0], running[0].id);
    assert_eq!(running[0].parent, std::process::id());
    assert_eq!(format!("{}/", at[1].as_str().unwrap()), folder.text(""));
    assert_eq!(at[2], "a \"b\" $c");
    assert_eq!(at[3].as_str(), std::env::var("PATH").ok().as_deref(), "PATH stays (case 41)");
    assert_eq!(at[4], Value::Null, "a variable can be taken away");
    transport.close().await;
}

/// D-21: the safe list alone, and what is configured.
#[tokio::test]
async fn a_clean_environment_passes_only_what_is_listed() {
    let script = "send NOTE(at,[ENV(PATH),ENV(CARGO_PKG_NAME),ENV(MCP_TESTS_X)])\neof";
    let peer = Scripted::new(script).with(|config| {
        config.env_policy = EnvPolicy::Clean;
        config.env.insert("MCP_TESTS_X".to_owned(), Some("1".to_owned()));
    });
    let (transport, seen) = peer.connect().await;
    let path = json!(std::env::var("PATH").ok());
    assert_eq!(seen.wait("notification").await, format!(r#"notification at [{path},null,"1"]"#));
    transport.close().await;
}

/// D-21: no shell is in between, whatever an argument looks like.
#[tokio::test]
async fn arguments_are_passed_verbatim() {
    let odd = ["", "a b", "*", "$(id)", ";", "\"'\\", "--", "é\n"];
    let peer = Scripted::new("eof").with(|config| {
        let tag = config.args.pop().unwrap();
        config.args.push(String::new());
        config.args.extend(odd.map(str::to_owned));
        config.args.push(tag);
    });
    let (transport, _) = peer.connect().await;
    let id = mcp_tests::processes::wait_for(peer.tag(), 1)[0].id;
    let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap();
    let args: Vec<_> = line.split(|byte| *byte == 0).skip(3).take(odd.len()).collect();
    assert_eq!(args, odd.map(str::as_bytes));
    transport.close().await;
}

/// S-37, S-38, S-39, S-08: connected, and reading, before anything was said.
#[tokio::test]
async fn a_connected_transport_reads_stdout_and_stderr_by_itself() {
    let (lines, mut stderr) = mpsc::unbounded_channel();
    let peer = Scripted::new("err hello\nsend NOTE(hello)\neof").with(|config| {
        config.on_stderr = Some(Arc::new(move |line: &str| lines.send(line.to_owned()).unwrap_or_default()));
    });
    let (transport, seen) = peer.connect().await;
    assert!(transport.is_connected() && transport.status().connected);
    assert_eq!(seen.wait("notification").await, "notification hello");
    assert_eq!(within(stderr.recv()).await.unwrap(), "hello");
    assert_eq!(transport.status().stderr_tail, "hello");
    assert!(transport.status().received > 0);
    transport.close().await;
    assert!(!transport.is_connected());
}

/// What `on_close` finds, each time it is called.
#[derive(Default)]
struct AtClose {
    transport: OnceLock<Weak<StdioTransport>>,
    calls: AtomicUsize,
    found: Mutex<Vec<(bool, usize, u64, String)>>,
    stderr_tail: Mutex<String>,
}

impl Handler for AtClose {
    fn on_close(&self, reason: &CloseReason) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let transport = self.transport.get().and_then(Weak::upgrade);
        let status = transport.map(|transport| transport.status()).unwrap_or_default();
        let closed = status.counts.closed;
        self.found.lock().unwrap().push((status.connected, status.pending, closed, reason.to_string()));
        self.stderr_tail.lock().unwrap().clone_from(&reason.stderr_tail);
    }
}

/// S-40 to S-44, S-07, D-09, C-106.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn close_rejects_what_is_in_flight_ends_the_child_and_then_tells_once() {
    // Invariant 7: all calls are settled before `on_close`, which comes once.
    let peer = Scripted::new("serve").without_deadlines();
    let handler = Arc::new(AtClose::default());
    let transport = peer.connect_to(handler.clone()).await;
    handler.transport.set(Arc::downgrade(&transport)).unwrap();
    request(&transport, "ping").await.unwrap();
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let transport = transport.clone();
            tokio::spawn(async move { request(&transport, "never").await.unwrap_err() })
        })
        .collect();
    while transport.status().pending < 20 {
        tokio::task::yield_now().await;
    }
    let server = peer.processes();
    within(async { tokio::join!(transport.close(), transport.close()) }).await;
    assert!(server[0].is_gone(), "nothing is running after close returns");
    within(transport.close()).await;
    let ended = "the client closed the connection (exit status: 0)".to_owned();
    assert_eq!(*handler.found.lock().unwrap(), [(false, 0, 20, ended)]);
    for call in calls {
        let error = within(call).await.unwrap();
        assert_eq!(error.to_string(), "Transport closed");
        assert!(matches!(error.close_reason().unwrap().cause, CloseCause::Requested));
    }
    assert_eq!(handler.calls.load(Ordering::SeqCst), 1);
    // D-07: later calls fail the same way.
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
    assert_eq!(error.close_reason().unwrap().exit.unwrap().code(), Some(0));
    let error = within(transport.notify("n", None, Default::default())).await.unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
}

/// S-45, S-53, S-109, C-110, D-07: with the exit status and the last of stderr.
#[tokio::test]
async fn a_server_that_ends_rejects_what_is_in_flight_and_tells_once() {
    let peer = Scripted::new("recv\nrecv\nerr it is over\nexit 3").without_deadlines();
    let handler = Arc::new(AtClose::default());
    let transport = peer.connect_to(handler.clone()).await;
    handler.transport.set(Arc::downgrade(&transport)).unwrap();
    let (one, two) = tokio::join!(request(&transport, "a"), request(&transport, "b"));
    for error in [one.unwrap_err(), two.unwrap_err()] {
        assert_eq!(error.to_string(), "Transport closed");
        let reason = error.close_reason().unwrap();
        assert_eq!((reason.exit.unwrap().code(), &*reason.stderr_tail), (Some(3), "it is over"));
    }
    assert!(!transport.is_connected());
    within(transport.close()).await;
    assert_eq!(handler.calls.load(Ordering::SeqCst), 1);
    let (connected, pending, closed, reason) = handler.found.lock().unwrap()[0].clone();
    assert_eq!((connected, pending, closed), (false, 0, 2));
    assert!(reason.ends_with("(exit status: 3)"), "{reason}");
    assert_eq!(*handler.stderr_tail.lock().unwrap(), "it is over");
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.close_reason().unwrap().exit.unwrap().code(), Some(3));
}

/// S-45, C-110: the end of stdout is the end, even of a server that lives on.
#[tokio::test]
async fn a_server_that_ends_its_output_is_taken_down() {
    let peer = Scripted::new("recv\nclose\nhang").without_deadlines().with(|config| {
        config.shutdown.close_grace = Duration::from_millis(50);
        config.last_words = Duration::from_millis(50);
    });
    let (transport, seen) = peer.connect().await;
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
    assert!(matches!(error.close_reason().unwrap().cause, CloseCause::EndOfStream));
    assert!(seen.wait("close ").await.starts_with("close the server ended its output"));
    assert_eq!(peer.processes(), []);
}

/// S-54, S-55: a transport connects once; its configuration connects again and again.
#[tokio::test]
async fn reconnecting_takes_a_new_transport() {
    let peer = Scripted::new("recv\nsend RES(1)\nexit 0");
    let (transport, seen) = peer.connect().await;
    request(&transport, "m").await.unwrap();
    assert!(matches!(transport.connect().await, Err(SpawnError::Again)));
    seen.wait("close ").await;
    assert!(matches!(transport.connect().await, Err(SpawnError::Again)));
    assert_eq!(peer.processes(), [], "nothing is restarted");
    let config: &dyn Connect = &peer.config;
    for _ in 0..2 {
        let again = within(config.connect(Arc::new(Ignore))).await.unwrap();
        within(again.request("m", None, RequestOptions::default())).await.unwrap();
        again.close().await;
    }
    let unused = StdioTransport::new(peer.config.clone(), Arc::new(Ignore));
    unused.close().await;
    assert!(matches!(unused.connect().await, Err(SpawnError::Again)), "closed before it was connected");
}

/// S-46.
#[test]
fn the_default_timeout_is_that_of_the_contract() {
    assert_eq!(DEFAULT_TIMEOUT, Duration::from_secs(30));
    assert_eq!(StdioConfig::new("x").timeout, DEFAULT_TIMEOUT);
}

/// S-47, S-48, S-49, D-05: nothing stays, and the transport says nothing of its own.
#[tokio::test]
async fn abort_and_timeout_reject_and_leave_no_entry_and_no_message() {
    let (transport, _) = Scripted::new("serve").connect().await;
    let mut options = RequestOptions::default();
    options.timeout = Some(Duration::from_millis(20));
    let error = within(transport.request("never", None, options)).await.unwrap_err();
    assert_eq!(error.to_string(), "Request timeout after 20ms");
    assert_eq!(transport.status().pending, 0);

    let cancel = Cancel::new();
    let mut options = RequestOptions::default();
    options.cancel = Some(cancel.clone());
    let (result, ()) = tokio::join!(within(transport.request("never", None, options)), async {
        while transport.status().pending == 0 {
            tokio::task::yield_now().await;
        }
        cancel.cancel_with("changed my mind");
    });
    let error = result.unwrap_err();
    assert!(error.is_cancelled());
    assert_eq!(error.to_string(), "changed my mind", "the caller's own reason (S-114)");
    assert_eq!((transport.status().pending, transport.status().counts.abandoned), (0, 2));
    let counts: Value = request(&transport, "counts").await.unwrap().parse().unwrap();
    assert_eq!(counts["methods"], json!({ "never": 2, "counts": 1 }));
    transport.close().await;
}

/// D-11.
#[tokio::test]
async fn a_failed_write_rejects_its_request_and_closes() {
    let script = "close stdin\nsend NOTE(ready)\nhang";
    let peer = Scripted::new(script).without_deadlines().with(|config| {
        config.shutdown.close_grace = Duration::from_millis(50);
        config.last_words = Duration::from_millis(50);
    });
    let (transport, seen) = peer.connect().await;
    seen.wait("notification ready").await;
    let error = request(&transport, "m").await.unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
    assert!(matches!(error.close_reason().unwrap().cause, CloseCause::Write(_)), "{error:?}");
    seen.wait("close ").await;
    assert_eq!(peer.processes(), []);
    assert!(!transport.is_connected());
}

/// D-09: the original's plain kill, on request.
#[tokio::test]
async fn kill_immediately_does_not_ask() {
    let folder = mcp_tests::Folder::new();
    let script = format!("send NOTE(ready)\neof\nsleep 100\nfile {} done\nhang", folder.text("f"));
    let peer = Scripted::new(&script).with(|config| config.shutdown.kill_immediately = true);
    let (transport, seen) = peer.connect().await;
    seen.wait("notification ready").await;
    within(transport.close()).await;
    assert!(seen.wait("close ").await.ends_with("(signal: 9 (SIGKILL))"), "{:?}", seen.events());
    assert!(!folder.path("f").exists());
}

/// D-22, C-104, C-105: stderr is no error, whatever is on it; secrets do not show.
#[tokio::test]
async fn stderr_is_kept_short_masked_and_is_no_error() {
    let (lines, mut stderr) = mpsc::unbounded_channel();
    let script = "repeat 2000 err line $count\nerr token ENV(MCP_TOKEN) <1b>[31m<ff>\nrecv\nsend RES(1)\neof";
    let peer = Scripted::new(script).with(|config| {
        config.env.insert("MCP_TOKEN".to_owned(), Some("SECRET-1".to_owned()));
        config.stderr_tail = 100;
        config.on_stderr = Some(Arc::new(move |line: &str| lines.send(line.to_owned()).unwrap_or_default()));
    });
    let (transport, seen) = peer.connect().await;
    request(&transport, "m").await.unwrap();
    while !within(stderr.recv()).await.unwrap().starts_with("token \"***\"") {}
    within(transport.close()).await;
    let tail = transport.status().stderr_tail;
    assert!(tail.ends_with("line 2000\ntoken \"***\" \\u{1b}[31m\u{fffd}"), "{tail}");
    assert!(tail.len() < 120, "{tail}");
    assert_eq!((seen.count("error"), seen.count("close")), (0, 1));
}

/// Invariant 7, for a panic in a handler: it ends the connection, not the program.
#[tokio::test]
async fn a_handler_that_panics_closes_the_connection() {
    struct Panics(mpsc::UnboundedSender<String>);
    impl Handler for Panics {
        fn on_notification(&self, _: &mcp_jsonrpc::Notification<'_>) {
            panic!("on purpose");
        }
        fn on_close(&self, reason: &CloseReason) {
            self.0.send(reason.to_string()).unwrap_or_default();
        }
    }
    let (closed, mut reasons) = mpsc::unbounded_channel();
    let peer = Scripted::new("recv\nsend NOTE(n)\neof").without_deadlines();
    let transport = peer.connect_to(Arc::new(Panics(closed))).await;
    let error = request(&transport, "m").await.unwrap_err();
    assert!(matches!(error, CallError::Closed { .. }), "{error:?}");
    assert!(within(reasons.recv()).await.unwrap().starts_with("a handler panicked"));
    assert_eq!(peer.processes(), []);
}

/// S-56, S-57 as D-16 has them: a frame larger than any buffer waits for the server to read.
#[tokio::test]
async fn a_large_frame_waits_for_a_server_that_reads_late() {
    let script = "sleep 100\nrecv\nsend NOTE(n)\nsend RES(1)\neof";
    let (transport, _) = Scripted::new(script).without_deadlines().connect().await;
    let params = raw(&json!({ "text": "x".repeat(8 * 1024 * 1024) }));
    let answer = within(transport.request("m", params, RequestOptions::default())).await.unwrap();
    assert_eq!(answer.as_str(), r#"{"tag":1}"#);
    transport.close().await;
}
