//! What can stand in the texts of a script.
//!
//! ```text
//! <e2 80 a8>        raw bytes; `<61*1000>` is one of them a thousand times
//! $1 $2 ...         the id of the first, second, ... request received, as JSON
//! $id               the id of the last one
//! $token            the progress token in the last line
//! $line             the last line received
//! $count            the round of `repeat`
//! $pid              the id of this process
//! $cwd              the working directory, as JSON
//! ENV(NAME)         the value of an environment variable, as JSON; null if there is none
//! RES(N)            a response to request N: its result is {"tag":N}
//! ERR(N,CODE)       an error response
//! INIT(N,VERSION)   a response to `initialize`, with tools and logging; without a VERSION the newest
//! NOTE(METHOD)      a notification; NOTE(METHOD,PARAMS) one with params
//! REQ(ID,METHOD)    a request of the server; REQ(ID,METHOD,PARAMS)
//! ```
//!
//! A request that was not received yet is taken for the number it has, so `RES(99)` has id 99.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::Peer;

/// The version that `initialize` is answered with.
pub(crate) const REVISION: &str = "2025-11-25";

impl Peer {
    pub(crate) fn text(&self, text: &str) -> Result<Vec<u8>> {
        let text = self.expand(text)?;
        let mut out = Vec::with_capacity(text.len());
        let mut rest = &text[..];
        while let Some((before, after)) = rest.split_once('<') {
            out.extend_from_slice(before.as_bytes());
            rest = match after.split_once('>').and_then(|(hex, after)| Some((bytes(hex)?, after))) {
                Some((bytes, after)) => {
                    out.extend(bytes);
                    after
                }
                None => {
                    out.push(b'<');
                    after
                }
            };
        }
        out.extend_from_slice(rest.as_bytes());
        Ok(out)
    }

    /// Replaces shorthands and variables.
    fn expand(&self, text: &str) -> Result<String> {
        let mut out = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some((name, arguments, after)) = shorthand(rest) {
                out.push_str(&self.message(name, arguments)?);
                rest = after;
            } else if let Some(after) = rest.strip_prefix('$') {
                let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
                out.push_str(&self.variable(&after[..end])?);
                rest = &after[end..];
            } else {
                let mut characters = rest.chars();
                out.extend(characters.next());
                rest = characters.as_str();
            }
        }
        Ok(out)
    }

    fn variable(&self, name: &str) -> Result<String> {
        Ok(match name {
            "id" => self.ids.last().context("no request yet")?.clone(),
            "line" => self.last.line.clone(),
            "token" => self.last.message["params"]["_meta"]["progressToken"].to_string(),
            "count" => self.count.to_string(),
            "pid" => std::process::id().to_string(),
            "cwd" => Value::from(std::env::current_dir()?.display().to_string()).to_string(),
            number => self.id(number)?,
        })
    }

    fn id(&self, number: &str) -> Result<String> {
        let index: usize = number.parse().with_context(|| format!("no variable `{number}`"))?;
        Ok(index.checked_sub(1).and_then(|index| self.ids.get(index)).cloned().unwrap_or(number.to_owned()))
    }

    fn message(&self, name: &str, arguments: &str) -> Result<String> {
        let arguments = &self.expand(arguments)?[..];
        let (first, rest) = arguments.split_once(',').unwrap_or((arguments, ""));
        let body = match name {
            "RES" => format!(r#""id":{},"result":{{"tag":{first}}}"#, self.id(first)?),
            "ERR" => format!(r#""id":{},"error":{{"code":{rest},"message":"m"}}"#, self.id(first)?),
            "INIT" => {
                let version = if rest.is_empty() { REVISION } else { rest };
                format!(
                    r#""id":{},"result":{{"protocolVersion":"{version}","capabilities":{{"tools":{{}},"logging":{{}}}},"serverInfo":{{"name":"scripted","version":"1"}}}}"#,
                    self.id(first)?
                )
            }
            "NOTE" => with_params(&format!(r#""method":"{first}""#), rest),
            "ENV" => return Ok(std::env::var(first).map_or(Value::Null, Value::from).to_string()),
            _ => {
                let (method, params) = rest.split_once(',').unwrap_or((rest, ""));
                with_params(&format!(r#""id":{first},"method":"{method}""#), params)
            }
        };
        Ok(format!(r#"{{"jsonrpc":"2.0",{body}}}"#))
    }
}

fn with_params(head: &str, params: &str) -> String {
    if params.is_empty() { head.to_owned() } else { format!(r#"{head},"params":{params}"#) }
}

/// A shorthand at the start of `text`: its name, its arguments, and what follows.
fn shorthand(text: &str) -> Option<(&str, &str, &str)> {
    let name =
        ["RES", "ERR", "INIT", "NOTE", "REQ", "ENV"].into_iter().find(|name| text.starts_with(name))?;
    let arguments = text[name.len()..].strip_prefix('(')?;
    let mut depth = 1;
    for (at, character) in arguments.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((name, &arguments[..at], &arguments[at + 1..]));
        }
    }
    None
}

/// `61 62` or `61*1000`.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let (hex, times) = match hex.split_once('*') {
        Some((hex, times)) => (hex, times.parse().ok()?),
        None => (hex, 1),
    };
    let two_digits = |pair: &str| if pair.len() == 2 { u8::from_str_radix(pair, 16).ok() } else { None };
    let bytes: Vec<_> = hex.split(' ').map(two_digits).collect::<Option<_>>()?;
    Some(bytes.repeat(times))
}
