//! The commands, one a file.

mod call;
mod complete;
mod config;
mod demo;
mod doctor;
mod listen;
mod listing;
mod ping;
mod prompt;
mod read;
mod request;
mod servers;
mod trust;

use std::sync::Arc;

use self::listing::What;
use crate::app::App;
use crate::args::Command;
use crate::failure::{Failure, Stop};
use crate::status::Status;

/// Runs a command.
pub(crate) async fn run(app: Arc<App>, command: Command) -> Result<Status, Stop> {
    match command {
        Command::Demo => demo::run(&app).await,
        Command::Servers(args) => servers::run(&app, &args).await,
        Command::Tools(args) => listing::run(&app, What::Tools, &args).await,
        Command::Resources(args) => listing::run(&app, What::Resources, &args).await,
        Command::Templates(args) => listing::run(&app, What::Templates, &args).await,
        Command::Prompts(args) => listing::run(&app, What::Prompts, &args).await,
        Command::Read(args) => read::run(&app, &args).await,
        Command::Prompt(args) => prompt::run(&app, &args).await,
        Command::Call(args) => call::run(&app, &args).await,
        Command::Complete(args) => complete::run(&app, &args).await,
        Command::Ping(args) => ping::run(&app, &args).await,
        Command::Request(args) => request::run(&app, &args).await,
        Command::Listen(args) => listen::run(&app, &args).await,
        Command::Doctor(args) => doctor::run(&app, &args).await,
        Command::Completions(args) => app.print(args.shell.script()).map(|()| Status::Done),
        Command::CompleteNames(_) => Ok(Status::Done), // Done before anything of this is there.
        Command::Config(args) => config::run(&app, &args).await,
        Command::Trust(args) => trust::run(&app, &args),
        Command::DemoServer(_) => Err(Failure::usage("the demo server runs by itself").into()),
    }
}
