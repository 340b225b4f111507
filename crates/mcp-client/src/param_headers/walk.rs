//! The walk over an input schema: every place that holds a schema, in one pass over its text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use mcp_jsonrpc::{SAMPLE_BYTES, Sample};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::error::Misannotated;
use super::{ANNOTATION, Name, Param, ParamHeaders, ParamType, pass_over_scalars};

/// Finds and checks the annotations of a schema.
pub(super) fn annotations(schema: &str) -> Result<ParamHeaders, Misannotated> {
    let mut walk = Walk::default();
    let mut json = serde_json::Deserializer::from_str(schema);
    let walked = Schemas { walk: &mut walk, are_named: false, is_property: true }.deserialize(&mut json);
    match (walk.fault, walked.and_then(|()| json.end())) {
        (Some(fault), _) => Err(fault),
        (None, Err(error)) => Err(Misannotated::Unreadable(error)),
        (None, Ok(())) => Ok(walk.found),
    }
}

#[derive(Default)]
struct Walk<'a> {
    /// Keywords, names and indexes down to here. Where only `properties` were followed, every second
    /// one is a name.
    at: Vec<Cow<'a, str>>,
    found: ParamHeaders,
    /// The annotations found, without case.
    names: HashSet<String>,
    /// What ended the walk.
    fault: Option<Misannotated>,
}

impl Walk<'_> {
    /// Takes note of an annotation of the schema that the walk is at.
    fn annotated(
        &mut self,
        annotation: &RawValue,
        kind: Option<ParamType>,
        is_property: bool,
    ) -> Result<(), Misannotated> {
        let at = self.pointer();
        let written = annotation.get();
        if !is_property || self.at.is_empty() {
            return Err(Misannotated::OutOfReach { name: Sample::of(written.as_bytes()), at });
        }
        if !written.starts_with('"') {
            return Err(Misannotated::NoString { at });
        }
        let Ok(Name(text)) = serde_json::from_str(written) else {
            // Half a surrogate pair.
            return Err(Misannotated::NoToken { name: Sample::of(written.as_bytes()), at });
        };
        let name = Sample::of(text.as_bytes());
        if text.is_empty() {
            return Err(Misannotated::Empty { at });
        }
        if !text.bytes().all(is_token) {
            return Err(Misannotated::NoToken { name, at });
        }
        if text.len() > ParamHeaders::MAX_NAME {
            return Err(Misannotated::TooLong { name, at, limit: ParamHeaders::MAX_NAME });
        }
        let Some(kind) = kind else { return Err(Misannotated::WrongType { name, at }) };
        if !self.names.insert(text.to_ascii_lowercase()) {
            return Err(Misannotated::Duplicate { name, at });
        }
        if self.names.len() > ParamHeaders::MAX_HEADERS {
            return Err(Misannotated::TooMany { limit: ParamHeaders::MAX_HEADERS });
        }
        let path: Vec<&str> = self.at.iter().skip(1).step_by(2).map(|name| &**name).collect();
        self.found.add(&path, Param { header: format!("Mcp-Param-{text}").into(), kind, at });
        Ok(())
    }

    /// Where the walk is, as a JSON pointer. No more of it is made than is shown.
    fn pointer(&self) -> Sample {
        let mut pointer = String::new();
        for step in &self.at {
            pointer.push('/');
            for character in step.chars().take(SAMPLE_BYTES) {
                match character {
                    '~' => pointer.push_str("~0"),
                    '/' => pointer.push_str("~1"),
                    other => pointer.push(other),
                }
            }
            if pointer.len() > SAMPLE_BYTES {
                break;
            }
        }
        Sample::of(pointer.as_bytes())
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether the value of a keyword is schemas by name or else a schema or some; `None` is data.
fn are_named(keyword: &str) -> Option<bool> {
    match keyword {
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
        | "properties" => Some(true),
        "additionalItems"
        | "additionalProperties"
        | "allOf"
        | "anyOf"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "oneOf"
        | "prefixItems"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Some(false),
        _ => None,
    }
}

/// What a keyword, or the root, holds: a schema, a list of schemas, or schemas by name.
struct Schemas<'w, 'a> {
    walk: &'w mut Walk<'a>,
    are_named: bool,
    /// Whether only `properties` led here.
    is_property: bool,
}

impl<'a> Schemas<'_, 'a> {
    fn named<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(Name(name)) = map.next_key()? {
            self.walk.at.push(name);
            map.next_value_seed(Schemas {
                walk: self.walk,
                are_named: false,
                is_property: self.is_property,
            })?;
            self.walk.at.pop();
        }
        Ok(())
    }

    fn schema<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        let (mut annotation, mut kind) = (None, None);
        while let Some(Name(keyword)) = map.next_key()? {
            match (&*keyword, are_named(&keyword)) {
                (ANNOTATION, _) => annotation = Some(map.next_value::<&RawValue>()?),
                ("type", _) => kind = ParamType::named(map.next_value::<&RawValue>()?),
                (_, None) => {
                    map.next_value::<IgnoredAny>()?;
                }
                (_, Some(are_named)) => {
                    let is_property = self.is_property && keyword == "properties";
                    self.walk.at.push(keyword);
                    map.next_value_seed(Schemas { walk: self.walk, are_named, is_property })?;
                    self.walk.at.pop();
                }
            }
        }
        let Some(annotation) = annotation else { return Ok(()) };
        self.walk.annotated(annotation, kind, self.is_property).map_err(|fault| {
            self.walk.fault = Some(fault);
            M::Error::custom("the walk ends here")
        })
    }
}

impl<'a> DeserializeSeed<'a> for Schemas<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Schemas<'_, 'a> {
    type Value = ();

    pass_over_scalars!();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a schema")
    }

    fn visit_map<M: MapAccess<'a>>(self, map: M) -> Result<(), M::Error> {
        if self.are_named { self.named(map) } else { self.schema(map) }
    }

    /// No list leads to a property, wherever it stands.
    fn visit_seq<S: SeqAccess<'a>>(self, mut list: S) -> Result<(), S::Error> {
        for index in 0_usize.. {
            self.walk.at.push(index.to_string().into());
            let schema = Schemas { walk: self.walk, are_named: false, is_property: false };
            let more = list.next_element_seed(schema)?;
            self.walk.at.pop();
            if more.is_none() {
                break;
            }
        }
        Ok(())
    }
}
