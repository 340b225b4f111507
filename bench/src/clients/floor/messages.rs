//! The messages of the bare loop, in the one form that it knows.

use std::borrow::Cow;
use std::io::Write;

use anyhow::Result;
use serde::Deserialize;
use serde_json::value::RawValue;

pub(super) const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
"#;
pub(super) const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;
pub(super) const LIST: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"tools/list"}
"#;

/// Whatever the server says.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    pub(super) id: Option<u64>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<Answer<'a>>,
}

/// The result of a call or of a listing.
#[derive(Deserialize)]
pub(super) struct Answer<'a> {
    #[serde(borrow, default)]
    pub(super) content: Vec<Content<'a>>,
    #[serde(borrow, default)]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(default, rename = "isError")]
    pub(super) is_error: bool,
}

#[derive(Deserialize)]
pub(super) struct Content<'a> {
    #[serde(borrow)]
    pub(super) text: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct Tool<'a> {
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
}

impl<'a> Message<'a> {
    pub(super) fn read(line: &'a [u8]) -> Result<Self> {
        Ok(serde_json::from_slice(line)?)
    }
}

/// A mark needs no escapes.
pub(super) fn write_call(out: &mut Vec<u8>, id: u64, mark: &str, size: usize) -> Result<()> {
    writeln!(
        out,
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{mark}","size":{size}}}}}}}"#
    )?;
    Ok(())
}
