//! Broken files, and where errors and values stand.

use super::*;
use crate::config::{Place, read_file};

#[track_caller]
fn check_broken(text: &str, message: &str, cause: &str) {
    let error = parse("conf/servers.json", None, text).unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    assert_eq!((error.to_string().as_str(), source.as_str()), (message, cause), "{text}");
}

// Field case 158.
#[test]
fn a_broken_file_is_an_error_with_its_place_and_never_empty() {
    let file = "config file conf/servers.json";
    check_broken("", &format!("{file} is empty"), "");
    check_broken("\u{feff} \n", &format!("{file} is empty"), "");
    let invalid = format!("{file} is not valid JSON");
    check_broken("{\n  hi\n}", &invalid, "key must be a string at line 2 column 3");
    check_broken("{ // a\n\"mcpServers\": {},,\n}", &invalid, "key must be a string at line 2 column 18");
    check_broken("[]", &invalid, "expected an object, found an array at line 1 column 1");
    check_broken("// only this", &invalid, "EOF while parsing a value at line 1 column 12");
    let half = "{\"mcpServers\": {\n \"a\": {\"command\": \"\\ud800\"}}}";
    check_broken(half, &invalid, "unexpected end of hex escape at line 2 column 26");
    check_broken("{}", &format!(r#"{file} has no "mcpServers""#), "");
    check_broken(
        "{\n\"mcpServers\": []}",
        &format!(r#"{file}: "mcpServers" in line 2 must be an object of servers by name, not an array"#),
        "",
    );
    check_broken(
        r#"{"mcpServers":{"a":{"command":"c"}},"mcpServers":{"b":{"command":"c"}}}"#,
        &format!(r#"{file} has "mcpServers" more than once"#),
        "",
    );
    let error =
        crate::config::parse(Path::new("a.json"), b"{\n\xff}", None, Scope::Given, &values()).unwrap_err();
    assert_eq!(error.to_string(), "config file a.json is not UTF-8 in line 2");
    assert_eq!(error.place(), Some(Place { line: 2, column: 1 }));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let read = |path: &str| read_file(Path::new(path), None, Scope::Given, &values()).unwrap_err();
    let error = read("/nonexistent/a.json");
    assert_eq!(error.to_string(), "cannot read config file /nonexistent/a.json");
    assert!(error.is_not_found());
    let folder = Folder::new("directory");
    assert!(!read(folder.0.to_str().unwrap()).is_not_found());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_end_is_not_read_without_end() {
    let error = read_file(Path::new("/dev/zero"), None, Scope::Given, &values()).unwrap_err();
    assert_eq!(error.to_string(), "config file /dev/zero is longer than 16777216 bytes");
}

#[test]
fn a_file_has_a_bounded_number_of_servers() {
    let servers: Vec<_> = (0..1001).map(|at| format!("\"s{at}\":0")).collect();
    let error = parse("a.json", None, &format!("{{\"mcpServers\":{{{}}}}}", servers.join(","))).unwrap_err();
    assert_eq!(error.to_string(), "config file a.json has more than 1000 servers");
}

// Field case 158.
#[test]
fn comments_last_commas_and_a_byte_order_mark_are_fine() {
    let text = "\u{feff}// mine\r\n{ /* é */ \"mcpServers\": {\n  \"s\": {\"command\": \"c\", \"args\": [\"//x\",],}, // one\n}, }";
    let entries = entries("a.json", Host::Own, text);
    assert_eq!(stdio(&entries, "s").args, ["//x"]);
    assert_eq!(entries[0].origin.place, Place { line: 3, column: 8 });
}

// Field case 158.
#[test]
fn the_same_name_twice_is_an_error_of_that_server() {
    let text = "{\"mcpServers\":{\"s\":{\"command\":\"a\"},\n\"t\":{\"command\":\"b\"},\n\"s\":{\"command\":\"c\"}}}";
    let entries = entries("a.json", Host::Own, text);
    assert_eq!(entries.len(), 2);
    fails(&entries, "s", r#"Server "s": is in the file twice"#);
    assert_eq!(entries[0].error().unwrap().origin.to_string(), "a.json:3:5");
    assert!(entries[1].ready().is_some());
}

#[test]
fn an_error_of_an_entry_stands_at_its_value() {
    let check = |entry: &str, line: usize, column: usize| {
        let text = format!("{{\n\"mcpServers\": {{\n\"s\": {{\n{entry}\n}}}}}}");
        let entries = entries("a.json", Host::Own, &text);
        let error = entries[0].error().unwrap();
        assert_eq!(error.origin.place, Place { line, column }, "{error}");
    };
    check("\"command\": \"c\",\n  \"args\": [\"a\", 5]", 5, 17);
    check("\"command\": \"c\",\n  \"env\": {\"A\":\n \"${NOPE}\"}", 6, 2);
    check("\"url\": \"http://a.test\", \"headers\": {\n\"Host\": \"x\"}", 5, 9);
    check("\"url\":\n\"ftp://a\"", 5, 1);
    check("\"type\": \"ws\"", 4, 9);
    check("\"command\": \"c\", \"timeout\":\n -1", 5, 2);
    check("\"command\": \"c\",\n\"url\": \"http://a.test\"", 3, 6);
}

#[test]
fn every_value_keeps_its_place() {
    let text = "{\"mcpServers\": {\"s\": {\n\"command\": \"c\",\n \"args\": [\"a\",\n\"b\"], \"env\": {\"K\": \"v\"},\n\"timeout\": 1}}}";
    let entries = entries("a.json", Host::Own, text);
    let places = &ready(&entries, "s").places;
    let place = |field: &str| (places[field].line, places[field].column);
    assert_eq!((place("command"), place("args[0]"), place("args[1]")), ((2, 12), (3, 11), (4, 1)));
    assert_eq!((place("env.K"), place("timeout")), ((4, 20), (5, 12)));
}

#[test]
fn a_warning_stands_at_its_value() {
    let entries =
        entries("a.json", Host::Own, "{\"mcpServers\": {\"s\": {\"command\": \"c\",\n\"argz\": []}}}");
    assert_eq!(entries[0].warnings[0].place, Place { line: 2, column: 9 });
}

#[test]
fn toml_has_places_as_well() {
    let error = parse("config.toml", None, "[mcp_servers.a]\ncommand = \n").unwrap_err();
    assert_eq!(error.to_string(), "config file config.toml is not valid TOML");
    assert_eq!(error.place().map(|place| place.line), Some(2));
    let text = "[mcp_servers.a]\ncommand = \"c\"\nargs = [\n  \"x\",\n  5,\n]\n";
    let entries = entries("config.toml", Host::Codex, text);
    fails(&entries, "a", r#"Server "a": "args[1]" must be a string, not a number"#);
    assert_eq!(entries[0].error().unwrap().origin.place, Place { line: 5, column: 3 });
    assert_eq!(entries[0].origin.place.line, 1);
}
