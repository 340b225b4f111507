//! Several writers and readers at one folder.

use std::sync::atomic::AtomicBool;
use std::thread;

use super::super::{disk, format};
use super::*;

const ROUNDS: usize = 100;

/// A list whose length is told by all of its parts, so that a mixture of two would show.
fn list(length: usize) -> CachedTools {
    let names: Vec<_> = (0..length).map(|_| format!("of-{length}")).collect();
    entry(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

#[track_caller]
fn assert_whole(entry: &CachedTools) {
    let length = entry.tools.len();
    assert!(length > 0);
    assert!(entry.tools.iter().all(|tool| tool.name == format!("of-{length}")));
}

#[test]
fn a_reader_finds_one_list_or_another_but_never_a_part() {
    let folder = Folder::new();
    let (place, key) = (folder.entries(), key());
    let bytes = |length| format::encode(&key, &list(length)).unwrap();
    disk::replace(&place, &key, &bytes(1)).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = |length| {
            let bytes = bytes(length);
            let place = &place;
            move || (0..ROUNDS).for_each(|_| disk::replace(place, &key, &bytes).unwrap())
        };
        let writers = [1, 40, 400].map(|length| scope.spawn(writer(length)));
        let readers = [(); 2].map(|()| {
            scope.spawn(|| {
                let mut reads = 0;
                while reads == 0 || !done.load(Ordering::Acquire) {
                    let bytes = disk::read(&place, &key).unwrap().unwrap();
                    assert_whole(&format::decode(&key, &bytes).unwrap());
                    reads += 1;
                }
            })
        });
        let written = writers.map(|writer| writer.join().is_ok());
        done.store(true, Ordering::Release);
        assert_eq!(written, [true; 3]);
        assert!(readers.into_iter().all(|reader| reader.join().is_ok()));
    });
    assert_eq!(folder.names().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_caches_at_one_folder_agree() {
    let folder = Folder::new();
    let (left, right) = (folder.cache(), FileCache::new(folder.entries()));
    left.store(&key(), &entry(&["a"])).await;
    assert_eq!(names(&right.load(&key()).await.unwrap()), ["a"]);
    right.store(&key(), &entry(&["b"])).await;
    assert_eq!(names(&left.load(&key()).await.unwrap()), ["b"]);
    left.remove(&key()).await;
    right.remove(&key()).await;
    assert!(right.load(&key()).await.is_none());

    let work = |cache: FileCache, length| async move {
        for _ in 0..ROUNDS {
            cache.store(&key(), &list(length)).await;
            assert_whole(&cache.load(&key()).await.unwrap());
        }
    };
    let (one, other) = (tokio::spawn(work(left, 3)), tokio::spawn(work(right, 30)));
    one.await.unwrap();
    other.await.unwrap();
    assert_eq!(folder.names().len(), 1);
}

#[tokio::test]
async fn a_store_that_nobody_waits_for_leaves_a_whole_entry() {
    let folder = Folder::new();
    let cache = folder.cache();
    cache.store(&key(), &list(2)).await;
    let entry = list(50);
    {
        let key = key();
        let mut store = Box::pin(cache.store(&key, &entry));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        // It begins, and is dropped whether it is done or not.
        let _ = store.as_mut().poll(&mut context);
    }
    assert_whole(&cache.load(&key()).await.unwrap());
}
