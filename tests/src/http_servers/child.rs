//! A server in a process of its own, which ends with the value.

use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::mpsc;

/// How much of what a server prints is kept for the message of a failed test, in bytes.
const KEPT: usize = 64 << 10;

/// The process, in a group of its own where there are groups.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    child: Child,
    /// Kept open: servers of ours end when it closes, even if this process is killed.
    _stdin: Option<ChildStdin>,
    lines: mpsc::UnboundedReceiver<String>,
    printed: Arc<Mutex<String>>,
}

impl ServerProcess {
    /// Starts it.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => panic!("cannot start {command:?}: {error}"),
        };
        let (sender, lines) = mpsc::unbounded_channel();
        let printed = Arc::new(Mutex::new(String::new()));
        let outputs: [Box<dyn Read + Send>; 2] = [
            Box::new(child.stdout.take().expect("a piped stdout")),
            Box::new(child.stderr.take().expect("a piped stderr")),
        ];
        for output in outputs {
            let (sender, printed) = (sender.clone(), printed.clone());
            thread::spawn(move || read_lines(output, &sender, &printed));
        }
        Self { _stdin: child.stdin.take(), child, lines, printed }
    }

    /// Waits for a line on stdout or stderr that begins so, and returns what follows; `None` if the
    /// process ends, or is silent for too long, before it comes.
    pub(crate) async fn line(&mut self, start: &str) -> Option<String> {
        let found = tokio::time::timeout(crate::BOUND, async {
            while let Some(line) = self.lines.recv().await {
                if let Some(rest) = line.strip_prefix(start) {
                    return Some(rest.to_owned());
                }
            }
            None
        });
        found.await.ok().flatten()
    }

    /// Whether it ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child that can be waited for").is_some()
    }

    /// The end of what it printed so far.
    pub(crate) fn printed(&self) -> String {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            // It may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        // The same, where there are no groups.
        let _ = self.child.kill();
        // Nothing survives that, so this is short.
        let _ = self.child.wait();
    }
}

/// How often another program may take a port before the server that it was chosen for has it.
pub(crate) const TRIES: usize = 5;

/// A port of 127.0.0.1 that is free now. Another program may take it before it is used.
pub(crate) fn free_port() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("the address of a listener")
}

fn read_lines(output: impl Read, lines: &mpsc::UnboundedSender<String>, printed: &Mutex<String>) {
    for line in BufReader::new(output).split(b'\n') {
        // A pipe that breaks is one that ends.
        let Ok(line) = line else { return };
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
        *printed += &format!("{line}\n");
        if printed.len() > KEPT {
            *printed = printed.chars().skip(KEPT / 2).collect();
        }
        drop(printed);
        // Nobody waits for a line any more.
        let _ = lines.send(line);
    }
}
