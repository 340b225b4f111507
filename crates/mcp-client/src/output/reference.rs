//! References inside one schema.

use mcp_jsonrpc::Sample;
use serde_json::Value;

use super::error::SchemaError;

/// Where a reference leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A JSON pointer; empty for the whole schema.
    Pointer(String),
    Anchor(String),
}

/// Reads a reference. Only one that is a fragment and nothing else stays in its schema.
pub(super) fn read(reference: &str) -> Result<Target, SchemaError> {
    let fragment = reference.strip_prefix('#').ok_or_else(|| SchemaError::External(shown(reference)))?;
    let fragment = decode(fragment).ok_or_else(|| SchemaError::Dangling(shown(reference)))?;
    Ok(match fragment.is_empty() || fragment.starts_with('/') {
        true => Target::Pointer(fragment),
        false => Target::Anchor(fragment),
    })
}

/// What `pointer` leads to in `root`. A way through a part with an id of its own is refused.
pub(super) fn follow<'s>(root: &'s Value, pointer: &str) -> Result<&'s Value, SchemaError> {
    let mut value = root;
    for token in pointer.split('/').skip(1) {
        let next = value.pointer(&format!("/{token}"));
        value = next.ok_or_else(|| SchemaError::Dangling(shown(pointer)))?;
        refuse_id(value)?;
    }
    Ok(value)
}

/// Refuses a part of a schema with an id of its own. One that is a mere fragment is an anchor (draft-07).
pub(super) fn refuse_id(part: &Value) -> Result<(), SchemaError> {
    for keyword in ["$id", "id"] {
        if let Some(Value::String(id)) = part.get(keyword)
            && !id.starts_with('#')
        {
            return Err(SchemaError::EmbeddedId(shown(id)));
        }
    }
    Ok(())
}

/// For messages: without user info and query, which may be secret.
pub(super) fn shown(reference: &str) -> Sample {
    let bare = reference.split('?').next().unwrap_or_default();
    match bare.rsplit_once('@') {
        Some((before, after)) => {
            let scheme =
                before.split_once("://").map(|(scheme, _)| format!("{scheme}://")).unwrap_or_default();
            Sample::of(format!("{scheme}***@{after}").as_bytes())
        }
        None => Sample::of(bare.as_bytes()),
    }
}

/// Undoes percent-encoding.
fn decode(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (high, low) = (char::from(rest.next()?).to_digit(16)?, char::from(rest.next()?).to_digit(16)?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_fragment_stays_in_its_schema() {
        assert_eq!(read("#").unwrap(), Target::Pointer(String::new()));
        assert_eq!(read("#/$defs/a%25b").unwrap(), Target::Pointer("/$defs/a%b".to_owned()));
        assert_eq!(read("#a").unwrap(), Target::Anchor("a".to_owned()));
        for outside in ["http://a/b", "file:///etc/passwd", "other.json#/x", "/x", "", "urn:x:y"] {
            assert!(matches!(read(outside), Err(SchemaError::External(_))), "{outside}");
        }
        for broken in ["#%", "#%2", "#%zz", "#%ff"] {
            assert!(matches!(read(broken), Err(SchemaError::Dangling(_))), "{broken}");
        }
    }

    #[test]
    fn no_user_info_and_no_query_is_shown() {
        assert_eq!(shown("https://me:secret@host/a?token=secret").as_str(), "https://***@host/a");
        assert_eq!(shown("secret@host/a").as_str(), "***@host/a");
        assert_eq!(shown("https://host/a?x@y").as_str(), "https://host/a");
    }
}
