//! `listen`: prints notifications as they arrive.

use std::future::pending;
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

pub(super) async fn run(app: &App, args: &ListenArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let start = Instant::now();
    let (listener, mut notifications) = listener();
    let client = app.connect_with(&server, Some(listener)).await?;
    let mut events = client.events();
    let over = wait(args.time.map(Duration::from_millis));
    tokio::pin!(over);
    let ended = loop {
        tokio::select! {
            biased;
            Some(heard) = notifications.next() => show(app, &server, &heard, &mut notifications, start)?,
            () = closed(&mut events) => break Err(Stop::Failure(lost(&client).await)),
            () = &mut over => break Ok(Status::Done),
            () = app.interrupt.cancelled() => break Ok(Status::Done),
        }
    };
    // What came before the end still counts.
    while let Some(heard) = notifications.ready() {
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

/// Waits until the connection is gone.
async fn closed(events: &mut EventStream) {
    while let Some(event) = events.next().await {
        if matches!(event, Event::Closed(_)) {
            return;
        }
    }
}

/// Why the connection is gone: a call on it says so.
async fn lost(client: &Client) -> Failure {
    match client.ping().await {
        Err(error) => error.into(),
        Ok(()) => Failure::new(Status::Link, "Transport closed").of(client.server()),
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
