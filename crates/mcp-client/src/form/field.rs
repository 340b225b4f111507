//! One field of a form, and how its kind is told from its schema.

use mcp_types::{ElicitField, ElicitItems, ElicitOption};
use serde_json::Number;

use super::Form;
use super::content::FormValue;
use super::error::{FormError, ValueError};
use super::format::Format;

/// A field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The name in messages.
    pub name: String,
    /// The name for people; see [`Field::display_name`].
    pub title: Option<String>,
    /// What to fill in.
    pub description: Option<String>,
    /// Whether it must be filled in.
    pub required: bool,
    /// What it holds at first.
    pub default: Option<FormValue>,
    /// What it takes.
    pub kind: FieldKind,
}

/// What a field takes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FieldKind {
    /// Text.
    Text {
        /// Fewest characters.
        min_length: Option<u64>,
        /// Most characters.
        max_length: Option<u64>,
        /// What it looks like.
        format: Option<Format>,
    },
    /// A number.
    Number {
        /// Whether it must be an integer.
        whole: bool,
        /// The least one.
        minimum: Option<Number>,
        /// The greatest one.
        maximum: Option<Number>,
    },
    /// Yes or no.
    Boolean,
    /// One of these values.
    One(Vec<Choice>),
    /// Several of these values.
    Several {
        /// The values.
        choices: Vec<Choice>,
        /// Fewest that are chosen.
        min_items: Option<u64>,
        /// Most that are chosen.
        max_items: Option<u64>,
    },
}

/// A value to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// The value that is sent.
    pub value: String,
    /// The label, which is the value where there is none.
    pub label: String,
}

impl Field {
    /// The name for people: `title`, then the name.
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// Whether the value fits.
    ///
    /// # Errors
    ///
    /// Why it does not.
    pub fn check(&self, value: &FormValue) -> Result<(), ValueError> {
        self.kind.check(value)
    }

    pub(super) fn read(name: &str, field: ElicitField) -> Result<Self, FormError> {
        let kind = kind(name, &field)?;
        let default = match &field.default {
            None => None,
            Some(raw) => {
                let default: FormValue = serde_json::from_str(raw.get())
                    .map_err(|source| FormError::Shape { field: name.to_owned(), source })?;
                kind.check(&default)
                    .map_err(|source| FormError::Default { field: name.to_owned(), source })?;
                Some(default)
            }
        };
        Ok(Self {
            name: name.to_owned(),
            title: field.title,
            description: field.description,
            required: false,
            default,
            kind,
        })
    }
}

fn kind(name: &str, field: &ElicitField) -> Result<FieldKind, FormError> {
    match (field.kind.as_deref(), &field.values, &field.one_of, &field.items) {
        (Some("string"), Some(values), None, None) => {
            unlabelled(name, values, field.enum_names.as_deref()).map(FieldKind::One)
        }
        (Some("string"), None, Some(options), None) => labelled(name, options).map(FieldKind::One),
        (Some("string"), None, None, None) => Ok(FieldKind::Text {
            min_length: field.min_length,
            max_length: field.max_length,
            format: field.format.as_deref().map(|format| known(name, format)).transpose()?,
        }),
        (Some(number @ ("number" | "integer")), None, None, None) => Ok(FieldKind::Number {
            whole: number == "integer",
            minimum: field.minimum.clone(),
            maximum: field.maximum.clone(),
        }),
        (Some("boolean"), None, None, None) => Ok(FieldKind::Boolean),
        (Some("array"), None, None, Some(items)) => Ok(FieldKind::Several {
            choices: several(name, items)?,
            min_items: field.min_items,
            max_items: field.max_items,
        }),
        _ => Err(FormError::Kind { field: name.to_owned() }),
    }
}

fn several(name: &str, items: &ElicitItems) -> Result<Vec<Choice>, FormError> {
    match (items.kind.as_deref(), &items.values, &items.any_of) {
        (Some("string"), Some(values), None) => unlabelled(name, values, None),
        (None | Some("string"), None, Some(options)) => labelled(name, options),
        _ => Err(FormError::Kind { field: name.to_owned() }),
    }
}

fn known(name: &str, format: &str) -> Result<Format, FormError> {
    Format::of(format).ok_or_else(|| FormError::Format { field: name.to_owned() })
}

fn unlabelled(name: &str, values: &[String], labels: Option<&[String]>) -> Result<Vec<Choice>, FormError> {
    let labels = labels.unwrap_or(values);
    if labels.len() != values.len() {
        return Err(FormError::Choices { field: name.to_owned() });
    }
    let pairs = values.iter().zip(labels);
    bounded(name, pairs.map(|(value, label)| Choice { value: value.clone(), label: label.clone() }).collect())
}

fn labelled(name: &str, options: &[ElicitOption]) -> Result<Vec<Choice>, FormError> {
    let choice = |option: &ElicitOption| Choice {
        value: option.value.clone(),
        label: option.title.as_ref().unwrap_or(&option.value).clone(),
    };
    bounded(name, options.iter().map(choice).collect())
}

fn bounded(name: &str, choices: Vec<Choice>) -> Result<Vec<Choice>, FormError> {
    match choices.len() {
        1..=Form::MAX_CHOICES => Ok(choices),
        _ => Err(FormError::Choices { field: name.to_owned() }),
    }
}
