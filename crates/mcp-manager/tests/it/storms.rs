//! Servers that announce changes.

use std::sync::atomic::Ordering;

use mcp_manager::{Manager, What};

use crate::fake::{Fake, Script, ms, options, pass};

/// Case 152.
#[tokio::test(start_paused = true)]
async fn a_storm_of_announcements_makes_few_listings() {
    let fake = Fake::new(Script::default());
    let (manager, _) = Manager::start([fake.spec("s")], options()).await;
    assert_eq!(fake.lists.load(Ordering::SeqCst), 1);
    manager.call("s", "storm", &(), Default::default()).await.unwrap();
    pass(ms(1_000)).await;
    let lists = fake.lists.load(Ordering::SeqCst);
    assert!((2..=3).contains(&lists), "{lists}");
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_announces_at_each_listing_does_not_feed_itself() {
    let fake = Fake::new(Script { announces: true, ..Script::default() });
    let (manager, _) = Manager::start([fake.spec("s")], options()).await;
    pass(ms(60_000)).await;
    let lists = fake.lists.load(Ordering::SeqCst);
    assert!(lists <= 4, "{lists}");
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn changed_tools_are_announced_and_shown() {
    let fake = Fake::by(|_| Script::default());
    let (manager, _) = Manager::start([fake.spec("s")], options()).await;
    let mut events = manager.events();
    assert!(!manager.refresh_tools("s").await.unwrap(), "nothing is new");
    manager.disconnect("s").await.unwrap();
    let seen = async { while !matches!(events.next().await.unwrap().what, What::Closed { .. }) {} };
    tokio::time::timeout(ms(1_000), seen).await.unwrap();
    manager.shutdown().await;
}
