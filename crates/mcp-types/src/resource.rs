//! Resources and their templates: what `resources/*` lists and reads, and content blocks link to.

use crate::annotations::Annotations;
use crate::extra::Extra;
use crate::icon::Icon;
use crate::meta::Meta;
use crate::object::object;

/// Describes a resource; in a content block, links to it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Resource {
    /// Its identifier.
    pub uri: String,
    /// Its name; for people before 2025-06-18, for programs since.
    pub name: String,
    /// Its name for people (2025-06-18 and later).
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its type.
    pub mime_type: Option<String>,
    /// Its raw size in bytes.
    pub size: Option<u64>,
    /// Who it is for.
    pub annotations: Option<Annotations>,
    /// Its icons (2025-11-25 and later).
    pub icons: Option<Vec<Icon>>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl Resource {
    /// A resource with nothing but an identifier and a name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), ..Self::default() }
    }

    /// The name for people: `title`, then `name` (C-219).
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

object!(Resource {
    "uri" => uri: required,
    "name" => name: required,
    "title" => title: optional,
    "description" => description: optional,
    "mimeType" => mime_type: optional,
    "size" => size: optional,
    "annotations" => annotations: optional,
    "icons" => icons: optional,
    "_meta" => meta: optional,
});

/// What a resource holds: either `text` or `blob`, told apart by which one is there.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ResourceContents {
    /// The identifier of the resource.
    pub uri: String,
    /// Its type.
    pub mime_type: Option<String>,
    /// The contents, if they are text.
    pub text: Option<String>,
    /// The contents in base64, if they are not.
    pub blob: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ResourceContents {
    /// Text contents.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), text: Some(text.into()), ..Self::default() }
    }

    /// Binary contents, already in base64.
    pub fn blob(uri: impl Into<String>, base64: impl Into<String>) -> Self {
        Self { uri: uri.into(), blob: Some(base64.into()), ..Self::default() }
    }
}

object!(ResourceContents {
    "uri" => uri: required,
    "mimeType" => mime_type: optional,
    "text" => text: optional,
    "blob" => blob: optional,
    "_meta" => meta: optional,
});

/// Describes many resources: an address with places to fill in (RFC 6570).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The template of their identifiers.
    pub uri_template: String,
    /// Its name; for people before 2025-06-18, for programs since.
    pub name: String,
    /// Its name for people (2025-06-18 and later).
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Their type, if all have the same.
    pub mime_type: Option<String>,
    /// Who they are for.
    pub annotations: Option<Annotations>,
    /// Its icons (2025-11-25 and later).
    pub icons: Option<Vec<Icon>>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ResourceTemplate {
    /// The name for people: `title`, then `name` (C-219).
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

object!(ResourceTemplate {
    "uriTemplate" => uri_template: required,
    "name" => name: required,
    "title" => title: optional,
    "description" => description: optional,
    "mimeType" => mime_type: optional,
    "annotations" => annotations: optional,
    "icons" => icons: optional,
    "_meta" => meta: optional,
});

/// Params of `resources/list`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListResourcesParams {
    /// Where the page starts: `nextCursor` of the page before. `None` is the first page.
    pub cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListResourcesParams {
    "cursor" => cursor: optional,
    "_meta" => meta: optional,
});

/// Result of `resources/list`: one page.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListResourcesResult {
    /// What is on this page.
    pub resources: Vec<Resource>,
    /// Where the next page starts. `None` is the end; an empty string is a cursor like any other.
    pub next_cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListResourcesResult {
    "resources" => resources: required,
    "nextCursor" => next_cursor: optional,
    "_meta" => meta: optional,
});

/// Params of `resources/templates/list`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListResourceTemplatesParams {
    /// Where the page starts: `nextCursor` of the page before. `None` is the first page.
    pub cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListResourceTemplatesParams {
    "cursor" => cursor: optional,
    "_meta" => meta: optional,
});

/// Result of `resources/templates/list`: one page.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListResourceTemplatesResult {
    /// What is on this page.
    pub resource_templates: Vec<ResourceTemplate>,
    /// Where the next page starts. `None` is the end; an empty string is a cursor like any other.
    pub next_cursor: Option<String>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ListResourceTemplatesResult {
    "resourceTemplates" => resource_templates: required,
    "nextCursor" => next_cursor: optional,
    "_meta" => meta: optional,
});

/// Params of `resources/read`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadResourceParams {
    /// The identifier of the resource.
    pub uri: String,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl ReadResourceParams {
    /// Reads this resource.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), ..Self::default() }
    }
}

object!(ReadResourceParams {
    "uri" => uri: required,
    "_meta" => meta: optional,
});

/// Result of `resources/read`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadResourceResult {
    /// One or several contents, whose identifiers may differ from the one that was asked for.
    pub contents: Vec<ResourceContents>,
    /// The `_meta` member.
    pub meta: Option<Meta>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ReadResourceResult {
    "contents" => contents: required,
    "_meta" => meta: optional,
});

#[cfg(test)]
mod tests {
    use super::{ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult};
    use super::{Resource, ResourceTemplate};

    #[test]
    fn a_resource_and_a_template_are_shown_by_title_then_name() {
        for (title, shown) in [(None, "n"), (Some("T".to_owned()), "T"), (Some(String::new()), "")] {
            let resource = Resource { title: title.clone(), ..Resource::new("a:1", "n") };
            let template = ResourceTemplate { name: "n".into(), title, ..ResourceTemplate::default() };
            assert_eq!((resource.display_name(), template.display_name()), (shown, shown));
        }
    }

    #[test]
    fn pages_and_contents_keep_what_they_do_not_know() {
        let resources = r#"{"resources":[{"uri":"a:1","name":"n","x":1e400}],"nextCursor":"","ttlMs":5}"#;
        let page: ListResourcesResult = serde_json::from_str(resources).unwrap();
        assert_eq!((page.resources[0].uri.as_str(), page.next_cursor.as_deref()), ("a:1", Some("")));
        assert_eq!(serde_json::to_string(&page).unwrap(), resources);

        let templates = r#"{"resourceTemplates":[{"uriTemplate":"a:{x}","name":"n","size":7}]}"#;
        let page: ListResourceTemplatesResult = serde_json::from_str(templates).unwrap();
        assert_eq!(page.resource_templates[0].uri_template, "a:{x}");
        assert_eq!(serde_json::to_string(&page).unwrap(), templates);

        let contents = r#"{"contents":[{"uri":"a:1","text":""},{"uri":"a:2","blob":"AA=="}],"x":{}}"#;
        let result: ReadResourceResult = serde_json::from_str(contents).unwrap();
        assert_eq!(result.contents[0].text.as_deref(), Some(""));
        assert_eq!(serde_json::to_string(&result).unwrap(), contents);
        assert_eq!(serde_json::to_string(&ReadResourceParams::new("a:1")).unwrap(), r#"{"uri":"a:1"}"#);
    }

    #[test]
    fn a_result_without_its_member_does_not_fit() {
        serde_json::from_str::<ListResourcesResult>("{}").unwrap_err();
        serde_json::from_str::<ListResourceTemplatesResult>(r#"{"resourceTemplates":{}}"#).unwrap_err();
        serde_json::from_str::<ReadResourceResult>(r#"{"contents":null}"#).unwrap_err();
        serde_json::from_str::<ReadResourceResult>(r#"{"contents":[{"text":"no uri"}]}"#).unwrap_err();
    }
}
