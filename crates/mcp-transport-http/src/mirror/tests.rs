//! Values in headers, and those that cannot be there.

use proptest::prelude::*;

use super::*;

/// What a server makes of a header.
fn decoded(header: &str) -> String {
    match header.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix(CLOSING)) {
        Some(base64) => String::from_utf8(STANDARD.decode(base64).unwrap()).unwrap(),
        None => header.to_owned(),
    }
}

fn mirrored(header: &'static str, value: &str) -> Mirrored {
    Mirrored { header: header.into(), value: value.to_owned() }
}

fn added(method: &str, pairs: &[Mirrored]) -> Result<HeaderMap, MirrorError> {
    let mut headers = HeaderMap::new();
    add(&mut headers, method, pairs).map(|()| headers)
}

// C-145, C-149, C-150, C-151.
#[test]
fn what_is_not_plain_is_written_in_base64() {
    for (value, expected) in [
        ("eu-2", "eu-2"),
        ("two words", "two words"),
        ("Zürich", "=?base64?WsO8cmljaA==?="),
        ("  eu ", "=?base64?ICBldSA=?="),
        ("a\nb", "=?base64?YQpi?="),
        ("\tlead", "=?base64?CWxlYWQ=?="),
        ("in\tner", "=?base64?aW4JbmVy?="),
        ("=?base64?hi?=", "=?base64?PT9iYXNlNjQ/aGk/PQ==?="),
        ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
        ("=?BASE64?hi?=", "=?BASE64?hi?="),
        ("=?base64?hi", "=?base64?hi"),
        ("\u{7f}", "=?base64?fw==?="),
        (" ", "=?base64?IA==?="),
        ("\r\nX-Evil: 1", "=?base64?DQpYLUV2aWw6IDE=?="),
        ("file:///a%20b?c=d#e", "file:///a%20b?c=d#e"),
        ("42", "42"),
        ("false", "false"),
        ("~", "~"),
        ("", ""),
    ] {
        assert_eq!(written(value), expected, "{value:?}");
        assert_eq!(encoded(value).as_bytes(), expected.as_bytes(), "{value:?}");
        assert_eq!(decoded(expected), value);
    }
}

proptest! {
    #[test]
    fn every_value_comes_back_as_it_was(value in any::<String>()) {
        let (written, header) = (written(&value), encoded(&value));
        prop_assert!(written.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        prop_assert_eq!(written.trim(), &*written);
        prop_assert_eq!(decoded(&written), value.clone());
        prop_assert_eq!(header.as_bytes(), written.as_bytes());
    }

    #[test]
    fn values_near_the_markers_come_back_as_they_were(value in "(=\\?|base64|\\?|=| |\t|é|x){0,8}") {
        prop_assert_eq!(decoded(&written(&value)), value);
    }

    #[test]
    fn no_name_and_no_method_breaks_out_of_its_header(name in any::<String>(), method in any::<String>()) {
        let pair = Mirrored { header: name.into(), value: String::new() };
        if let Ok(headers) = added(&method, &[pair]) {
            prop_assert_eq!(headers.len(), 2);
            prop_assert_eq!(headers[METHOD].as_bytes(), method.as_bytes());
        }
    }
}

// C-142, C-143, C-148.
#[test]
fn method_and_values_stand_under_their_names() {
    let headers = added(
        "tools/call",
        &[mirrored("Mcp-Name", "echo"), mirrored("Mcp-Param-A", "1"), mirrored("mcp-param-a", "2")],
    )
    .unwrap();
    assert_eq!(headers.len(), 3);
    assert_eq!(headers["mcp-method"], "tools/call");
    assert_eq!(headers["mcp-name"], "echo");
    assert_eq!(headers["mcp-param-a"], "2");
    assert!(headers["mcp-name"].is_sensitive() && !format!("{headers:?}").contains("echo"));
}

#[test]
fn a_method_that_no_header_can_hold_is_refused() {
    for method in ["", "a\nb", "a\r\nHost: x", " a", "a ", "\t", "a\tb", "é", "a\0", "=?base64?YQ==?="] {
        let error = added(method, &[]).unwrap_err();
        assert!(matches!(error, MirrorError::Method(_)), "{method:?}");
        assert!(!error.to_string().contains(['\n', '\r', '\0', '\t']), "{error}");
    }
    assert!(added("x/y z~", &[]).is_ok());
}

#[test]
fn a_name_that_no_header_can_have_is_refused_without_its_value() {
    for name in ["", "Mcp-Param-a b", "Mcp-Param-ü", "Mcp-Param-a:", "Mcp-Param-a\r\nHost", "\0"] {
        let error = added("m", &[mirrored(name, "SECRET-1")]).unwrap_err();
        assert!(matches!(error, MirrorError::Name(_)), "{name:?}");
        assert!(!format!("{error} {error:?}").contains("SECRET-1"));
    }
}

#[test]
fn headers_of_others_are_not_replaced() {
    for name in [
        "Host",
        "Content-Length",
        "Authorization",
        "X-Api-Key",
        "Accept",
        "MCP-Protocol-Version",
        "Mcp-Session-Id",
        "Mcp-Method",
    ] {
        let error = added("m", &[mirrored(name, "x")]).unwrap_err();
        assert!(matches!(&error, MirrorError::Taken(taken) if name.eq_ignore_ascii_case(taken.as_str())));
    }
}

#[test]
fn more_headers_than_there_can_be_are_an_error() {
    let mut pairs: Vec<_> = (0..MAX_MIRRORED)
        .map(|n| Mirrored { header: format!("Mcp-Param-{n}").into(), value: String::new() })
        .collect();
    assert_eq!(added("m", &pairs).unwrap().len(), MAX_MIRRORED + 1);
    pairs.push(mirrored("Mcp-Name", "x"));
    assert_eq!(added("m", &pairs).unwrap_err(), MirrorError::TooMany);
}
