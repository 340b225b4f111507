//! `config`: what stands in config files, what is wrong with them, and how to take them over.

mod check;
mod explain;
mod import;

use std::sync::Arc;

use crate::app::App;
use crate::args::{ConfigArgs, ConfigCommand};
use crate::failure::Stop;
use crate::status::Status;

pub(super) async fn run(app: &Arc<App>, args: &ConfigArgs) -> Result<Status, Stop> {
    // Files may be slow; signals and stderr go on meanwhile.
    tokio::task::block_in_place(|| match &args.command {
        ConfigCommand::Explain { server } => explain::run(app, server),
        ConfigCommand::Check { files } => check::run(app, files),
        ConfigCommand::Import(args) => import::run(app, args),
    })
}
