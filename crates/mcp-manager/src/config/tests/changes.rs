//! What a reload has to do, and what makes two servers the same.

use super::*;
use crate::config::{Change, diff};

fn servers(text: &str) -> Vec<ServerConfig> {
    let entries = entries("conf/servers.json", Host::Own, &format!(r#"{{"mcpServers":{{{text}}}}}"#));
    entries.iter().filter_map(|entry| entry.ready().cloned()).collect()
}

#[track_caller]
fn check(old: &str, new: &str, expected: &[Change]) {
    assert_eq!(diff(&servers(old), &servers(new)), expected, "{old} {new}");
}

#[test]
fn only_what_changed_is_touched() {
    let name = str::to_owned;
    check("", "", &[]);
    check("", r#""a":{"command":"c"}"#, &[Change::Start(name("a"))]);
    check(r#""a":{"command":"c"}"#, "", &[Change::Stop(name("a"))]);
    check(
        r#""a":{"command":"c"},"b":{"command":"c"},"c":{"command":"c"}"#,
        r#""d":{"command":"c"},"c":{"command":"x"},"b":{"command":"c"}"#,
        &[
            Change::Stop(name("a")),
            Change::Start(name("d")),
            Change::Restart(name("c")),
            Change::Keep(name("b")),
        ],
    );
    check(r#""a":{"command":"c"}"#, r#""a":{"command":"c","enabled":false}"#, &[Change::Stop(name("a"))]);
}

#[test]
fn form_and_unknown_keys_change_nothing() {
    let plain = r#""a":{"command":"c","args":["x"],"env":{"A":"1","B":"2"}}"#;
    let same = r#"
        // moved
        "a":{"type":"stdio","env":{"B":"2","A":"1"},"enabled":true,"unknown":5,"args":["x"],"command":"c",}"#;
    check(plain, same, &[Change::Keep("a".to_owned())]);
    check(
        r#""a":{"url":"http://a.test","headers":{"K":"SECRET-1"}}"#,
        r#""a":{"url":"http://a.test","headers":{"k":"${KEY}"},"type":"http"}"#,
        &[Change::Keep("a".to_owned())],
    );
}

#[test]
fn the_manager_gets_what_the_file_says_and_no_secret_in_its_fingerprint() {
    let text =
        r#""a":{"command":"c","env":{"K":"SECRET-1"},"lazy":true,"start_timeout":5,"tools":{"deny":["x"]}}"#;
    let server = &servers(text)[0];
    let spec = server.spec();
    assert_eq!((&*spec.name, spec.lazy, spec.kind), ("a", true, crate::policy::ServerKind::Process));
    assert_eq!(spec.start_timeout, server.start_timeout);
    assert!(spec.cache_key.is_some() && !spec.tools.shows("x"));
    assert_eq!(spec.fingerprint.len(), 32);
    assert_ne!(spec.fingerprint, servers(&text.replace("SECRET-1", "SECRET-2"))[0].spec().fingerprint);
    assert_eq!(servers(r#""a":{"url":"http://a.test"}"#)[0].spec().kind, crate::policy::ServerKind::Remote);
}

#[test]
fn every_difference_that_counts_is_one() {
    let stdio = [
        r#""command":"c""#,
        r#""command":"d""#,
        r#""command":"c","args":["x y"]"#,
        r#""command":"c","args":["x","y"]"#,
        r#""command":"c","args":["x","","y"]"#,
        r#""command":"c","env":{"A":""}"#,
        r#""command":"c","env":{"A":null}"#,
        r#""command":"c","env":{"A":"1"}"#,
        r#""command":"c","env_policy":"clean""#,
        r#""command":"c","cwd":"x""#,
        r#""command":"c","timeout":0"#,
        r#""command":"c","timeout":1"#,
        r#""command":"c","start_timeout":1"#,
        r#""command":"c","max_total_timeout":1"#,
        r#""command":"c","request_id_format":"number""#,
        r#""command":"c","protocol":"2025-11-25""#,
        r#""command":"c","tools":{"allow":[]}"#,
        r#""command":"c","tools":{"allow":["a"]}"#,
        r#""command":"c","tools":{"deny":["a"]}"#,
        r#""command":"c","lazy":true"#,
        r#""url":"http://a.test/""#,
        r#""url":"http://a.test/?k=1""#,
        r#""url":"http://a.test/","type":"sse""#,
        r#""url":"http://a.test/","headers":{"A":"1"}"#,
        r#""url":"http://a.test/","headers":{"A":"2"}"#,
        r#""url":"http://a.test/","ca":"x""#,
        r#""url":"http://a.test/","client_cert":"x""#,
        r#""url":"http://a.test/","client_cert":"x","client_key":"y""#,
        r#""url":"http://a.test/","proxy":"none""#,
    ];
    let inputs: Vec<_> =
        stdio.iter().map(|it| servers(&format!(r#""a":{{{it}}}"#))[0].fingerprint_input()).collect();
    for (at, input) in inputs.iter().enumerate() {
        let same = inputs.iter().position(|other| other == input);
        assert_eq!(same, Some(at), "{} and {}", stdio[at], stdio[same.unwrap()]);
    }
}
