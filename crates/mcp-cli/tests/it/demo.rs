//! `demo`: the first thing a newcomer runs.

use crate::run::run;

#[test]
fn the_demo_shows_a_whole_session() {
    let ran = run(&["demo"]);
    ran.check_status(0);
    assert_eq!(ran.stderr, "");
    let expected = [
        "<- Demo server ",
        "<- 15 tools",
        "echo       Sends a text back.",
        "<- Hello, MCP!",
        "\"sum\": 9007199254740994",
        "*  progress 3/3: step 3 of 3",
        "<- isError: The printer is out of paper.",
        "*  the server asks: roots/list",
        "<- MCP error -32601: Method not found: no/such/method",
        "*  log, info: [demo-server] hello, mcp-cli",
    ];
    for text in expected {
        assert!(ran.stdout.contains(text), "{text:?} in {}", ran.stdout);
    }
}

#[test]
fn with_json_it_is_one_document() {
    let ran = run(&["demo", "--json"]);
    let document = ran.check_status(0).json();
    assert_eq!(document["protocolVersion"], "2025-11-25");
    assert_eq!(document["tools"].as_array().unwrap().len(), 15);
    assert_eq!(document["calls"][1]["result"]["structuredContent"]["sum"], 9_007_199_254_740_994_u64);
    assert_eq!(document["calls"][3]["result"]["isError"], true);
}
