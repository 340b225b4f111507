//! `trust`: which files of projects may start servers.

use std::path::{Path, PathBuf};

use mcp_manager::config::{Host, read_bytes};
use serde_json::json;

use crate::app::App;
use crate::args::TrustArgs;
use crate::failure::{Failure, Stop};
use crate::show::escape;
use crate::status::Status;
use crate::trust::{Trust, contents, listing};

pub(super) fn run(app: &App, args: &TrustArgs) -> Result<Status, Stop> {
    let mut trust = Trust::default();
    if args.list {
        return list(app, &mut trust);
    }
    if let Some(file) = &args.remove {
        return remove(app, &mut trust, file);
    }
    let files = match &args.file {
        Some(file) => vec![(file.clone(), None)],
        None => of_project(),
    };
    if files.is_empty() {
        return Err(Failure::usage("this folder has no config files of a project").into());
    }
    for (file, host) in files {
        add(app, &mut trust, &file, host)?;
    }
    Ok(Status::Done)
}

/// The files that discovery would read here.
fn of_project() -> Vec<(PathBuf, Option<Host>)> {
    let Ok(folder) = std::env::current_dir() else { return Vec::new() };
    let files = |host: Host| host.project_files(&folder).into_iter().map(move |file| (file, Some(host)));
    Host::ALL.into_iter().flat_map(files).filter(|(file, _)| file.is_file()).collect()
}

/// Trusts what was read here and is printed, not what the file holds by then.
fn add(app: &App, trust: &mut Trust, file: &Path, host: Option<Host>) -> Result<(), Stop> {
    let bytes = read_bytes(file).map_err(Failure::from)?;
    let entries = contents(file, host, &bytes).map_err(Failure::from)?;
    trust.change(&app.globals.asker, |trusted| trusted.add(file, &bytes))?;
    let name = escape::line(&file.display().to_string());
    if app.globals.json {
        let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
        return app.print(&json!({ "file": file.display().to_string(), "servers": names }).to_string());
    }
    app.print(&format!("trusted: {name}\n{}", listing(&entries)))
}

fn list(app: &App, trust: &mut Trust) -> Result<Status, Stop> {
    let trusted = trust.trusted(&app.globals.asker);
    let state = |file: &Path| match read_bytes(file) {
        Ok(bytes) if trusted.covers(file, &bytes) => "trusted",
        Ok(_) => "changed",
        Err(error) if error.is_not_found() => "gone",
        Err(_) => "unreadable",
    };
    let files: Vec<_> = trusted.files().map(|file| (file.display().to_string(), state(file))).collect();
    let text = if app.globals.json {
        let files: Vec<_> =
            files.iter().map(|(file, status)| json!({ "file": file, "status": status })).collect();
        json!({ "files": files }).to_string()
    } else if files.is_empty() {
        "no file is trusted\n".to_owned()
    } else {
        files.iter().map(|(file, state)| format!("{state:<10} {}\n", escape::line(file))).collect()
    };
    app.print(&text)?;
    Ok(Status::Done)
}

fn remove(app: &App, trust: &mut Trust, file: &Path) -> Result<Status, Stop> {
    let mut was_there = false;
    trust.change(&app.globals.asker, |trusted| {
        was_there = trusted.remove(file);
        Ok(())
    })?;
    if !was_there {
        return Err(Failure::usage("the file is not trusted").with(file.display().to_string()).into());
    }
    Ok(Status::Done)
}
