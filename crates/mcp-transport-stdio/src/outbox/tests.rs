//! The outbox over a pipe that takes bytes as the tests say.

use std::collections::HashSet;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use mcp_jsonrpc::{CloseCause, Ignore};
use tokio::sync::Semaphore as Permits;
use tokio_util::sync::PollSemaphore;

use super::*;

/// Takes at most as many bytes as were allowed, and remembers each write.
struct SlowPipe {
    allowed: PollSemaphore,
    writes: Arc<Mutex<Vec<Vec<u8>>>>,
}

/// The test's end of a [`SlowPipe`].
#[derive(Clone)]
struct Far {
    allowed: Arc<Permits>,
    writes: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Far {
    fn allow(&self, bytes: usize) {
        self.allowed.add_permits(bytes);
    }

    fn written(&self) -> String {
        String::from_utf8(self.writes.lock().unwrap().concat()).unwrap()
    }

    fn writes(&self) -> usize {
        self.writes.lock().unwrap().len()
    }
}

impl AsyncWrite for SlowPipe {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Some(permit) = std::task::ready!(self.allowed.poll_acquire(context)) else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        permit.forget();
        let more = self.allowed.available_permits().min(bytes.len() - 1);
        if let Ok(permits) = self.allowed.clone_inner().try_acquire_many(more as u32) {
            permits.forget();
        }
        self.writes.lock().unwrap().push(bytes[..=more].to_vec());
        Poll::Ready(Ok(more + 1))
    }

    /// As a pipe does: all slices count as one write.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let all: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        self.poll_write(context, &all)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn outbox(max_queue: usize, handler: Arc<dyn Handler>) -> (Arc<Outbox>, Far) {
    let far = Far { allowed: Arc::new(Permits::new(0)), writes: Arc::default() };
    let pipe = SlowPipe { allowed: PollSemaphore::new(far.allowed.clone()), writes: far.writes.clone() };
    let outbox = Outbox::new(Box::pin(pipe), max_queue, handler);
    let task = outbox.clone();
    tokio::spawn(async move { task.write_all().await });
    (outbox, far)
}

fn reason() -> Arc<CloseReason> {
    Arc::new(CloseReason::new(CloseCause::Requested))
}

/// Lets all other tasks run until they wait.
async fn settle() {
    tokio::time::advance(Duration::from_millis(1)).await;
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_is_alone_writes_at_once() {
    let (outbox, far) = outbox(1000, Arc::new(Ignore));
    far.allow(100);
    let ticket = outbox.enqueue(b"{}".to_vec()).await.unwrap();
    assert_eq!((far.written().as_str(), far.writes()), ("{}\n", 1));
    outbox.written(ticket).await.unwrap();
    assert!(!outbox.withdraw(ticket));
}

#[tokio::test(start_paused = true)]
async fn frames_of_a_crowd_share_one_write() {
    let (outbox, far) = outbox(1000, Arc::new(Ignore));
    far.allow(1000);
    outbox.expect_crowd(true);
    for n in 0..10 {
        outbox.enqueue(format!("{{{n}}}").into_bytes()).await.unwrap();
    }
    settle().await;
    assert_eq!((far.written().lines().count(), far.writes()), (10, 1));
}

#[tokio::test(start_paused = true)]
async fn a_line_end_inside_params_becomes_a_space() {
    let (outbox, far) = outbox(1000, Arc::new(Ignore));
    far.allow(100);
    outbox.enqueue(b"{\r\n \"a\":\n1}".to_vec()).await.unwrap();
    assert_eq!(far.written(), "{   \"a\": 1}\n");
}

#[tokio::test(start_paused = true)]
async fn frames_stay_whole_and_the_control_lane_goes_first() {
    let (outbox, far) = outbox(1000, Arc::new(Ignore));
    far.allow(2);
    outbox.enqueue(b"first".to_vec()).await.unwrap();
    outbox.enqueue(b"second".to_vec()).await.unwrap();
    outbox.send_reply(b"reply".to_vec());
    assert_eq!(far.written(), "fi");
    far.allow(1000);
    settle().await;
    assert_eq!(far.written(), "first\nreply\nsecond\n");
}

#[tokio::test(start_paused = true)]
async fn a_frame_of_which_nothing_was_written_can_be_taken_back() {
    let (outbox, far) = outbox(1000, Arc::new(Ignore));
    far.allow(2);
    let [first, second, third] = [
        outbox.enqueue(b"first".to_vec()).await,
        outbox.enqueue(b"second".to_vec()).await,
        outbox.enqueue(b"third".to_vec()).await,
    ]
    .map(Result::unwrap);
    assert!(outbox.withdraw(second));
    assert!(!outbox.withdraw(second), "only once");
    assert!(!outbox.withdraw(first), "two bytes of it are out");
    far.allow(1000);
    settle().await;
    assert_eq!(far.written(), "first\nthird\n");
    outbox.written(third).await.unwrap();
}

/// The writing task waits for the pipe, what it waits for is taken back, and a caller tries to
/// write for itself meanwhile: the task must still hear of that caller's frame.
#[tokio::test(start_paused = true)]
async fn a_frame_that_was_taken_back_does_not_stall_later_ones() {
    let (outbox, far) = outbox(1000, Arc::new(Ignore));
    let first = outbox.enqueue(b"first".to_vec()).await.unwrap();
    settle().await;
    assert!(outbox.withdraw(first));
    let second = outbox.enqueue(b"second".to_vec()).await.unwrap();
    settle().await;
    far.allow(1000);
    settle().await;
    assert_eq!(far.written(), "second\n");
    outbox.written(second).await.unwrap();
}

/// Invariant 10: what waits to be written is bounded; callers wait for room.
#[tokio::test(start_paused = true)]
async fn a_full_queue_slows_callers_and_grows_no_further() {
    let (outbox, far) = outbox(20, Arc::new(Ignore));
    outbox.enqueue(b"0123456789".to_vec()).await.unwrap();
    let second = {
        let outbox = outbox.clone();
        tokio::spawn(async move { outbox.enqueue(b"0123456789".to_vec()).await })
    };
    settle().await;
    assert!(!second.is_finished() && outbox.lock().frames.len() == 1);
    far.allow(11);
    settle().await;
    assert!(second.is_finished());
    far.allow(11);
    settle().await;
    assert_eq!((far.written().lines().count(), outbox.room.available_permits()), (2, 20));
}

#[tokio::test(start_paused = true)]
async fn a_frame_larger_than_the_queue_still_goes() {
    let (outbox, far) = outbox(4, Arc::new(Ignore));
    far.allow(1 << 20);
    let ticket = outbox.enqueue(vec![b'a'; 10_000]).await.unwrap();
    outbox.written(ticket).await.unwrap();
    assert_eq!((far.written().len(), outbox.room.available_permits()), (10_001, 4));
}

#[tokio::test(start_paused = true)]
async fn replies_that_nobody_reads_are_dropped_beyond_the_bound_and_reported() {
    #[derive(Default)]
    struct Faults(AtomicU64);
    impl Handler for Faults {
        fn on_error(&self, fault: &TransportFault) {
            assert!(matches!(fault, TransportFault::ControlLaneFull { .. }));
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let faults = Arc::new(Faults::default());
    let (outbox, far) = outbox(100, faults.clone());
    for _ in 0..1000 {
        outbox.send_reply(b"012345678".to_vec());
    }
    let (queued, dropped) = {
        let state = outbox.lock();
        (state.control.len(), state.control_dropped)
    };
    assert_eq!((queued, dropped), (10, 990));
    assert_eq!(faults.0.load(Ordering::Relaxed), 10, "told ever more rarely");
    far.allow(10_000);
    settle().await;
    assert_eq!((far.written().lines().count(), outbox.lock().control_bytes), (10, 0));
}

#[tokio::test(start_paused = true)]
async fn closing_ends_every_wait_and_unsent_frames_say_so() {
    let (outbox, _far) = outbox(10, Arc::new(Ignore));
    let ticket = outbox.enqueue(b"012345678".to_vec()).await.unwrap();
    let waiting = {
        let outbox = outbox.clone();
        tokio::spawn(async move { outbox.written(ticket).await })
    };
    let blocked = {
        let outbox = outbox.clone();
        tokio::spawn(async move { outbox.enqueue(b"x".to_vec()).await.map(drop) })
    };
    settle().await;
    outbox.close(&reason());
    for ended in [waiting.await.unwrap(), blocked.await.unwrap(), outbox.enqueue(vec![]).await.map(drop)] {
        assert!(matches!(ended, Err(CallError::Closed { sent: false, .. })), "{ended:?}");
    }
    assert!(outbox.withdraw(ticket), "not a byte of it was written");
}

#[tokio::test(start_paused = true)]
async fn a_failed_write_ends_the_writing_task() {
    let far = Far { allowed: Arc::new(Permits::new(0)), writes: Arc::default() };
    let pipe = SlowPipe { allowed: PollSemaphore::new(far.allowed.clone()), writes: far.writes.clone() };
    let outbox = Outbox::new(Box::pin(pipe), 100, Arc::new(Ignore));
    far.allowed.close();
    outbox.enqueue(b"x".to_vec()).await.unwrap();
    assert_eq!(outbox.write_all().await.kind(), io::ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn each_frame_is_one_contiguous_line_under_concurrency() {
    let (near, far) = tokio::io::duplex(1000);
    let outbox = Outbox::new(Box::pin(near), 5000, Arc::new(Ignore));
    let task = outbox.clone();
    tokio::spawn(async move { task.write_all().await });
    for caller in 0..50 {
        let outbox = outbox.clone();
        tokio::spawn(async move {
            for n in 0..20 {
                outbox
                    .enqueue(format!("{caller}-{n}-{}", "x".repeat(caller * 40)).into_bytes())
                    .await
                    .unwrap();
                outbox.send_reply(format!("r-{caller}-{n}").into_bytes());
                tokio::task::yield_now().await;
            }
        });
    }
    let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(far));
    let mut seen = HashSet::new();
    while seen.len() < 2000 {
        let line = lines.next_line().await.unwrap().unwrap();
        let parts: Vec<_> = line.split('-').collect();
        let whole = match parts[..] {
            ["r", _, _] => true,
            [caller, _, rest] => rest.len() == caller.parse::<usize>().unwrap() * 40,
            _ => false,
        };
        assert!(whole && seen.insert(line.clone()), "{line}");
    }
}
