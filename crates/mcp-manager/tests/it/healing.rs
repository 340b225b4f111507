//! Servers that come back, by policy.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_manager::policy::{ReconnectPolicy, ServerKind};
use mcp_manager::{Manager, ManagerOptions, Phase};

use crate::fake::{Fake, Script, ms, options, pass};

fn healing() -> ManagerOptions {
    let mut options = options();
    options.reconnect = ReconnectPolicy::on();
    options
}

#[tokio::test(start_paused = true)]
async fn a_lost_server_comes_back_and_a_call_waits_for_it() {
    let fake = Fake::by(|attempt| Script { ends_in: (attempt == 0).then(|| ms(100)), ..Script::default() });
    let (manager, _) = Manager::start([fake.spec("s")], healing()).await;
    pass(ms(150)).await;
    assert!(matches!(manager.status()["s"].phase, Phase::Waiting(_)), "{:?}", manager.status());
    manager.call("s", "echo", &(), Default::default()).await.unwrap();
    assert_eq!((fake.attempts(), fake.most.load(Ordering::SeqCst)), (2, 1));
    manager.shutdown().await;
}

/// Case 106.
#[tokio::test(start_paused = true)]
async fn an_outage_at_the_start_passes() {
    let fake = Fake::by(|attempt| Script { refuses: attempt < 3, ..Script::default() });
    let (manager, report) = Manager::start([fake.spec("s")], healing()).await;
    assert_eq!(report.ready().count(), 0);
    manager.ready("s").await.unwrap();
    assert_eq!(fake.attempts(), 4);
    manager.shutdown().await;
}

/// Case 49.
#[tokio::test(start_paused = true)]
async fn a_process_that_ends_after_each_start_is_given_up() {
    let fake = Fake::new(Script { ends_in: Some(ms(1)), ..Script::default() });
    let mut spec = fake.spec("s");
    spec.kind = ServerKind::Process;
    let (manager, _) = Manager::start([spec], healing()).await;
    pass(Duration::from_secs(3600)).await;
    assert!(matches!(manager.status()["s"].phase, Phase::Failed(_)));
    let starts = fake.attempts();
    assert!((2..=6).contains(&starts), "{starts}");
    assert_eq!(fake.most.load(Ordering::SeqCst), 1, "the old one is gone before the new one starts");
    // Case 154: somebody asks for it.
    manager.connect_to_server(fake.spec("s")).await.unwrap();
    assert_eq!(fake.attempts(), starts + 1);
    manager.shutdown().await;
}

/// A hundred servers that fail at random, for a simulated day.
#[tokio::test(start_paused = true)]
async fn a_day_of_random_failures_loses_and_doubles_nothing() {
    const SERVERS: u64 = 100;
    let fakes: Vec<Arc<Fake>> = (0..SERVERS)
        .map(|server| {
            Fake::by(move |attempt| {
                let dice = scramble(server << 32 | attempt as u64);
                Script {
                    refuses: dice.is_multiple_of(10),
                    starts_in: Some(ms(dice % 2_000)),
                    // Between a second and four hours.
                    ends_in: Some(Duration::from_secs(1 + scramble(dice) % 14_400)),
                    ..Script::default()
                }
            })
        })
        .collect();
    let specs = fakes.iter().enumerate().map(|(n, fake)| fake.spec(&format!("s{n:02}")));
    let mut options = healing();
    options.gate = Duration::ZERO;
    let (manager, _) = Manager::start(specs, options).await;
    let mut answered = 0;
    for round in 0..(24 * 4) {
        pass(Duration::from_secs(15 * 60)).await;
        for n in 0..SERVERS {
            if scramble(round * SERVERS + n).is_multiple_of(4) {
                // It waits for a server that is on its way back.
                if manager.call(&format!("s{n:02}"), "echo", &(), Default::default()).await.is_ok() {
                    answered += 1;
                }
            }
        }
    }
    manager.shutdown().await;
    let received: usize = fakes.iter().map(|fake| fake.calls.load(Ordering::SeqCst)).sum();
    assert!(answered > 2_000, "{answered}");
    assert!(received >= answered && received <= answered + 20, "{received} for {answered}");
    for fake in &fakes {
        assert_eq!(fake.most.load(Ordering::SeqCst), 1, "never two of one server");
        fake.gone().await;
        // A day has 86 400 s; the shortest delay that lasts is 30 s.
        assert!(fake.attempts() < 500, "{}", fake.attempts());
    }
}

/// Numbers without a pattern, the same in each run.
fn scramble(seed: u64) -> u64 {
    let mut x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
