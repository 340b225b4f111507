//! The schema of a form. All kinds of fields share one shape here; which members make which kind is
//! up to who shows the form.

use serde_json::Number;
use serde_json::value::RawValue;

use crate::extra::Extra;
use crate::object::object;

/// `requestedSchema`: an object whose properties are the fields of a form.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ElicitSchema {
    /// The dialect of JSON Schema (2025-11-25 and later).
    pub schema: Option<String>,
    /// `object`.
    pub kind: Option<String>,
    /// Name to [`ElicitField`], in the order they came, as they came.
    pub properties: Extra,
    /// The names of fields that must be filled in.
    pub required: Option<Vec<String>>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ElicitSchema {
    "$schema" => schema: optional,
    "type" => kind: optional,
    "properties" => properties: lenient,
    "required" => required: optional,
});

/// One field of a form, whatever its kind.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ElicitField {
    /// `string`, `number`, `integer`, `boolean` or `array`.
    pub kind: Option<String>,
    /// The name for people.
    pub title: Option<String>,
    /// What to fill in.
    pub description: Option<String>,
    /// Fewest characters of a string.
    pub min_length: Option<u64>,
    /// Most characters of a string.
    pub max_length: Option<u64>,
    /// What a string looks like: `email`, `uri`, `date` or `date-time`.
    pub format: Option<String>,
    /// Least number.
    pub minimum: Option<Number>,
    /// Greatest number.
    pub maximum: Option<Number>,
    /// The values to choose from, without labels or with those in `enum_names`.
    pub values: Option<Vec<String>>,
    /// The labels of `values` (2025-06-18; later a legacy form).
    pub enum_names: Option<Vec<String>>,
    /// The values to choose one from, with labels (2025-11-25 and later).
    pub one_of: Option<Vec<ElicitOption>>,
    /// The values to choose several from (2025-11-25 and later).
    pub items: Option<ElicitItems>,
    /// Fewest values to choose.
    pub min_items: Option<u64>,
    /// Most values to choose.
    pub max_items: Option<u64>,
    /// What the field holds at first.
    pub default: Option<Box<RawValue>>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ElicitField {
    "type" => kind: optional,
    "title" => title: optional,
    "description" => description: optional,
    "minLength" => min_length: optional,
    "maxLength" => max_length: optional,
    "format" => format: optional,
    "minimum" => minimum: optional,
    "maximum" => maximum: optional,
    "enum" => values: optional,
    "enumNames" => enum_names: optional,
    "oneOf" => one_of: optional,
    "items" => items: optional,
    "minItems" => min_items: optional,
    "maxItems" => max_items: optional,
    "default" => default: optional,
});

/// A value with its label.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ElicitOption {
    /// The value.
    pub value: String,
    /// The label. Servers that leave it out mean the value.
    pub title: Option<String>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ElicitOption {
    "const" => value: required,
    "title" => title: optional,
});

/// What an array may consist of.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ElicitItems {
    /// `string`, where the values have no labels.
    pub kind: Option<String>,
    /// The values, without labels.
    pub values: Option<Vec<String>>,
    /// The values, with labels.
    pub any_of: Option<Vec<ElicitOption>>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(ElicitItems {
    "type" => kind: optional,
    "enum" => values: optional,
    "anyOf" => any_of: optional,
});
