//! Resources, templates and prompts: of one server and of all.

use serde_json::json;

use crate::run::{config, on_script, run, script};

const HELLO: &str = r#"next
answer '{"protocolVersion":"2025-11-25","capabilities":{"resources":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"}}'
next
"#;

/// A server that has nothing, and waits for its end.
const NOTHING: &str = r#"next
answer '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"1"}}'
next
next
"#;

/// A server that answers each request after the handshake with the next of these.
fn library(answers: &[&str]) -> String {
    let answers: String = answers.iter().map(|answer| format!("next\n{answer}\n")).collect();
    script(&format!("{HELLO}{answers}next"))
}

/// Three servers: this one, one without resources and prompts, and one that does not start.
fn three(test: &str, server: &str) -> String {
    let servers = json!({ "mcpServers": {
        "a": { "command": "sh", "args": ["-c", server.replace('$', "$$")] },
        "b": { "command": "sh", "args": ["-c", script(NOTHING).replace('$', "$$")] },
        "c": { "command": "/nonexistent" }
    } });
    config(test, &servers.to_string())
}

#[test]
fn resources_are_listed_exactly_as_the_server_sent_them() {
    let first = r#"answer '{"resources":[{ "uri":"note://1", "x":1e400}],"nextCursor":""}'"#;
    let server = library(&[first, r#"answer '{"resources":[{"uri":"note://2"}]}'"#]);
    let expected = r#"{"servers":[{"name":"sh","status":"connected","resources":[{ "uri":"note://1", "x":1e400},{"uri":"note://2"}]}]}"#;
    run(&on_script(&["--json", "resources", "-"], &server)).check(0, &format!("{expected}\n"), "");
}

#[test]
fn the_document_of_a_command_has_a_member_of_its_name() {
    for (command, member) in [("templates", "resourceTemplates"), ("prompts", "prompts")] {
        let answer = format!("answer '{{\"{member}\":[{{\"name\":\"a\"}}]}}'");
        let ran = run(&on_script(&["--json", command, "-"], &library(&[&answer])));
        let expected = json!({ "servers": [
            { "name": "sh", "status": "connected", command: [{ "name": "a" }] }
        ] });
        assert_eq!(ran.check_status(0).json(), expected);
    }
}

#[test]
fn templates_and_prompts_are_tables_for_people() {
    let templates = r#"answer '{"resourceTemplates":[{"uriTemplate":"note://{id}","name":"note"}]}'"#;
    let ran = run(&on_script(&["templates", "-"], &library(&[templates])));
    ran.check(0, "sh: 1 template (s 1, protocol 2025-11-25)\n  note://{id}  note\n", "");
    let prompts = r#"answer '{"prompts":[{"name":"greet","arguments":[{"name":"who","required":true}]}]}'"#;
    let ran = run(&on_script(&["prompts", "-"], &library(&[prompts])));
    ran.check(0, "sh: 1 prompt (s 1, protocol 2025-11-25)\n  greet\n           who  required\n", "");
}

// Field case 168.
#[test]
fn a_server_without_resources_has_none_and_one_that_is_down_makes_it_status_six() {
    let server = library(&[r#"answer '{"resources":[{"uri":"note://1","name":"one"}]}'"#]);
    let ran = run(&["--config", &three("lists", &server), "--json", "resources"]);
    let document = ran.check_status(6).json();
    let of =
        |at: usize| (document["servers"][at]["status"].clone(), document["servers"][at]["resources"].clone());
    assert_eq!(of(0), ("connected".into(), json!([{ "uri": "note://1", "name": "one" }])));
    assert_eq!(of(1), ("connected".into(), json!([])));
    assert_eq!(of(2), ("failed".into(), json!([])));
    assert!(ran.stderr.starts_with("error: c: "), "{ran:?}");
}

#[test]
fn a_list_without_its_member_is_an_error_that_names_it() {
    let ran = run(&on_script(&["prompts", "-"], &library(&[r#"answer '{"tools":[]}'"#])));
    assert!(ran.check_status(3).stderr.contains("missing field `prompts`"), "{ran:?}");
}

#[test]
fn a_text_is_read_as_it_is_and_escaped_for_people() {
    let answer = r#"answer '{"contents":[{"uri":"note://1","text":"a\u001b[2J\nb"}],"x":1e400}'"#;
    let ran = run(&on_script(&["read", "-", "note://1"], &library(&[answer])));
    assert_eq!(ran.check_status(0).stdout, "a\\u{1b}[2J\nb\n");
    let ran = run(&on_script(&["--json", "read", "-", "note://1"], &library(&[answer])));
    assert_eq!(
        ran.check_status(0).stdout,
        "{\"contents\":[{\"uri\":\"note://1\",\"text\":\"a\\u001b[2J\\nb\"}],\"x\":1e400}\n"
    );
}

#[test]
fn several_contents_are_told_apart_and_binary_ones_are_named() {
    let answer = r#"answer '{"contents":[{"uri":"d://1","text":"one"},{"uri":"d://2","blob":"AAAA","mimeType":"image/png"}]}'"#;
    let ran = run(&on_script(&["read", "-", "d://"], &library(&[answer])));
    ran.check(0, "[resource d://1]\none\n[resource d://2, image/png, 3 bytes]\n", "");
}

#[test]
fn a_resource_that_is_not_there_is_the_servers_error() {
    let refuse = r#"printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"Resource not found"}}\n' "$id""#;
    let ran = run(&on_script(&["read", "-", "note://9"], &library(&[refuse])));
    assert!(ran.check_status(5).stderr.contains("MCP error -32002: Resource not found"), "{ran:?}");
}

#[test]
fn contents_of_another_shape_are_an_error_and_shown_with_json() {
    let answer = r#"answer '{"contents":7}'"#;
    let ran = run(&on_script(&["read", "-", "note://1"], &library(&[answer])));
    assert!(ran.check_status(3).stderr.contains("--json prints it as it came"), "{ran:?}");
    run(&on_script(&["--json", "read", "-", "x:"], &library(&[answer]))).check(0, "{\"contents\":7}\n", "");
}

#[test]
fn a_prompt_is_its_messages_and_its_arguments_are_texts() {
    let echo = r#"case $line in *'"arguments":{"n":"7","who":"a=b"}'*) ;; *) exit 1 ;; esac
answer '{"messages":[{"role":"user","content":{"type":"text","text":"hi"}},{"role":"assistant","content":{"type":"odd"}}]}'"#;
    let ran = run(&on_script(&["prompt", "-", "greet", "n=7", "who=a=b"], &library(&[echo])));
    let stdout = &ran.check_status(0).stdout;
    assert!(stdout.starts_with("user:\nhi\nassistant:\n[odd]\n"), "{stdout}");
}

#[test]
fn arguments_of_a_prompt_are_checked_before_anything_starts() {
    for (arguments, text) in [(&["x"][..], "`x` is not KEY=VALUE"), (&["a=1", "a=2"], "`a` is given twice")] {
        let ran = run(&[&["prompt", "-", "greet"], arguments, &["--", "/nonexistent"]].concat());
        assert!(ran.check_status(2).stderr.contains(text), "{ran:?}");
    }
}
