//! Signals: the call is cancelled, servers are closed, and nothing is left behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use crate::run::{Ran, on_demo, on_script, program, run, script};

/// Runs the program with `-v` until a line on stderr contains `sign`, and sends it this signal.
fn interrupt(args: &[&str], sign: &str, signal: &str) -> Ran {
    let mut child = program(args).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut seen = String::new();
    while !seen.contains(sign) {
        assert_ne!(stderr.read_line(&mut seen).unwrap(), 0, "ended without {sign:?}: {seen}");
    }
    send(&child, signal);
    stderr.read_to_string(&mut seen).unwrap();
    let output = child.wait_with_output().unwrap();
    Ran { status: output.status.code(), stdout: String::from_utf8(output.stdout).unwrap(), stderr: seen }
}

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Whether the process is gone, or about to be buried; looks again for as long as that takes.
fn is_gone(pid: &str) -> bool {
    (0..5000).any(|_| {
        let output = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
        let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        state.is_empty() || state.starts_with('Z')
    })
}

/// The process ids that a script told with `sh: pid N`.
fn pids(stderr: &str) -> Vec<&str> {
    stderr.lines().filter_map(|line| line.strip_prefix("sh: pid ")).collect()
}

// Field case 168.
#[test]
fn an_interrupted_call_is_cancelled_and_ends_with_130() {
    let server = script(r#"hello; next; echo calling >&2; next; printf '%s\n' "$line" >&2; cat >/dev/null"#);
    let args = on_script(&["-v", "call", "-", "x", "--args", "{}"], &server);
    let ran = interrupt(&args, "sh: calling", "-INT");
    assert!(ran.check_status(130).stderr.contains("notifications/cancelled"), "{ran:?}");
    assert!(ran.stderr.contains("interrupted by the user"), "{ran:?}");
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_handshake_is_given_up_without_a_word() {
    let args = on_script(&["-v", "ping", "-"], "echo pid $$ >&2; echo up >&2; cat >/dev/null");
    let ran = interrupt(&args, "sh: up", "-INT");
    ran.check_status(130);
    assert!(pids(&ran.stderr).into_iter().all(is_gone), "{ran:?}");
}

#[test]
fn a_stdout_that_nobody_reads_does_not_hold_up_the_end() {
    let args = on_demo(&["call", "-", "big", "bytes=10000000"]);
    let mut child = program(&args).spawn().unwrap();
    let stdout = child.stdout.as_mut().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    send(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn waiting_for_stdin_can_be_interrupted() {
    let mut child =
        program(&["call", "-", "x", "--args", "-", "--", "sh"]).stdin(Stdio::piped()).spawn().unwrap();
    // It stays open here: waiting for a child would close it, and its end would end the reading.
    let mut stdin = child.stdin.take().unwrap();
    // Only who reads makes room for more than a pipe holds.
    stdin.write_all(&[b' '; 1 << 20]).unwrap();
    send(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn listening_ends_with_the_number_of_the_signal() {
    let server = script("hello; echo up >&2; cat >/dev/null");
    for (signal, status) in [("-TERM", 143), ("-HUP", 129), ("-INT", 130)] {
        interrupt(&on_script(&["-v", "listen", "-"], &server), "sh: up", signal).check_status(status);
    }
}

#[test]
fn nothing_of_a_server_is_left_behind() {
    // The server has a child of its own, which heeds no closed stdin.
    let start = "echo pid $$ >&2; sleep 1000 & echo pid $! >&2; ";
    let endings = [
        ("hello; next; answer '{}'; next", 0),
        ("hello; next; refuse '{\"code\":1,\"message\":\"no\"}'; cat >/dev/null", 5),
        ("exit 1", 3),
        ("cat >/dev/null", 4),
    ];
    // At the same time, since each takes as long as a server may take to end.
    std::thread::scope(|scope| {
        for (ending, status) in endings {
            scope.spawn(move || leaves_nothing(&format!("{start}{ending}"), status));
        }
    });
}

fn leaves_nothing(server: &str, status: i32) {
    let server = script(server);
    let timeout = if status == 4 { "300" } else { "60000" };
    let ran = run(&on_script(&["-v", "--timeout", timeout, "ping", "-"], &server));
    let pids = pids(&ran.check_status(status).stderr);
    assert_eq!(pids.len(), 2, "{ran:?}");
    assert!(pids.into_iter().all(is_gone), "{ran:?}");
}
