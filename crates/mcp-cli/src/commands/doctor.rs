//! `doctor`: at which step a server fails, and what to try.

use std::sync::Arc;
use std::time::Instant;

use mcp_client::{Client, ClientOptions, ConnectError};
use mcp_types::{ListTools, Method};

use crate::app::{App, for_each};
use crate::args::ToolsArgs;
use crate::doctor::blame::Blame;
use crate::doctor::inspect::inspect;
use crate::doctor::page::page;
use crate::doctor::report::{Outcome, Report, document};
use crate::doctor::step::Step;
use crate::doctor::survey::Survey;
use crate::failure::{Failure, Stop};
use crate::server::{Choice, Server, configured};
use crate::status::Status;
use crate::watch::Watch;

pub(super) async fn run(app: &Arc<App>, args: &ToolsArgs) -> Result<Status, Stop> {
    let choices: Vec<_> = match &args.server {
        Some(name) => {
            let found = Server::find(&app.globals, name, &args.ad_hoc);
            vec![(name.clone(), found.map_or_else(Choice::Bad, |server| Choice::On(Box::new(server))))]
        }
        None => {
            let entries = configured(&app.globals)?;
            entries.iter().map(|entry| (entry.name.clone(), Choice::of(entry))).collect()
        }
    };
    let reports = for_each(choices, |(name, choice)| look_at(Arc::clone(app), name, choice)).await;
    let text = if app.globals.json { document(&reports)? } else { page(&reports, app.output.look) };
    app.print(&text)?;
    let statuses: Vec<_> = reports.iter().filter_map(|report| report.status).collect();
    Ok(Status::of_several(&statuses))
}

async fn look_at(app: Arc<App>, name: String, choice: Choice) -> Report {
    let report = match choice {
        Choice::Off => Report::off(&name),
        // What was mistyped may hold a secret, which the failure does not show.
        Choice::Bad(failure) => Report::unusable(failure.server.as_deref().unwrap_or("SERVER"), &failure),
        Choice::On(server) => examine(&app, &server).await,
    };
    for row in report.rows.iter().filter(|row| row.outcome == Outcome::Failed) {
        // In short: the rest is in the report.
        let text = row.detail.first().cloned().unwrap_or_default();
        let failure = Failure::new(report.status.unwrap_or(Status::Link), text).of(&report.name);
        app.console.failure(&failure);
    }
    report
}

/// Goes the whole way once.
async fn examine(app: &App, server: &Server) -> Report {
    let survey = Survey::of(&server.reached_by()).await;
    let mut report = Report::new(&server.name, survey.route);
    report.row(Step::Config, |row| {
        row.detail.push(server.about());
        row.detail.extend(server.warnings.iter().map(|warning| format!("warning: {warning}")));
    });
    report.add(&survey);

    let mut options = ClientOptions::new("mcp-cli", env!("CARGO_PKG_VERSION"));
    options.delegate = Some(Arc::new(Watch::new(&server.name, &app.console, None)));
    let start = Instant::now();
    let connected = app.try_connect(server, options).await;
    let time = Some(start.elapsed());
    match connected {
        Err(failure) => report.fail(Step::Config, &failure, "correct the entry of the server".to_owned()),
        Ok(Err(error)) => {
            let step = not_connected(&mut report, server, &survey, &error);
            report.row(step, |row| row.time = time);
        }
        Ok(Ok(client)) => {
            report.pass(Step::Protocol);
            let agreed = client.agreed();
            let about = crate::show::server::name(agreed.server_info.as_ref());
            report.row(Step::Handshake, |row| {
                row.detail.push(about);
                row.time = time;
            });
            report.row(Step::Protocol, |row| row.detail.push(agreed.version.to_string()));
            list(app, &mut report, &client).await;
        }
    }
    report
}

/// The step that failed.
fn not_connected(report: &mut Report, server: &Server, survey: &Survey, error: &ConnectError) -> Step {
    let blame = Blame::of_connect(error);
    let step = survey.route.own(blame.step);
    let mut failure = server.describe(error);
    let mut next = blame.next;
    // Which file is missing, the operating system does not say.
    if let Some(missing) = survey.missing.as_ref().filter(|_| step == Step::Command) {
        failure = failure.with(missing.to_string());
        next = missing.hint();
    }
    report.fail(step, &failure, next.to_owned());
    step
}

async fn list(app: &App, report: &mut Report, client: &Client) {
    if client.agreed().capabilities.tools.is_none() {
        return report.row(Step::Tools, |row| row.detail.push("the server offers no tools".to_owned()));
    }
    let start = Instant::now();
    let listed = client.list_raw(ListTools::NAME, "tools", app.call_options()).await;
    let time = Some(start.elapsed());
    match listed {
        Ok(tools) => {
            report.pass(Step::Tools);
            let findings = inspect(&tools);
            report.row(Step::Tools, |row| {
                row.detail.extend(findings.lines);
                row.next = findings.next.map(str::to_owned);
            });
        }
        Err(error) => {
            let blame = Blame::of_tools(&error);
            report.fail(blame.step, &Failure::from(&error), blame.next.to_owned());
        }
    }
    report.row(Step::Tools, |row| row.time = time);
}
