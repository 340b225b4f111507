//! Messages we send, as text: one JSON object without the framing around it.

use mcp_types::ErrorObject;
use serde_json::value::RawValue;

/// Params of a message we send: serialised once, by whoever knows their type.
pub type RawParams = Box<RawValue>;

const VERSION: &[u8] = br#"{"jsonrpc":"2.0""#;

/// Room for the fixed members, an id, and a line end behind the object.
const OVERHEAD: usize = 96;

/// A request. `write_id` writes the JSON text of its id.
pub(crate) fn request(
    write_id: impl FnOnce(&mut Vec<u8>),
    method: &str,
    params: Option<&RawValue>,
) -> Vec<u8> {
    let mut out = start(method, params);
    out.extend_from_slice(br#","id":"#);
    write_id(&mut out);
    finish(out, method, params)
}

/// A notification.
pub fn notification(method: &str, params: Option<&RawValue>) -> Vec<u8> {
    finish(start(method, params), method, params)
}

/// The response to a request of the peer, with the id exactly as the peer wrote it (C-009).
pub(crate) fn response(id: &RawValue, outcome: Result<&RawValue, &ErrorObject>) -> Vec<u8> {
    let body = outcome.map_or(0, |result| result.get().len());
    let mut out = Vec::with_capacity(OVERHEAD + body);
    out.extend_from_slice(VERSION);
    out.extend_from_slice(br#","id":"#);
    out.extend_from_slice(id.get().as_bytes());
    match outcome {
        Ok(result) => {
            out.extend_from_slice(br#","result":"#);
            out.extend_from_slice(result.get().as_bytes());
        }
        Err(error) => {
            out.extend_from_slice(br#","error":"#);
            write_json(&mut out, error);
        }
    }
    out.push(b'}');
    out
}

fn start(method: &str, params: Option<&RawValue>) -> Vec<u8> {
    let size = OVERHEAD + method.len() + params.map_or(0, |params| params.get().len());
    let mut out = Vec::with_capacity(size);
    out.extend_from_slice(VERSION);
    out
}

fn finish(mut out: Vec<u8>, method: &str, params: Option<&RawValue>) -> Vec<u8> {
    out.extend_from_slice(br#","method":"#);
    write_json(&mut out, method);
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        out.extend_from_slice(params.get().as_bytes());
    }
    out.push(b'}');
    out
}

fn write_json<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Strings and integers always serialise, and a Vec takes all that is written.
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "a plain value serialises");
}
