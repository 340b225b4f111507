//! Many servers at once, each a process.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_manager::cache::{CacheKey, FileCache, ToolCache};
use mcp_manager::policy::{Quota, ServerKind};
use mcp_manager::{Events, Manager, ManagerError, Phase, ServerSpec, StartError, What};
use mcp_tests::manager::{Counted, healing, options, spec, until};
use mcp_tests::processes::{self, Process};
use mcp_tests::{Folder, Scripted, within};
use serde_json::json;

/// Answers the handshake and the listing, and exits.
const EXITS: &str =
    "handshake\nrecv tools/list\nsend {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[]}}\nexit 0";

fn process(name: &str, peer: &Scripted) -> ServerSpec {
    let mut spec = spec(name, peer.config.clone());
    spec.kind = ServerKind::Process;
    spec
}

/// How many lines of a log hold this text.
fn logged(log: &Path, text: &str) -> usize {
    std::fs::read_to_string(log).unwrap_or_default().lines().filter(|line| line.contains(text)).count()
}

/// A peer that is closed quickly although it does not end with its input.
fn stubborn(script: &str) -> Scripted {
    Scripted::new(script).with(|config| config.shutdown.close_grace = Duration::from_millis(50))
}

/// Case 145, D-20: good ones are there and can be used while others hang, exit or cannot be started.
#[tokio::test(flavor = "multi_thread")]
async fn servers_that_hang_exit_or_do_not_exist_cost_the_good_ones_nothing() {
    let good = [Scripted::new("serve"), Scripted::new("serve")];
    let (hung, exits) = (stubborn("recv initialize\nhang"), Scripted::new("exit 3"));
    let missing = Scripted::new("").with(|config| config.command = "/nonexistent/server".to_owned());
    let mut hung_spec = process("hung", &hung);
    hung_spec.start_timeout = Some(Duration::ZERO);
    let specs = [
        hung_spec,
        process("good1", &good[0]),
        process("exits", &exits),
        process("missing", &missing),
        process("good2", &good[1]),
    ];
    let mut options = options();
    options.gate = Duration::from_millis(50);
    let (manager, report) = within(Manager::start(specs, options)).await;
    assert!(report.pending().any(|name| name == "hung"), "the gate has opened, whoever hangs: {report:?}");
    for name in ["good1", "good2"] {
        within(manager.call(name, "echo", &json!({}), Default::default())).await.unwrap();
    }
    for name in ["exits", "missing"] {
        let error = within(manager.ready(name)).await.unwrap_err();
        assert!(matches!(error, ManagerError::NotReady { .. }), "{error:?}");
    }
    let status = manager.status();
    assert!(matches!(status["hung"].phase, Phase::Pending), "{status:?}");
    assert!(matches!(status["exits"].phase, Phase::Failed(_)), "{status:?}");
    assert_eq!(manager.tools().iter().filter(|tool| tool.tool.name == "echo").count(), 2);
    within(manager.shutdown()).await;
    for peer in [&good[0], &good[1], &hung, &exits] {
        assert_eq!(peer.processes(), [], "nothing is left");
    }
}

/// Case 46: a start has a limit of its own, which says so; with a longer one the same server starts.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_was_too_slow_can_be_tried_again_with_a_longer_limit() {
    let slow = stubborn("sleep 1000\nserve");
    let mut spec = process("slow", &slow);
    spec.start_timeout = Some(Duration::from_millis(100));
    let manager = Manager::new(options());
    let error = within(manager.connect_to_server(spec.clone())).await.unwrap_err();
    assert_eq!(error.to_string(), "Connection to MCP server \"slow\" timed out after 100ms");
    spec.start_timeout = Some(mcp_tests::BOUND);
    within(manager.connect_to_server(spec)).await.unwrap();
    assert_eq!(slow.processes().len(), 1, "the first one is gone");
    within(manager.shutdown()).await;
}

/// Case 47.
#[tokio::test(flavor = "multi_thread")]
async fn connects_that_overlap_share_one_process() {
    let folder = Folder::new();
    let log = folder.path("log");
    let peer = Scripted::new(&format!("log {}\nserve", log.display()));
    let manager = Manager::new(options());
    let connect = || manager.connect_to_server(process("s", &peer));
    let (one, two, three) = within(async { tokio::join!(connect(), connect(), connect()) }).await;
    let one = one.unwrap();
    assert!(one.is_same(&two.unwrap()) && one.is_same(&three.unwrap()));
    assert_eq!((peer.processes().len(), logged(&log, "\"initialize\"")), (1, 1));
    within(manager.shutdown()).await;
    assert_eq!(peer.processes(), []);
}

/// Case 47.
#[tokio::test(flavor = "multi_thread")]
async fn a_disconnect_during_a_connect_leaves_no_process() {
    let peer = stubborn("recv initialize\nhang");
    let manager = Manager::new(options());
    let connecting = tokio::spawn({
        let (manager, spec) = (manager.clone(), process("s", &peer));
        async move { manager.connect_to_server(spec).await.map(drop) }
    });
    let process = tokio::task::spawn_blocking({
        let peer = peer.clone();
        move || processes::wait_for(peer.tag(), 1).swap_remove(0)
    });
    let process = process.await.unwrap();
    within(manager.disconnect("s")).await.unwrap();
    assert!(process.is_gone(), "it is reaped when the disconnect returns: {:?}", Process::find(process.id));
    let error = within(connecting).await.unwrap().unwrap_err();
    assert!(matches!(*error, StartError::Disconnected { .. }), "{error:?}");
    within(manager.shutdown()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manager_that_is_dropped_leaves_no_process() {
    let (good, hung) = (Scripted::new("serve"), Scripted::new("recv initialize\nhang"));
    let (manager, _) = Manager::start([process("good", &good), process("hung", &hung)], options()).await;
    within(manager.ready("good")).await.unwrap();
    drop(manager);
    let tags = [good.tag().to_owned(), hung.tag().to_owned()];
    let gone = tokio::task::spawn_blocking(move || tags.map(|tag| processes::wait_for(&tag, 0)));
    within(gone).await.unwrap();
}

/// A way to start a peer which notes how many of its processes are left at each start.
fn watched(peer: &Scripted) -> (Arc<Counted<mcp_transport_stdio::StdioConfig>>, Arc<Mutex<Vec<usize>>>) {
    let left = Arc::new(Mutex::new(Vec::new()));
    let look = {
        let (left, tag) = (left.clone(), peer.tag().to_owned());
        move || left.lock().unwrap().push(processes::tagged(&tag).len())
    };
    (Counted::looking(peer.config.clone(), look), left)
}

/// Cases 49 and 105, S-104: the call whose answer is lost is not run again, and the next one finds the
/// server back.
#[tokio::test(flavor = "multi_thread")]
async fn a_crashed_server_comes_back_after_the_old_process_is_gone() {
    let folder = Folder::new();
    let log = folder.path("log");
    let peer = Scripted::new(&format!("log {}\nserve", log.display()));
    let (way, left) = watched(&peer);
    let mut spec = ServerSpec::new("s", way.clone());
    spec.kind = ServerKind::Process;
    let (manager, _) = Manager::start([spec], healing()).await;
    let error = within(manager.call("s", "die", &json!({}), Default::default())).await.unwrap_err();
    assert!(matches!(error, ManagerError::OutcomeUnknown { .. }), "{error:?}");
    within(manager.call("s", "echo", &json!({}), Default::default())).await.unwrap();
    assert_eq!(*left.lock().unwrap(), [0, 0]);
    assert_eq!((way.attempts(), peer.processes().len()), (2, 1));
    assert_eq!((logged(&log, "\"die\""), logged(&log, "\"echo\"")), (1, 1));
    within(manager.shutdown()).await;
}

async fn given_up(manager: &Manager, events: &mut Events) {
    while !matches!(manager.status()["s"].phase, Phase::Failed(_)) {
        until(events, "s", |what| matches!(what, What::Closed { .. })).await;
    }
}

/// Cases 49 and 154: starts are bounded, each after the end of the one before; after giving up, asking
/// tries once more.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_exits_after_each_start_is_given_up() {
    let peer = Scripted::new(EXITS);
    let (way, left) = watched(&peer);
    let mut options = healing();
    options.reconnect.process_breaker = Some(Quota::new(3, Duration::from_mins(5)));
    let mut spec = ServerSpec::new("s", way.clone());
    spec.kind = ServerKind::Process;
    let (manager, _) = Manager::start([spec.clone()], options).await;
    let mut events = manager.events();
    given_up(&manager, &mut events).await;
    let starts = way.attempts();
    assert!((2..=4).contains(&starts), "{starts}");
    // It may be gone again before this returns.
    let _ = within(manager.connect_to_server(spec)).await;
    given_up(&manager, &mut events).await;
    assert_eq!(way.attempts(), starts + 1, "asking is good for one more");
    assert!(left.lock().unwrap().iter().all(|&left| left == 0));
    within(manager.shutdown()).await;
}

/// S-106: a call of a tool that is known from the last run waits for its server, and is run once.
#[tokio::test(flavor = "multi_thread")]
async fn a_deferred_call_waits_for_its_server_and_is_run_once() {
    let folder = Folder::new();
    let log = folder.path("log");
    let peer = Scripted::new(&format!("log {}\nsleep 300\nserve", log.display()));
    let mut spec = process("s", &peer);
    spec.cache_key = Some(CacheKey::new("s", b"the same"));
    let with_cache = || {
        let mut options = options();
        options.cache = Some(Arc::new(FileCache::new(folder.path("cache"))));
        options.gate = Duration::from_millis(50);
        options
    };
    let (manager, _) = Manager::start([spec.clone()], with_cache()).await;
    within(manager.ready("s")).await.unwrap();
    within(manager.shutdown()).await;

    let (manager, _) = Manager::start([spec], with_cache()).await;
    within(manager.wait_ready(Duration::ZERO)).await;
    let tool = within(async {
        loop {
            if let Some(tool) = manager.tools().into_iter().find(|tool| tool.tool.name == "echo") {
                return tool;
            }
            tokio::task::yield_now().await;
        }
    });
    let tool = tool.await;
    within(manager.call(&tool.server, &tool.tool.name, &json!({}), Default::default())).await.unwrap();
    assert_eq!(logged(&log, "\"echo\""), 1);
    within(manager.shutdown()).await;
}

/// Two processes that start the same server with the same folder of cached tools, again and again,
/// disturb neither each other nor the entry.
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_share_one_cache_of_tools() {
    const FOLDER: &str = "MCP_TESTS_CACHE";
    let key = CacheKey::new("s", b"the same");
    if let Some(folder) = std::env::var_os(FOLDER) {
        let cache = Arc::new(FileCache::new(folder));
        for round in 0..8 {
            let mut options = options();
            options.cache = Some(cache.clone());
            let mut spec = process("s", &Scripted::new("serve"));
            spec.cache_key = Some(key);
            let (manager, _) = Manager::start([spec], options).await;
            within(manager.ready("s")).await.unwrap();
            assert_eq!(cache.load(&key).await.map(|cached| cached.tools.len()), Some(8), "round {round}");
            within(manager.shutdown()).await;
        }
        return;
    }
    let folder = Folder::new();
    let test = "manager_processes::two_processes_share_one_cache_of_tools";
    let run = || {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", test]).env(FOLDER, folder.path("cache"));
        program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for child in [run(), run()] {
        let end = tokio::task::spawn_blocking(|| child.wait_with_output());
        let end = within(end).await.unwrap().unwrap();
        let text = String::from_utf8_lossy(&end.stdout);
        assert!(end.status.success() && text.contains("1 passed"), "{text}");
    }
    let cached = FileCache::new(folder.path("cache")).load(&key).await.unwrap();
    assert_eq!((cached.tools.len(), &*cached.server_info.as_ref().unwrap().name), (8, "scripted"));
    let files = std::fs::read_dir(folder.path("cache")).unwrap().count();
    assert_eq!(files, 1, "no file is left half written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_restarts_only_the_processes_that_changed() {
    let peers = [Scripted::new("serve"), Scripted::new("serve"), Scripted::new("serve")];
    let of = |number: usize, name: &str, version: u8| {
        let mut spec = process(name, &peers[number]);
        spec.fingerprint = vec![version];
        spec
    };
    let (manager, _) =
        Manager::start([of(0, "same", 1), of(1, "other", 1), of(2, "gone", 1)], options()).await;
    for name in ["same", "other", "gone"] {
        within(manager.ready(name)).await.unwrap();
    }
    let before = peers.each_ref().map(Scripted::processes);
    within(manager.reload([of(0, "same", 1), of(1, "other", 2)])).await;
    within(manager.ready("other")).await.unwrap();
    assert_eq!(peers[0].processes(), before[0], "it was not touched");
    assert!(peers[1].processes() != before[1] && peers[1].processes().len() == 1 && before[1][0].is_gone());
    assert_eq!(peers[2].processes(), []);
    within(manager.shutdown()).await;
}
