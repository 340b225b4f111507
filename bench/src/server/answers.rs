//! What the server answers, without any IO.

use std::io::{self, Write};

use anyhow::{Context, Result};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::arguments::ServerOptions;
use crate::payload;

const NOTIFICATION: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","logger":"tables","data":{"text":"one more page of the table was read","page":7,"rows":250}}}"#;

/// The one revision that is spoken, whatever a client asks for: rmcp would ask for a later one, in
/// which each request is twice as long.
const VERSION: &str = "2025-11-25";

/// Where answers go.
pub(super) trait Out: Write {
    /// Writes `bytes`, which whoever is able to may keep without copying them.
    fn share(&mut self, bytes: &Bytes) -> io::Result<()>;
}

impl Out for Vec<u8> {
    fn share(&mut self, bytes: &Bytes) -> io::Result<()> {
        self.write_all(bytes)
    }
}

/// What stands before and after each message.
#[derive(Clone, Copy)]
pub(super) struct Framing {
    begin: &'static [u8],
    end: &'static [u8],
}

impl Framing {
    pub(super) const LINES: Self = Self { begin: b"", end: b"\n" };
    pub(super) const NONE: Self = Self { begin: b"", end: b"" };
    pub(super) const EVENTS: Self = Self { begin: b"event: message\ndata: ", end: b"\n\n" };
}

/// What was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Nothing that wants an answer.
    Nothing,
    Initialize,
    Other,
}

#[derive(Deserialize)]
struct Incoming<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    arguments: Arguments<'a>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    text: &'a str,
    size: usize,
}

/// Everything there is to say, most of it written beforehand.
pub(super) struct Answers {
    framing: Framing,
    tools: String,
    /// All notifications before an answer.
    notifications: Vec<u8>,
    reorder: bool,
    /// Filler in its JSON form, with the length that it has outside of it.
    filler: (usize, Bytes),
}

impl Answers {
    pub(super) fn new(options: &ServerOptions, framing: Framing) -> Self {
        let notification = [framing.begin, NOTIFICATION, framing.end].concat();
        Self {
            framing,
            tools: payload::tools(options.tools).to_string(),
            notifications: notification.repeat(options.notify),
            reorder: options.reorder,
            filler: (0, Bytes::new()),
        }
    }

    /// Writes the answers to all `lines`.
    ///
    /// # Errors
    ///
    /// Only for what no client here should ever send.
    pub(super) fn answer_all(&mut self, lines: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let mut lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        if !self.reorder {
            return lines.try_for_each(|line| self.answer(line, out).map(drop));
        }
        lines.rev().try_for_each(|line| self.answer(line, out).map(drop))
    }

    /// Writes the answer to one message.
    ///
    /// # Errors
    ///
    /// As [`Answers::answer_all`].
    pub(super) fn answer(&mut self, line: &[u8], out: &mut impl Out) -> Result<Asked> {
        let message: Incoming<'_> = serde_json::from_slice(line)
            .with_context(|| format!("not a message: {}", String::from_utf8_lossy(line)))?;
        let (Some(id), Some(method)) = (message.id, message.method) else {
            return Ok(Asked::Nothing);
        };
        let params = message.params.map_or("{}", RawValue::get);
        let mut asked = Asked::Other;
        match method {
            "initialize" => {
                asked = Asked::Initialize;
                self.begin(out, id)?;
                write!(
                    out,
                    r#"{{"protocolVersion":"{VERSION}","capabilities":{{"tools":{{}},"logging":{{}}}},"serverInfo":{{"name":"neutral","version":"1"}}}}"#
                )?;
            }
            "tools/list" => {
                self.begin(out, id)?;
                out.write_all(br#"{"tools":"#)?;
                out.write_all(self.tools.as_bytes())?;
                out.write_all(b"}")?;
            }
            "tools/call" => {
                let call = serde_json::from_str::<Call<'_>>(params)?;
                out.write_all(&self.notifications)?;
                self.begin(out, id)?;
                self.echo(&call.arguments, out)?;
            }
            "ping" | "logging/setLevel" => {
                self.begin(out, id)?;
                out.write_all(b"{}")?;
            }
            _ => {
                out.write_all(self.framing.begin)?;
                write!(
                    out,
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}"#
                )?;
            }
        }
        out.write_all(b"}")?;
        out.write_all(self.framing.end)?;
        Ok(asked)
    }

    fn begin(&self, out: &mut impl Out, id: &RawValue) -> Result<()> {
        out.write_all(self.framing.begin)?;
        write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":"#)?;
        Ok(())
    }

    fn echo(&mut self, arguments: &Arguments<'_>, out: &mut impl Out) -> Result<()> {
        let length = arguments.size.saturating_sub(arguments.text.len());
        if self.filler.0 != length {
            let json = Bytes::from(serde_json::to_vec(&payload::filler(length))?);
            self.filler = (length, json.slice(1..json.len() - 1));
        }
        out.write_all(br#"{"content":[{"type":"text","text":""#)?;
        // It came as a string without escapes, or it could not have been borrowed.
        out.write_all(arguments.text.as_bytes())?;
        out.share(&self.filler.1)?;
        out.write_all(br#""}],"isError":false}"#)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn ask(options: ServerOptions, lines: &str) -> Vec<Value> {
        let mut out = Vec::new();
        Answers::new(&options, Framing::LINES).answer_all(lines.as_bytes(), &mut out).unwrap();
        let lines = std::str::from_utf8(&out).unwrap().lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn call(id: &str, mark: &str) -> String {
        let params = format!(r#"{{"name":"echo","arguments":{{"text":"{mark}","size":1000}}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
    }

    #[test]
    fn a_call_gets_its_own_text_back_after_its_notifications() {
        let mark = payload::mark(1, 2);
        let options = ServerOptions { notify: 2, ..ServerOptions::default() };
        let said = ask(options, &call(r#""a""#, &mark));
        assert_eq!(said.len(), 3);
        assert_eq!(said[0]["method"], "notifications/message");
        assert_eq!(said[2]["id"], "a");
        let text = said[2]["result"]["content"][0]["text"].as_str().unwrap();
        payload::Checker::new().text(&mark, 1000, text).unwrap();
    }

    #[test]
    fn all_clients_speak_the_same_revision() {
        let params = r#"{"protocolVersion":"2026-07-28"}"#;
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#);
        let said = ask(ServerOptions::default(), &line);
        assert_eq!(said[0]["result"]["protocolVersion"], VERSION);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let said = ask(ServerOptions::default(), r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#);
        assert_eq!(said[0]["error"]["code"], -32601);
    }

    #[test]
    fn each_message_is_an_event_where_events_are_wanted() {
        let options = ServerOptions { notify: 2, ..ServerOptions::default() };
        let mut out = Vec::new();
        let call = call("1", &payload::mark(1, 2));
        Answers::new(&options, Framing::EVENTS).answer(call.as_bytes(), &mut out).unwrap();
        let said = String::from_utf8(out).unwrap();
        let events = said.split_terminator("\n\n").collect::<Vec<_>>();
        assert_eq!(events.len(), 3);
        for event in events {
            let data = event.strip_prefix("event: message\ndata: ").unwrap();
            assert!(serde_json::from_str::<Value>(data).unwrap().is_object());
        }
    }

    #[test]
    fn the_answers_of_a_read_can_come_in_reverse() {
        let lines = format!("{}\n{}", call("1", "x"), call("2", "y"));
        let ids = |options| ask(options, &lines).iter().map(|said| said["id"].clone()).collect::<Vec<_>>();
        assert_eq!(ids(ServerOptions::default()), [1, 2]);
        assert_eq!(ids(ServerOptions { reorder: true, ..ServerOptions::default() }), [2, 1]);
    }

    #[test]
    fn the_listing_passes_its_own_check() {
        let options = ServerOptions { tools: 12, ..ServerOptions::default() };
        let said = ask(options, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        let tools = said[0]["result"]["tools"].as_array().unwrap();
        payload::check_tools(tools.iter().map(|tool| tool["name"].as_str().unwrap()), 12).unwrap();
        assert!((900..1200).contains(&tools[5].to_string().len()), "{}", tools[5].to_string().len());
    }

    #[test]
    fn a_notification_gets_no_answer() {
        assert!(
            ask(ServerOptions::default(), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
                .is_empty()
        );
    }
}
