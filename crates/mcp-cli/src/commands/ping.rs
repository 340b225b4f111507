//! `ping`: is the server there, and how fast does it answer?

use std::time::Instant;

use mcp_client::{Client, ClientError};
use mcp_types::{Discover, Method, Ping};
use serde_json::json;

use crate::app::App;
use crate::args::PingArgs;
use crate::failure::Stop;
use crate::server::Server;
use crate::show::escape;
use crate::status::Status;

pub(super) async fn run(app: &App, args: &PingArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let client = app.connect(&server).await?;
    let start = Instant::now();
    ask(app, &client).await?;
    let millis = start.elapsed().as_secs_f64() * 1000.0;
    if app.globals.json {
        let document = json!({ "server": server.name, "roundTripMs": millis });
        app.print(&document.to_string())?;
    } else {
        app.print(&format!("{} answered in {millis:.2} ms", escape::line(&server.name)))?;
    }
    Ok(Status::Done)
}

/// By `server/discover` where the revision has no ping, as [`Client::ping`] does it.
async fn ask(app: &App, client: &Client) -> Result<(), ClientError> {
    let method = if client.agreed().version.is_modern() { Discover::NAME } else { Ping::NAME };
    let mut options = app.call_options();
    options.is_fresh = true;
    client.request(method, None, options).await.map(drop)
}
