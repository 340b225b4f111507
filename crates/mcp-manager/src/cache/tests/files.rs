//! Files: their names and modes, damage, size, age.

use std::fs::File;

use super::super::sweep::{MAX_REMOVED, sweep};
use super::*;

/// Of another server, or of none: names a file in the folder.
fn place(folder: &Folder, key: &CacheKey) -> PathBuf {
    folder.entries().join(format!("{key}.entry"))
}

fn age(path: &Path, by: Duration) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - by).unwrap();
}

#[tokio::test]
async fn there_is_one_file_a_server_and_nothing_unfinished() {
    let folder = Folder::new();
    for _ in 0..3 {
        folder.cache().store(&key(), &entry(&["a"])).await;
    }
    assert_eq!(folder.names(), [format!("{}.entry", key())]);
}

#[cfg(unix)]
#[tokio::test]
async fn files_and_folders_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    folder.cache().store(&key(), &entry(&["a"])).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place(&folder, &key())), 0o600);
    assert_eq!(mode(&folder.entries()), 0o700);
    assert_eq!(mode(folder.as_ref()), 0o700);
}

#[tokio::test]
async fn what_cannot_be_read_is_passed_over_and_replaced() {
    let folder = Folder::new();
    let cache = folder.cache();
    cache.store(&key(), &entry(&["a"])).await;
    let path = place(&folder, &key());
    let good = fs::read(&path).unwrap();
    let newer = String::from_utf8(good.clone()).unwrap().replacen(" 1 ", " 2 ", 1).into_bytes();
    for bad in [&good[..good.len() / 2], b"", b"{}", b"\xff\n\xff", &newer] {
        fs::write(&path, bad).unwrap();
        assert!(cache.load(&key()).await.is_none());
        // Not touched: a newer program may want it.
        assert_eq!(fs::read(&path).unwrap(), bad);
        cache.store(&key(), &entry(&["b"])).await;
        assert_eq!(names(&cache.load(&key()).await.unwrap()), ["b"]);
    }
}

#[tokio::test]
async fn a_file_under_the_key_of_another_is_passed_over() {
    let folder = Folder::new();
    let (cache, other) = (folder.cache(), CacheKey::new("other", b""));
    cache.store(&key(), &entry(&["a"])).await;
    fs::copy(place(&folder, &key()), place(&folder, &other)).unwrap();
    assert!(cache.load(&other).await.is_none());
    assert!(cache.load(&key()).await.is_some());
}

#[tokio::test]
async fn a_file_beyond_the_limit_is_passed_over() {
    let folder = Folder::new();
    let cache = folder.cache();
    cache.store(&key(), &entry(&["a"])).await;
    let file = File::options().write(true).open(place(&folder, &key())).unwrap();
    file.set_len(MAX_FILE + 1).unwrap();
    assert!(cache.load(&key()).await.is_none());
    cache.store(&key(), &entry(&["b"])).await;
    assert!(cache.load(&key()).await.is_some());
}

#[tokio::test]
async fn a_list_beyond_the_limit_is_not_stored_and_the_old_one_goes() {
    let folder = Folder::new();
    let cache = folder.cache();
    cache.store(&key(), &entry(&["a"])).await;
    let mut long = entry(&["a"]);
    long.tools[0].description = Some("x".repeat(usize::try_from(MAX_FILE).unwrap()));
    cache.store(&key(), &long).await;
    assert!(cache.load(&key()).await.is_none());
    assert!(folder.names().is_empty());
}

#[tokio::test]
async fn a_stale_list_is_not_given_out() {
    let folder = Folder::new();
    let (cache, entry) = (folder.cache(), entry(&["a"]));
    cache.store(&key(), &entry).await;
    assert!(cache.load_at(&key(), entry.stored_at + MAX_AGE).await.is_some());
    assert!(cache.load_at(&key(), entry.stored_at + MAX_AGE + Duration::from_millis(1)).await.is_none());
    assert!(cache.load_at(&key(), entry.stored_at - MAX_SKEW * 2).await.is_none());
}

#[tokio::test]
async fn a_store_takes_old_files_of_ours_away() {
    let folder = Folder::new();
    let cache = folder.cache();
    let [old, young] = ["old", "young"].map(|server| CacheKey::new(server, b""));
    for key in [old, young] {
        cache.store(&key, &entry(&["a"])).await;
    }
    let hour = Duration::from_secs(60 * 60);
    let unfinished = |random: &str| folder.entries().join(format!("{young}-{random}.unfinished"));
    let (left, live) = (unfinished("0123456789abcdef"), unfinished("fedcba9876543210"));
    let foreign = folder.entries().join("notes.txt");
    for (path, by) in [(&left, hour * 2), (&live, hour / 2), (&foreign, MAX_AGE * 2)] {
        fs::write(path, "x").unwrap();
        age(path, by);
    }
    age(&place(&folder, &old), MAX_AGE + hour);
    age(&place(&folder, &young), MAX_AGE - hour);

    cache.store(&key(), &entry(&["b"])).await;
    let stays: Vec<_> = [place(&folder, &key()), place(&folder, &young), live, foreign].to_vec();
    assert!(stays.iter().all(|path| path.exists()), "{:?}", folder.names());
    assert_eq!(folder.names().len(), stays.len());
}

#[test]
fn one_sweep_takes_away_a_bounded_number() {
    let folder = Folder::new();
    fs::create_dir_all(folder.entries()).unwrap();
    for count in 0..MAX_REMOVED + 1 {
        fs::write(place(&folder, &CacheKey::new(&count.to_string(), b"")), "x").unwrap();
    }
    let later = SystemTime::now() + MAX_AGE * 2;
    assert_eq!(sweep(&folder.entries(), later).unwrap(), MAX_REMOVED);
    assert_eq!(sweep(&folder.entries(), later).unwrap(), 1);
    assert_eq!(sweep(&folder.entries(), later).unwrap(), 0);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_harms_nobody() {
    let folder = Folder::new();
    fs::create_dir_all(&folder).unwrap();
    // A file is where the folder should be.
    fs::write(folder.as_ref().join("a"), "x").unwrap();
    let cache = folder.cache();
    cache.store(&key(), &entry(&["a"])).await;
    assert!(cache.load(&key()).await.is_none());
    cache.remove(&key()).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_not_followed() {
    let folder = Folder::new();
    let cache = folder.cache();
    cache.store(&key(), &entry(&["a"])).await;
    let (path, elsewhere) = (place(&folder, &key()), folder.as_ref().join("elsewhere"));
    fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert!(cache.load(&key()).await.is_none());
    cache.store(&key(), &entry(&["b"])).await;
    assert!(cache.load(&key()).await.is_some());
    assert!(fs::read_to_string(elsewhere).unwrap().contains(r#""name":"a""#));
}

#[tokio::test]
async fn no_file_holds_a_part_of_the_configuration() {
    let folder = Folder::new();
    let key = CacheKey::new("files", b"Authorization: SECRET-1");
    folder.cache().store(&key, &entry(&["a"])).await;
    let bytes = fs::read(place(&folder, &key)).unwrap();
    assert!(!String::from_utf8(bytes).unwrap().contains("SECRET-1"));
    assert!(folder.names().iter().all(|name| !name.contains("SECRET-1")));
}
