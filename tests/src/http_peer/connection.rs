//! Accepts connections and runs each: one request, one exchange, the next request.

use std::io;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinError, JoinSet};

use super::exchange::Next;
use super::listen::Listener;
use super::state::Shared;
use super::wire::Wire;
use super::{Answer, Exchange, PeerOptions, Received};

/// Accepts until it is told to stop, and keeps the connections running beyond that.
pub(super) async fn accept(
    listener: Listener,
    options: PeerOptions,
    shared: Arc<Shared>,
    answer: Answer,
    mut stop: mpsc::Receiver<oneshot::Sender<()>>,
) {
    // Dropped with this task, and all connections with it.
    let mut connections = JoinSet::new();
    let stopped = loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(stream) => {
                    let wire = Wire::new(stream, shared.open());
                    connections.spawn(run(wire, options.clone(), shared.clone(), answer.clone()));
                }
                Err(error) => shared.fault(format!("cannot accept: {error}")),
            },
            Some(ended) = connections.join_next() => note_panic(ended, &shared),
            Some(stopped) = stop.recv() => break stopped,
        }
    };
    drop(listener);
    // Who asked may be gone.
    let _ = stopped.send(());
    while let Some(ended) = connections.join_next().await {
        note_panic(ended, &shared);
    }
}

fn note_panic(ended: Result<(), JoinError>, shared: &Shared) {
    if let Err(error) = ended {
        shared.fault(format!("a handler failed: {error}"));
    }
}

async fn run(mut wire: Wire, options: PeerOptions, shared: Arc<Shared>, answer: Answer) {
    let mut closing = shared.closing();
    loop {
        let request = tokio::select! {
            request = read(&mut wire, &options) => request,
            _ = closing.changed() => return,
        };
        let request = match request {
            Ok(Some(request)) => shared.note(request),
            Ok(None) => return,
            Err(error) => return shared.fault(format!("a request was not understood: {error}")),
        };
        let (back, given_back) = oneshot::channel();
        answer(Exchange::new(request, wire, back)).await;
        // The exchange may outlive the handler, in the hands of the test.
        wire = match given_back.await {
            Ok(Next::Again(wire)) if options.read_bodies => wire,
            Ok(Next::Hold(mut wire)) => return wire.closed().await,
            Ok(Next::Again(_)) | Err(_) => return,
        };
    }
}

async fn read(wire: &mut Wire, options: &PeerOptions) -> io::Result<Option<Received>> {
    let Some(mut request) = wire.read_head().await? else {
        return Ok(None);
    };
    if options.read_bodies {
        request.body = wire.read_body(&request, options.body_limit).await?;
    }
    Ok(Some(request))
}
