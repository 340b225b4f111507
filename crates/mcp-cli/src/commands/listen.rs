//! `listen`: prints notifications as they arrive.

mod trouble;

use std::future::pending;
use std::time::{Duration, Instant};

use mcp_client::Client;
use mcp_types::{LogMessage, LogMessageParams, Notice};
use serde_json::Value;

use self::trouble::{Told, Trouble};
use crate::app::App;
use crate::args::ListenArgs;
use crate::console::log_text;
use crate::failure::Stop;
use crate::server::Server;
use crate::show::{escape, json};
use crate::status::Status;
use crate::watch::{Heard, Notifications, listener};

const NO_LOG: &str =
    "its revision of the protocol sends log messages only along with answers: --log changes nothing";

/// Most notifications that are still printed once the end has come.
const LEFT: usize = 1024;

pub(super) async fn run(app: &App, args: &ListenArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let start = Instant::now();
    let (listener, mut notifications) = listener();
    let client = app.connect_with(&server, Some(listener)).await?;
    // Before anything is asked for, so that no event is missed.
    let mut trouble = Trouble::new(client.clone());
    ask(app, &server, &client, args).await?;
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
                Ok(Told::Warning(text)) => app.console.warning(&server.name, &text),
                Ok(Told::Note(text)) => app.console.note(&format!("{}: {text}", server.name)),
                Ok(Told::Detail(text)) => app.console.detail(&server.name, text),
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

/// Asks for what does not come by itself.
async fn ask(app: &App, server: &Server, client: &Client, args: &ListenArgs) -> Result<(), Stop> {
    if let Some(level) = &args.log {
        if client.agreed().version.is_modern() {
            app.console.warning(&server.name, NO_LOG);
        } else {
            client.set_log_level_with(level.clone(), app.call_options()).await?;
        }
    }
    for uri in &args.resources {
        client.subscribe_with(uri, app.call_options()).await?;
    }
    Ok(())
}

async fn wait(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => pending().await,
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
