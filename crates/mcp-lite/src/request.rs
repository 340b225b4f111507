//! The one request: its message and its HTTP form.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, PROXY_AUTHORIZATION};
use hyper::{Method, Request, Version};
use mcp_transport_http::Endpoint;
use mcp_transport_http::connector::{Connection, Protocol};
use serde::Serialize;

use crate::options::CallOptions;

/// The id of the request. Nothing else is asked on its connection, so it need not be unlike others.
pub(crate) const ID: i64 = 1;

/// The message of a request; `params` is left out if there is none.
pub(crate) fn message(
    method: &str,
    params: Option<&(impl Serialize + ?Sized)>,
) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct Message<'a, P: ?Sized> {
        jsonrpc: &'static str,
        id: i64,
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        params: Option<&'a P>,
    }
    serde_json::to_vec(&Message { jsonrpc: "2.0", id: ID, method, params })
}

/// The POST with the message, for this connection.
pub(crate) fn post(
    options: &CallOptions,
    endpoint: &Endpoint,
    connection: &Connection,
    message: Vec<u8>,
) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(message.into()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = endpoint.uri().clone();
    let headers = request.headers_mut();
    for (name, value) in options.headers.iter() {
        headers.append(name.clone(), value.clone());
    }
    if let Some(authorization) = endpoint.authorization() {
        // A configured one is meant to be used.
        headers.entry(AUTHORIZATION).or_insert(authorization);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    if connection.protocol == Protocol::Http2 {
        *request.version_mut() = Version::HTTP_2;
        *request.uri_mut() = endpoint.absolute_uri().clone();
        return request;
    }
    headers.insert(HOST, endpoint.host_header().clone());
    if let Some(forward) = &connection.forward {
        if let Some(authorization) = &forward.authorization {
            headers.insert(PROXY_AUTHORIZATION, authorization.clone());
        }
        *request.uri_mut() = endpoint.absolute_uri().clone();
    }
    request
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn params_are_left_out_where_there_are_none() {
        let text = |message: Vec<u8>| String::from_utf8(message).unwrap();
        let none = message("tools/list", None::<&()>).unwrap();
        assert_eq!(text(none), r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        let some =
            message("a\"b", Some(&[("k", 1)].into_iter().collect::<std::collections::BTreeMap<_, _>>()));
        assert_eq!(text(some.unwrap()), r#"{"jsonrpc":"2.0","id":1,"method":"a\"b","params":{"k":1}}"#);
    }
}
