//! Whether a value fits a field.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde_json::Number;

use super::content::FormValue;
use super::error::ValueError;
use super::field::{Choice, FieldKind};

impl FieldKind {
    pub(super) fn check(&self, value: &FormValue) -> Result<(), ValueError> {
        match (self, value) {
            (Self::Text { min_length, max_length, format }, FormValue::Text(text)) => {
                length(text, *min_length, *max_length)?;
                match format {
                    Some(format) if !format.fits(text) => Err(ValueError::Format(*format)),
                    _ => Ok(()),
                }
            }
            (Self::Number { whole, minimum, maximum }, FormValue::Number(number)) => {
                if *whole && !is_whole(number) {
                    return Err(ValueError::NotWhole);
                }
                range(number, minimum.as_ref(), maximum.as_ref())
            }
            (Self::Boolean, FormValue::Boolean(_)) => Ok(()),
            (Self::One(choices), FormValue::Text(text)) => {
                let is_there = choices.iter().any(|choice| choice.value == *text);
                is_there.then_some(()).ok_or(ValueError::NotAChoice)
            }
            (Self::Several { choices, min_items, max_items }, FormValue::Several(values)) => {
                several(choices, values, *min_items, *max_items)
            }
            (kind, value) => Err(ValueError::Kind { expected: kind.in_words(), found: value.kind() }),
        }
    }

    fn in_words(&self) -> &'static str {
        match self {
            Self::Text { .. } | Self::One(_) => "text",
            Self::Number { .. } => "a number",
            Self::Boolean => "a boolean",
            Self::Several { .. } => "a list",
        }
    }
}

/// JSON Schema counts characters, not bytes.
fn length(text: &str, least: Option<u64>, most: Option<u64>) -> Result<(), ValueError> {
    let count = text.chars().count() as u64;
    match (least, most) {
        (Some(least), _) if count < least => Err(ValueError::TooShort(least)),
        (_, Some(most)) if count > most => Err(ValueError::TooLong(most)),
        _ => Ok(()),
    }
}

fn range(number: &Number, least: Option<&Number>, most: Option<&Number>) -> Result<(), ValueError> {
    match (least, most) {
        (Some(least), _) if compare(number, least) == Ordering::Less => {
            Err(ValueError::TooSmall(least.clone()))
        }
        (_, Some(most)) if compare(number, most) == Ordering::Greater => {
            Err(ValueError::TooLarge(most.clone()))
        }
        _ => Ok(()),
    }
}

/// To JSON Schema, `1.0` is an integer.
fn is_whole(number: &Number) -> bool {
    number.as_i128().is_some() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Integers exactly, anything else as floating point. A number of JSON is always one or the other.
fn compare(a: &Number, b: &Number) -> Ordering {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
    }
}

fn several(
    choices: &[Choice],
    values: &[String],
    least: Option<u64>,
    most: Option<u64>,
) -> Result<(), ValueError> {
    let choices: HashSet<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
    if !values.iter().all(|value| choices.contains(value.as_str())) {
        return Err(ValueError::NotAChoice);
    }
    let count = values.len() as u64;
    match (least, most) {
        (Some(least), _) if count < least => Err(ValueError::TooFew(least)),
        (_, Some(most)) if count > most => Err(ValueError::TooMany(most)),
        _ => Ok(()),
    }
}
