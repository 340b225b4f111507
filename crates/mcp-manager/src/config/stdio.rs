//! A stdio server: the program to run and its surroundings.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use mcp_transport_stdio::{EnvPolicy, StdioConfig};

use super::dialect::Dialect;
use super::env_file;
use super::error::EntryProblem;
use super::expand::named;
use super::fields::{Fault, Fields, wrong};
use super::host::Host;
use super::node::{Node, Value, find};

/// What a stdio entry says. `Debug` shows no value of an argument or environment variable.
#[derive(Clone)]
#[non_exhaustive]
pub struct StdioServer {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub command: String,
    /// Its arguments, each as it is: nothing goes through a shell.
    pub args: Vec<String>,
    /// Added to what the server inherits; `None` takes a variable away.
    pub env: BTreeMap<String, Option<String>>,
    /// What the server inherits. [`EnvPolicy::Inherit`], but [`EnvPolicy::Clean`] where the host does so.
    pub env_policy: EnvPolicy,
    /// The working directory; `None` is that of this process.
    pub cwd: Option<PathBuf>,
    /// The program as it is written, for lists of programs.
    pub(super) written: String,
}

impl StdioServer {
    /// This program without arguments, all else at its default.
    pub fn new(command: impl Into<String>) -> Self {
        let command = command.into();
        Self {
            written: command.clone(),
            command,
            args: Vec::new(),
            env: BTreeMap::new(),
            env_policy: EnvPolicy::Inherit,
            cwd: None,
        }
    }

    pub(super) fn read(fields: &mut Fields<'_>, host: Host) -> Result<Self, Fault> {
        let dialect = Dialect::of(host);
        let folder = fields.filler().folder;
        let policies = [("inherit", EnvPolicy::Inherit), ("clean", EnvPolicy::Clean)];
        let policy = match host {
            Host::Own => fields.choice("env_policy", r#""inherit" or "clean""#, &policies)?,
            _ => None,
        };
        let (command, args) = command(fields, dialect)?;
        let command = command.filter(|it| !it.trim().is_empty()).ok_or(EntryProblem::NoCommand)?;
        let mut env = BTreeMap::new();
        if matches!(host, Host::VsCode | Host::Cursor) {
            env.extend(env_file::read(fields)?);
        }
        if host == Host::Codex {
            env.extend(passed_on(fields)?);
        }
        env.extend(variables(fields, dialect.env, host)?);
        Ok(Self {
            command: beside(&command, folder),
            written: command,
            args,
            env,
            env_policy: policy.unwrap_or(dialect.env_policy),
            cwd: fields.text("cwd")?.map(|cwd| folder.join(cwd)),
        })
    }

    /// Such as a whole command line where a program belongs.
    pub(super) fn warning(&self) -> Option<&'static str> {
        let is_line = self.args.is_empty() && self.command.trim().contains(' ');
        let is_path = self.command.contains(['/', '\\']) && !self.command.contains(" -");
        (is_line && !is_path)
            .then_some("\"command\" is one program name, spaces and all; its arguments go into \"args\"")
    }

    /// What the transport is to do.
    pub(super) fn transport(&self) -> StdioConfig {
        let mut config = StdioConfig::new(&self.command).with_args(&self.args);
        config.env.clone_from(&self.env);
        config.cwd.clone_from(&self.cwd);
        config.env_policy = self.env_policy;
        config
    }
}

impl fmt::Debug for StdioServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.transport().fmt(formatter)
    }
}

/// The program and its arguments.
fn command(fields: &mut Fields<'_>, dialect: &Dialect) -> Result<(Option<String>, Vec<String>), Fault> {
    if dialect.command_is_list {
        let Some(node) = fields.node("command") else { return Ok((None, Vec::new())) };
        let mut parts = fields.texts_of(node, "command")?.into_iter();
        return Ok((parts.next(), parts.collect()));
    }
    Ok((fields.text("command")?, fields.texts("args")?.unwrap_or_default()))
}

/// A path is looked for beside the file; a name is left to `PATH`.
fn beside(command: &str, folder: &Path) -> String {
    let is_path = command.contains('/') || (cfg!(windows) && command.contains('\\'));
    // Windows keeps paths of other forms than Unicode; these come from Unicode texts.
    let path = if is_path { folder.join(command).to_str().map(str::to_owned) } else { None };
    path.unwrap_or_else(|| command.to_owned())
}

/// `null` takes a variable away.
fn variables(
    fields: &mut Fields<'_>,
    field: &'static str,
    host: Host,
) -> Result<BTreeMap<String, Option<String>>, Fault> {
    let mut env = BTreeMap::new();
    for (name, node) in fields.raw_pairs(field)? {
        let path = format!("{field}.{name}");
        let value = match &node.value {
            Value::Null => None,
            // VS Code takes numbers as well.
            Value::Number(number) if host == Host::VsCode => Some(number.clone()),
            _ => Some(value(fields, &path, node, host)?),
        };
        env.insert(name.to_owned(), value);
    }
    Ok(env)
}

/// The value of a header or environment variable, which some let a command make.
pub(super) fn value(fields: &mut Fields<'_>, path: &str, node: &Node, host: Host) -> Result<String, Fault> {
    let is_command = host == Host::Own && node.text().is_some_and(|text| text.starts_with('!'));
    if is_command {
        let reason = "begins with `!`, which stands for a program that makes the value; it is not run here";
        return Err(EntryProblem::Refused { field: path.to_owned(), reason }.at(node.at));
    }
    fields.filled(node, path, "a string")
}

/// Codex: variables of ours that the server gets, if they are set.
fn passed_on(fields: &mut Fields<'_>) -> Result<BTreeMap<String, Option<String>>, Fault> {
    let field = "env_vars";
    let expected = "an array of names of variables";
    let Some(node) = fields.node(field) else { return Ok(BTreeMap::new()) };
    let Value::List(items) = &node.value else { return Err(wrong(field, expected, node)) };
    let mut env = BTreeMap::new();
    for item in items {
        let name = match &item.value {
            Value::Text(name) => name,
            Value::Object(members) => {
                if find(members, "source").is_some_and(|source| source.text() != Some("local")) {
                    let reason = "names a variable of another machine";
                    return Err(EntryProblem::Refused { field: field.to_owned(), reason }.at(item.at));
                }
                let Some(Value::Text(name)) = find(members, "name").map(|node| &node.value) else {
                    return Err(wrong(field, expected, item));
                };
                name
            }
            _ => return Err(wrong(field, expected, item)),
        };
        // One that is not set, or empty, is not passed on.
        if let Ok(value) = named(name, fields.filler().values) {
            env.insert(name.clone(), Some(value));
        }
    }
    Ok(env)
}
