//! Tools of the last run.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp_manager::cache::{CacheKey, MemoryCache, ToolCache};
use mcp_manager::{Manager, ManagerOptions};

use crate::fake::{Fake, Script, ms, options};

fn cached(cache: &Arc<MemoryCache>) -> ManagerOptions {
    let mut options = options();
    options.cache = Some(cache.clone());
    options
}

/// S-106: a slow server is covered by its tools of the last run.
#[tokio::test(start_paused = true)]
async fn tools_of_the_last_run_are_there_at_once_and_their_calls_wait() {
    let cache = Arc::new(MemoryCache::new(8));
    let fake = Fake::new(Script { starts_in: Some(ms(2_000)), ..Script::default() });
    let mut spec = fake.spec("s");
    spec.cache_key = Some(CacheKey::new("s", b"config"));
    let (manager, _) = Manager::start([spec.clone()], cached(&cache)).await;
    assert!(manager.tools().is_empty(), "nothing is known in the first run");
    manager.ready("s").await.unwrap();
    manager.shutdown().await;

    let (manager, report) = Manager::start([spec], cached(&cache)).await;
    assert_eq!(report.pending().collect::<Vec<_>>(), ["s"]);
    let tools = manager.tools();
    assert_eq!((tools.len(), tools[0].is_cached), (1, true));
    manager.call(&tools[0].server, &tools[0].tool.name, &(), Default::default()).await.unwrap();
    assert_eq!(fake.calls.load(Ordering::SeqCst), 1);
    assert!(!manager.tools()[0].is_cached, "the server has confirmed them");
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_takes_the_cached_one_away() {
    let cache = Arc::new(MemoryCache::new(8));
    let fake = Fake::by(|attempt| Script {
        tools: if attempt == 0 { vec!["echo"] } else { Vec::new() },
        ..Script::default()
    });
    let mut spec = fake.spec("s");
    let key = CacheKey::new("s", b"config");
    spec.cache_key = Some(key);
    for expected in [true, false] {
        let (manager, _) = Manager::start([spec.clone()], cached(&cache)).await;
        manager.ready("s").await.unwrap();
        assert_eq!(cache.load(&key).await.is_some(), expected);
        manager.shutdown().await;
    }
}
