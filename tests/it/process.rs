//! How server processes start, talk, and end.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{CloseCause, Connect, Ignore, RequestOptions, Transport};
use mcp_tests::processes::Process;
use mcp_tests::{Folder, Scripted, processes, raw, request, within};
use mcp_transport_stdio::{SpawnError, StdioConfig, StdioTransport};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// An hour: a step that has to wait for this never ends, as far as a test is concerned.
const FOR_EVER: Duration = Duration::from_secs(3600);

/// Case 21, D-09: whatever the launcher started is gone when close returns.
#[tokio::test]
async fn close_takes_the_grandchildren_down() {
    for child in ["child", "child pipes", "child deaf"] {
        let peer = Scripted::new(&format!("{child}\nrecv\nsend RES(1)\neof")).with(|config| {
            config.shutdown.close_grace = Duration::from_millis(100);
            config.shutdown.terminate_grace = Duration::from_millis(100);
        });
        let (transport, _) = peer.connect().await;
        request(&transport, "m").await.unwrap();
        let family = processes::wait_for(peer.tag(), 2);
        within(transport.close()).await;
        assert!(family.iter().all(Process::is_gone), "{child}: {:?}", peer.processes());
    }
}

/// Case 21: a launcher that ends by itself leaves nothing either, even if its child holds the pipes.
#[tokio::test]
async fn the_end_of_the_launcher_takes_the_grandchildren_down() {
    for child in ["child", "child pipes", "child deaf"] {
        let peer = Scripted::new(&format!("{child}\nrecv\nexit 4")).without_deadlines().with(|config| {
            config.shutdown.close_grace = Duration::from_millis(50);
            config.shutdown.terminate_grace = Duration::from_millis(50);
            config.last_words = Duration::from_millis(50);
        });
        let (transport, seen) = peer.connect().await;
        let family = processes::wait_for(peer.tag(), 2);
        let error = request(&transport, "m").await.unwrap_err();
        assert_eq!(error.close_reason().unwrap().exit.unwrap().code(), Some(4));
        seen.wait("close ").await;
        assert!(family.iter().all(Process::is_gone), "{child}: {:?}", peer.processes());
    }
}

/// Cases 22 and 30: a group of its own from the start, so that stopping works in every state and
/// the terminal's signals, which go to our group, do not reach it.
#[tokio::test]
async fn a_server_leads_its_own_process_group_from_the_start() {
    let peer = Scripted::new("child\nhang").with(|config| config.shutdown.close_grace = Duration::ZERO);
    let (transport, _) = peer.connect().await;
    // Nothing was said to it yet, and it has a child already.
    let family = processes::wait_for(peer.tag(), 2);
    let ours = Process::find(std::process::id()).unwrap().group;
    let leader = family.iter().find(|process| process.parent == std::process::id()).unwrap();
    assert_ne!(leader.group, ours);
    assert!(family.iter().all(|process| process.group == leader.id), "{family:?}");
    within(transport.close()).await;
    assert!(family.iter().all(Process::is_gone), "{:?}", peer.processes());
}

/// Case 25: fifty servers, ended in every way there is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_servers_leave_no_zombie() {
    let mut servers = JoinSet::new();
    for number in 0..50 {
        servers.spawn(async move {
            let script =
                ["serve", "recv\nexit 1", "deaf\nrecv\nsignal 9", "child\nserve", "exit 0"][number % 5];
            let peer = Scripted::new(script).with(|config| {
                config.shutdown.close_grace = Duration::from_millis(200);
                config.shutdown.terminate_grace = Duration::from_millis(200);
            });
            let (transport, _) = peer.connect().await;
            let family = peer.processes();
            // It may well fail: some of them die of it.
            let _ = request(&transport, "ping").await;
            if number % 3 == 0 {
                drop(transport);
            } else {
                within(transport.close()).await;
            }
            family
        });
    }
    let families = servers.join_all().await;
    for process in families.iter().flatten() {
        process.wait_until_gone();
    }
    processes::wait_until_reaped();
}

/// Case 27 (a), C-107, C-109.
#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_input_is_told_to_end() {
    let peer = Scripted::new("send NOTE(ready)\nhang").with(|config| {
        config.shutdown.close_grace = Duration::from_millis(50);
        config.shutdown.terminate_grace = FOR_EVER;
    });
    let (transport, seen) = peer.connect().await;
    seen.wait("notification").await;
    within(transport.close()).await;
    assert!(seen.wait("close ").await.ends_with("(signal: 15 (SIGTERM))"), "{:?}", seen.events());
    assert_eq!(peer.processes(), []);
}

/// Case 27 (b), C-108.
#[tokio::test]
async fn a_server_that_ignores_everything_is_killed() {
    let peer = Scripted::new("deaf\nsend NOTE(ready)\nhang").with(|config| {
        config.shutdown.close_grace = Duration::from_millis(50);
        config.shutdown.terminate_grace = Duration::from_millis(50);
    });
    let (transport, seen) = peer.connect().await;
    seen.wait("notification").await;
    within(transport.close()).await;
    assert!(seen.wait("close ").await.ends_with("(signal: 9 (SIGKILL))"), "{:?}", seen.events());
    assert_eq!(peer.processes(), []);
}

/// Case 27 (c), C-106: with the default limits.
#[tokio::test]
async fn a_server_gets_the_time_to_finish_its_file() {
    let folder = Folder::new();
    let script = format!("send NOTE(ready)\neof\nsleep 300\nfile {} done", folder.text("f"));
    let (transport, seen) = Scripted::new(&script).connect().await;
    seen.wait("notification").await;
    within(transport.close()).await;
    assert_eq!(std::fs::read_to_string(folder.path("f")).unwrap(), "done");
    assert!(seen.wait("close ").await.ends_with("(exit status: 0)"), "{:?}", seen.events());
}

/// Case 28: no other server holds the write end of a server's stdin.
#[tokio::test]
async fn the_end_of_its_input_reaches_a_server_while_others_live() {
    let peers: Vec<_> = (0..3)
        .map(|_| Scripted::new("send NOTE(ready)\neof").with(|config| config.shutdown.close_grace = FOR_EVER))
        .collect();
    let mut transports = Vec::new();
    for peer in &peers {
        let (transport, seen) = peer.connect().await;
        seen.wait("notification").await;
        transports.push((transport, seen));
    }
    for (transport, seen) in transports {
        within(transport.close()).await;
        assert!(seen.wait("close ").await.ends_with("(exit status: 0)"), "{:?}", seen.events());
    }
}

/// Case 31, on the transport: it fails the call and nothing else.
#[tokio::test]
async fn a_server_that_ends_before_it_reads_fails_the_call() {
    for script in ["exit 3", "signal 9", "close stdin\nexit 3", "sleep 50\nexit 3"] {
        let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
        let big = raw(&json!({ "text": "x".repeat(1 << 20) }));
        let error = within(transport.request("m", big, RequestOptions::default())).await.unwrap_err();
        assert_eq!(error.to_string(), "Transport closed", "{script}");
        assert!(error.close_reason().unwrap().exit.is_some(), "{script}: {error:?}");
        let error = within(transport.notify("n", None, Default::default())).await.unwrap_err();
        assert_eq!(error.to_string(), "Transport closed", "{script}");
        seen.wait("close ").await;
    }
}

/// Case 32: typed, and only for that server.
#[tokio::test]
async fn a_command_that_cannot_start_fails_alone_and_says_why() {
    let (other, _) = Scripted::new("serve").connect().await;
    let folder = Folder::new();
    std::fs::write(folder.path("plain"), "no program").unwrap();
    for (command, kind) in [
        ("does-not-exist-x".to_owned(), std::io::ErrorKind::NotFound),
        (folder.text("plain"), std::io::ErrorKind::PermissionDenied),
        (folder.text("."), std::io::ErrorKind::PermissionDenied),
        ("srv --x 1".to_owned(), std::io::ErrorKind::NotFound),
        (String::new(), std::io::ErrorKind::NotFound),
    ] {
        let transport = StdioTransport::new(StdioConfig::new(command.as_str()), Arc::new(Ignore));
        for _ in 0..2 {
            let error = transport.connect().await.unwrap_err();
            assert_eq!(error.to_string(), format!("cannot start `{command}`"));
            let SpawnError::Start { source, hint, .. } = error else { panic!("{error:?}") };
            assert_eq!(source.kind(), kind, "{command}");
            assert!(hint.is_some(), "{command}");
        }
        assert!(!transport.is_connected());
        assert_eq!(request(&transport, "m").await.unwrap_err().to_string(), "Transport not connected");
        let opened = StdioConfig::new(command.as_str()).connect(Arc::new(Ignore)).await;
        assert!(opened.err().unwrap().downcast_ref::<SpawnError>().is_some());
    }
    request(&other, "ping").await.unwrap();
    other.close().await;
}

/// Case 43.
#[tokio::test]
async fn a_missing_working_directory_is_named_and_not_the_command() {
    let folder = Folder::new();
    std::fs::write(folder.path("file"), "").unwrap();
    for name in ["removed", "file"] {
        let peer = Scripted::new("serve").with(|config| config.cwd = Some(folder.path(name)));
        let transport = StdioTransport::new(peer.config.clone(), Arc::new(Ignore));
        let error = transport.connect().await.unwrap_err();
        assert!(matches!(&error, SpawnError::WorkingDirectory { path, .. } if *path == folder.path(name)));
        assert!(error.to_string().contains(&folder.text(name)), "{error}");
    }
}

/// Case 34: with default settings, a hundred and sixty times what a pipe holds.
#[tokio::test]
async fn a_server_that_floods_stderr_is_never_blocked() {
    let (transport, seen) = Scripted::new("serve 1048576").without_deadlines().connect().await;
    for _ in 0..10 {
        request(&transport, "ping").await.unwrap();
    }
    // Invariant 10: nothing that comes from a peer is held without a bound.
    assert_eq!(transport.status().stderr_tail, "n".repeat(8 * 1024));
    assert!(seen.events().is_empty());
    transport.close().await;
}

/// Case 36: what the process said and how it ended is in the error, in whatever order they come.
#[tokio::test]
async fn a_failed_start_says_how_the_process_ended_and_what_it_said() {
    for (script, exit) in [
        ("err config error: TOKEN not set, not SECRET-1\nexit 78", "exit status: 78"),
        (
            "close\nsleep 30\nerr config error: TOKEN not set, not SECRET-1\nsleep 30\nexit 78",
            "exit status: 78",
        ),
        (
            "child run close ; sleep 100 ; err config error: TOKEN not set, not SECRET-1\nexit 78",
            "exit status: 78",
        ),
        ("close stdin\nerr config error: TOKEN not set, not SECRET-1\nsignal 15", "signal: 15 (SIGTERM)"),
    ] {
        let peer = Scripted::new(script).without_deadlines().with(|config| {
            config.env.insert("TOKEN".to_owned(), Some("SECRET-1".to_owned()));
            config.last_words = FOR_EVER;
        });
        let (transport, _) = peer.connect().await;
        let error = request(&transport, "initialize").await.unwrap_err();
        let reason = error.close_reason().unwrap();
        assert_eq!(reason.stderr_tail, "config error: TOKEN not set, not ***", "{script}");
        assert_eq!(reason.exit.unwrap().to_string(), exit);
        assert!(matches!(reason.cause, CloseCause::EndOfStream | CloseCause::Exited), "{reason:?}");
    }
}

/// Case 39: both pipes are full at once, and it still goes on.
#[tokio::test]
async fn a_large_request_does_not_deadlock_with_a_server_that_writes_meanwhile() {
    let (transport, seen) = Scripted::new("mirror\neof").without_deadlines().connect().await;
    let params = raw(&json!({ "text": "x".repeat(4 * 1024 * 1024) }));
    let answer = within(transport.request("m", params, RequestOptions::default())).await.unwrap();
    assert!(answer.parse::<usize>().unwrap() > 4 * 1024 * 1024);
    assert!(seen.count("notification mirror") > 4 * 1024);
    transport.close().await;
}

/// Case 41: found through PATH although a variable is set.
#[tokio::test]
async fn a_configured_variable_does_not_take_path_away() {
    let peer = Scripted::new("recv\nsend {\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":[ENV(X),ENV(PATH)]}\neof");
    let peer = peer.with(|config| {
        config.args.insert(0, config.command.clone());
        config.command = "env".to_owned();
        config.env.insert("X".to_owned(), Some("1".to_owned()));
    });
    let (transport, _) = peer.connect().await;
    let answer: Value = request(&transport, "m").await.unwrap().parse().unwrap();
    assert_eq!(answer, json!(["1", std::env::var("PATH").unwrap()]));
    transport.close().await;
}

/// S-53: the answers that were on their way still arrive, and then the rest fails.
#[tokio::test]
async fn answers_written_before_the_end_are_delivered() {
    let script = "recv\nrecv\nrepeat 1000 send NOTE(n)\nsend RES(1)\nexit 0";
    let (transport, seen) = Scripted::new(script).without_deadlines().connect().await;
    let (one, two) = tokio::join!(request(&transport, "a"), request(&transport, "b"));
    assert_eq!(one.unwrap().as_str(), r#"{"tag":1}"#);
    assert_eq!(two.unwrap_err().to_string(), "Transport closed");
    assert_eq!(seen.count("notification n"), 1000);
}
