//! Starting many servers: the gate, the report, one bad server among good ones.

use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_manager::{Manager, ManagerError, Phase, StartError, What};
use tokio::time::Instant;

use crate::fake::{Fake, Script, ms, options};

fn after(delay: u64) -> Script {
    Script { starts_in: Some(ms(delay)), ..Script::default() }
}

fn never() -> Script {
    Script { starts_in: None, ..Script::default() }
}

fn refusing() -> Script {
    Script { refuses: true, ..Script::default() }
}

/// Case 145, D-20.
#[tokio::test(start_paused = true)]
async fn one_bad_server_costs_the_others_nothing() {
    let (good, slow, hung, refused) =
        (Fake::new(after(0)), Fake::new(after(1_000)), Fake::new(never()), Fake::new(refusing()));
    let mut hung_spec = hung.spec("hung");
    hung_spec.start_timeout = Some(ms(3_000));
    let specs = [good.spec("good"), slow.spec("slow"), hung_spec, refused.spec("refused")];
    let begun = Instant::now();
    let (manager, report) = Manager::start(specs, options()).await;
    assert_eq!(begun.elapsed(), ms(250), "the gate opens on time");
    assert_eq!(report.ready().collect::<Vec<_>>(), ["good"]);
    assert_eq!(report.pending().collect::<Vec<_>>(), ["hung", "slow"]);
    let failed: Vec<_> = report.failed().map(|(name, error)| (name, error.to_string())).collect();
    assert_eq!(failed, [("refused", "cannot connect to server `refused`".to_owned())]);
    assert_eq!(manager.call("good", "echo", &(), Default::default()).await.unwrap().content.len(), 1);

    let status = manager.wait_ready(Duration::from_secs(60)).await;
    assert_eq!(begun.elapsed(), ms(3_000), "all start at once");
    assert!(matches!(status["slow"].phase, Phase::Ready));
    let Phase::Failed(error) = &status["hung"].phase else { panic!("{status:?}") };
    assert_eq!(error.to_string(), "Connection to MCP server \"hung\" timed out after 3000ms");
    hung.gone().await;
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_gate_opens_early_if_all_are_settled() {
    let begun = Instant::now();
    let fakes = [Fake::new(after(10)), Fake::new(after(40)), Fake::new(refusing())];
    let specs = fakes.iter().enumerate().map(|(n, fake)| fake.spec(&n.to_string()));
    let (manager, report) = Manager::start(specs, options()).await;
    assert_eq!(begun.elapsed(), ms(40));
    assert_eq!((report.ready().count(), report.failed().count()), (2, 1));
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn of_two_servers_of_one_name_only_the_later_one_is_started() {
    let fakes = [Fake::new(after(0)), Fake::new(after(0))];
    let (manager, report) = Manager::start(fakes.iter().map(|fake| fake.spec("a")), options()).await;
    assert_eq!(report.ready().collect::<Vec<_>>(), ["a"]);
    assert_eq!(fakes.each_ref().map(|fake| fake.attempts()), [0, 1]);
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn late_servers_are_announced_and_the_first_listener_hears_the_start() {
    let (early, late) = (Fake::new(after(0)), Fake::new(after(500)));
    let (manager, _) = Manager::start([early.spec("early"), late.spec("late")], options()).await;
    let mut events = manager.events();
    let mut seen = Vec::new();
    while seen.len() < 4 {
        let event = events.next().await.unwrap();
        if matches!(event.what, What::Connecting | What::Connected { .. }) {
            seen.push(format!("{} {:?}", event.server, event.what));
        }
    }
    let expected = [
        "early Connecting",
        "late Connecting",
        "early Connected { tools: 1 }",
        "late Connected { tools: 1 }",
    ];
    assert_eq!(seen, expected);
    manager.shutdown().await;
}

/// Case 47.
#[tokio::test(start_paused = true)]
async fn overlapping_connects_share_one_attempt_and_a_disconnect_leaves_nothing() {
    let fake = Fake::new(after(200));
    let manager = Manager::new(options());
    let (one, other) =
        tokio::join!(manager.connect_to_server(fake.spec("s")), manager.connect_to_server(fake.spec("s")));
    assert!(one.unwrap().is_same(&other.unwrap()));
    assert_eq!(fake.attempts(), 1);
    manager.disconnect("s").await.unwrap();
    fake.gone().await;

    let connecting = tokio::spawn({
        let (manager, spec) = (manager.clone(), fake.spec("s"));
        async move { manager.connect_to_server(spec).await.map(drop) }
    });
    tokio::time::advance(ms(10)).await;
    tokio::task::yield_now().await;
    manager.disconnect("s").await.unwrap();
    let error = connecting.await.unwrap().unwrap_err();
    assert!(matches!(*error, StartError::Disconnected { .. }), "{error:?}");
    tokio::time::advance(ms(1_000)).await;
    fake.gone().await;
    assert_eq!(fake.attempts(), 2);
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn no_more_than_so_many_servers_start_at_once() {
    let mut options = options();
    options.max_starts = 2;
    options.gate = Duration::from_secs(60);
    let fakes: Vec<_> = (0..6).map(|_| Fake::new(after(100))).collect();
    let begun = Instant::now();
    let (manager, report) =
        Manager::start(fakes.iter().enumerate().map(|(n, fake)| fake.spec(&n.to_string())), options).await;
    assert_eq!((report.ready().count(), begun.elapsed()), (6, ms(300)));
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_lazy_server_is_connected_by_its_first_call() {
    let fake = Fake::new(after(50));
    let mut spec = fake.spec("lazy");
    spec.lazy = true;
    let (manager, report) = Manager::start([spec], options()).await;
    assert!(matches!(report.servers["lazy"].phase, Phase::Idle));
    assert_eq!(fake.attempts(), 0);
    manager.call("lazy", "echo", &(), Default::default()).await.unwrap();
    assert_eq!(fake.attempts(), 1);
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_not_there_is_an_error_that_names_it() {
    let manager = Manager::new(options());
    let error = manager.call("nobody", "echo", &(), Default::default()).await.unwrap_err();
    assert!(matches!(error, ManagerError::NoServer { .. }));
    assert_eq!(error.to_string(), "there is no server `nobody`");
    assert!(manager.find("mcp__nobody__echo").is_none() && manager.disconnect("nobody").await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_manager_that_is_dropped_leaves_nothing() {
    let fake = Fake::new(after(0));
    let (manager, _) = Manager::start([fake.spec("s")], options()).await;
    assert_eq!(fake.live.load(Ordering::SeqCst), 1);
    drop(manager);
    fake.gone().await;
}

/// Case 161.
#[tokio::test(start_paused = true)]
async fn a_server_without_tools_is_a_server_all_the_same() {
    let silent = Fake::new(Script { offers: false, ..Script::default() });
    let refusing = Fake::new(Script { knows_tools: false, ..Script::default() });
    let (manager, report) = Manager::start([silent.spec("a"), refusing.spec("b")], options()).await;
    assert_eq!(report.ready().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(silent.lists.load(Ordering::SeqCst), 0, "it is not asked for what it does not offer");
    assert!(manager.tools().is_empty());
    manager.shutdown().await;
}
