//! What many servers list, and lists without an end.

use mcp_manager::{Manager, Phase, StartError, What};
use mcp_tests::http::{config, sent};
use mcp_tests::http_peer::{HttpPeer, McpBehaviour};
use mcp_tests::manager::{options, spec, until};
use mcp_tests::{Scripted, within};

/// A server whose `tools/list` has the pages that `next` gives by number: one tool each.
fn paged(next: fn(usize) -> Option<String>) -> HttpPeer {
    let number = std::sync::atomic::AtomicUsize::new(0);
    let number = std::sync::Arc::new(number);
    HttpPeer::mcp_after(McpBehaviour::new(), move |exchange| {
        let number = number.clone();
        async move {
            if exchange.rpc_method().as_deref() != Some("tools/list") {
                return Some(exchange);
            }
            let page = number.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let mut result =
                serde_json::json!({ "tools": [{ "name": format!("t{page}"), "inputSchema": {} }] });
            if let Some(cursor) = next(page) {
                result["nextCursor"] = cursor.into();
            }
            let answer = exchange.answer(&result.to_string());
            exchange.respond_json(answer).await;
            None
        }
    })
}

/// Case 150: all pages count, and a list without an end is the failure of its server alone.
#[tokio::test]
async fn all_pages_are_listed_and_a_list_without_an_end_fails_its_server_alone() {
    let good = paged(|page| (page < 2).then(|| format!("after {page}")));
    let same = paged(|_| Some("c1".to_owned()));
    let two = paged(|page| Some(format!("c{}", page % 2)));
    let fresh = paged(|page| Some(format!("c{page}")));
    let mut options = options();
    options.client.max_pages = 20;
    let peers = [("good", &good), ("same", &same), ("two", &two), ("fresh", &fresh)];
    let specs = peers.map(|(name, peer)| spec(name, config(&peer.url("/mcp"))));
    let (manager, _) = Manager::start(specs, options).await;
    let status = within(manager.wait_ready(mcp_tests::BOUND)).await;
    let names: Vec<_> = manager.tools().iter().map(|tool| tool.tool.name.clone()).collect();
    assert_eq!(names, ["t0", "t1", "t2"]);
    for (name, pages) in [("same", 2), ("two", 3), ("fresh", 20)] {
        let Phase::Failed(error) = &status[name].phase else { panic!("{status:?}") };
        assert!(matches!(**error, StartError::List(_)), "{error:?}");
        let peer = peers.iter().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!(sent(&peer.requests(), "tools/list"), pages, "{name}");
    }
    within(manager.shutdown()).await;
}

const OFFERS: &str = "recv initialize\n\
    send {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\
    \"resources\":{\"listChanged\":true},\"prompts\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n";

/// Answers the next listing of this method with these items.
fn listing(method: &str, member: &str, items: &str) -> String {
    format!("recv {method}\nsend {{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"{member}\":[{items}]}}}}\n")
}

/// Refuses the next listing of this method.
fn refusal(method: &str, code: i64) -> String {
    format!(
        "recv {method}\nsend {{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{{\"code\":{code},\"message\":\"m\"}}}}\n"
    )
}

/// Case 161: who does not offer a list has an empty one, -32601 is one too, and whoever fails costs the
/// others nothing.
#[tokio::test(flavor = "multi_thread")]
async fn resources_and_prompts_are_listed_by_server_and_failures_are_told_apart() {
    let resources =
        listing("resources/list", "resources", r#"{"uri":"r:1","name":"1"},{"uri":"r:0","name":"0"}"#);
    let b = Scripted::new(&format!("{OFFERS}{resources}{}eof", refusal("prompts/list", -32601)));
    let a = Scripted::new(&format!(
        "{OFFERS}{}{}eof",
        refusal("resources/list", -32603),
        listing("prompts/list", "prompts", r#"{"name":"p"}"#)
    ));
    let tools_only = Scripted::new("serve");
    let missing = Scripted::new("").with(|config| config.command = "/nonexistent/server".to_owned());
    let peers = [("b", &b), ("missing", &missing), ("a", &a), ("tools", &tools_only)];
    let mut options = options();
    options.gate = mcp_tests::BOUND;
    let (manager, _) =
        Manager::start(peers.map(|(name, peer)| spec(name, peer.config.clone())), options).await;
    let resources = within(manager.resources()).await;
    let items: Vec<_> = resources.items.iter().map(|it| (&*it.server, it.item.as_str())).collect();
    assert_eq!(items, [("b", r#"{"uri":"r:1","name":"1"}"#), ("b", r#"{"uri":"r:0","name":"0"}"#)]);
    assert_eq!(resources.failures.iter().map(|(server, _)| &**server).collect::<Vec<_>>(), ["a", "missing"]);
    let prompts = within(manager.prompts()).await;
    assert_eq!(prompts.items.iter().map(|it| &*it.server).collect::<Vec<_>>(), ["a"]);
    assert_eq!(prompts.failures.iter().map(|(server, _)| &**server).collect::<Vec<_>>(), ["missing"]);
    // What is known is not asked for again: these peers would not answer.
    assert_eq!(within(manager.prompts()).await.items.len(), 1);
    within(manager.shutdown()).await;
}

/// Case 152, for the lists beside tools.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_list_is_asked_for_again_and_told() {
    let storm = "send NOTE(notifications/resources/list_changed)\n".repeat(50);
    let templates = refusal("resources/templates/list", -32601);
    let of = |uri: &str| {
        listing("resources/list", "resources", &format!(r#"{{"uri":"{uri}","name":"r"}}"#)) + &templates
    };
    let prompts = "send NOTE(notifications/prompts/list_changed)\n".repeat(2);
    // One listing for the storm, and at most one after it.
    let script = format!("{OFFERS}{}{prompts}{storm}{}{}eof", of("r:0"), of("r:1"), of("r:1"));
    let peer = Scripted::new(&script);
    let (manager, _) = Manager::start([spec("s", peer.config.clone())], options()).await;
    let mut events = manager.events();
    within(manager.ready("s")).await.unwrap();
    let of = |listing: mcp_manager::Listing| {
        listing.items.iter().map(|it| it.item.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of(within(manager.resources()).await), [r#"{"uri":"r:0","name":"r"}"#]);
    within(manager.resource_templates()).await;
    // Nobody has asked for prompts: that they changed is told, and nothing is asked.
    let mut told = Vec::new();
    for _ in 0..2 {
        let is_change = |what: &What| matches!(what, What::ResourcesChanged | What::PromptsChanged);
        told.push(format!("{:?}", until(&mut events, "s", is_change).await));
    }
    told.sort();
    assert_eq!(told, ["PromptsChanged", "ResourcesChanged"]);
    assert_eq!(of(within(manager.resources()).await), [r#"{"uri":"r:1","name":"r"}"#]);
    within(manager.shutdown()).await;
}
