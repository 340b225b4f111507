//! Watches a connected server: passes on what it says, keeps its list of tools fresh, and notes
//! its end.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use mcp_client::{Client, ClientError, Event, EventStream};
use mcp_types::{Notice, PromptListChanged, ResourceListChanged, ToolListChanged};

use super::{Again, Live, Server, Topic, is_session_lost};
use crate::error::ManagerError;
use crate::events::What;

/// A listing under way: whether it brought anything new.
type Listing<'a> = Pin<Box<dyn Future<Output = Result<bool, ManagerError>> + Send + 'a>>;

/// Follows a connection to its end; yields why it ended.
pub(super) async fn run(server: &Server, live: &Live, mut events: EventStream) -> Arc<str> {
    let mut followed = Kind::ALL.map(Followed::new);
    loop {
        match next(&mut events, &mut followed).await {
            Next::Event(Some(Event::Notification(notification))) => {
                for follow in &mut followed {
                    if *notification.method == *follow.kind.announcement() {
                        follow.changes.announced();
                    }
                }
                server.publish(What::Notification(notification));
            }
            // What was missed, nobody knows.
            Next::Event(Some(Event::ListeningAgain)) => {
                followed.iter_mut().for_each(|follow| follow.changes.announced());
            }
            Next::Event(Some(Event::Closed(reason))) => return reason,
            Next::Event(Some(_)) => {}
            Next::Event(None) => return "the connection is gone".into(),
            Next::Listed(which, outcome) => {
                let is_new = heeded(server, &live.client, which, outcome);
                for follow in followed.iter_mut().filter(|follow| follow.kind == which) {
                    follow.listing = None;
                    follow.changes.listed(is_new);
                }
                if is_new {
                    server.publish(which.changed(server));
                }
            }
        }
        for follow in &mut followed {
            if follow.listing.is_none() && follow.changes.begin() {
                follow.listing = Some(Box::pin(server.listed(follow.kind.list(server, live))));
            }
        }
    }
}

/// Whether a listing brought anything new. What failed is reported; a later announcement tries again.
fn heeded(server: &Server, client: &Client, kind: Kind, outcome: Result<bool, ManagerError>) -> bool {
    outcome.unwrap_or_else(|error| {
        if let ManagerError::Client(error) = &error
            && is_session_lost(error)
        {
            server.renew(client, Again::Now);
        }
        tracing::warn!(server = &*server.spec.name, "its {} cannot be listed again: {error}", kind.plural());
        false
    })
}

/// What servers announce changes of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Tools,
    Resources,
    Prompts,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Tools, Self::Resources, Self::Prompts];

    fn announcement(self) -> &'static str {
        match self {
            Self::Tools => ToolListChanged::NAME,
            Self::Resources => ResourceListChanged::NAME,
            Self::Prompts => PromptListChanged::NAME,
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Prompts => "prompts",
        }
    }

    async fn list(self, server: &Server, live: &Live) -> Result<bool, ClientError> {
        let Live { client, lists, .. } = live;
        match self {
            Self::Tools => server.refresh(client).await,
            Self::Prompts => lists.changed(client, Topic::Prompts).await,
            Self::Resources => {
                let resources = lists.changed(client, Topic::Resources).await;
                // What failed for one says nothing about the other.
                let templates = lists.changed(client, Topic::Templates).await;
                Ok(resources? | templates?)
            }
        }
    }

    fn changed(self, server: &Server) -> What {
        match self {
            Self::Tools => What::ToolsChanged { tools: server.tool_list().tools.len() },
            Self::Resources => What::ResourcesChanged,
            Self::Prompts => What::PromptsChanged,
        }
    }
}

/// One kind of announcements, and the listing that comes of them.
struct Followed<'a> {
    kind: Kind,
    changes: Changes,
    listing: Option<Listing<'a>>,
}

impl Followed<'_> {
    fn new(kind: Kind) -> Self {
        Self { kind, changes: Changes::default(), listing: None }
    }
}

enum Next {
    Event(Option<Event>),
    Listed(Kind, Result<bool, ManagerError>),
}

async fn next(events: &mut EventStream, followed: &mut [Followed<'_>]) -> Next {
    let mut event = pin!(events.next());
    poll_fn(|context| {
        // What came before the answer is heard before it.
        if let Poll::Ready(event) = event.as_mut().poll(context) {
            return Poll::Ready(Next::Event(event));
        }
        for follow in followed.iter_mut() {
            if let Some(listing) = &mut follow.listing
                && let Poll::Ready(outcome) = listing.as_mut().poll(context)
            {
                return Poll::Ready(Next::Listed(follow.kind, outcome));
            }
        }
        Poll::Pending
    })
    .await
}

/// When a list is asked for again: one listing at a time and at most one after it,
/// however often the server announces changes (case 152).
#[derive(Debug, Default)]
struct Changes {
    is_wanted: bool,
    /// Whether the listing under way was wanted because of what came during the one before.
    is_second: bool,
}

impl Changes {
    fn announced(&mut self) {
        self.is_wanted = true;
    }

    /// Whether to list now.
    fn begin(&mut self) -> bool {
        std::mem::take(&mut self.is_wanted)
    }

    /// A listing ended. A server that announces a change whenever it is asked would feed itself:
    /// what it announced during a second listing that brought nothing new is not believed.
    fn listed(&mut self, is_new: bool) {
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
