//! What the server answers, without any IO.

use std::io::Write;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::arguments::ServerOptions;
use crate::payload;

const NOTIFICATION: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","logger":"tables","data":{"text":"one more page of the table was read","page":7,"rows":250}}}
"#;

#[derive(Deserialize)]
struct Incoming<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Initialize<'a> {
    #[serde(rename = "protocolVersion")]
    version: &'a str,
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
    tools: String,
    notify: usize,
    reorder: bool,
    /// Filler in its JSON form, with the length that it has outside of it.
    filler: (usize, String),
}

impl Answers {
    pub(super) fn new(options: &ServerOptions) -> Self {
        Self {
            tools: payload::tools(options.tools).to_string(),
            notify: options.notify,
            reorder: options.reorder,
            filler: (0, String::new()),
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
            return lines.try_for_each(|line| self.answer_one(line, out));
        }
        lines.rev().try_for_each(|line| self.answer_one(line, out))
    }

    fn answer_one(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let message: Incoming<'_> = serde_json::from_slice(line)
            .with_context(|| format!("not a message: {}", String::from_utf8_lossy(line)))?;
        let (Some(id), Some(method)) = (message.id, message.method) else { return Ok(()) };
        let params = message.params.map_or("{}", RawValue::get);
        match method {
            "initialize" => {
                let Initialize { version } = serde_json::from_str(params)?;
                begin(out, id)?;
                write!(
                    out,
                    r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}},"logging":{{}}}},"serverInfo":{{"name":"neutral","version":"1"}}}}"#
                )?;
            }
            "tools/list" => {
                begin(out, id)?;
                out.extend_from_slice(br#"{"tools":"#);
                out.extend_from_slice(self.tools.as_bytes());
                out.push(b'}');
            }
            "tools/call" => {
                let call = serde_json::from_str::<Call<'_>>(params)?;
                out.extend(NOTIFICATION.repeat(self.notify));
                begin(out, id)?;
                self.echo(&call.arguments, out)?;
            }
            _ => {
                begin(out, id)?;
                out.extend_from_slice(b"{}");
            }
        }
        out.extend_from_slice(b"}\n");
        Ok(())
    }

    fn echo(&mut self, arguments: &Arguments<'_>, out: &mut Vec<u8>) -> Result<()> {
        let length = arguments.size.saturating_sub(arguments.text.len());
        if self.filler.0 != length {
            let json = serde_json::to_string(&payload::filler(length))?;
            self.filler = (length, json[1..json.len() - 1].to_owned());
        }
        out.extend_from_slice(br#"{"content":[{"type":"text","text":""#);
        // It came as a string without escapes, or it could not have been borrowed.
        out.extend_from_slice(arguments.text.as_bytes());
        out.extend_from_slice(self.filler.1.as_bytes());
        out.extend_from_slice(br#""}],"isError":false}"#);
        Ok(())
    }
}

fn begin(out: &mut Vec<u8>, id: &RawValue) -> Result<()> {
    write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":"#)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn ask(options: ServerOptions, lines: &str) -> Vec<Value> {
        let mut out = Vec::new();
        Answers::new(&options).answer_all(lines.as_bytes(), &mut out).unwrap();
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
