//! Trust in files of projects: it is given to what a file holds, kept in private, and never assumed.

use std::os::unix::fs::PermissionsExt;

use crate::world::{World, demo, marker};

fn list(world: &World) -> Vec<(String, String)> {
    let document = world.run(&["--json", "trust", "--list"]).check_status(0).json();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    document["files"].as_array().unwrap().iter().map(|it| (text(&it["file"]), text(&it["status"]))).collect()
}

#[test]
fn trust_is_given_listed_and_taken_away() {
    let world = World::new("trust");
    let file = world.write("project/.mcp.json", demo(&["s"]));
    let cursor = world.write("project/.cursor/mcp.json", demo(&["t"]));
    let ran = world.run(&["trust"]);
    assert!(ran.check_status(0).stdout.starts_with("trusted: ") && ran.stdout.contains("    s: "), "{ran:?}");
    assert_eq!(list(&world), [(cursor.clone(), "trusted".into()), (file.clone(), "trusted".into())]);
    world.run(&["call", "s", "echo", "text=x"]).check(0, "x\n", "");
    world.run(&["trust", "--remove", ".mcp.json"]).check(0, "", "");
    world.run(&["ping", "s"]).check_status(2);
    assert_eq!(list(&world), [(cursor, "trusted".into())]);
    world.run(&["trust", "--remove", &file]).check_status(2);
    world.run(&["trust", &file]).check_status(0);
    world.run(&["ping", "s"]).check_status(0);
}

#[test]
fn a_file_that_changed_is_asked_for_again() {
    let world = World::new("changed");
    let mark = world.path("started");
    let file = world.write("project/.mcp.json", demo(&["s"]));
    world.run(&["trust"]).check_status(0);
    world.write("project/.mcp.json", marker("s", &mark));
    let ran = world.run(&["ping", "s"]);
    assert!(ran.check_status(2).stderr.contains("that is not trusted"), "{ran:?}");
    assert_eq!(list(&world), [(file.clone(), "changed".into())]);
    assert!(!std::fs::exists(mark).unwrap());
    std::fs::remove_file(&file).unwrap();
    assert_eq!(list(&world), [(file.clone(), "gone".into())]);
    world.run(&["trust", "--remove", &file]).check_status(0);
    assert_eq!(list(&world), []);
}

#[test]
fn trust_holds_for_one_path() {
    let world = World::new("path");
    world.write("project/.mcp.json", demo(&["s"]));
    world.run(&["trust"]).check_status(0);
    std::fs::rename(world.path("project"), world.path("moved")).unwrap();
    world.write("project/.mcp.json", demo(&["s"]));
    world.run(&["ping", "s"]).check_status(0);
    std::fs::remove_file(world.path("project/.mcp.json")).unwrap();
    world.write("project/.cursor/mcp.json", demo(&["s"]));
    world.run(&["ping", "s"]).check_status(2);
}

#[test]
fn a_damaged_list_trusts_nothing_and_is_told() {
    let world = World::new("damaged");
    world.write("project/.mcp.json", demo(&["s"]));
    world.run(&["trust"]).check_status(0);
    let list = world.path("home/XDG_STATE_HOME/mcp-manager/trust.json");
    let mode = std::fs::metadata(&list).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    std::fs::write(&list, "{\"version\":1").unwrap();
    let ran = world.run(&["ping", "s"]);
    assert!(
        ran.check_status(2)
            .stderr
            .starts_with(&format!("note: no file is trusted: the list of trusted files {list} is damaged\n")),
        "{ran:?}"
    );
    world.run(&["trust"]).check_status(0);
    world.run(&["ping", "s"]).check_status(0);
}

#[test]
fn hostile_files_are_neither_used_nor_trusted_and_drive_no_terminal() {
    let world = World::new("hostile");
    let huge = [b"{\"mcpServers\":{\"a\":{\"command\":\"", vec![b'x'; 17 * 1024 * 1024].as_slice(), b"\"}}}"]
        .concat();
    for text in [b"\x00\xff\xfe\x01".as_slice(), b"{", b"", &huge] {
        world.write("project/.mcp.json", text);
        let ran = world.run(&["trust"]);
        assert!(ran.check_status(2).stderr.starts_with("error: config file "), "{:.200}", ran.stderr);
        world.run(&["tools"]).check_status(2);
    }
    let twice = r#"{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}"#;
    world.write("project/.mcp.json", twice);
    world.run(&["trust"]).check_status(0);
    assert!(world.run(&["ping", "a"]).check_status(2).stderr.contains("is in the file twice"));
    let name = r#"{"mcpServers":{"\u001b[2Jx\u202e":{"command":"sh","args":["\u001b]0;x\u0007"]}}}"#;
    world.write("project/.mcp.json", name);
    for args in [&["trust"][..], &["servers"], &["config", "check"], &["tools"]] {
        let ran = world.run(args);
        let is_clean = |text: &str| !text.contains(['\u{1b}', '\u{7}', '\u{202e}']);
        assert!(is_clean(&ran.stdout) && is_clean(&ran.stderr), "{args:?} {ran:?}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_project_file_holds_nobody_up() {
    let world = World::new("fifo");
    let made = std::process::Command::new("mkfifo").arg(world.path("project/.mcp.json")).status().unwrap();
    assert!(made.success());
    let ran = world.run(&["tools"]);
    assert!(ran.check_status(2).stderr.contains("cannot read config file"), "{ran:?}");
    assert!(world.run(&["trust"]).check_status(2).stderr.contains("no config files of a project"));
}

#[test]
fn without_a_project_there_is_nothing_to_trust() {
    let world = World::new("empty");
    world.run(&["trust"]).check_status(2);
    world.run(&["trust", "nope.json"]).check_status(2);
    world.run(&["trust", "--list"]).check(0, "no file is trusted\n", "");
}

/// Runs the program on a terminal, with this answer typed.
#[cfg(target_os = "linux")]
fn on_a_terminal(world: &World, answer: &str, line: &str) -> (Option<i32>, String) {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let home = world.path("home");
    let mut child = Command::new("script")
        .args(["-qec", &format!("{} {line}", crate::run::PROGRAM), "/dev/null"])
        .env("HOME", &home)
        .env("XDG_STATE_HOME", format!("{home}/XDG_STATE_HOME"))
        .current_dir(world.path("project"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_it_is_asked_with_what_would_start() {
    let world = World::new("asked");
    let file = world.write("project/.mcp.json", demo(&["s"]));
    let (status, text) = on_a_terminal(&world, "n\n", "call s echo text=xyz");
    assert_eq!(status, Some(2), "{text}");
    let question = format!("{file} is not trusted as it is now.");
    assert!(
        text.contains(&question) && text.contains("demo-server") && text.contains("Trust it? [y/N]"),
        "{text}"
    );
    assert_eq!(list(&world), []);
    let (status, text) = on_a_terminal(&world, "y\n", "call s echo text=xyz");
    assert!(status == Some(0) && text.contains("xyz"), "{text}");
    assert_eq!(list(&world), [(file, "trusted".into())]);
    let (status, text) = on_a_terminal(&world, "", "call s echo text=xyz");
    assert!(status == Some(0) && !text.contains("[y/N]"), "{text}");
    // Looking asks nothing.
    world.write("project/.mcp.json", demo(&["other"]));
    let (_, text) = on_a_terminal(&world, "", "servers");
    assert!(!text.contains("[y/N]") && text.contains("is left out"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_too_long_to_be_read_is_not_asked() {
    let world = World::new("too-long");
    world.write("project/.mcp.json", marker("s", &"x".repeat(9000)));
    let (status, text) = on_a_terminal(&world, "y\n", "ping s");
    assert!(status == Some(2) && !text.contains("[y/N]"), "{text}");
    assert_eq!(list(&world), []);
}
