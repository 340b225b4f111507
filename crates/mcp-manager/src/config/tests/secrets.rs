//! Field case 172: no error and no debug output shows a secret.

use super::*;

#[track_caller]
fn entry(members: &str) -> Entry {
    let text = format!(r#"{{"mcpServers":{{"s":{{{members}}}}}}}"#);
    entries("conf/servers.json", Host::Own, &text).remove(0)
}

#[test]
fn debug_output_shows_no_secret() {
    for members in [
        r#""command":"c","env":{"K":"SECRET-1"},"args":["SECRET-1"],"oauth":{"clientSecret":"SECRET-1"}"#,
        r#""command":"c","env":{"K":"${KEY}"},"args":["--key=${KEY}"]"#,
        r#""url":"http://u:SECRET-1@a.test/?k=SECRET-1","headers":{"K":"SECRET-1"},"proxy":"http://u:SECRET-1@p:1""#,
    ] {
        let entry = entry(members);
        let server = entry.ready().unwrap();
        let shown = format!("{entry:?} {server:?} {:?}", server.transport());
        assert!(!shown.contains("SECRET-1"), "{shown}");
    }
}

#[test]
fn no_error_shows_a_secret() {
    for members in [
        r#""command":"c","env":"SECRET-1""#,
        r#""command":"c","args":"SECRET-1""#,
        r#""command":"c","env":{"K":["SECRET-1"]}"#,
        r#""command":"c","env":{"K":"!SECRET-1"}"#,
        r#""command":"c","args":["SECRET-1 ${"]"#,
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
        let entry = entry(members);
        let error = entry.error().unwrap_or_else(|| panic!("{members}"));
        assert!(!format!("{error} {error:?}").contains("SECRET-1"), "{members} {error}");
    }
}

#[test]
fn a_broken_file_shows_nothing_of_what_it_holds() {
    for text in ["\"SECRET-1\"", "{\"a\": SECRET-1}", "{\"SECRET-1\"}", "SECRET-1"] {
        for path in ["a.json", "a.toml"] {
            let error = parse(path, None, text).unwrap_err();
            let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            assert!(!format!("{error} {error:?} {source}").contains("SECRET-1"), "{path} {source}");
        }
    }
}
