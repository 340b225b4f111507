//! No process outlives its client, whichever way the client goes.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::{Handler, Ignore, Transport};
use mcp_tests::processes::{self, Process};
use mcp_tests::{Recorder, Scripted, client, request};
use mcp_transport_stdio::StdioTransport;
use tokio::runtime::{Builder, Runtime};

/// Servers that do not go by themselves, each with what has to go with it.
const STUBBORN: [(&str, usize); 4] = [
    ("deaf\nsend NOTE(ready)\nhang", 1),
    ("child\nsend NOTE(ready)\nhang", 2),
    ("child pipes\nsend NOTE(ready)\nserve", 2),
    ("deaf\nchild deaf\nchild pipes\nsend NOTE(ready)\nhang", 3),
];

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn multi_thread() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Starts a server on `runtime`, and waits until all of it is there.
fn start(
    runtime: &Runtime,
    script: &str,
    count: usize,
) -> (Arc<StdioTransport>, Arc<Recorder>, Vec<Process>) {
    let peer = Scripted::new(script);
    let (transport, seen) = runtime.block_on(async {
        let (transport, seen) = peer.connect().await;
        seen.wait("notification ready").await;
        (transport, seen)
    });
    (transport, seen, processes::wait_for(peer.tag(), count))
}

/// Waits until nothing of `family` is there, not even a zombie. The runtime gets no turn for it.
fn wait_until_gone(family: &[Process]) {
    family.iter().for_each(Process::wait_until_gone);
}

/// Case 21, D-09.
#[test]
fn a_dropped_transport_leaves_nothing_on_a_running_runtime() {
    let runtime = multi_thread();
    for (script, count) in STUBBORN {
        let (transport, seen, family) = start(&runtime, script, count);
        runtime.block_on(async { drop(transport) });
        wait_until_gone(&family);
        let closed = runtime.block_on(seen.wait("close "));
        assert!(closed.starts_with("close the client dropped the connection"), "{closed}");
    }
}

/// D-09: nobody drives the tasks of the transport when it is dropped, nor later.
#[test]
fn a_dropped_transport_leaves_nothing_on_a_runtime_that_is_not_driven() {
    let runtime = current_thread();
    for (script, count) in STUBBORN {
        let (transport, _, family) = start(&runtime, script, count);
        drop(transport);
        wait_until_gone(&family);
    }
    drop(runtime);
}

/// D-09: the transport is dropped when its runtime is gone already.
#[test]
fn a_transport_that_outlives_its_runtime_leaves_nothing() {
    for (script, count) in STUBBORN {
        for runtime in [current_thread(), multi_thread()] {
            let (transport, seen, family) = start(&runtime, script, count);
            drop(runtime);
            wait_until_gone(&family);
            assert!(!transport.is_connected());
            assert_eq!(seen.count("close "), 1);
            let error = current_thread().block_on(request(&transport, "m")).unwrap_err();
            assert_eq!(error.to_string(), "Transport closed");
            drop(transport);
        }
    }
}

/// D-09.
#[test]
fn the_shutdown_of_a_runtime_leaves_nothing() {
    for (script, count) in STUBBORN {
        let runtime = multi_thread();
        let (transport, _, family) = start(&runtime, script, count);
        runtime.shutdown_background();
        wait_until_gone(&family);
        drop(transport);

        let runtime = multi_thread();
        let (transport, _, family) = start(&runtime, script, count);
        runtime.shutdown_timeout(Duration::from_secs(5));
        wait_until_gone(&family);
        drop(transport);
    }
}

/// S-45: calls in flight learn of the end of their runtime as of any other end.
#[test]
fn a_call_on_another_runtime_fails_when_that_of_the_transport_ends() {
    let (own, other) = (multi_thread(), multi_thread());
    let (transport, _, family) = start(&own, "send NOTE(ready)\nserve", 1);
    let call = {
        let transport = transport.clone();
        other.spawn(async move { request(&transport, "never").await })
    };
    processes::wait("the call is in flight", || transport.status().pending == 1);
    own.shutdown_background();
    let error = other.block_on(call).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "Transport closed");
    wait_until_gone(&family);
}

/// Case 21: a panic in the task that owns the transport.
#[test]
fn a_panic_in_the_task_that_owns_it_leaves_nothing() {
    let runtime = multi_thread();
    for (script, count) in STUBBORN {
        let (transport, _, family) = start(&runtime, script, count);
        let task = runtime.spawn(async move {
            let _owned = transport;
            panic!("on purpose");
        });
        assert!(runtime.block_on(task).unwrap_err().is_panic());
        wait_until_gone(&family);
    }
}

/// Case 21: the last handle of a client takes its server along, also in a panic.
#[test]
fn a_client_that_is_dropped_leaves_nothing() {
    let runtime = multi_thread();
    for panics in [false, true] {
        let peer = Scripted::new("deaf\nchild deaf\nchild pipes\nhandshake\nhang");
        let client = runtime.block_on(client::connect(&peer.config));
        let family = processes::wait_for(peer.tag(), 3);
        let other = client.clone();
        drop(client);
        assert!(other.is_connected(), "one handle is left");
        let task = runtime.spawn(async move {
            let _owned = other;
            assert!(!panics, "on purpose");
        });
        assert_eq!(runtime.block_on(task).is_err(), panics);
        wait_until_gone(&family);
    }
}

/// Case 21: an aborted task drops what it owns.
#[test]
fn an_aborted_task_leaves_nothing() {
    let runtime = multi_thread();
    let (transport, _, family) = start(&runtime, STUBBORN[3].0, STUBBORN[3].1);
    let task = runtime.spawn(async move { request(&transport, "never").await });
    task.abort();
    assert!(runtime.block_on(task).unwrap_err().is_cancelled());
    wait_until_gone(&family);
}

/// D-09: giving up waiting for a close does not stop it.
#[test]
fn a_close_whose_future_is_dropped_goes_on() {
    let runtime = multi_thread();
    for (script, count) in STUBBORN {
        let peer = Scripted::new(script).with(|config| {
            config.shutdown.close_grace = Duration::from_millis(50);
            config.shutdown.terminate_grace = Duration::from_millis(50);
        });
        let (transport, seen) = runtime.block_on(peer.connect());
        runtime.block_on(seen.wait("notification ready"));
        let family = processes::wait_for(peer.tag(), count);
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = transport.close() => panic!("it cannot be done yet"),
                () = std::future::ready(()) => {}
            }
        });
        wait_until_gone(&family);
        runtime.block_on(seen.wait("close "));
    }
}

/// D-09: dropping the last handle during a close kills what is left.
#[test]
fn a_drop_during_a_close_hurries_it() {
    let runtime = multi_thread();
    let peer = Scripted::new("deaf\nsend NOTE(ready)\nhang").with(|config| {
        config.shutdown.close_grace = Duration::from_secs(3600);
    });
    let (transport, seen) = runtime.block_on(peer.connect());
    runtime.block_on(seen.wait("notification ready"));
    let family = processes::wait_for(peer.tag(), 1);
    let closing = {
        let transport = transport.clone();
        runtime.spawn(async move { transport.close().await })
    };
    processes::wait("it is closing", || !transport.is_connected());
    closing.abort();
    drop(transport);
    wait_until_gone(&family);
}

/// Many at once, dropped without a runtime to help.
#[test]
fn twenty_servers_dropped_at_once_leave_nothing() {
    let runtime = current_thread();
    let peers: Vec<_> = (0..20).map(|_| Scripted::new("child\nserve")).collect();
    let handler: Arc<dyn Handler> = Arc::new(Ignore);
    let transports: Vec<_> =
        peers.iter().map(|peer| runtime.block_on(peer.connect_to(handler.clone()))).collect();
    let families: Vec<_> = peers.iter().flat_map(|peer| processes::wait_for(peer.tag(), 2)).collect();
    drop(runtime);
    drop(transports);
    wait_until_gone(&families);
}

/// Section 3: where orphans fall to this process (it is the first of a container, or a subreaper),
/// they do not stay zombies, and a close does not wait for them in vain.
#[test]
fn orphans_that_fall_to_us_are_reaped() {
    // In a process of its own, since it changes whose orphans they are.
    if mcp_tests::alone("orphans::orphans_that_fall_to_us_are_reaped") {
        return;
    }
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
    let runtime = multi_thread();
    for (number, (script, count)) in STUBBORN.into_iter().enumerate() {
        let peer = Scripted::new(script).with(|config| {
            config.shutdown.close_grace = Duration::from_millis(50);
            config.shutdown.terminate_grace = Duration::from_millis(50);
            config.shutdown.kill_wait = Duration::from_millis(500);
        });
        let (transport, seen) = runtime.block_on(peer.connect());
        runtime.block_on(seen.wait("notification ready"));
        let family = processes::wait_for(peer.tag(), count);
        if number % 2 == 0 {
            runtime.block_on(async { drop(transport) });
        } else {
            runtime.block_on(transport.close());
        }
        wait_until_gone(&family);
    }
}
