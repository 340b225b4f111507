//! Arguments of a tool that go into headers as well (`x-mcp-header`, 2026-07-28).
//!
//! A property of an input schema can be annotated with the name of a header. [`ParamHeaders::of`]
//! finds and checks these annotations, once for each tool of a list; [`ParamHeaders::headers_for`]
//! picks the values out of the arguments of a call. Nothing here sends anything, and how a value is
//! written into a header is the transport's.

mod error;
mod pick;
mod value;
mod walk;

use std::borrow::Cow;
use std::collections::BTreeMap;

use mcp_jsonrpc::{Mirrored, Sample};
use serde::Deserialize;
use serde_json::value::RawValue;

pub(crate) use self::error::Misannotated;
pub use self::error::ParamError;
pub use self::value::ParamType;

/// The annotation.
const ANNOTATION: &str = "x-mcp-header";

/// The headers that the input schema of one tool asks for, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParamHeaders {
    params: Vec<Param>,
    root: Node,
}

/// One annotated property.
#[derive(Clone, Debug)]
struct Param {
    header: Cow<'static, str>,
    kind: ParamType,
    /// The property in the schema, for messages.
    at: Sample,
}

/// Where annotated properties lie in the arguments: the paths to them, as a tree.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Which of the parameters it is. One that is a string, an integer or a boolean has no members.
    param: Option<usize>,
    members: BTreeMap<Box<str>, Node>,
}

impl ParamHeaders {
    /// Most annotations of one schema; servers commonly take about 100 headers in all.
    pub(crate) const MAX_HEADERS: usize = 64;
    /// Longest name of an annotation, in bytes.
    pub(crate) const MAX_NAME: usize = 256;

    /// Finds and checks the annotations of an input schema (C-155).
    ///
    /// The schema is read once, each keyword that holds schemas is followed, and its memory is that
    /// of the annotations found. A schema that cannot have one is not read at all. What stands in
    /// `enum`, `const`, `default`, `examples` and in keywords that no dialect has is data, and a
    /// property may have the name of the annotation. A schema that is no object has no annotations.
    /// Of a member that is there twice the last one counts, but annotations below either are found.
    ///
    /// # Errors
    ///
    /// The first annotation that breaks a rule, which makes the tool invalid; see [`Misannotated`].
    /// More than [`MAX_HEADERS`](Self::MAX_HEADERS) annotations and schemas nested deeper than
    /// serde_json reads (128 levels, of which a property takes two) are refused too.
    pub(crate) fn of(input_schema: &RawValue) -> Result<Self, Misannotated> {
        let text = input_schema.get();
        // The name can also be written with escapes, and each of its characters is below U+0080.
        if !text.contains(ANNOTATION) && !text.contains("\\u00") {
            return Ok(Self::default());
        }
        walk::annotations(text)
    }

    /// Whether no argument goes into a header.
    pub(crate) fn is_empty(&self) -> bool {
        self.params.is_empty()
    }

    /// The headers of one call. An argument that is absent or `null` has none (C-152, C-153), and
    /// arguments that are no object have none at all. Of an argument given twice the last one counts.
    ///
    /// A string goes as it is, a boolean as `true` or `false`, an integer in decimal (C-148). As in
    /// JSON Schema, `1.0` and `1e2` are integers, and go as `1` and `100`.
    ///
    /// # Errors
    ///
    /// An argument has another type than its schema says, or is an integer beyond 2^53 - 1 either way:
    /// the server would have to refuse the call. No message repeats a value.
    pub(crate) fn headers_for(&self, arguments: &RawValue) -> Result<Vec<Mirrored>, ParamError> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        pick::headers(self, arguments.get())
    }

    /// Adds a parameter at a path of properties.
    fn add(&mut self, path: &[&str], param: Param) {
        let mut node = &mut self.root;
        for name in path {
            if !node.members.contains_key(*name) {
                node.members.insert((*name).into(), Node::default());
            }
            let Some(member) = node.members.get_mut(*name) else { return };
            node = member;
        }
        node.param = Some(self.params.len());
        self.params.push(param);
    }
}

/// The name of a member, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The part of a visitor that passes over what has no members.
macro_rules! pass_over_scalars {
    () => {
        fn visit_bool<E>(self, _: bool) -> Result<(), E> {
            Ok(())
        }

        fn visit_i64<E>(self, _: i64) -> Result<(), E> {
            Ok(())
        }

        fn visit_u64<E>(self, _: u64) -> Result<(), E> {
            Ok(())
        }

        fn visit_f64<E>(self, _: f64) -> Result<(), E> {
            Ok(())
        }

        fn visit_str<E>(self, _: &str) -> Result<(), E> {
            Ok(())
        }

        fn visit_unit<E>(self) -> Result<(), E> {
            Ok(())
        }
    };
}
use pass_over_scalars;

#[cfg(test)]
mod tests;
