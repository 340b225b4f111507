//! What the list says of a skill.

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::{frontmatter, integrity};

/// One skill. The first file to be read is the one that has the skill's own address.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) uri: String,
    frontmatter: Map<String, Value>,
    files: Vec<File>,
}

/// One file of it.
#[derive(Debug)]
pub(super) struct File {
    pub(super) uri: String,
    digest: String,
    size: u64,
}

impl Entry {
    /// Its files, the skill itself before the others.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &File> {
        let is_itself = |file: &&File| file.uri == self.uri;
        let others = self.files.iter().filter(move |file| !is_itself(file));
        self.files.iter().filter(is_itself).chain(others)
    }

    /// Whether `text` is what the list says of `file`.
    pub(super) fn check(&self, file: &File, text: &str) -> Result<()> {
        integrity::check(text, file.size, &file.digest).with_context(|| format!("`{}`", file.uri))?;
        if file.uri == self.uri {
            frontmatter::check(text, &self.frontmatter).with_context(|| format!("`{}`", file.uri))?;
        }
        Ok(())
    }
}

/// Reads the answer to `skills/list`. A skill whose own file is not listed could not be verified, so it
/// is an error.
pub(super) fn entries(answer: &Value) -> Result<Vec<Entry>> {
    answer["skills"].as_array().context("the answer lists no skills")?.iter().map(entry).collect()
}

fn entry(skill: &Value) -> Result<Entry> {
    let uri = text(skill, "uri")?;
    let files = skill["resources"].as_array().with_context(|| format!("`{uri}` has no files"))?;
    let files = files.iter().map(file).collect::<Result<Vec<_>>>()?;
    files.iter().find(|file| file.uri == uri).with_context(|| format!("`{uri}` is not among its files"))?;
    let frontmatter = skill["frontmatter"].as_object().cloned();
    let frontmatter = frontmatter.with_context(|| format!("`{uri}` has no frontmatter"))?;
    Ok(Entry { uri, frontmatter, files })
}

fn file(file: &Value) -> Result<File> {
    let size = file["size"].as_u64().context("a file has no size")?;
    Ok(File { uri: text(file, "uri")?, digest: text(file, "digest")?, size })
}

fn text(object: &Value, name: &str) -> Result<String> {
    Ok(object[name].as_str().with_context(|| format!("a skill or file has no `{name}`"))?.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SKILL: &str = "---\nname: a\n---\n";
    const DIGEST: &str = "sha256:c96c6d5be8d08a12e7b5cdc1b207fa6b2430974c86803d8891675e76fd992c20";

    fn listed() -> Value {
        json!({ "skills": [{
            "uri": "skill://a/SKILL.md",
            "frontmatter": { "name": "a" },
            "resources": [
                { "uri": "skill://a/more", "digest": DIGEST, "size": 5 },
                { "uri": "skill://a/SKILL.md", "digest": "sha256:SKILL", "size": SKILL.len() }
            ]
        }]})
    }

    #[test]
    fn the_skill_itself_is_read_first() {
        let entries = entries(&listed()).unwrap();
        let uris: Vec<_> = entries[0].in_order().map(|file| file.uri.as_str()).collect();
        assert_eq!(uris, ["skill://a/SKILL.md", "skill://a/more"]);
    }

    #[test]
    fn only_the_skill_itself_has_a_head_to_compare() {
        let entries = entries(&listed()).unwrap();
        let more = entries[0].in_order().nth(1).unwrap();
        entries[0].check(more, "input").unwrap();
        assert!(entries[0].check(more, "Input").is_err());
    }

    #[test]
    fn a_list_that_leaves_out_what_is_verified_is_refused() {
        for path in [
            "/skills/0/uri",
            "/skills/0/frontmatter",
            "/skills/0/resources",
            "/skills/0/resources/0/size",
            "/skills/0/resources/0/digest",
            "/skills/0/resources/1/uri",
        ] {
            let mut listed = listed();
            *listed.pointer_mut(path).unwrap() = Value::Null;
            assert!(entries(&listed).is_err(), "{path}");
        }
        assert!(entries(&json!({})).is_err());
    }
}
