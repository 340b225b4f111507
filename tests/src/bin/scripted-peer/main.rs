//! A server that does what its script says, byte for byte.
//!
//! `scripted-peer SCRIPT [TAG]`: one action a line, from the top; after the last one the peer
//! exits with 0. The tag does nothing; it marks the process and its children for who looks for them.
//!
//! ```text
//! recv [METHOD]     wait for the next line (with this method; `answer` is a response); at the end of
//!                   the input exit with 0
//! eof               read to the end of the input
//! send TEXT         write TEXT and a line end
//! raw TEXT          write TEXT alone
//! bytes TEXT        write TEXT and a line end, flushed after each byte
//! err TEXT          write TEXT and a line end to stderr; `rawerr TEXT` without the line end
//! init [VERSION]    wait for `initialize` and answer it
//! handshake         `init`, then wait for `notifications/initialized`
//! repeat N ACTION   N times; `forever` is a number too; ` ; ` stands between several actions
//! sleep MS          let time pass
//! hang              live for ever and read nothing
//! deaf              do not mind SIGTERM any more
//! close             close stdout and live on; `close stdin` closes that
//! exit CODE         end with this status
//! signal NUMBER     end by this signal
//! child             start a child that hangs, with none of our pipes; `child pipes` with all of them,
//!                   `child deaf` without them and deaf; `child run ACTION ; ACTION` with them, to do
//!                   something else
//! file PATH TEXT    write a file
//! log PATH          from now on add each line received to this file
//! serve [NOISE]     be a server until the end of the input, with NOISE bytes of stderr before each
//!                   answer; see `server.rs`
//! reverse N         take N requests, then answer them in reverse order with their params
//! mirror            write 1 KiB of notifications for each KiB read, and answer the one request
//! ```
//!
//! What can stand in TEXT is in `text.rs`.
//!
//! Where `MCP_SCHEMA_DIR` named the published schemas when this was built, the peer ends with status 1 and says why
//! when the client sends what does not fit that of its revision. (Built, since clients hand down no such variable.)

mod server;
mod text;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Stdin, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use mcp_schemas::Conversation;
use serde_json::Value;
use serde_json::value::RawValue;

/// How much is read at once; also the unit of `mirror`.
const KIB: usize = 1024;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let script = args.next().context("no script")?;
    let mut peer = Peer {
        input: BufReader::with_capacity(KIB, std::io::stdin()),
        tag: args.next().unwrap_or_default(),
        ids: Vec::new(),
        last: Received::default(),
        count: 0,
        log: None,
        children: Vec::new(),
        signals: None,
        conversation: Conversation::with(option_env!("MCP_SCHEMA_DIR").map(Into::into)),
    };
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        peer.act(line).with_context(|| format!("at `{line}`"))?;
    }
    Ok(())
}

/// What the script has come to.
struct Peer {
    input: BufReader<Stdin>,
    tag: String,
    /// The ids of all requests received, as JSON.
    ids: Vec<String>,
    last: Received,
    /// The number of the round of `repeat`.
    count: u64,
    log: Option<File>,
    /// Kept, so that they are not waited for.
    children: Vec<Child>,
    /// Keeps the signal handler of `deaf`.
    signals: Option<tokio::runtime::Runtime>,
    conversation: Conversation,
}

/// The last line received.
#[derive(Default)]
struct Received {
    line: String,
    message: Value,
}

impl Received {
    fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or("answer")
    }

    fn is_request(&self) -> bool {
        self.message["method"].is_string() && !self.message["id"].is_null()
    }
}

impl Peer {
    fn act(&mut self, line: &str) -> Result<()> {
        let (action, rest) = line.split_once(' ').unwrap_or((line, ""));
        match action {
            "recv" => self.receive_or_exit(rest)?,
            "eof" => while self.receive()? {},
            "send" => {
                let text = self.text(rest)?;
                if let Ok(message) = serde_json::from_slice(&text) {
                    self.conversation.received(&message);
                }
                write(&[&text[..], b"\n"].concat())?;
            }
            "raw" => write(&self.text(rest)?)?,
            "bytes" => {
                for byte in self.text(rest)?.into_iter().chain(*b"\n") {
                    write(&[byte])?;
                }
            }
            "err" => std::io::stderr().write_all(&[&self.text(rest)?[..], b"\n"].concat())?,
            "rawerr" => std::io::stderr().write_all(&self.text(rest)?)?,
            "init" => self.init(rest)?,
            "handshake" => {
                self.init(rest)?;
                self.receive_or_exit("notifications/initialized")?;
            }
            "repeat" => self.repeat(rest)?,
            "sleep" => std::thread::sleep(Duration::from_millis(rest.parse()?)),
            "hang" => loop {
                std::thread::park();
            },
            "exit" => std::process::exit(rest.parse()?),
            "deaf" => self.ignore_terminate()?,
            "close" if rest == "stdin" => unix::close_stdin()?,
            "close" => unix::close_stdout()?,
            "signal" => unix::raise(rest.parse()?)?,
            "child" => self.start_child(rest)?,
            "file" => {
                let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
                std::fs::write(path, self.text(text)?)?;
            }
            "log" => self.log = Some(OpenOptions::new().create(true).append(true).open(rest)?),
            "serve" => server::serve(self, rest.parse().unwrap_or(0))?,
            "reverse" => self.reverse(rest.parse()?)?,
            "mirror" => self.mirror()?,
            _ => bail!("no such action"),
        }
        Ok(())
    }

    /// Reads a line; false at the end of the input.
    fn receive(&mut self) -> Result<bool> {
        let mut line = Vec::new();
        if self.input.read_until(b'\n', &mut line)? == 0 {
            return Ok(false);
        }
        self.received(&line)?;
        Ok(true)
    }

    fn received(&mut self, line: &[u8]) -> Result<()> {
        if let Some(log) = &mut self.log {
            log.write_all(line)?;
        }
        let line = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line)).into_owned();
        let message = match serde_json::from_str(&line) {
            Ok(message) => {
                self.conversation.sent(&message).map_err(|misfit| anyhow!("the client sent {misfit}"))?;
                message
            }
            Err(_) => head_of(&line),
        };
        self.last = Received { line, message };
        if self.last.is_request() {
            self.ids.push(self.last.message["id"].to_string());
        }
        Ok(())
    }

    fn receive_or_exit(&mut self, method: &str) -> Result<()> {
        loop {
            if !self.receive()? {
                std::process::exit(0);
            } else if method.is_empty() || self.last.method() == method {
                return Ok(());
            }
        }
    }

    fn init(&mut self, version: &str) -> Result<()> {
        self.receive_or_exit("initialize")?;
        let version = if version.is_empty() { text::REVISION } else { version };
        self.conversation.speaks(version);
        write(&self.text(&format!("INIT({},{version})<0a>", self.ids.len()))?)
    }

    fn repeat(&mut self, rest: &str) -> Result<()> {
        let (times, actions) = rest.split_once(' ').context("no action")?;
        let times = if times == "forever" { u64::MAX } else { times.parse()? };
        for count in 1..=times {
            self.count = count;
            for action in actions.split(" ; ") {
                self.act(action)?;
            }
        }
        Ok(())
    }

    fn start_child(&mut self, how: &str) -> Result<()> {
        let actions = how.strip_prefix("run ");
        let script = actions.unwrap_or(if how == "deaf" { "deaf ; hang" } else { "hang" });
        let mut child = Command::new(std::env::current_exe()?);
        child.args([&script.replace(" ; ", "\n"), &self.tag]);
        if actions.is_none() && how != "pipes" {
            child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        }
        self.children.push(child.spawn()?);
        Ok(())
    }

    /// A handler takes the place of the default, which is to die; what it hears is not looked at.
    fn ignore_terminate(&mut self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { unix::take_terminate() })?;
        self.signals = Some(runtime);
        Ok(())
    }

    fn reverse(&mut self, number: usize) -> Result<()> {
        let mut requests = Vec::new();
        while requests.len() < number {
            self.receive_or_exit("")?;
            if self.last.is_request() {
                requests.push(std::mem::take(&mut self.last.message));
            }
        }
        for request in requests.iter().rev() {
            server::answer(&request["id"], &request["params"])?;
        }
        Ok(())
    }

    fn mirror(&mut self) -> Result<()> {
        let mut line = Vec::new();
        let filler = "x".repeat(KIB - r#"{"jsonrpc":"2.0","method":"mirror","params":[""]}"#.len() - 1);
        let notification =
            format!("{{\"jsonrpc\":\"2.0\",\"method\":\"mirror\",\"params\":[\"{filler}\"]}}\n");
        while line.last() != Some(&b'\n') {
            let read = self.input.fill_buf()?.len();
            if read == 0 {
                return Ok(());
            }
            line.extend_from_slice(self.input.buffer());
            self.input.consume(read);
            write(notification.as_bytes())?;
        }
        self.received(&line)?;
        server::answer(&self.last.message["id"], &Value::from(line.len()))
    }
}

/// What decides about a message that holds numbers beyond all types: its id and method.
fn head_of(line: &str) -> Value {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(line).unwrap_or_default();
    let heads = ["jsonrpc", "id", "method"].into_iter().filter_map(|name| {
        let value = serde_json::from_str(members.get(name)?.get()).ok()?;
        Some((name.to_owned(), value))
    });
    Value::Object(heads.collect())
}

/// Writes to stdout at once.
fn write(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

#[cfg(unix)]
mod unix {
    use anyhow::{Context, Result};
    use rustix::process::{Signal, getpid, kill_process};
    use tokio::signal::unix::{SignalKind, signal};

    pub(crate) fn close_stdout() -> Result<()> {
        let nothing = std::fs::File::options().write(true).open("/dev/null")?;
        Ok(rustix::stdio::dup2_stdout(nothing)?)
    }

    pub(crate) fn close_stdin() -> Result<()> {
        Ok(rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?)
    }

    pub(crate) fn raise(number: i32) -> Result<()> {
        let signal = Signal::from_named_raw(number).context("no such signal")?;
        Ok(kill_process(getpid(), signal)?)
    }

    pub(crate) fn take_terminate() -> Result<()> {
        std::mem::forget(signal(SignalKind::terminate())?);
        Ok(())
    }
}

#[cfg(not(unix))]
mod unix {
    use anyhow::{Result, bail};

    pub(crate) fn close_stdin() -> Result<()> {
        bail!("only on Unix")
    }

    pub(crate) fn close_stdout() -> Result<()> {
        bail!("only on Unix")
    }

    pub(crate) fn raise(_: i32) -> Result<()> {
        bail!("only on Unix")
    }

    pub(crate) fn take_terminate() -> Result<()> {
        bail!("only on Unix")
    }
}
