//! What a model sees of the tools.

use mcp_manager::Manager;
use mcp_manager::names::{Glob, ToolFilter};

use crate::fake::{Fake, Script, ms, options};

#[tokio::test(start_paused = true)]
async fn tools_come_in_the_same_order_whatever_the_order_of_arrival() {
    let slow = Fake::new(Script { starts_in: Some(ms(200)), tools: vec!["z", "a"], ..Script::default() });
    let fast = Fake::new(Script { tools: vec!["m"], ..Script::default() });
    let (manager, _) = Manager::start([fast.spec("b"), slow.spec("a")], options()).await;
    let exposed: Vec<_> = manager.tools().into_iter().map(|entry| entry.exposed.to_string()).collect();
    assert_eq!(exposed, ["mcp__a__z", "mcp__a__a", "mcp__b__m"]);
    let entry = manager.find("mcp__a__a").unwrap();
    assert_eq!((&*entry.server, &*entry.tool.name), ("a", "a"));
    manager.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn tools_that_are_filtered_out_are_not_shown() {
    let fake = Fake::new(Script { tools: vec!["read", "write", "remove"], ..Script::default() });
    let mut spec = fake.spec("s");
    let allow = Some(vec![Glob::new("re*").unwrap()]);
    spec.tools = ToolFilter { allow, deny: vec![Glob::new("remove").unwrap()] };
    let (manager, _) = Manager::start([spec], options()).await;
    let shown: Vec<_> = manager.tools().into_iter().map(|entry| entry.tool.name).collect();
    assert_eq!(shown, ["read"]);
    manager.shutdown().await;
}

/// Case 147.
#[tokio::test(start_paused = true)]
async fn names_that_clash_are_told_apart_and_reported() {
    let fake = Fake::new(Script { tools: vec!["a.b", "a_b"], ..Script::default() });
    let (manager, _) = Manager::start([fake.spec("s")], options()).await;
    let tools = manager.tools();
    assert_eq!(tools.len(), 2);
    assert_ne!(tools[0].exposed, tools[1].exposed);
    assert_eq!(manager.collisions().len(), 1);
    for entry in &tools {
        assert_eq!(manager.find(&entry.exposed).unwrap().tool.name, entry.tool.name);
    }
    manager.shutdown().await;
}
