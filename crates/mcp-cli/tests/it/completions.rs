//! Completions in real shells: what is offered, and that nothing in a name is ever run.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::run::{CACHE, PROGRAM, config, program, run};

/// Names that are none of a careful author.
const NAMES: [&str; 8] =
    ["plain", "my server", "it's", "say \"hi\"", "$(touch RAN)", "`touch RAN`", "x;touch RAN", "-dash"];

/// A folder of this test that holds the program under its name, and nothing else.
fn folder(test: &str) -> String {
    let folder = format!("{}/completions-{test}", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(PROGRAM, format!("{folder}/mcp-cli")).unwrap();
    folder
}

/// The lines that this shell prints when it runs `script` in `folder`.
fn shell(name: &str, args: &[&str], folder: &str, script: &str) -> Vec<String> {
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let mut command = Command::new(name);
    command.args(args).arg("-c").arg(script).current_dir(folder).env("PATH", path);
    command.env("XDG_CACHE_HOME", CACHE).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
    let lines = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert!(!Path::new(folder).join("RAN").exists(), "a name was run");
    lines
}

/// What bash offers behind `line`, as it would stand there.
fn in_bash(folder: &str, line: &str) -> Vec<String> {
    let line = line.replace('\'', r"'\''");
    let script = format!(
        "source <(mcp-cli completions bash); COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; \
         COMP_WORDBREAKS=$' \\t\\n\"\\'@><=;|&(:'; _mcp_cli; \
         (( ${{#COMPREPLY[@]}} )) && printf '%s\\n' \"${{COMPREPLY[@]}}\" || :"
    );
    shell("bash", &["--norc"], folder, &script)
}

fn servers(names: &[&str]) -> String {
    let entries =
        names.iter().map(|name| ((*name).to_owned(), json!({"command": "/nonexistent/never-started"})));
    json!({ "mcpServers": entries.collect::<serde_json::Map<_, _>>() }).to_string()
}

#[test]
fn bash_offers_the_servers_of_the_config_and_starts_none() {
    let folder = folder("servers");
    let file = config("completions-servers", &servers(&["files", "fine", "web"]));
    assert_eq!(in_bash(&folder, &format!("mcp-cli --config {file} tools fi")), ["files", "fine"]);
    assert_eq!(in_bash(&folder, &format!("mcp-cli --config={file} ping w")), ["web"]);
    assert_eq!(in_bash(&folder, &format!("mcp-cli tools --config '{file}' fil")), ["files"]);
    assert_eq!(in_bash(&folder, "mcp-cli nonesuch"), Vec::<String>::new());
    assert_eq!(in_bash(&folder, "mcp-cli too"), ["tools"]);
}

#[test]
fn bash_offers_the_tools_that_a_server_had_the_last_time() {
    let folder = folder("tools");
    let entry = json!({"command": PROGRAM, "args": ["demo-server"], "tools": {"allow": ["add", "ask", "echo"]},
        // No earlier run knew this one.
        "env": {"RUN": std::process::id().to_string()}});
    let file = config("completions-tools", &json!({"mcpServers": {"files": entry}}).to_string());
    let line = format!("mcp-cli --config {file} call files ");
    assert_eq!(in_bash(&folder, &line), Vec::<String>::new(), "before it was ever asked");
    run(&["--config", &file, "tools", "files"]).check_status(0);
    assert_eq!(in_bash(&folder, &line), ["add", "ask", "echo"]);
    assert_eq!(in_bash(&folder, &format!("{line}ec")), ["echo"]);
}

#[test]
fn a_call_that_looks_at_the_schema_keeps_the_tools_too() {
    let folder = folder("call");
    let entry = json!({"command": PROGRAM, "args": ["demo-server"], "env": {"OF": "call"}});
    let file = config("completions-call", &json!({"mcpServers": {"s": entry}}).to_string());
    run(&["--config", &file, "call", "s", "echo", "text=x"]).check_status(0);
    assert_eq!(in_bash(&folder, &format!("mcp-cli --config {file} call s ec")), ["echo"]);
}

#[test]
fn a_name_that_bash_completes_is_the_same_name_again() {
    let folder = folder("names");
    let names = [&NAMES[..], &["a\nb", "a\u{1b}[2J", "a\tb"]].concat();
    let file = config("completions-names", &servers(&names));
    let offered = in_bash(&folder, &format!("mcp-cli --config {file} tools "));
    let mut expected: Vec<_> = NAMES.into_iter().filter(|name| *name != "-dash").collect();
    expected.sort_unstable();
    let read =
        |written: &String| shell("bash", &["--norc"], &folder, &format!("printf '%s\\n' {written}")).concat();
    assert_eq!(offered.iter().map(read).collect::<Vec<_>>(), expected);
    // Within a quote, only names that do not end it.
    assert_eq!(in_bash(&folder, &format!("mcp-cli --config {file} tools \"my s")), ["my server"]);
    assert_eq!(in_bash(&folder, &format!("mcp-cli --config {file} tools \"$")), Vec::<String>::new());
    assert_eq!(in_bash(&folder, &format!("mcp-cli --config {file} tools '$")), ["$(touch RAN)"]);
}

#[test]
fn nothing_is_said_whatever_goes_wrong() {
    let folder = folder("quiet");
    let broken = config("completions-broken", "{");
    for line in [
        format!("mcp-cli --config {broken} tools x"),
        "mcp-cli --config /nonexistent call x y".to_owned(),
        "mcp-cli 'open".to_owned(),
        "mcp-cli tools $(touch RAN)".to_owned(),
        "mcp-cli call - -- sh -c 'touch RAN' ".to_owned(),
        String::new(),
    ] {
        assert_eq!(in_bash(&folder, &line), Vec::<String>::new(), "{line}");
    }
    for args in [
        &["complete-names", "bash"][..],
        &["complete-names", "zsh"],
        &["complete-names", "fish", "--", "ping", "\u{1b}"],
    ] {
        program(args).output().map(crate::run::Ran::from).unwrap().check(0, "", "");
    }
}

/// Whether the shell is there. That one was left out is said.
#[expect(clippy::print_stderr, reason = "a check that is left out must be seen")]
fn has(name: &str) -> bool {
    let found = Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("left out: `{name}` is not installed, so its completions were not tried");
    }
    found
}

#[test]
fn every_script_is_one_that_its_shell_reads() {
    let folder = folder("syntax");
    for (name, check) in [("bash", "bash -n"), ("zsh", "zsh -n"), ("fish", "fish --no-execute")] {
        run(&["completions", name]).check_status(0);
        if has(name) {
            let script = format!("mcp-cli completions {name} > script && {check} script");
            assert_eq!(shell("bash", &["--norc"], &folder, &script), Vec::<String>::new(), "{name}");
        }
    }
    run(&["completions", "sh"]).check_status(2);
}

#[test]
fn zsh_hands_names_to_its_completion_and_runs_none() {
    if !has("zsh") {
        return;
    }
    let folder = folder("zsh");
    let file = config("completions-zsh", &servers(&NAMES));
    // In place of what only works while a line is edited.
    let script = format!(
        "compdef() {{ : }}; compadd() {{ shift; print -rl -- \"$@\" }}; source <(mcp-cli completions zsh); \
         words=(mcp-cli --config '{file}' tools ''); CURRENT=5; _mcp_cli"
    );
    let mut expected: Vec<_> = NAMES.into_iter().filter(|name| *name != "-dash").collect();
    expected.sort_unstable();
    assert_eq!(shell("zsh", &["-f"], &folder, &script), expected);
}

#[test]
fn fish_offers_names_and_runs_none() {
    if !has("fish") {
        return;
    }
    let folder = folder("fish");
    let file = config("completions-fish", &servers(&NAMES));
    let script = format!("mcp-cli completions fish | source; complete -C 'mcp-cli --config {file} tools pl'");
    assert_eq!(shell("fish", &["--no-config"], &folder, &script), ["plain"]);
}
