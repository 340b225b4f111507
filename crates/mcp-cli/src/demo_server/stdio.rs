//! The server on stdin and stdout: one message a line, a thread a call.

use std::io::{self, BufReader, Stdout, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};

use super::Options;
use super::connection::Connection;
use super::lines::{Line, Lines};
use super::message::{self, Incoming, Message, Unreadable};
use super::outcome::{INVALID_REQUEST, RpcError};
use super::reply::Reply;
use super::wire::{self, Wire};
use super::world::World;

/// Longest line read, in bytes. A longer one is skipped and answered with an error.
const LONGEST_LINE: usize = 64 << 20;

/// Serves until stdin ends. Calls that still run are then cancelled, so this returns at once.
pub(crate) fn serve(options: &Options) -> io::Result<()> {
    let wire = wire(io::stdout());
    let connection = Connection::new(&Arc::new(World::new(options)), wire.clone());
    let mut lines = Lines::new(BufReader::new(io::stdin()), LONGEST_LINE);
    thread::scope(|scope| {
        let mut read = Ok(());
        loop {
            match lines.next_line() {
                Ok(Some(Line::Whole(line))) => take_all(scope, &connection, &wire, message::read(line)),
                Ok(Some(Line::TooLong)) => take(scope, &connection, &wire, Err(too_long())),
                Ok(None) => break,
                Err(error) => {
                    read = Err(error);
                    break;
                }
            }
        }
        connection.end();
        read
    })
}

/// Answers to a batch go out one by one, as the protocol allows.
fn take_all<'scope>(
    scope: &'scope Scope<'scope, '_>,
    connection: &Connection,
    wire: &Wire,
    incoming: Incoming,
) {
    match incoming {
        Incoming::One(message) => take(scope, connection, wire, message),
        Incoming::Batch(messages) if connection.takes_batches() => {
            for message in messages {
                take(scope, connection, wire, message);
            }
        }
        Incoming::Batch(_) => take(scope, connection, wire, Err(Unreadable::no_object())),
    }
}

fn take<'scope>(
    scope: &'scope Scope<'scope, '_>,
    connection: &Connection,
    wire: &Wire,
    message: Result<Message, Unreadable>,
) {
    let reply = match message {
        Ok(message) => connection.accept(message),
        Err(unreadable) => Reply::Now(wire::refusal(unreadable.id.as_deref(), &unreadable.error)),
    };
    match reply {
        Reply::None => {}
        Reply::Now(answer) | Reply::Refused(answer) => {
            wire.send(answer.text);
        }
        Reply::Later(job) => {
            let wire = wire.clone();
            scope.spawn(move || job.run(&wire).map(|answer| wire.send(answer.text)));
        }
        Reply::Listen(listen) => {
            if let Err(answer) = listen.start(wire.clone()) {
                wire.send(answer.text);
            }
        }
    }
}

/// A client that no longer reads is about to close stdin, which ends the server; so a failed write
/// needs no answer here.
fn wire(stdout: Stdout) -> Wire {
    let stdout = Mutex::new(stdout);
    Wire::new(move |mut message| {
        message.push('\n');
        let mut stdout = stdout.lock().unwrap_or_else(PoisonError::into_inner);
        stdout.write_all(message.as_bytes()).and_then(|()| stdout.flush()).is_ok()
    })
}

fn too_long() -> Unreadable {
    let text = format!("a line is longer than the limit of {LONGEST_LINE} bytes");
    Unreadable { id: None, error: RpcError::new(INVALID_REQUEST, text) }
}
