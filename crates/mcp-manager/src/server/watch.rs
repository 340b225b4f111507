//! Watches a connected server: passes on what it says, keeps its list of tools fresh, and notes
//! its end.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;

use mcp_client::{Client, ClientError, Event, EventStream};
use mcp_types::{Notice, ToolListChanged};

use super::Server;
use crate::events::What;

/// A listing under way: whether it brought anything new.
type Refresh<'a> = Pin<Box<dyn Future<Output = Result<bool, ClientError>> + Send + 'a>>;

/// Follows a connection to its end; yields why it ended.
pub(super) async fn run(server: &Server, client: &Client, mut events: EventStream) -> Arc<str> {
    let mut changes = Changes::default();
    let mut refresh: Option<Refresh<'_>> = None;
    loop {
        let event = match &mut refresh {
            None => Next::Event(events.next().await),
            Some(refresh) => next(&mut events, refresh).await,
        };
        match event {
            Next::Event(Some(Event::Notification(notification))) => {
                if *notification.method == *ToolListChanged::NAME {
                    changes.announced();
                }
                server.publish(What::Notification(notification));
            }
            Next::Event(Some(Event::Closed(reason))) => return reason,
            Next::Event(Some(_)) => {}
            Next::Event(None) => return "the connection is gone".into(),
            Next::Refreshed(outcome) => {
                refresh = None;
                let is_new = outcome.unwrap_or_else(|error| {
                    tracing::warn!(server = &*server.spec.name, "its tools cannot be listed again: {error}");
                    false
                });
                changes.listed(is_new);
                if is_new {
                    server.publish(What::ToolsChanged { tools: server.tool_list().tools.len() });
                }
            }
        }
        if refresh.is_none() && changes.begin() {
            refresh = Some(Box::pin(server.refresh(client)));
        }
    }
}

enum Next {
    Event(Option<Event>),
    Refreshed(Result<bool, ClientError>),
}

async fn next(events: &mut EventStream, refresh: &mut Refresh<'_>) -> Next {
    let mut event = pin!(events.next());
    std::future::poll_fn(|context| {
        // What came before the answer is heard before it.
        if let std::task::Poll::Ready(event) = event.as_mut().poll(context) {
            return std::task::Poll::Ready(Next::Event(event));
        }
        refresh.as_mut().poll(context).map(Next::Refreshed)
    })
    .await
}

/// When the list of tools is asked for again: one listing at a time and at most one after it,
/// however often the server announces changes (case 152).
#[derive(Debug, Default)]
struct Changes {
    is_wanted: bool,
    is_running: bool,
    /// Whether the listing under way was wanted because of what came during the one before.
    is_second: bool,
}

impl Changes {
    fn announced(&mut self) {
        self.is_wanted = true;
    }

    fn begin(&mut self) -> bool {
        self.is_running = std::mem::take(&mut self.is_wanted);
        self.is_running
    }

    /// A listing ended. A server that announces a change whenever it is asked would feed itself:
    /// what it announced during a second listing that brought nothing new is not believed.
    fn listed(&mut self, is_new: bool) {
        self.is_running = false;
        if self.is_wanted && self.is_second && !is_new {
            self.is_wanted = false;
        }
        self.is_second = self.is_wanted;
    }
}

#[cfg(test)]
mod tests {
    use super::Changes;

    /// Case 152.
    #[test]
    fn any_number_of_announcements_makes_one_listing_and_at_most_one_more() {
        let mut changes = Changes::default();
        assert!(!changes.begin());
        changes.announced();
        assert!(changes.begin());
        for _ in 0..200 {
            changes.announced();
        }
        changes.listed(true);
        assert!(changes.begin());
        changes.listed(true);
        assert!(!changes.begin());
    }

    #[test]
    fn a_server_that_announces_a_change_at_each_listing_does_not_feed_itself() {
        let mut changes = Changes::default();
        changes.announced();
        let mut listings = 0;
        while changes.begin() {
            listings += 1;
            changes.announced();
            changes.listed(listings == 1);
        }
        assert_eq!(listings, 2);
        changes.announced();
        assert!(changes.begin(), "a later announcement is believed again");
    }
}
