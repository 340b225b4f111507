//! What each request says of itself: version, client and capabilities, in `_meta` (C-069 to C-071).

use mcp_jsonrpc::RawParams;
use mcp_types::{ClientCapabilities, Extra, Implementation, LoggingLevel, Meta, Revision};
use serde_json::value::{RawValue, to_raw_value};

use super::rounds::Responses;
use crate::params::META;

/// The part of `_meta` that is the same for all requests of a connection, written once.
#[derive(Debug)]
pub(crate) struct Stamp {
    info: Box<RawValue>,
    capabilities: Box<RawValue>,
}

/// A request before it is stamped.
#[derive(Clone, Debug)]
pub(crate) struct Stamped<'a> {
    pub(crate) version: Revision,
    pub(crate) params: Option<&'a RawValue>,
    /// Asks for progress.
    pub(crate) token: Option<i64>,
    /// Asks for log messages.
    pub(crate) log_level: Option<LoggingLevel>,
    /// What the server asked for in the round before.
    pub(crate) responses: Option<&'a Responses>,
}

impl<'a> Stamped<'a> {
    /// A request of this version and no more.
    pub(crate) fn new(version: Revision, params: Option<&'a RawValue>) -> Self {
        Self { version, params, token: None, log_level: None, responses: None }
    }
}

impl Stamp {
    pub(crate) fn new(info: &Implementation, capabilities: &ClientCapabilities) -> serde_json::Result<Self> {
        let mut capabilities = capabilities.clone();
        if let Some(roots) = &mut capabilities.roots {
            // There is no notification any more that it could promise.
            roots.list_changed = None;
        }
        Ok(Self { info: to_raw_value(info)?, capabilities: to_raw_value(&capabilities)? })
    }

    /// The params of the request as they are sent.
    pub(crate) fn on(&self, request: Stamped<'_>) -> serde_json::Result<RawParams> {
        match request.params.map(RawValue::get) {
            // Nothing to join it with: the text is put together, which costs no parse of the params.
            params if request.responses.is_none() && params.is_none_or(has_no_meta) => {
                self.spliced(params.unwrap_or("{}"), &request)
            }
            _ => self.joined(&request),
        }
    }

    fn spliced(&self, params: &str, request: &Stamped<'_>) -> serde_json::Result<RawParams> {
        let meta = to_raw_value(&self.meta(Meta::new(), request)?)?;
        let Some(members) = params.trim_ascii_start().strip_prefix('{') else { return self.joined(request) };
        let comma = if members.trim_ascii_start().starts_with('}') { "" } else { "," };
        RawValue::from_string(format!(r#"{{"{META}":{}{comma}{members}"#, meta.get()))
    }

    fn joined(&self, request: &Stamped<'_>) -> serde_json::Result<RawParams> {
        let mut members = match request.params {
            Some(params) => serde_json::from_str::<Extra>(params.get())?,
            None => Extra::new(),
        };
        let own = match members.get(META) {
            Some(meta) => serde_json::from_str::<Option<Meta>>(meta.get())?.unwrap_or_default(),
            None => Meta::new(),
        };
        members.insert(META, to_raw_value(&self.meta(own, request)?)?);
        if let Some(responses) = request.responses {
            responses.insert_into(&mut members)?;
        }
        to_raw_value(&members)
    }

    /// What the caller has in `meta` stays, but not under the names that are the protocol's.
    fn meta(&self, mut meta: Meta, request: &Stamped<'_>) -> serde_json::Result<Meta> {
        meta.insert(Meta::PROTOCOL_VERSION, to_raw_value(request.version.as_str())?);
        meta.insert(Meta::CLIENT_INFO, self.info.clone());
        meta.insert(Meta::CLIENT_CAPABILITIES, self.capabilities.clone());
        if let Some(level) = &request.log_level {
            meta.insert(Meta::LOG_LEVEL, to_raw_value(level)?);
        }
        if let Some(token) = request.token {
            meta.set_progress_token(&token.into());
        }
        Ok(meta)
    }
}

/// Whether no member can be `_meta`, however it is spelt.
fn has_no_meta(params: &str) -> bool {
    !params.contains(META) && !params.contains("\\u")
}

#[cfg(test)]
mod tests {
    use mcp_types::RootsCapability;
    use serde_json::{Value, json};

    use super::*;

    const VERSION: Revision = Revision::V2026_07_28;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn stamp() -> Stamp {
        let mut roots = RootsCapability::default();
        roots.list_changed = Some(true);
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(roots);
        Stamp::new(&Implementation::new("t", "0"), &capabilities).unwrap()
    }

    fn stamped(params: Option<&str>) -> String {
        let params = params.map(raw);
        stamp().on(Stamped::new(VERSION, params.as_deref())).unwrap().get().to_owned()
    }

    const META: &str = concat!(
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
        r#""io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"#,
        r#""io.modelcontextprotocol/clientCapabilities":{"roots":{}}}"#
    );

    #[test]
    fn params_are_kept_to_the_byte_behind_the_metadata() {
        for params in [None, Some("{}"), Some("{ }")] {
            assert_eq!(stamped(params).replace("{ }", "{}").replace("} }", "}}"), format!("{{{META}}}"));
        }
        let odd = r#"{ "b":1e400,"a":[0.10,{"x":null}]}"#;
        assert_eq!(stamped(Some(odd)), format!("{{{META},{}", &odd[1..]));
    }

    #[test]
    fn metadata_of_the_caller_is_joined_and_cannot_pose_as_the_protocols() {
        let own = r#"{"_meta":{"com.example/x":[1e400],"io.modelcontextprotocol/protocolVersion":"1999-01-01"},"a":1}"#;
        for own in [own.to_owned(), own.replace("_meta", "\\u005fmeta")] {
            let params: Value = serde_json::from_str(&stamped(Some(&own)).replace("1e400", "7")).unwrap();
            let meta = &params["_meta"];
            assert_eq!(meta["com.example/x"], json!([7]));
            assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
            assert_eq!(params["a"], 1);
        }
        assert_eq!(stamped(Some(r#"{"_meta":null}"#)), format!("{{{META}}}"));
    }

    #[test]
    fn progress_and_log_messages_are_asked_for_by_name() {
        let request =
            Stamped { token: Some(7), log_level: Some(LoggingLevel::Warning), ..Stamped::new(VERSION, None) };
        let params: Value = serde_json::from_str(stamp().on(request).unwrap().get()).unwrap();
        assert_eq!(params["_meta"]["progressToken"], 7);
        assert_eq!(params["_meta"]["io.modelcontextprotocol/logLevel"], "warning");
    }

    #[test]
    fn params_that_are_no_object_are_refused() {
        for params in ["[1]", "7", r#""_meta""#] {
            let params = raw(params);
            stamp().on(Stamped::new(VERSION, Some(&params))).unwrap_err();
        }
    }
}
