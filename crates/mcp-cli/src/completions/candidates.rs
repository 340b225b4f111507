//! What may come next on a line: commands, options, servers of the config, tools that are known of them.
//! Nothing is started and nothing is said.

use std::collections::BTreeSet;
use std::sync::Arc;

use clap::{ArgMatches, CommandFactory, FromArgMatches, ValueHint};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate, complete};

use crate::args::{AdHoc, CommandLine, Globals};
use crate::cache;
use crate::server::{Server, configured};

/// All that begin with `prefix` and may stand behind `before`.
pub(super) fn find(before: &[String], prefix: &str) -> BTreeSet<String> {
    let line = || std::iter::once("mcp-cli").chain(before.iter().map(String::as_str));
    let context = Arc::new(Context::of(line()));
    let mut command = with_names(CommandLine::command(), &context);
    let words = line().chain([prefix]).map(Into::into).collect();
    let found = complete(&mut command, words, before.len() + 1, None).unwrap_or_default();
    let names =
        found.iter().filter(|it| !it.is_hide_set()).map(|it| it.get_value().to_string_lossy().into_owned());
    // Options are for who begins one.
    names.filter(|name| prefix.starts_with('-') || !name.starts_with('-')).collect()
}

/// What the line says so far.
struct Context {
    globals: Option<Globals>,
    server: Option<String>,
}

impl Context {
    fn of<'a>(line: impl Iterator<Item = &'a str>) -> Self {
        let matches = CommandLine::command().ignore_errors(true).try_get_matches_from(line).ok();
        let globals = matches.as_ref().and_then(|it| Globals::from_arg_matches(it).ok()).map(at_home);
        let server = matches.as_ref().and_then(ArgMatches::subcommand).and_then(|(_, it)| server(it));
        Self { globals, server }
    }

    fn servers(&self) -> Vec<String> {
        let Some(mut globals) = self.globals.clone() else { return Vec::new() };
        // These are for one server and do not change which there are.
        globals.header.clear();
        globals.ca.clear();
        let entries = configured(&globals).unwrap_or_default();
        entries.into_iter().filter(|entry| !entry.is_disabled()).map(|entry| entry.name).collect()
    }

    fn tools(&self) -> Vec<String> {
        let (Some(globals), Some(server)) = (&self.globals, &self.server) else { return Vec::new() };
        let Ok(server) = Server::find(globals, server, &AdHoc { command: Vec::new() }) else {
            return Vec::new();
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.map_or_else(|_| Vec::new(), |runtime| runtime.block_on(cache::names(&server)))
    }
}

fn server(matches: &ArgMatches) -> Option<String> {
    matches.try_get_one::<String>("server").ok().flatten().cloned()
}

/// With the user's folder in place of `~`, which the shell has not filled in yet.
fn at_home(mut globals: Globals) -> Globals {
    let home = std::env::home_dir();
    for file in globals.config.iter_mut().chain(&mut globals.ca) {
        if let (Some(home), Ok(rest)) = (&home, file.strip_prefix("~")) {
            *file = home.join(rest);
        }
    }
    globals
}

/// The command line, which also knows the names of servers and tools.
fn with_names(command: clap::Command, context: &Arc<Context>) -> clap::Command {
    let names: Vec<_> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    let command = names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |command| {
            command.mut_args(|argument| match argument.get_id().as_str() {
                "server" => argument.add(offer(context, Context::servers)),
                "tool" => argument.add(offer(context, Context::tools)),
                _ => argument,
            })
        })
    });
    command.mut_args(|argument| match argument.get_id().as_str() {
        // Files, which a shell knows better.
        "config" | "ca" => argument.value_hint(ValueHint::Other),
        _ => argument,
    })
}

fn offer(context: &Arc<Context>, names: fn(&Context) -> Vec<String>) -> ArgValueCandidates {
    let context = Arc::clone(context);
    ArgValueCandidates::new(move || names(&context).into_iter().map(CompletionCandidate::new).collect())
}

#[cfg(test)]
mod tests {
    use super::find;

    #[track_caller]
    fn check(before: &[&str], prefix: &str, expected: &[&str]) {
        let before: Vec<_> = before.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(find(&before, prefix).iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn commands_and_options_are_offered_and_hidden_ones_are_not() {
        check(&[], "to", &["tools"]);
        check(&[], "complete-", &[]);
        check(&["--json"], "pin", &["ping"]);
        check(&["tools"], "--js", &["--json"]);
        check(&["completions"], "", &["bash", "fish", "zsh"]);
        check(&["complete", "-"], "", &["prompt", "template"]);
        check(&["listen", "-", "--log"], "e", &["emergency", "error"]);
    }

    #[test]
    fn a_line_that_makes_no_sense_has_no_candidates() {
        check(&["nope"], "x", &[]);
        check(&["--config"], "x", &[]);
        check(&["--config", "/nonexistent", "tools"], "x", &[]);
        check(&["call", "-"], "", &[]);
    }
}
