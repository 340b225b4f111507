//! What a peer has seen so far, and waiting for it to see more.

use std::sync::Arc;

use mcp_schemas::Conversation;
use tokio::sync::watch;

use super::{PATIENCE, Received};

/// What came so far.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) requests: Vec<Received>,
    pub(super) accepted: usize,
    pub(super) open: usize,
    pub(super) faults: Vec<String>,
    /// What clients sent that does not fit the published schema.
    pub(super) misfits: Vec<String>,
}

/// The state, shared by the peer and its tasks.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: watch::Sender<State>,
    /// Changes when the connections that are open are to be closed.
    closing: watch::Sender<()>,
}

impl Shared {
    pub(super) fn close_connections(&self) {
        self.closing.send_replace(());
    }

    /// Changes with each later call of `close_connections`.
    pub(super) fn closing(&self) -> watch::Receiver<()> {
        self.closing.subscribe()
    }

    /// Counts a connection as open while the value lives.
    pub(super) fn open(self: &Arc<Self>) -> Open {
        let mut number = 0;
        self.state.send_modify(|state| {
            number = state.accepted;
            state.accepted += 1;
            state.open += 1;
        });
        Open { number, shared: self.clone() }
    }

    /// Notes a request and gives it its number.
    pub(super) fn note(&self, mut request: Received) -> Received {
        let misfit = misfit(&request);
        self.state.send_modify(|state| {
            state.misfits.extend(misfit);
            request.number = state.requests.len();
            state.requests.push(request.clone());
        });
        request
    }

    pub(super) fn fault(&self, text: String) {
        self.state.send_modify(|state| state.faults.push(text));
    }

    pub(super) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Waits until `condition` holds and returns the state in which it did.
    #[track_caller]
    pub(super) fn wait<C>(&self, what: &str, condition: C) -> impl Future<Output = State> + use<C>
    where
        C: Fn(&State) -> bool,
    {
        let place = std::panic::Location::caller();
        let what = what.to_owned();
        let mut changes = self.state.subscribe();
        async move {
            let held = changes.wait_for(|state| condition(state));
            let held =
                tokio::time::timeout(PATIENCE, held).await.map(|held| held.expect("the peer lives").clone());
            match held {
                Ok(state) => state,
                Err(_) => panic!("{place}: waited in vain for {what}; so far: {:#?}", *changes.borrow()),
            }
        }
    }
}

/// What does not fit in the body of a request, which names its revision in a header or in the message.
fn misfit(request: &Received) -> Option<String> {
    let message = serde_json::from_slice(&request.body).ok()?;
    let mut conversation = Conversation::new();
    if let Some(revision) = request.header("mcp-protocol-version") {
        conversation.speaks(revision);
    }
    conversation.sent(&message).err()
}

/// Counts as one open connection.
#[derive(Debug)]
pub(super) struct Open {
    /// Of the connection, from 0.
    pub(super) number: usize,
    shared: Arc<Shared>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.shared.state.send_modify(|state| state.open -= 1);
    }
}
