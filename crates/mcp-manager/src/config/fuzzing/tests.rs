//! Replays the committed corpus.

#[test]
fn the_corpus_of_config_files_holds() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/config");
    let mut files = 0;
    for entry in std::fs::read_dir(&corpus).unwrap() {
        super::config(&std::fs::read(entry.unwrap().path()).unwrap());
        files += 1;
    }
    assert!(files > 0, "no corpus in {}", corpus.display());
}
