//! The suite: a program from npm that starts a server for each scenario and our client against it.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::plan::Run;
use super::scenario::Scenario;
use super::verdict::Verdict;
use super::{CLIENT, group};
use crate::workspace::Workspace;
use crate::{folders, process};

/// The suite gives a client 30 s, but waits for ever for one that does not heed that.
const LIMIT: Duration = Duration::from_secs(45);

pub(super) struct Suite {
    script: PathBuf,
    /// Where cargo puts the client.
    programs: PathBuf,
    /// Holds a folder for each revision, with one for each scenario.
    results: PathBuf,
}

impl Suite {
    pub(super) fn new(peers: &Path, workspace: &Workspace) -> Self {
        let modules = peers.join("npm").join("node_modules");
        Self {
            script: modules.join("@modelcontextprotocol").join("conformance").join("dist").join("index.js"),
            programs: workspace.target.join("debug"),
            results: workspace.target.join("conformance"),
        }
    }

    /// All that the suite has for a client, of any revision.
    pub(super) fn scenarios(&self) -> Result<Vec<Scenario>> {
        let list = process::output(self.node().args(["list", "--client"]))?;
        let scenarios = Scenario::read_all(&list);
        ensure!(!scenarios.is_empty(), "the suite lists no scenario:\n{list}");
        Ok(scenarios)
    }

    pub(super) fn run(&self, run: &Run) -> Result<Verdict> {
        let folder = self.folder(run);
        folders::make_empty(&folder)?;
        let log = folder.join("suite.txt");
        let log = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;

        let mut node = self.node();
        node.args(["client", "--command", CLIENT, "--scenario", &run.scenario]);
        // An extension is of no revision, but can be run at any if that is insisted on.
        node.args(["--spec-version", &run.revision, "--force"]);
        node.arg("--output-dir").arg(folder.join("results"));
        node.stdout(log.try_clone()?).stderr(log);
        // It splits the command at spaces, so the client goes by its name alone.
        let path = env::var_os("PATH").unwrap_or_default();
        let path = [self.programs.clone()].into_iter().chain(env::split_paths(&path));
        node.env("PATH", env::join_paths(path).context("cannot add to the PATH")?);

        let ended = group::run(&mut node, LIMIT)?;
        let result = |name| fs::read_to_string(result_folder(&folder)?.join(name)).ok();
        Ok(Verdict::new(ended, result("checks.json").as_deref(), result("stdout.txt").as_deref()))
    }

    /// What a run of it left behind: `suite.txt`, and below it what the suite wrote.
    pub(super) fn folder(&self, run: &Run) -> PathBuf {
        self.results.join(&run.revision).join(&run.scenario)
    }

    fn node(&self) -> Command {
        let mut node = Command::new("node");
        node.arg(&self.script);
        node
    }
}

/// The suite makes a folder named after the scenario and the time; slashes in it nest.
fn result_folder(folder: &Path) -> Option<PathBuf> {
    let mut folder = folder.join("results");
    while !folder.join("checks.json").is_file() {
        let [only] = &folders::names(&folder).ok()?[..] else { return None };
        folder = folder.join(only);
    }
    Some(folder)
}
