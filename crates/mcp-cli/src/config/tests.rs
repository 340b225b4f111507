//! Config files and what becomes of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_jsonrpc::IdFormat;
use mcp_transport_http::Wire;
use mcp_transport_http::connector::ProxyPolicy;

use super::file::entries;
use super::{Config, ConfigError, Entry, RemoteServer, Setup, StdioServer};

fn read(text: &str) -> Result<Vec<Entry>, ConfigError> {
    entries(Path::new("conf/servers.json"), text.as_bytes())
}

/// The one entry `s` with these members.
fn entry(members: &str) -> Entry {
    let mut entries = read(&format!(r#"{{"mcpServers":{{"s":{{{members}}}}}}}"#)).unwrap();
    assert_eq!(entries.len(), 1);
    entries.remove(0)
}

fn stdio(members: &str) -> StdioServer {
    match entry(&format!(r#""command":"c",{members}"#)).setup {
        Ok(Setup::Stdio(server)) => *server,
        other => panic!("{other:?}"),
    }
}

fn remote(members: &str) -> RemoteServer {
    match entry(members).setup {
        Ok(Setup::Remote(server)) => *server,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check_bad(members: &str, text: &str, field: Option<&str>) {
    let error = entry(members).setup.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.field()), (text, field), "{members}");
}

#[track_caller]
fn check_broken(text: &str, message: &str, cause: &str) {
    let error = read(text).unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    assert_eq!((error.to_string().as_str(), source.as_str()), (message, cause), "{text}");
}

// The texts of the behaviour contract.
#[test]
fn the_contract_texts_are_exact() {
    check_bad(
        r#""command":"c","url":"http://a.test""#,
        r#"Server "s": both "command" and "url" are set - server should be either stdio (command) OR http/sse (url), not both"#,
        None,
    );
    check_bad("", r#"Server "s": stdio server requires "command" field"#, Some("command"));
    check_bad(r#""command":" ""#, r#"Server "s": stdio server requires "command" field"#, Some("command"));
    check_bad(r#""type":"http""#, r#"Server "s": http server requires "url" field"#, Some("url"));
    check_bad(r#""type":"sse""#, r#"Server "s": sse server requires "url" field"#, Some("url"));
    check_bad(r#""type":"ws","url":"ws://a.test""#, "Unknown server type: ws", Some("type"));
}

// Field case 146.
#[test]
fn a_wrong_value_is_an_error_that_names_the_field() {
    let check = |members: &str, rest: &str, field: &str| {
        check_bad(&format!(r#""command":"c",{members}"#), &format!(r#"Server "s": {rest}"#), Some(field));
    };
    check(r#""args":"-y""#, r#""args" must be an array of strings, not a string"#, "args");
    check(r#""args":["-y",3]"#, r#""args[1]" must be a string, not a number"#, "args[1]");
    check(r#""env":{"X":1}"#, r#""env.X" must be a string, not a number"#, "env.X");
    check(r#""env":{"X":true}"#, r#""env.X" must be a string, not a boolean"#, "env.X");
    check(r#""env":["X=1"]"#, r#""env" must be an object of strings, not an array"#, "env");
    check(r#""cwd":5"#, r#""cwd" must be a string, not 5"#, "cwd");
    check(r#""enabled":"yes""#, r#""enabled" must be true or false, not "yes""#, "enabled");
    check(r#""env_policy":"none""#, r#""env_policy" must be "inherit" or "clean", not "none""#, "env_policy");
    check(r#""args":[],"args":[]"#, r#""args" is there twice"#, "args");
    check_bad(
        r#""command":["c"]"#,
        r#"Server "s": "command" must be a string, not an array"#,
        Some("command"),
    );
}

// Field cases 72 and 75.
#[test]
fn a_timeout_is_milliseconds_and_zero_is_none() {
    assert_eq!(stdio(r#""timeout":300000"#).timeout, Some(Duration::from_secs(300)));
    assert_eq!(stdio(r#""timeout":1.5"#).timeout, Some(Duration::from_micros(1500)));
    assert_eq!(stdio(r#""timeout":0"#).timeout, Some(Duration::ZERO));
    assert_eq!(stdio(r#""args":[]"#).timeout, None);
    let server = stdio(r#""start_timeout":1,"max_total_timeout":2"#);
    let limits = (server.start_timeout, server.max_total_timeout);
    assert_eq!(limits, (Some(Duration::from_millis(1)), Some(Duration::from_millis(2))));
    for wrong in ["-1", "1e-9", "1e400", "1e300", "null", "true", r#""30s""#] {
        let text =
            format!(r#"Server "s": "timeout" must be a number of milliseconds, 0 or more, not {wrong}"#);
        check_bad(&format!(r#""command":"c","timeout":{wrong}"#), &text, Some("timeout"));
    }
}

#[test]
fn servers_given_twice_are_not_half_lost() {
    let error =
        read(r#"{"mcpServers":{"a":{"command":"c"}},"mcpServers":{"b":{"command":"c"}}}"#).unwrap_err();
    assert_eq!(error.to_string(), r#"config file conf/servers.json has "mcpServers" more than once"#);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_end_is_not_read_without_end() {
    let error = super::file::read(Path::new("/dev/zero")).unwrap_err();
    assert_eq!(error.to_string(), "config file /dev/zero is longer than 16777216 bytes");
}

#[test]
fn one_bad_entry_spoils_only_itself() {
    let entries = read(
        r#"{"mcpServers":{
            "good": {"command":"c"},
            "list": ["c"],
            "both": {"command":"c","url":"u"},
            "last": {"command":"c"}}}"#,
    )
    .unwrap();
    let good: Vec<_> = entries.iter().filter(|it| it.setup.is_ok()).map(|it| it.name.as_str()).collect();
    assert_eq!(good, ["good", "last"]);
    let error = entries[1].setup.as_ref().unwrap_err();
    assert_eq!(error.to_string(), r#"Server "list": must be an object, not an array"#);
    assert_eq!(error.source.line, 3);
}

#[test]
fn unknown_keys_are_warnings() {
    assert_eq!(entry(r#""command":"c","argz":[]"#).warnings, [r#"unknown key "argz" is ignored"#]);
    assert!(entry(r#""command":"c","type":"local","enabled":true"#).warnings.is_empty());
}

#[test]
fn off_wins_over_on() {
    let check = |members: &str, enabled: bool, warnings: usize| {
        let entry = entry(&format!(r#""command":"c"{members}"#));
        assert_eq!((entry.enabled, entry.warnings.len()), (enabled, warnings), "{members}");
    };
    check("", true, 0);
    check(r#","enabled":false"#, false, 0);
    check(r#","disabled":true"#, false, 0);
    check(r#","enabled":true,"disabled":false"#, true, 0);
    check(r#","enabled":true,"disabled":true"#, false, 1);
    check(r#","enabled":false,"disabled":false"#, false, 1);
}

// Field case 159.
#[test]
fn the_kind_has_several_spellings_or_follows_from_the_keys() {
    let kind = |members: &str| entry(members).kind;
    assert_eq!(kind(r#""command":"c""#), "stdio");
    assert_eq!(kind(r#""type":"local","command":"c""#), "stdio");
    assert_eq!(kind(r#""url":"u""#), "http");
    for spelling in ["http", "streamable-http", "streamableHttp", "streamable_http"] {
        assert_eq!(kind(&format!(r#""type":"{spelling}","url":"u""#)), "http");
        assert_eq!(kind(&format!(r#""transport":"{spelling}","url":"u""#)), "http");
    }
    assert_eq!(kind(r#""type":"sse","url":"u""#), "sse");
    assert_eq!(kind(r#""command":"c","args":"a bad one""#), "stdio");
    assert_eq!(kind(r#""type":"ws""#), "unknown");
}

#[test]
fn a_server_behind_an_address_takes_the_limits_of_its_entry() {
    let members = r#""url":"https://a.test/mcp","timeout":1000,"max_total_timeout":2000,"start_timeout":3000,
        "request_id_format":"number","ca":["a.pem","/b.pem"],"client_cert":"c.pem","proxy":"none""#;
    let server = remote(members);
    assert_eq!(server.start_timeout, Some(Duration::from_secs(3)));
    let config = server.transport("s");
    assert_eq!((config.name.as_deref(), config.wire), (Some("s"), Wire::Streamable));
    let limits = (config.timeout, config.max_total_timeout, config.ids);
    assert_eq!(limits, (Duration::from_secs(1), Duration::from_secs(2), IdFormat::Number));
    assert_eq!(format!("{:?}", config.connector.extra_roots), r#"[File("conf/a.pem"), File("/b.pem")]"#);
    let identity = config.connector.client_identity.unwrap();
    let files = format!("{:?} {:?}", identity.certificates, identity.key);
    assert_eq!(files, r#"File("conf/c.pem") File("conf/c.pem")"#);
    assert!(matches!(config.connector.proxy, ProxyPolicy::None));

    assert_eq!(remote(r#""type":"sse","url":"http://a.test""#).transport("s").wire, Wire::Sse);
    let own_key = remote(r#""url":"http://a.test","ca":"x","client_cert":"c","client_key":"k""#);
    let identity = own_key.transport("s").connector.client_identity.unwrap();
    assert_eq!(format!("{:?}", identity.key), r#"File("conf/k")"#);
}

#[test]
fn a_wrong_value_of_a_server_behind_an_address_names_its_field() {
    let check = |members: &str, rest: &str, field: &str| {
        check_bad(members, &format!(r#"Server "s": {rest}"#), Some(field));
    };
    let good = r#""url":"http://a.test""#;
    check(r#""url":5"#, r#""url" must be a string, not 5"#, "url");
    check(r#""url":" ""#, r#"http server requires "url" field"#, "url");
    check(r#""url":"a.test""#, r#""url": not a URL: it must begin with `http://` or `https://`"#, "url");
    check(
        &format!(r#"{good},"headers":["X"]"#),
        r#""headers" must be an object of strings, not an array"#,
        "headers",
    );
    check(
        &format!(r#"{good},"headers":{{"X":1}}"#),
        r#""headers.X" must be a string, not a number"#,
        "headers.X",
    );
    check(
        &format!(r#"{good},"headers":{{"X":null}}"#),
        r#""headers.X" must be a string, not null"#,
        "headers.X",
    );
    check(&format!(r#"{good},"headers":{{"X":"1","X":"2"}}"#), r#""headers.X" is there twice"#, "headers.X");
    check(
        &format!(r#"{good},"headers":{{"Host":"x"}}"#),
        r#""headers.Host": header `host` is set by the connection itself and cannot be configured"#,
        "headers.Host",
    );
    check(
        &format!(r#"{good},"headers":{{"X-Key":"a\nb"}}"#),
        r#""headers.X-Key": the value of header `x-key` has a line break"#,
        "headers.X-Key",
    );
    check(&format!(r#"{good},"ca":5"#), r#""ca" must be a string or an array of strings, not 5"#, "ca");
    check(&format!(r#"{good},"ca":["a",5]"#), r#""ca[1]" must be a string, not 5"#, "ca[1]");
    check(
        &format!(r#"{good},"client_key":"k""#),
        r#""client_key" needs "client_cert" beside it"#,
        "client_key",
    );
    check(
        &format!(r#"{good},"proxy":"ftp://p""#),
        r#""proxy": proxies of the kind `ftp` are not supported, only `http` and `socks5`"#,
        "proxy",
    );
    check(
        &format!(r#"{good},"timeout":-1"#),
        r#""timeout" must be a number of milliseconds, 0 or more, not -1"#,
        "timeout",
    );
    check(
        r#""url":"http://${MCP_CLI_TEST_UNSET}""#,
        r#""url": the variable `MCP_CLI_TEST_UNSET` is not set"#,
        "url",
    );
}

#[test]
fn a_header_of_the_protocol_is_a_warning() {
    let entry = entry(r#""url":"http://a.test","headers":{"Accept":"x","X":"1"}"#);
    assert_eq!(entry.warnings, ["header `accept` is set by the protocol itself, yours is ignored"]);
}

// Field case 172.
#[test]
fn no_error_and_no_debug_output_shows_a_secret_of_a_server_behind_an_address() {
    let entry = entry(r#""url":"http://u:SECRET-1@a.test/?k=SECRET-1","headers":{"K":"SECRET-1"}"#);
    assert!(!format!("{entry:?}").contains("SECRET-1"));
    assert_eq!(entry.url().as_deref(), Some("http://a.test/?k=***"));
    for members in [
        r#""url":"ws://SECRET-1@a.test""#,
        r#""url":"http://a.test:SECRET-1/""#,
        r#""url":"http://a.test/${SECRET-1}""#,
        r#""url":"http://a.test","headers":"SECRET-1""#,
        r#""url":"http://a.test","headers":{"K":"SECRET-1\n"}"#,
        r#""url":"http://a.test","headers":{"K":["SECRET-1"]}"#,
        r#""url":"http://a.test","headers":{"K: SECRET-1":"x${"}"#,
        r#""url":"http://a.test","proxy":"SECRET-1://p""#,
        r#""url":"http://a.test","proxy":"http://u:SECRET-1@/""#,
    ] {
        let error = self::entry(members).setup.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("SECRET-1"), "{members} {error}");
    }
}

// Field case 158.
#[test]
fn a_broken_file_is_an_error_and_never_empty() {
    let file = "config file conf/servers.json";
    check_broken("", &format!("{file} is empty"), "");
    check_broken(" \n", &format!("{file} is empty"), "");
    let invalid = format!("{file} is not valid JSON");
    check_broken("{\n  // hi\n}", &invalid, "key must be a string at line 2 column 3");
    check_broken("{\"mcpServers\": {},\n}", &invalid, "trailing comma at line 2 column 1");
    check_broken("[]", &invalid, "invalid type: sequence, expected an object at line 1 column 0");
    check_broken("{}", &format!(r#"{file} has no "mcpServers""#), "");
    check_broken(
        "{\n\"mcpServers\": []}",
        &format!(r#"{file}: "mcpServers" in line 2 must be an object of servers by name, not an array"#),
        "",
    );
    let error = entries(Path::new("a.json"), b"{\n\xff}").unwrap_err();
    assert_eq!(error.to_string(), "config file a.json is not UTF-8 in line 2");
    let error = Config::load(&[PathBuf::from("/nonexistent/a.json")]).unwrap_err();
    assert_eq!(error.to_string(), "cannot read config file /nonexistent/a.json");
}

#[test]
fn a_byte_order_mark_is_fine() {
    assert_eq!(read("\u{feff}{\"mcpServers\":{\"s\":{\"command\":\"c\"}}}").unwrap().len(), 1);
}

#[test]
fn the_same_name_twice_is_an_error_of_that_server() {
    let entries =
        read(r#"{"mcpServers":{"s":{"command":"a"},"t":{"command":"b"},"s":{"command":"c"}}}"#).unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].setup.as_ref().unwrap_err().to_string(), r#"Server "s": is in the file twice"#);
    assert!(entries[1].setup.is_ok());
}

#[test]
fn cwd_starts_from_the_folder_of_the_file() {
    assert_eq!(stdio(r#""cwd":"sub""#).cwd.as_deref(), Some(Path::new("conf/sub")));
    assert_eq!(stdio(r#""cwd":"/abs""#).cwd.as_deref(), Some(Path::new("/abs")));
}

#[test]
fn env_values_are_added_and_null_takes_one_away() {
    let env = stdio(r#""env":{"X":"1","Y":null}"#).env;
    assert_eq!((env["X"].as_deref(), env["Y"].as_deref()), (Some("1"), None));
}

// Field case 172.
#[test]
fn no_error_and_no_debug_output_shows_a_secret() {
    let entry = entry(r#""command":"c","env":{"K":"SECRET-1"},"args":["SECRET-1"]"#);
    assert!(!format!("{entry:?}").contains("SECRET-1"));
    for members in [r#""env":"SECRET-1""#, r#""args":"SECRET-1""#, r#""env":{"K":["SECRET-1"]}"#] {
        let error = self::entry(&format!(r#""command":"c",{members}"#)).setup.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("SECRET-1"), "{members}");
    }
}
