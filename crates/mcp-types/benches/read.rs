//! How fast the two messages are read that matter: long lists of tools, and small results.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use mcp_types::{CallToolResult, ListToolsResult};

fn main() {
    divan::main();
}

/// A thousand tools of about 1 KB each.
#[divan::bench]
fn list_of_tools(bencher: Bencher<'_, '_>) {
    let property = |name: &str| {
        format!(
            r#""{name}":{{"type":"string","description":"What to look for, and how.\nMay be left out."}}"#
        )
    };
    let properties: Vec<_> =
        ["query", "path", "language", "limit", "order", "since", "until"].map(property).into();
    let tool = |number: usize| {
        format!(
            r#"{{"name":"search_{number}","title":"Search","description":"Searches all files of the project for a text.","inputSchema":{{"type":"object","properties":{{{}}},"required":["query","path"],"additionalProperties":false,"$schema":"https://json-schema.org/draft/2020-12/schema"}},"annotations":{{"readOnlyHint":true,"openWorldHint":false}},"_meta":{{"com.example/group":"files"}}}}"#,
            properties.join(","),
        )
    };
    let tools: Vec<_> = (0..1000).map(tool).collect();
    let json = format!(r#"{{"tools":[{}]}}"#, tools.join(","));
    bencher.counter(BytesCount::of_str(&json)).bench(|| read::<ListToolsResult>(black_box(&json)));
}

const TYPE_FIRST: &str = r#"{"content":[{"type":"text","text":"The sum is 3."}],"isError":false}"#;
const TYPE_LAST: &str = r#"{"content":[{"text":"The sum is 3.","type":"text"}],"isError":false}"#;
const STRUCTURED: &str =
    r#"{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3},"isError":false}"#;

#[divan::bench(args = [TYPE_FIRST, TYPE_LAST, STRUCTURED])]
fn small_result(bencher: Bencher<'_, '_>, json: &str) {
    bencher.bench(|| read::<CallToolResult>(black_box(json)));
}

#[divan::bench(args = [false, true])]
fn text_of_16_mib(bencher: Bencher<'_, '_>, type_last: bool) {
    let text = "0123456789abcdef".repeat(1 << 20);
    let json = if type_last {
        format!(r#"{{"content":[{{"text":"{text}","type":"text"}}]}}"#)
    } else {
        format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#)
    };
    bencher.counter(BytesCount::of_str(&json)).bench(|| read::<CallToolResult>(black_box(&json)));
}

fn read<T: serde::de::DeserializeOwned>(json: &str) -> Option<T> {
    serde_json::from_str(json).ok()
}
