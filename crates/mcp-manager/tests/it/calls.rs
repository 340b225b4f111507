//! Calls through the manager, and what is known of them when they fail.

use std::sync::atomic::Ordering;

use mcp_manager::policy::ReconnectPolicy;
use mcp_manager::{Manager, ManagerError};

use crate::fake::{Fake, Script, ms, options, pass};

/// Case 105.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_an_unknown_outcome_and_nothing_is_run_twice() {
    for policy in [ReconnectPolicy::off(), ReconnectPolicy::on()] {
        let fake = Fake::new(Script { dies_on_call: true, ..Script::default() });
        let mut options = options();
        options.reconnect = policy;
        let (manager, _) = Manager::start([fake.spec("s")], options).await;
        let error = manager.call("s", "echo", &(), Default::default()).await.unwrap_err();
        assert!(matches!(error, ManagerError::OutcomeUnknown { .. }), "{error:?}");
        assert_eq!(error.to_string(), "the outcome of `echo` on `s` is unknown: its answer was lost");
        tokio::time::advance(ms(60_000)).await;
        assert_eq!(fake.calls.load(Ordering::SeqCst), 1);
        manager.shutdown().await;
    }
}

/// S-105.
#[tokio::test(start_paused = true)]
async fn a_lost_server_stays_lost_unless_it_is_asked_for() {
    let fake = Fake::new(Script { ends_in: Some(ms(500)), ..Script::default() });
    let (manager, _) = Manager::start([fake.spec("s")], options()).await;
    pass(ms(120_000)).await;
    assert_eq!(fake.attempts(), 1);
    let error = manager.call("s", "echo", &(), Default::default()).await.unwrap_err();
    assert!(matches!(error, ManagerError::NotReady { .. }), "{error:?}");
    assert_eq!(fake.attempts(), 1);
    // S-104: the connect flow again.
    manager.connect_to_server(fake.spec("s")).await.unwrap();
    manager.call("s", "echo", &(), Default::default()).await.unwrap();
    assert_eq!((fake.attempts(), fake.most.load(Ordering::SeqCst)), (2, 1));
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_its_server_does_so_within_its_limit() {
    let fake = Fake::new(Script { starts_in: Some(ms(2_000)), ..Script::default() });
    let (manager, report) = Manager::start([fake.spec("s")], options()).await;
    assert_eq!(report.pending().count(), 1);
    manager.call("s", "echo", &(), Default::default()).await.unwrap();
    assert_eq!((fake.attempts(), fake.calls.load(Ordering::SeqCst)), (1, 1));
    manager.shutdown().await;

    let hung = Fake::new(Script { starts_in: None, ..Script::default() });
    let (manager, _) = Manager::start([hung.spec("s")], options()).await;
    let error = manager.call("s", "echo", &(), Default::default()).await.unwrap_err();
    assert!(error.to_string().starts_with("the server `s` "), "{error}");
    manager.shutdown().await;
}
