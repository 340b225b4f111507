//! `ping`: is the server there, and how fast does it answer?

use std::time::Instant;

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
    client.request("ping", None, app.call_options()).await?;
    let millis = start.elapsed().as_secs_f64() * 1000.0;
    if app.globals.json {
        let document = json!({ "server": server.name, "roundTripMs": millis });
        app.print(&document.to_string())?;
    } else {
        app.print(&format!("{} answered in {millis:.2} ms", escape::line(&server.name)))?;
    }
    Ok(Status::Done)
}
