//! Our own format.

use std::path::Path;
use std::time::Duration;

use mcp_jsonrpc::IdFormat;
use mcp_transport_http::Wire;
use mcp_transport_http::connector::ProxyPolicy;
use mcp_transport_stdio::EnvPolicy;

use super::*;
use crate::config::{Kind, Protocol, TransportConfig};

/// The one entry `s` with these members.
#[track_caller]
fn entry(members: &str) -> Vec<Entry> {
    let text = format!(r#"{{"mcpServers":{{"s":{{{members}}}}}}}"#);
    let entries = entries("conf/servers.json", Host::Own, &text);
    assert_eq!(entries.len(), 1);
    entries
}

#[track_caller]
fn check_bad(members: &str, text: &str, field: Option<&str>) {
    let entries = entry(members);
    let error = entries[0].error().unwrap_or_else(|| panic!("{members} {:?}", entries[0].state));
    assert_eq!((error.to_string().as_str(), error.field()), (text, field), "{members}");
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
    check(r#""env":{"X":"1","X":"2"}"#, r#""env.X" is there twice"#, "env.X");
    check(r#""cwd":5"#, r#""cwd" must be a string, not 5"#, "cwd");
    check(r#""enabled":"yes""#, r#""enabled" must be true or false, not "yes""#, "enabled");
    check(r#""lazy":1"#, r#""lazy" must be true or false, not 1"#, "lazy");
    check(r#""env_policy":"none""#, r#""env_policy" must be "inherit" or "clean", not "none""#, "env_policy");
    let protocol =
        r#""protocol" must be "auto", "discover" or a revision such as "2025-11-25", not "newest""#;
    check(r#""protocol":"newest""#, protocol, "protocol");
    check(r#""tools":["a"]"#, r#""tools" must be an object with lists, not an array"#, "tools");
    check(
        r#""tools":{"deny":"a"}"#,
        r#""tools.deny" must be an array of strings, not a string"#,
        "tools.deny",
    );
    let lists = r#""tools" must be an object with the lists "allow" and "deny", not an array"#;
    let empty = r#""tools.allow[1]": a pattern for tools is empty"#;
    check(r#""tools":{"allow":["a",""]}"#, empty, "tools.allow[1]");
    check(r#""tools":{"denied":["a"]}"#, lists, "tools");
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
    let timeout = |value: &str| ready(&entry(&format!(r#""command":"c","timeout":{value}"#)), "s").timeout;
    assert_eq!(timeout("300000"), Some(Duration::from_secs(300)));
    assert_eq!(timeout("1.5"), Some(Duration::from_micros(1500)));
    assert_eq!(timeout("0"), Some(Duration::ZERO));
    let entries = entry(r#""command":"c","start_timeout":1,"max_total_timeout":2"#);
    let server = ready(&entries, "s");
    let limits = (server.timeout, server.start_timeout, server.max_total_timeout);
    assert_eq!(limits, (None, Some(Duration::from_millis(1)), Some(Duration::from_millis(2))));
    for wrong in ["-1", "1e-9", "1e400", "1e300", "null", "true", r#""30s""#] {
        let text =
            format!(r#"Server "s": "timeout" must be a number of milliseconds, 0 or more, not {wrong}"#);
        check_bad(&format!(r#""command":"c","timeout":{wrong}"#), &text, Some("timeout"));
    }
}

#[test]
fn one_bad_entry_spoils_only_itself() {
    let text = r#"{"mcpServers":{
        "good": {"command":"c"},
        "list": ["c"],
        "both": {"command":"c","url":"u"},
        "last": {"command":"c"}}}"#;
    let entries = entries("conf/servers.json", Host::Own, text);
    let good: Vec<_> = entries.iter().filter(|it| it.ready().is_some()).map(|it| it.name.as_str()).collect();
    assert_eq!(good, ["good", "last"]);
    fails(&entries, "list", r#"Server "list": must be an object, not an array"#);
    assert_eq!(entries[1].origin.to_string(), "conf/servers.json:3:17");
}

#[test]
fn unknown_keys_are_warnings_and_are_kept() {
    let entries = entry(r#""command":"c","argz":[1],"url2":null,"proxy":"none""#);
    let expected = [
        r#"unknown key "argz" is ignored"#,
        r#"unknown key "url2" is ignored"#,
        r#"key "proxy" means nothing for a stdio server"#,
    ];
    assert_eq!(warnings(&entries[0]), expected);
    assert_eq!(ready(&entries, "s").extra["argz"], serde_json::json!([1]));
    assert!(warnings(&entry(r#""command":"c","type":"local","enabled":true"#)[0]).is_empty());
}

// Field case 157.
#[test]
fn off_wins_over_on_and_nothing_else_matters_then() {
    let check = |members: &str, enabled: bool, warnings: usize| {
        let entries = entry(&format!(r#""command":"c"{members}"#));
        assert_eq!((!entries[0].is_disabled(), entries[0].warnings.len()), (enabled, warnings), "{members}");
    };
    check("", true, 0);
    check(r#","enabled":false"#, false, 0);
    check(r#","disabled":true"#, false, 0);
    check(r#","enabled":true,"disabled":false"#, true, 0);
    check(r#","enabled":true,"disabled":true"#, false, 1);
    check(r#","enabled":false,"disabled":false"#, false, 1);
    check(r#","disabled":true,"args":"bad","env":{"A":"${UNSET}"},"url":"u","headersHelper":"x""#, false, 0);
    assert!(entry(r#""disabled":true,"type":"ws""#)[0].is_disabled());
}

// Field case 159.
#[test]
fn the_kind_has_several_spellings_or_follows_from_the_keys() {
    let kind = |members: &str| entry(members)[0].kind.map(Kind::name);
    assert_eq!(kind(r#""command":"c""#), Some("stdio"));
    assert_eq!(kind(r#""type":"local","command":"c""#), Some("stdio"));
    assert_eq!(kind(r#""url":"u""#), Some("http"));
    for spelling in ["http", "streamable-http", "streamableHttp", "streamable_http"] {
        assert_eq!(kind(&format!(r#""type":"{spelling}","url":"u""#)), Some("http"));
        assert_eq!(kind(&format!(r#""transport":"{spelling}","url":"u""#)), Some("http"));
    }
    assert_eq!(kind(r#""type":"sse","url":"u""#), Some("sse"));
    assert_eq!(kind(r#""command":"c","args":"a bad one""#), Some("stdio"));
    assert_eq!(kind(r#""type":"ws""#), None);
    assert_eq!(kind(r#""type":"remote","url":"http://a.test""#), None);
}

#[test]
fn a_program_takes_all_that_its_entry_says() {
    let entries = entry(
        r#""command":"./bin/c","args":["a b","","*","$(id)",";"],"env":{"X":"1","Y":null},"env_policy":"clean",
           "cwd":"sub","request_id_format":"number","protocol":"2026-07-28","lazy":true,"timeout":5,
           "tools":{"allow":["a*","b"],"deny":["b"]}"#,
    );
    let server = ready(&entries, "s");
    let program = stdio(&entries, "s");
    assert_eq!(program.command, "conf/./bin/c");
    // Field case 160.
    assert_eq!(program.args, ["a b", "", "*", "$(id)", ";"]);
    assert_eq!((program.env["X"].as_deref(), program.env["Y"].as_deref()), (Some("1"), None));
    assert_eq!((program.env_policy, program.cwd.as_deref()), (EnvPolicy::Clean, Some(Path::new("conf/sub"))));
    assert_eq!(server.protocol, Protocol::Revision("2026-07-28".to_owned()));
    assert!(server.lazy && server.tools.shows("ab") && !server.tools.shows("b") && !server.tools.shows("c"));
    let TransportConfig::Stdio(config) = server.transport() else { panic!() };
    assert_eq!((config.name.as_deref(), config.ids), (Some("s"), IdFormat::Number));
    assert_eq!(config.timeout, Duration::from_millis(5));
}

// Field case 160.
#[test]
fn a_whole_command_line_as_the_program_is_a_warning() {
    let count = |command: &str| entry(&format!(r#""command":"{command}""#))[0].warnings.len();
    assert_eq!((count("srv --x 1"), count("npx -y pkg"), count("/usr/bin/srv --x")), (1, 1, 1));
    assert_eq!((count("srv"), count("/opt/My Tools/srv")), (0, 0));
}

#[test]
fn a_server_behind_an_address_takes_all_that_its_entry_says() {
    let entries = entry(
        r#""url":"https://a.test/mcp","timeout":1000,"max_total_timeout":2000,"start_timeout":3000,
           "request_id_format":"number","ca":["a.pem","/b.pem"],"client_cert":"c.pem","proxy":"none""#,
    );
    let server = ready(&entries, "s");
    assert_eq!(server.start_timeout, Some(Duration::from_secs(3)));
    let TransportConfig::Http(config) = server.transport() else { panic!() };
    assert_eq!((config.name.as_deref(), config.wire), (Some("s"), Wire::Streamable));
    let limits = (config.timeout, config.max_total_timeout, config.ids);
    assert_eq!(limits, (Duration::from_secs(1), Duration::from_secs(2), IdFormat::Number));
    assert_eq!(format!("{:?}", config.connector.extra_roots), r#"[File("conf/a.pem"), File("/b.pem")]"#);
    let identity = config.connector.client_identity.unwrap();
    let files = format!("{:?} {:?}", identity.certificates, identity.key);
    assert_eq!(files, r#"File("conf/c.pem") File("conf/c.pem")"#);
    assert!(matches!(config.connector.proxy, ProxyPolicy::None));

    let entries = entry(r#""type":"sse","url":"http://a.test","ca":"x","client_cert":"c","client_key":"k""#);
    let TransportConfig::Http(config) = ready(&entries, "s").transport() else { panic!() };
    assert_eq!(config.wire, Wire::Sse);
    assert_eq!(format!("{:?}", config.connector.client_identity.unwrap().key), r#"File("conf/k")"#);
}

#[test]
fn a_wrong_value_of_a_server_behind_an_address_names_its_field() {
    let check = |members: &str, rest: &str, field: &str| {
        check_bad(members, &format!(r#"Server "s": {rest}"#), Some(field));
    };
    let with = |members: &str| format!(r#""url":"http://a.test",{members}"#);
    check(r#""url":5"#, r#""url" must be a string, not 5"#, "url");
    check(r#""url":" ""#, r#"http server requires "url" field"#, "url");
    check(r#""url":"a.test""#, r#""url": not a URL: it must begin with `http://` or `https://`"#, "url");
    let object = r#""headers" must be an object of strings, not an array"#;
    check(&with(r#""headers":["X"]"#), object, "headers");
    check(&with(r#""headers":{"X":1}"#), r#""headers.X" must be a string, not a number"#, "headers.X");
    check(&with(r#""headers":{"X":null}"#), r#""headers.X" must be a string, not null"#, "headers.X");
    check(&with(r#""headers":{"X":"1","X":"2"}"#), r#""headers.X" is there twice"#, "headers.X");
    let host = r#""headers.Host": header `host` is set by the connection itself and cannot be configured"#;
    check(&with(r#""headers":{"Host":"x"}"#), host, "headers.Host");
    let line = r#""headers.X-Key": the value of header `x-key` has a line break"#;
    check(&with(r#""headers":{"X-Key":"a\nb"}"#), line, "headers.X-Key");
    check(&with(r#""ca":5"#), r#""ca" must be a string or an array of strings, not 5"#, "ca");
    check(&with(r#""ca":["a",5]"#), r#""ca[1]" must be a string, not 5"#, "ca[1]");
    check(&with(r#""client_key":"k""#), r#""client_key" needs "client_cert" beside it"#, "client_key");
    let proxy = r#""proxy": proxies of the kind `ftp` are not supported, only `http` and `socks5`"#;
    check(&with(r#""proxy":"ftp://p""#), proxy, "proxy");
}

#[test]
fn a_header_of_the_protocol_is_a_warning() {
    let entries = entry(r#""url":"http://a.test","headers":{"Accept":"x","X":"1"}"#);
    let expected = ["header `accept` is set by the protocol itself, yours is ignored"];
    assert_eq!(warnings(&entries[0]), expected);
}

// Field cases 155 and 156.
#[test]
fn variables_are_filled_in_everywhere_and_a_missing_one_disables_its_server_alone() {
    for (members, field) in [
        (r#""command":"${NOPE}""#, "command"),
        (r#""command":"c","args":["a","${NOPE}"]"#, "args[1]"),
        (r#""command":"c","env":{"T":"${NOPE}"}"#, "env.T"),
        (r#""command":"c","cwd":"${NOPE}""#, "cwd"),
        (r#""url":"http://${NOPE}""#, "url"),
        (r#""url":"http://a.test","headers":{"Authorization":"Bearer ${NOPE}"}"#, "headers.Authorization"),
        (r#""url":"http://a.test","ca":"${NOPE}""#, "ca"),
        (r#""url":"http://a.test","client_cert":"${NOPE}""#, "client_cert"),
        (r#""url":"http://a.test","proxy":"${NOPE}""#, "proxy"),
    ] {
        let text = format!(r#"Server "s": "{field}": the variable `NOPE` is not set"#);
        check_bad(members, &text, Some(field));
        assert!(entry(&members.replace("NOPE", "NOPE:-http://p:1"))[0].ready().is_some() || field == "url");
    }
    let entries =
        entry(r#""command":"${KEY}","args":["x${EMPTY}","$$"],"env":{"A":"${UNSET:-d}"},"cwd":"${KEY}""#);
    let server = stdio(&entries, "s");
    assert_eq!(
        (server.command.as_str(), server.args.as_slice()),
        ("SECRET-1", ["x", "$"].map(str::to_owned).as_slice())
    );
    assert_eq!(
        (server.env["A"].as_deref(), server.cwd.as_deref()),
        (Some("d"), Some(Path::new("conf/SECRET-1")))
    );
}

#[test]
fn nothing_is_run_to_get_a_value() {
    let run = "begins with `!`, which stands for a program that makes the value; it is not run here";
    let check = |members: &str, field: &str| {
        check_bad(members, &format!(r#"Server "s": "{field}" {run}"#), Some(field));
    };
    check(r#""command":"c","env":{"T":"!pass show t"}"#, "env.T");
    check(r#""url":"http://a.test","headers":{"T":"!pass show t"}"#, "headers.T");
    let helper = r#"Server "s": "headersHelper" names a program that makes headers, and it is not run here"#;
    check_bad(r#""url":"http://a.test","headersHelper":"/bin/h""#, helper, Some("headersHelper"));
}

#[test]
fn a_list_of_servers_that_are_off_holds() {
    let text = r#"{"mcpServers":{"a":{"command":"c"},"b":{"command":"c"}},"disabledServers":["b"]}"#;
    let entries = entries("x.json", Host::Own, text);
    assert!(entries[0].ready().is_some() && entries[1].is_disabled());
}

#[test]
fn of_two_files_the_later_one_wins_entry_by_entry() {
    let folder = Folder::new("load");
    let first = folder.write("a.json", r#"{"mcpServers":{"x":{"command":"1"},"y":{"command":"2"}}}"#);
    let second = folder.write("b.json", r#"{"mcpServers":{"z":{"command":"3"},"x":{"command":"4"}}}"#);
    let entries = crate::config::load([(&first, None), (&second, None)], &values()).unwrap();
    let commands: Vec<_> =
        ["x", "y", "z"].iter().map(|name| stdio(&entries, name).command.as_str()).collect();
    assert_eq!(commands, ["4", "2", "3"]);
    let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "z"]);
    assert!(crate::config::load([(folder.0.join("none"), None)], &values()).unwrap_err().is_not_found());
}
