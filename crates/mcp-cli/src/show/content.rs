//! Content for people: results of tools, contents of resources, messages of prompts.

use mcp_types::{CallToolResult, ContentBlock, PromptMessage, Resource, ResourceContents};

use super::escape;
use super::json::pretty;
use super::look::Look;

/// All blocks, one after the other, then the structured content.
pub(crate) fn result(result: &CallToolResult, look: Look) -> String {
    let mut out = String::new();
    for block in &result.content {
        push(&mut out, &content(block, look));
    }
    if let Some(structured) = &result.structured_content {
        push(&mut out, &look.faint("structured content:"));
        push(&mut out, &escape::json(&pretty(structured.get())));
    }
    out
}

/// The contents of a resource, which may be several. A single text stands alone, as it would in a file.
pub(crate) fn contents(contents: &[ResourceContents], look: Look) -> String {
    if let [ResourceContents { text: Some(text), .. }] = contents {
        return escape::block(text);
    }
    let mut out = String::new();
    for contents in contents {
        push(&mut out, &resource(contents, look));
    }
    out
}

/// Messages one after the other, each below who says it.
pub(crate) fn messages(messages: &[PromptMessage], look: Look) -> String {
    let mut out = String::new();
    for message in messages {
        push(&mut out, &look.strong(&format!("{}:", escape::line(message.role.as_str()))));
        push(&mut out, &content(&message.content, look));
    }
    out
}

fn push(out: &mut String, text: &str) {
    out.push_str(text);
    if !text.ends_with('\n') {
        out.push('\n');
    }
}

fn content(block: &ContentBlock, look: Look) -> String {
    match block {
        ContentBlock::Text(text) => escape::block(&text.text),
        ContentBlock::Image(image) => binary("image", &image.mime_type, &image.data, look),
        ContentBlock::Audio(audio) => binary("audio", &audio.mime_type, &audio.data, look),
        ContentBlock::ResourceLink(link) => resource_link(link, look),
        ContentBlock::Resource(embedded) => resource(&embedded.resource, look),
        other => unknown(other, look),
    }
}

fn binary(kind: &str, mime_type: &str, base64: &str, look: Look) -> String {
    look.faint(&format!("[{kind} {}, {}]", escape::line(mime_type), size(decoded_size(base64))))
}

fn resource_link(link: &Resource, look: Look) -> String {
    let mut text = format!("[link to {}: {}", escape::line(link.display_name()), escape::line(&link.uri));
    if let Some(mime_type) = &link.mime_type {
        text.push_str(&format!(", {}", escape::line(mime_type)));
    }
    if let Some(bytes) = link.size {
        text.push_str(&format!(", {}", size(bytes)));
    }
    look.faint(&format!("{text}]"))
}

fn resource(contents: &ResourceContents, look: Look) -> String {
    let mut head = format!("[resource {}", escape::line(&contents.uri));
    if let Some(mime_type) = &contents.mime_type {
        head.push_str(&format!(", {}", escape::line(mime_type)));
    }
    if let Some(blob) = &contents.blob {
        head.push_str(&format!(", {}", size(decoded_size(blob))));
    }
    let head = look.faint(&format!("{head}]"));
    match &contents.text {
        Some(text) => format!("{head}\n{}", escape::block(text)),
        None => head,
    }
}

/// Kinds of a later revision, or of nobody: as JSON.
fn unknown(block: &ContentBlock, look: Look) -> String {
    let kind = escape::line(block.kind().unwrap_or("content without a type"));
    let json = serde_json::to_string(block).unwrap_or_default();
    format!("{}\n{}", look.faint(&format!("[{kind}]")), escape::json(&pretty(&json)))
}

fn decoded_size(base64: &str) -> u64 {
    base64.trim_end_matches('=').len() as u64 * 3 / 4
}

fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::super::look::Look;
    use super::{result, size};

    #[track_caller]
    fn check(json: &str, expected: &str) {
        assert_eq!(result(&serde_json::from_str(json).unwrap(), Look::PLAIN), expected);
    }

    #[test]
    fn text_is_text() {
        check(r#"{"content":[{"type":"text","text":"a\n\tb"},{"type":"text","text":"c\n"}]}"#, "a\n\tb\nc\n");
        check(r#"{"content":[{"type":"text","text":"\u001b[2J\u202e"}]}"#, "\\u{1b}[2J\\u{202e}\n");
    }

    #[test]
    fn what_is_no_text_is_summed_up() {
        check(
            r#"{"content":[{"type":"image","data":"AAECAw==","mimeType":"image/png"}]}"#,
            "[image image/png, 4 bytes]\n",
        );
        check(
            r#"{"content":[{"type":"audio","data":"","mimeType":"audio/\u0007wav"}]}"#,
            "[audio audio/\\u{7}wav, 0 bytes]\n",
        );
        check(
            r#"{"content":[{"type":"resource_link","uri":"file:///a","name":"a","mimeType":"text/x","size":2048}]}"#,
            "[link to a: file:///a, text/x, 2.0 kB]\n",
        );
        check(
            r#"{"content":[{"type":"resource","resource":{"uri":"x:1","text":"hello"}}]}"#,
            "[resource x:1]\nhello\n",
        );
        check(r#"{"content":[{"type":"new","x":1.0}]}"#, "[new]\n{\n  \"type\": \"new\",\n  \"x\": 1.0\n}\n");
    }

    #[test]
    fn structured_content_keeps_its_digits() {
        check(
            r#"{"content":[],"structuredContent":{"n":18446744073709551615}}"#,
            "structured content:\n{\n  \"n\": 18446744073709551615\n}\n",
        );
    }

    #[test]
    fn sizes_have_a_fitting_unit() {
        assert_eq!([999, 1000, 1_234_567].map(size), ["999 bytes", "1.0 kB", "1.2 MB"]);
    }
}
