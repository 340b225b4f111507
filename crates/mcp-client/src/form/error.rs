//! What is wrong with a form, and with what it is filled in with.

use serde_json::Number;
use thiserror::Error;

use super::Form;
use super::format::Format;

/// Why a schema is no form. The names of fields are the server's.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormError {
    /// The `type` of the whole is missing or something else.
    #[error("the schema of a form must have the type `object`")]
    NotAnObject,
    /// There are more fields than [`Form::MAX_FIELDS`].
    #[error("a form has more than {} fields", Form::MAX_FIELDS)]
    TooManyFields,
    /// A required field is none of the form.
    #[error("the field `{field}` is required, but the form has none of that name")]
    NoSuchField {
        /// The name.
        field: String,
    },
    /// A member of a field is of another type than the specification gives it.
    #[error("the field `{field}` cannot be read")]
    Shape {
        /// The name.
        field: String,
        /// Which member, and where.
        source: serde_json::Error,
    },
    /// The field is of no kind that forms have: an object, an array of anything, no type at all.
    #[error("the field `{field}` is of no kind that a form can have")]
    Kind {
        /// The name.
        field: String,
    },
    /// A format that forms do not have.
    #[error("the field `{field}` has a format that forms do not have")]
    Format {
        /// The name.
        field: String,
    },
    /// There is nothing to choose from, too much, or not one label for each value.
    #[error("the field `{field}` must have 1 to {} values, each with a label or none", Form::MAX_CHOICES)]
    Choices {
        /// The name.
        field: String,
    },
    /// The default is not a value of the field.
    #[error("the default of the field `{field}` does not fit")]
    Default {
        /// The name.
        field: String,
        /// Why not.
        source: ValueError,
    },
}

/// Why a form cannot be sent off as it is filled in.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ContentError {
    /// A required field is empty.
    #[error("the field `{field}` must be filled in")]
    Missing {
        /// The name.
        field: String,
    },
    /// A value is there for no field.
    #[error("the form has no field `{field}`")]
    NoSuchField {
        /// The name.
        field: String,
    },
    /// A value does not fit its field.
    #[error("the field `{field}` does not fit")]
    Value {
        /// The name.
        field: String,
        /// Why not.
        source: ValueError,
    },
}

/// Why a value does not fit its field. It never repeats the value.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ValueError {
    /// A value of another kind.
    #[error("it must be {expected}, not {found}")]
    Kind {
        /// What the field takes.
        expected: &'static str,
        /// What was given.
        found: &'static str,
    },
    /// Fewer characters than the field takes.
    #[error("it must have at least {0} characters")]
    TooShort(u64),
    /// More characters than the field takes.
    #[error("it must have at most {0} characters")]
    TooLong(u64),
    /// Text that does not look as the field wants it.
    #[error("it must be {}", .0.in_words())]
    Format(Format),
    /// A number with a fraction, in a field for integers.
    #[error("it must be a whole number")]
    NotWhole,
    /// A number that is too small.
    #[error("it must be at least {0}")]
    TooSmall(Number),
    /// A number that is too large.
    #[error("it must be at most {0}")]
    TooLarge(Number),
    /// A value that there is not to choose.
    #[error("it must be one of the values to choose from")]
    NotAChoice,
    /// Fewer values than are to be chosen.
    #[error("at least {0} must be chosen")]
    TooFew(u64),
    /// More values than may be chosen.
    #[error("at most {0} may be chosen")]
    TooMany(u64),
}
