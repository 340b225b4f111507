//! The server on stdin and stdout: one message a line, a thread a call.

use std::io::{self, BufReader, Stdout, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};

use super::Options;
use super::lines::{Line, Lines};
use super::message::{self, Message, Unreadable};
use super::outcome::{INVALID_REQUEST, RpcError};
use super::server::{Reply, Server};
use super::wire::{self, Wire};

/// Longest line read, in bytes. A longer one is skipped and answered with an error.
const LONGEST_LINE: usize = 64 << 20;

/// Serves until stdin ends. Calls that still run are then cancelled, so this returns at once.
pub(crate) fn serve(options: &Options) -> io::Result<()> {
    let wire = wire(io::stdout());
    let server = Arc::new(Server::new(wire.clone(), options.page));
    let mut lines = Lines::new(BufReader::new(io::stdin()), LONGEST_LINE);
    thread::scope(|scope| {
        let mut read = Ok(());
        loop {
            match lines.next_line() {
                Ok(Some(Line::Whole(line))) => take(scope, &server, &wire, message::read(line)),
                Ok(Some(Line::TooLong)) => take(scope, &server, &wire, Err(too_long())),
                Ok(None) => break,
                Err(error) => {
                    read = Err(error);
                    break;
                }
            }
        }
        server.end();
        read
    })
}

fn take<'scope>(
    scope: &'scope Scope<'scope, '_>,
    server: &Arc<Server>,
    wire: &Wire,
    message: Result<Message, Unreadable>,
) {
    match message.map(|message| server.accept(message)) {
        Ok(Reply::None) => {}
        Ok(Reply::Now(answer)) => wire.send(answer),
        Ok(Reply::Later(job)) => {
            let wire = wire.clone();
            scope.spawn(move || {
                if let Some(answer) = job.run(&wire) {
                    wire.send(answer);
                }
            });
        }
        Err(unreadable) => wire.send(wire::refusal(unreadable.id.as_deref(), &unreadable.error)),
    }
}

/// A client that no longer reads is about to close stdin, which ends the server; so a failed write
/// needs no answer here.
fn wire(stdout: Stdout) -> Wire {
    let stdout = Mutex::new(stdout);
    Wire::new(move |mut message| {
        message.push('\n');
        let mut stdout = stdout.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stdout.write_all(message.as_bytes()).and_then(|()| stdout.flush());
    })
}

fn too_long() -> Unreadable {
    let text = format!("a line is longer than the limit of {LONGEST_LINE} bytes");
    Unreadable { id: None, error: RpcError::new(INVALID_REQUEST, text) }
}
