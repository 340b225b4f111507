//! What can be configured, what is left out, and what is refused.

use super::{HeaderError, Headers};

fn lines(headers: &Headers) -> Vec<String> {
    let text = |value: &[u8]| String::from_utf8(value.to_vec()).unwrap();
    headers.iter().map(|(name, value)| format!("{name}: {}", text(value.as_bytes()))).collect()
}

#[track_caller]
fn refused(name: &str, value: &str, message: &str) {
    let error = Headers::new([(name, value)]).unwrap_err();
    assert_eq!(error.to_string(), message);
    assert!(!format!("{error} {error:?}").contains("SECRET"), "{error:?}");
}

#[test]
fn other_headers_pass_in_order_and_twice_if_given_twice() {
    let headers = Headers::new([
        ("Authorization", "Bearer x"),
        ("X-A", " one\t"),
        ("Cookie", "a=b; c=d"),
        ("x-a", "tw o"),
        ("User-Agent", ""),
        ("X-Text", "é"),
    ])
    .unwrap();
    assert_eq!(
        lines(&headers),
        ["authorization: Bearer x", "x-a: one", "cookie: a=b; c=d", "x-a: tw o", "user-agent: ", "x-text: é"]
    );
    assert!(headers.ignored().is_empty() && !headers.is_empty());
    assert!(headers.iter().all(|(_, value)| value.is_sensitive()));
}

#[test]
fn headers_of_the_protocol_are_left_out_and_listed() {
    let names = [
        "Content-Type",
        "Accept",
        "Mcp-Session-Id",
        "MCP-Protocol-Version",
        "Last-Event-ID",
        "Mcp-Method",
        "Mcp-Name",
        "Mcp-Param-City",
        "Accept-Encoding",
    ];
    let headers = Headers::new(names.into_iter().chain(["accept"]).map(|name| (name, "x"))).unwrap();
    assert!(headers.is_empty());
    let ignored: Vec<_> = headers.ignored().iter().map(|name| name.as_str()).collect();
    assert_eq!(ignored, names.map(str::to_ascii_lowercase));
    assert_eq!(lines(&Headers::new([("Mcp-Params", "x")]).unwrap()), ["mcp-params: x"]);
}

#[test]
fn headers_of_the_connection_are_refused() {
    for name in [
        "Host",
        "Connection",
        "Content-Length",
        "Transfer-Encoding",
        "TE",
        "Trailer",
        "Upgrade",
        "Keep-Alive",
        "Proxy-Connection",
        "Expect",
    ] {
        let name = name.to_ascii_lowercase();
        let message = format!("header `{name}` is set by the connection itself and cannot be configured");
        refused(&name, "SECRET-1", &message);
    }
}

#[test]
fn a_bad_name_is_refused_without_what_follows() {
    refused("", "SECRET-1", "a header has no name");
    refused(
        "Authorization: Bearer SECRET-1",
        "",
        "the header name that begins with `Authorization` has a character that no header name may have: ':'",
    );
    refused(
        "X-\nSECRET-1",
        "",
        "the header name that begins with `X-` has a character that no header name may have: '\\n'",
    );
    refused("é", "", "the header name that begins with `` has a character that no header name may have: 'é'");
    let long = format!("{} ", "x".repeat(1000));
    let Err(HeaderError::Name { start, bad: ' ' }) = Headers::new([(long, "")]) else { panic!("refused") };
    assert_eq!(start.len(), 64);
}

#[test]
fn a_bad_value_is_refused_and_not_shown() {
    refused("X-A", "SECRET-1\r\nX-B: y", "the value of header `x-a` has a line break");
    refused("X-A", "SECRET-1\n", "the value of header `x-a` has a line break");
    refused("X-A", "SECRET-1\0", "the value of header `x-a` has a NUL character");
    refused("X-A", "SECRET-1\u{1b}", "the value of header `x-a` has a control character");
    refused("Accept", "SECRET-1\u{7f}", "the value of header `accept` has a control character");
    let error = Headers::new([("X-A", "a\rb")]).unwrap_err();
    assert!(matches!(error, HeaderError::Value { name, .. } if name == "x-a"));
}

#[test]
fn number_and_size_are_bounded() {
    assert!(Headers::new((0..100).map(|at| (format!("x-{at}"), "v"))).is_ok());
    assert_eq!(Headers::new((0..).map(|at| (format!("x-{at}"), "v"))).unwrap_err(), HeaderError::TooMany);
    let value = "v".repeat(64 * 1024);
    assert_eq!(Headers::new([("x", value.as_str())]).unwrap_err(), HeaderError::TooLarge);
    assert!(Headers::new([("x", &value[1..])]).is_ok());
    let messages = [HeaderError::TooMany, HeaderError::TooLarge].map(|error| error.to_string());
    assert_eq!(
        messages,
        ["more than 100 headers are configured", "the configured headers are larger than 65536 bytes"]
    );
}

#[test]
fn a_name_longer_than_any_can_be_is_refused() {
    // As long as may be altogether, which no limit of names comes before.
    let longest = "n".repeat(64 * 1024);
    assert!(matches!(Headers::new([(longest, "")]), Err(HeaderError::LongName)));
}

#[test]
fn secrets_are_the_values_and_credentials_without_their_scheme() {
    let headers = Headers::new([
        ("Authorization", "Bearer  SECRET-1"),
        ("X-Key", "SECRET 2"),
        ("X-Empty", ""),
        ("Mcp-Session-Id", "never sent"),
    ])
    .unwrap();
    assert_eq!(headers.secrets(), ["Bearer  SECRET-1", "SECRET-1", "SECRET 2"]);
}

#[test]
fn debug_shows_names_only() {
    let headers = Headers::new([("Authorization", "Bearer SECRET-1"), ("Accept", "SECRET-1")]).unwrap();
    assert_eq!(format!("{headers:?}"), r#"{"authorization": ***}"#);
}
