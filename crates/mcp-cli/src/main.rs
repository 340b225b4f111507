//! Calls MCP servers from the command line: `mcp-cli demo` shows how that looks.
//!
//! ```text
//! args ──► main ──► commands ──► app ──► mcp-client ──► servers
//!           │          │          ├─ ask, roots: what servers may ask back
//!           │          │          └─ server, config: which ones (mcp-manager reads the files)
//!        signals       ├─ arguments, schema: what is sent
//!                      └─ show ──► output (stdout), console (stderr)
//! ```
//!
//! Stdout holds results only and is written in one place. Every server that was started is closed
//! before the program ends, on every path. Nothing of a project is started that the user does not
//! trust.

mod args;
mod protocol;
mod status;

mod config;
mod server;
mod trust;

mod arguments;
mod schema;
mod show;

mod ask;
mod console;
mod failure;
mod output;
mod roots;
mod watch;

mod app;
mod cache;
mod several;

mod commands;
mod completions;
mod demo_server;
mod doctor;
mod logging;
mod signals;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use tokio::runtime::{Builder, Runtime};

use self::app::App;
use self::args::{Command, CommandLine, DemoServerArgs};
use self::console::Console;
use self::demo_server::{Address, HttpServer};
use self::failure::{Failure, Stop};
use self::signals::Signals;
use self::status::Status;

/// How long an interrupted command may take to let go. All it waits for heeds the interrupt, save
/// a stdout that nobody reads from.
const GRACE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let line = CommandLine::parse();
    let ended = match &line.command {
        Command::DemoServer(args) => serve(args),
        Command::CompleteNames(args) => {
            completions::print_names(args.shell, &args.words);
            Ok(Status::Done)
        }
        _ => runtime().and_then(|runtime| {
            let status = runtime.block_on(run(line));
            // A thread that is stuck in a write must not hold up the end.
            runtime.shutdown_background();
            status
        }),
    };
    ended
        .unwrap_or_else(|failure| {
            let console = Console::new(0);
            console.failure(&failure);
            console.flush();
            failure.status
        })
        .into()
}

fn serve(args: &DemoServerArgs) -> Result<Status, Failure> {
    let page = args.page.map_or(usize::MAX, |page| page as usize);
    let options = demo_server::Options { page, era: args.era };
    if let Some(address) = &args.http {
        let runtime = runtime()?;
        let status = runtime.block_on(serve_http(address, &options));
        // A call that is stuck in a write must not hold up the end.
        runtime.shutdown_background();
        return status;
    }
    demo_server::serve(&options)
        .map(|()| Status::Done)
        .map_err(|error| Failure::new(Status::Link, format!("cannot read stdin: {error}")))
}

async fn serve_http(address: &Address, options: &demo_server::Options) -> Result<Status, Failure> {
    let mut signals = signals()?;
    let mut server = HttpServer::bind(address, options)
        .await
        .map_err(|error| Failure::new(Status::Link, format!("cannot listen on `{address}`: {error}")))?;
    let signal = tokio::select! {
        signal = signals.next() => signal,
        never = server.run() => match never {},
    };
    // Who asks again while calls are given time does not want to give it.
    tokio::select! {
        () = server.end() => {}
        _ = signals.next() => {}
    }
    Ok(Status::Signal(signal))
}

/// One thread does all the work; only a runtime of this kind lets others take over from it where it
/// waits for stdin or stdout.
fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(|error| Failure::new(Status::Link, format!("cannot start: {error}")))
}

fn signals() -> Result<Signals, Failure> {
    Signals::new().map_err(|error| Failure::new(Status::Link, format!("cannot wait for signals: {error}")))
}

async fn run(line: CommandLine) -> Result<Status, Failure> {
    let mut signals = signals()?;
    let verbose = line.globals.verbose;
    let app = Arc::new(App::new(line.globals));
    logging::start(verbose, &app.console);
    let mut command = tokio::spawn(commands::run(Arc::clone(&app), line.command));
    let status = tokio::select! {
        ended = &mut command => match ended {
            Ok(ended) => tokio::task::block_in_place(|| settle(&app, ended)),
            Err(_) => Status::Link, // It panicked, and has said so on stderr.
        },
        signal = signals.next() => {
            app.interrupt.cancel_with("interrupted by the user");
            if tokio::time::timeout(GRACE, &mut command).await.is_err() {
                command.abort();
            }
            Status::Signal(signal)
        }
    };
    // Who asks again while servers are given time does not want to give it.
    tokio::select! {
        () = app.close() => {}
        _ = signals.next() => {}
    }
    // A stderr that is stuck must not keep other threads of the runtime from ending.
    tokio::task::block_in_place(|| app.console.end_progress());
    Ok(status)
}

fn settle(app: &App, ended: Result<Status, Stop>) -> Status {
    match ended {
        Ok(status) => status,
        Err(Stop::StdoutClosed) => Status::Done,
        Err(Stop::Failure(failure)) => {
            app.console.failure(&failure);
            failure.status
        }
    }
}
