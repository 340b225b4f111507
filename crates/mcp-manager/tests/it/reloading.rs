//! A configuration that changes, and the transports that one selects.

use std::path::Path;

use mcp_manager::config::{Host, Scope, ServerConfig, TransportConfig, Values, parse};
use mcp_manager::{Manager, Phase, create_transport};

use tokio::time::Instant;

use crate::fake::{Fake, Script, ms, options, pass};

#[tokio::test(start_paused = true)]
async fn only_what_changed_is_started_stopped_or_restarted() {
    let fakes: Vec<_> = (0..4).map(|_| Fake::new(Script::default())).collect();
    let spec = |n: usize, name: &str, version: u8| {
        let mut spec = fakes[n].spec(name);
        spec.fingerprint = vec![version];
        spec
    };
    let (manager, _) =
        Manager::start([spec(0, "same", 1), spec(1, "gone", 1), spec(2, "other", 1)], options()).await;
    let done = manager.reload([spec(3, "new", 1), spec(2, "other", 2), spec(0, "same", 1)]).await;
    let names = |names: &[std::sync::Arc<str>]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!((names(&done.started), names(&done.stopped)), (vec!["new".into()], vec!["gone".into()]));
    assert_eq!((names(&done.restarted), names(&done.kept)), (vec!["other".into()], vec!["same".into()]));
    pass(ms(100)).await;
    assert_eq!(fakes.iter().map(|fake| fake.attempts()).collect::<Vec<_>>(), [1, 1, 2, 1]);
    fakes[1].gone().await;
    let status = manager.status();
    assert!(status.values().all(|status| matches!(status.phase, Phase::Ready)) && status.len() == 3);
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn of_two_servers_of_one_name_the_later_one_counts() {
    let fakes: Vec<_> = (0..2).map(|_| Fake::new(Script::default())).collect();
    let (manager, _) = Manager::start([], options()).await;
    let done = manager.reload([fakes[0].spec("a"), fakes[1].spec("a")]).await;
    assert_eq!((done.started.len(), done.restarted.len(), done.kept.len()), (1, 0, 0));
    pass(ms(100)).await;
    assert_eq!((fakes[0].attempts(), fakes[1].attempts()), (0, 1));
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn servers_that_are_slow_to_end_do_so_at_once() {
    let slow = Fake::new(Script { closes_in: ms(1_000), ..Script::default() });
    let (gone, other) = (slow.spec("gone"), slow.spec("other"));
    let (manager, _) = Manager::start([gone, other], options()).await;
    let (mut changed, new) = (slow.spec("other"), Fake::new(Script::default()));
    changed.fingerprint = vec![1];
    let begun = Instant::now();
    let done = manager.reload([changed, new.spec("new")]).await;
    assert_eq!(begun.elapsed(), ms(1_000), "{done:?}");
    assert_eq!(new.attempts(), 1, "it did not wait for them");
    manager.wait_ready(ms(100)).await;
    assert_eq!(manager.status().values().filter(|it| matches!(it.phase, Phase::Ready)).count(), 2);
    manager.shutdown().await;
}

/// S-14 to S-17.
#[test]
fn the_type_of_an_entry_selects_its_transport() {
    let file = r#"{ "mcpServers": {
        "plain": { "command": "server" },
        "stdio": { "type": "stdio", "command": "server" },
        "http": { "type": "http", "url": "http://localhost:1/mcp" },
        "sse": { "type": "sse", "url": "http://localhost:1/sse" } } }"#;
    let file =
        parse(Path::new("servers.json"), file.as_bytes(), Some(Host::Own), Scope::Given, &Values::default())
            .unwrap();
    let servers: Vec<_> = file.entries.iter().map(|entry| entry.ready().unwrap()).collect();
    let kinds: Vec<_> = servers
        .iter()
        .map(|server: &&ServerConfig| match server.transport() {
            TransportConfig::Stdio(_) => "stdio".to_owned(),
            TransportConfig::Http(config) => format!("{:?}", config.wire),
            _ => "another".to_owned(),
        })
        .collect();
    assert_eq!(kinds, ["stdio", "stdio", "Streamable", "Sse"]);
    let labels: Vec<_> = servers.iter().map(|server| create_transport(server).label()).collect();
    assert_eq!(labels, ["plain", "stdio", "http", "sse"]);
}
