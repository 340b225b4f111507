//! What servers ask back, where there is no terminal.

use crate::run::{on_demo, run};

#[test]
fn a_form_is_declined() {
    let ran = run(&on_demo(&["call", "-", "ask", "method=elicitation/create"]));
    ran.check(0, "The client answered elicitation/create with {\"action\":\"decline\"}\n", "");
}

#[test]
fn an_address_is_declined_and_the_details_say_why() {
    let url = r#"params:={"mode":"url","message":"m","url":"https://example.com/?k=1","elicitationId":"1"}"#;
    let ran = run(&on_demo(&["-v", "call", "-", "ask", "method=elicitation/create", url]));
    ran.check_status(0);
    assert!(ran.stdout.contains(r#"{"action":"decline"}"#), "{ran:?}");
    assert!(ran.stderr.contains("an address was declined: there is no terminal to ask at"), "{ran:?}");
}

#[test]
fn what_is_no_form_is_an_error_of_the_server() {
    let form =
        r#"params:={"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}}"#;
    let ran = run(&on_demo(&["call", "-", "ask", "method=elicitation/create", form]));
    ran.check_status(0);
    assert!(ran.stdout.contains("-32602") && ran.stdout.contains("`a`"), "{ran:?}");
}

#[test]
fn a_request_for_a_model_is_rejected() {
    let ran = run(&on_demo(&["call", "-", "ask", "method=sampling/createMessage"]));
    ran.check_status(0);
    let refused = "The client refused sampling/createMessage with ";
    assert!(ran.stdout.starts_with(refused) && ran.stdout.contains(r#""code":-1,"#), "{ran:?}");
}

#[test]
fn no_folder_is_told_unless_it_was_named() {
    let ran = run(&on_demo(&["call", "-", "ask", "method=roots/list"]));
    ran.check_status(0);
    assert!(ran.stdout.contains("-32601"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn the_named_folders_are_told_as_absolute_addresses() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).canonicalize().unwrap().join("a root");
    std::fs::create_dir_all(&folder).unwrap();
    let crooked = format!("{}/../a root", folder.to_str().unwrap());
    let ran = run(&on_demo(&["--root", &crooked, "--root", "/", "call", "-", "ask", "method=roots/list"]));
    ran.check_status(0);
    let uri =
        format!(r#"{{"uri":"file://{}","name":"a root"}}"#, folder.to_str().unwrap().replace(' ', "%20"));
    let expected = format!(r#"{{"roots":[{uri},{{"uri":"file:///"}}]}}"#);
    assert!(ran.stdout.contains(&expected), "{expected} in {ran:?}");
}

#[test]
fn a_root_that_is_no_folder_starts_nothing() {
    for (root, why) in
        [("no/such/folder", ""), (concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "it is not a folder")]
    {
        let ran = run(&on_demo(&["--root", root, "call", "-", "ask"]));
        ran.check_status(2);
        let text = format!("error: --root {root}: {why}");
        assert!(ran.stderr.starts_with(&text), "{ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_root_is_not_told_to_all_servers() {
    let file = crate::run::config("asked-all", r#"{"mcpServers":{"s":{"command":"x"}}}"#);
    let ran = run(&["--config", &file, "--root", env!("CARGO_MANIFEST_DIR"), "tools"]);
    ran.check(2, "", "error: --root needs a SERVER, which alone is told\n");
}
