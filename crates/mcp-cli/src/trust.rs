//! Whether a file of a project may start servers: what it would start, and the question.

use std::io::{BufRead, Read};
use std::path::Path;
use std::sync::Arc;

use mcp_manager::config::{ConfigError, Entry, Host, Scope, TrustStore, Trusted, Values, parse};

use crate::console::{Console, can_ask};
use crate::failure::Failure;
use crate::show::escape;

/// The longest question, in bytes. What is longer is not asked: nobody would read it.
const LONGEST: usize = 8 * 1024;
/// The longest answer that is read.
const LONGEST_ANSWER: u64 = 64;

/// Who can be asked, and told what was left out. By default nobody is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asker(Option<Arc<Console>>);

impl Asker {
    pub(crate) fn new(console: &Arc<Console>) -> Self {
        Self(Some(Arc::clone(console)))
    }

    pub(crate) fn note(&self, text: &str) {
        if let Some(console) = &self.0 {
            console.note(text);
        }
    }

    /// Asks for a yes. Without a terminal, or where the question is too long, it is no.
    pub(crate) fn confirm(&self, question: &str) -> bool {
        let Some(console) = &self.0 else { return false };
        if !can_ask() || question.len() > LONGEST {
            return false;
        }
        console.question(question.to_owned());
        // Meanwhile signals and servers need this thread's work done.
        tokio::task::block_in_place(|| {
            let mut answer = String::new();
            let read = std::io::stdin().lock().take(LONGEST_ANSWER).read_line(&mut answer);
            read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
        })
    }
}

/// The list of trusted files, read when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct Trust {
    known: Option<(Option<TrustStore>, Trusted)>,
}

impl Trust {
    fn load(&mut self, asker: &Asker) -> &mut (Option<TrustStore>, Trusted) {
        self.known.get_or_insert_with(|| {
            let store = match TrustStore::in_platform_folder() {
                Ok(store) => store,
                Err(_) => {
                    asker.note("no file is trusted: the environment names no folder for the list of them");
                    return (None, Trusted::default());
                }
            };
            let trusted = store.read().unwrap_or_else(|error| {
                asker.note(&format!("no file is trusted: {error}"));
                Trusted::default()
            });
            (Some(store), trusted)
        })
    }

    pub(crate) fn covers(&mut self, asker: &Asker, file: &Path, content: &[u8]) -> bool {
        self.load(asker).1.covers(file, content)
    }

    /// The files, whatever they hold by now.
    pub(crate) fn trusted(&mut self, asker: &Asker) -> &Trusted {
        &self.load(asker).1
    }

    /// Changes the list and keeps it.
    pub(crate) fn change(
        &mut self,
        asker: &Asker,
        change: impl FnOnce(&mut Trusted) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let (store, trusted) = self.load(asker);
        let fail =
            |error: &std::io::Error| Failure::usage(format!("cannot keep the trust in a file: {error}"));
        let Some(store) = store else {
            return Err(Failure::usage("the environment names no folder for the list of trusted files"));
        };
        // Another process may have added to it since.
        *trusted = store.read().unwrap_or_default();
        change(trusted).and_then(|()| store.write(trusted)).map_err(|error| fail(&error))
    }
}

/// What a file that is not trusted has in it. No variable is filled in, and no other file is read.
pub(crate) fn contents(path: &Path, host: Option<Host>, bytes: &[u8]) -> Result<Vec<Entry>, ConfigError> {
    let mut values = Values::default();
    values.workspace = std::env::current_dir().ok();
    parse(path, bytes, host, Scope::Project, &values).map(|file| file.entries)
}

/// What servers would be started or reached, a line each, as it is written in the file.
pub(crate) fn listing(entries: &[Entry]) -> String {
    entries.iter().map(|entry| format!("    {}\n", escape::line(&line(entry)))).collect()
}

fn line(entry: &Entry) -> String {
    let written = entry.written();
    let mut line = format!("{}: ", entry.name);
    match (written.command_line(), written.url()) {
        (Some(command), _) => {
            let words: Vec<_> = command.iter().map(|word| quoted(word)).collect();
            line.push_str(&words.join(" "));
        }
        (None, Some(url)) => line.push_str(&url),
        (None, None) => line.push_str("neither a program nor an address"),
    }
    let env = written.env();
    if !env.is_empty() {
        line.push_str(&format!(" (with the variables {})", env.join(", ")));
    }
    if entry.is_disabled() {
        line.push_str(" (disabled)");
    }
    line
}

/// A word of a command line, with quotes where it would look like several.
fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./:=@,+%${}".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("{word:?}") }
}

/// The command that trusts a file.
pub(crate) fn command(file: &Path) -> String {
    format!("mcp-cli trust {}", quoted(&file.display().to_string()))
}
