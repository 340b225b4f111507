//! Skills (the extension `io.modelcontextprotocol/skills`): a host lists them, and verifies each file of
//! one that it loads before it uses it.

mod entry;
mod frontmatter;
mod integrity;

use anyhow::{Context, Result};
use mcp_client::{CallOptions, Client};
use mcp_types::{ReadResource, ReadResourceParams, ServerCapabilities};

use self::entry::{Entry, File, entries};

const EXTENSION: &str = "io.modelcontextprotocol/skills";
/// In this one a user looks at the list and loads nothing; in all others each skill is loaded.
const LIST_ONLY: &str = "sep-2640-client-no-prefetch";

/// Whether a server with these capabilities offers them.
pub(crate) fn are_offered(capabilities: &ServerCapabilities) -> Result<bool> {
    Ok(serde_json::to_value(capabilities)?["extensions"][EXTENSION].is_object())
}

/// Lists the skills and loads them, and returns what was found wrong with those that are not to be used.
pub(crate) async fn drive(client: &Client, scenario: &str) -> Result<Vec<String>> {
    let listed = client.request("skills/list", None, CallOptions::default()).await;
    let listed = listed.context("cannot list the skills")?;
    let entries = entries(&listed.parse()?)?;
    let mut refused = Vec::new();
    if scenario != LIST_ONLY {
        for entry in &entries {
            refused.extend(load(client, entry).await?);
        }
    }
    Ok(refused)
}

/// Reads the skill and then its other files, and stops at the first that is not what the list said.
async fn load(client: &Client, entry: &Entry) -> Result<Option<String>> {
    for file in entry.in_order() {
        let text = read(client, file).await?;
        if let Err(why) = entry.check(file, &text) {
            return Ok(Some(format!("the skill `{}` is not used: {why:#}", entry.uri)));
        }
    }
    Ok(None)
}

async fn read(client: &Client, file: &File) -> Result<String> {
    let params = ReadResourceParams::new(&file.uri);
    let read = client.call::<ReadResource>(&params, CallOptions::default()).await;
    let read = read.with_context(|| format!("cannot read `{}`", file.uri))?;
    let contents = read.contents.into_iter().find(|contents| contents.uri == file.uri);
    contents.and_then(|contents| contents.text).with_context(|| format!("`{}` has no text", file.uri))
}
