//! What holds for the crate as a whole.

/// Invariant 2: without tokio's clock and tasks there is nothing to read a clock, spawn or open
/// anything with. (What std has is banned by `clippy.toml`.)
#[test]
fn of_tokio_only_sync_is_a_normal_dependency() {
    let manifest = include_str!("../Cargo.toml");
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[dependencies]" && (line.starts_with("tokio") || line.starts_with("hyper")) {
            found.push(line);
        }
    }
    assert_eq!(
        found,
        [r#"tokio = { workspace = true, features = ["sync"] }"#, "tokio-util.workspace = true"],
        "beside these, features are chosen in the manifest of the workspace, which may name none"
    );
    let workspace = include_str!("../../../Cargo.toml");
    assert!(workspace.lines().any(|line| line == r#"tokio = "1""#));
    assert!(
        workspace.lines().any(|line| line == r#"tokio-util = { version = "0.7", default-features = false }"#)
    );
}
