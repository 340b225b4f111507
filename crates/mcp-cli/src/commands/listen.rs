//! `listen`: prints notifications as they arrive.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_client::{Client, Event, EventStream};
use mcp_types::{LogMessage, LogMessageParams, Notice};
use serde_json::Value;

use crate::app::App;
use crate::args::ListenArgs;
use crate::console::log_text;
use crate::failure::{Failure, Stop};
use crate::server::Server;
use crate::show::{escape, json};
use crate::status::Status;
use crate::watch::{Heard, Notifications, listener};

const NO_STREAM: &str =
    "it offers no stream for messages of its own: only what comes along with answers is heard";

/// Most notifications that are still printed once the end has come.
const LEFT: usize = 1024;

pub(super) async fn run(app: &App, args: &ListenArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let start = Instant::now();
    let (listener, mut notifications) = listener();
    let client = app.connect_with(&server, Some(listener)).await?;
    let mut trouble = Trouble::new(client);
    let over = wait(args.time.map(Duration::from_millis));
    tokio::pin!(over);
    let ended = loop {
        tokio::select! {
            biased;
            // The end comes first: a server that never pauses must not put it off.
            () = &mut over => break Ok(Status::Done),
            () = app.interrupt.cancelled() => break Ok(Status::Done),
            Some(heard) = notifications.next() => show(app, &server, &heard, &mut notifications, start)?,
            trouble = trouble.next() => match trouble {
                Ok(warning) => app.console.warning(&server.name, &warning),
                Err(failure) => break Err(Stop::Failure(failure)),
            },
        }
    };
    // What came before the end still counts, but not what keeps coming.
    for _ in 0..LEFT {
        let Some(heard) = notifications.ready() else { break };
        show(app, &server, &heard, &mut notifications, start)?;
    }
    ended
}

async fn wait(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => pending().await,
    }
}

/// What may keep notifications from arriving.
struct Trouble {
    client: Client,
    events: EventStream,
    /// Whether the server is heard; `None` until that is known.
    is_heard: Option<bool>,
    has_spoken: bool,
    /// A fault that is not yet judged.
    fault: Option<Arc<str>>,
}

impl Trouble {
    fn new(client: Client) -> Self {
        Self { events: client.events(), client, is_heard: None, has_spoken: false, fault: None }
    }

    /// Waits for the next: a warning, or the failure that ends it all. Dropping the future loses
    /// nothing.
    async fn next(&mut self) -> Result<String, Failure> {
        loop {
            if self.fault.is_some() {
                let is_lost = self.is_lost().await;
                match self.fault.take() {
                    Some(fault) if is_lost => {
                        return Err(Failure::new(Status::Link, &*fault).of(self.client.server()));
                    }
                    Some(fault) => {
                        // A stream that was refused need not be missed a second time.
                        self.is_heard.get_or_insert(false);
                        return Ok(fault.to_string());
                    }
                    None => {}
                }
            }
            let event = tokio::select! {
                biased;
                event = self.events.next() => event,
                is_heard = self.client.listening(), if self.is_heard.is_none() => {
                    self.is_heard = Some(is_heard);
                    // Where the connection itself is gone, that is told soon.
                    if !is_heard && self.client.is_connected() {
                        return Ok(NO_STREAM.to_owned());
                    }
                    continue;
                }
            };
            match event {
                Some(Event::Fault(fault)) => self.fault = Some(fault),
                Some(Event::Notification(_)) => self.has_spoken = true,
                Some(Event::Closed(_)) | None => return Err(self.why_closed().await),
                Some(_) => {}
            }
        }
    }

    /// Whether the server was heard and is no longer, while calls could go on.
    async fn is_lost(&self) -> bool {
        // The loss may come before it was seen that there was something to lose.
        let was_heard = self.is_heard == Some(true) || self.has_spoken;
        was_heard && self.client.is_connected() && !self.client.listening().await
    }

    /// Why the connection is gone: a call on it says so.
    async fn why_closed(&self) -> Failure {
        match self.client.ping().await {
            Err(error) => error.into(),
            Ok(()) => Failure::new(Status::Link, "Transport closed").of(self.client.server()),
        }
    }
}

fn show(
    app: &App,
    server: &Server,
    heard: &Heard,
    notifications: &mut Notifications,
    start: Instant,
) -> Result<(), Stop> {
    app.print(&line(app, heard, start.elapsed()))?;
    let missed = notifications.missed();
    if missed > 0 {
        app.console.warning(&server.name, &format!("{missed} notifications were missed"));
    }
    Ok(())
}

fn line(app: &App, heard: &Heard, elapsed: Duration) -> String {
    if app.globals.json { as_json(heard) } else { for_people(heard, elapsed) }
}

fn for_people(heard: &Heard, elapsed: Duration) -> String {
    let params = heard.params.as_ref().map_or("", |params| params.as_str());
    let what = match serde_json::from_str::<LogMessageParams>(params) {
        Ok(message) if heard.method == LogMessage::NAME => {
            format!("{}: {}", escape::line(message.level.as_str()), log_text(&message))
        }
        _ => escape::json(&json::compact(params)),
    };
    format!("{:>8.3}s  {}  {what}", elapsed.as_secs_f64(), escape::line(&heard.method)).trim_end().to_owned()
}

/// The notification without its envelope, params exactly as they came.
fn as_json(heard: &Heard) -> String {
    let method = Value::from(heard.method.as_str());
    match &heard.params {
        Some(params) => format!(r#"{{"method":{method},"params":{}}}"#, params.as_str()),
        None => format!(r#"{{"method":{method}}}"#),
    }
}
