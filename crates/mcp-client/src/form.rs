//! Forms that a server lets the user fill in: read from their schema, pre-filled, and checked before
//! they are sent off.
//!
//! A form is flat, and its fields are of few kinds; what is none of them is refused, not guessed.

mod check;
mod content;
mod error;
mod field;
mod format;

use mcp_types::{ElicitField, ElicitSchema};

pub use self::content::{FormContent, FormValue};
pub use self::error::{ContentError, FormError, ValueError};
pub use self::field::{Choice, Field, FieldKind};
pub use self::format::Format;

/// A form, as the server asks for it. Every default fits its field, and every required field is there.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Form {
    /// The fields, in the order of the server.
    pub fields: Vec<Field>,
}

impl Form {
    /// Most fields of a form.
    pub const MAX_FIELDS: usize = 256;
    /// Most values that one field lets choose from.
    pub const MAX_CHOICES: usize = 4096;

    /// Reads a `requestedSchema`. Members that belong to no kind of field, `pattern` among them, are
    /// passed over.
    ///
    /// # Errors
    ///
    /// See [`FormError`]: the schema is beyond the subset that elicitation has.
    pub fn read(schema: &ElicitSchema) -> Result<Self, FormError> {
        if schema.kind.as_deref() != Some("object") {
            return Err(FormError::NotAnObject);
        }
        let mut fields: Vec<Field> = Vec::new();
        for (name, property) in schema.properties.iter() {
            let read: ElicitField = serde_json::from_str(property.get())
                .map_err(|source| FormError::Shape { field: name.to_owned(), source })?;
            let field = Field::read(name, read)?;
            // Of two equal names the last one counts, as in any object.
            match fields.iter().position(|known| known.name == name) {
                Some(known) => fields[known] = field,
                None if fields.len() == Self::MAX_FIELDS => return Err(FormError::TooManyFields),
                None => fields.push(field),
            }
        }
        let mut form = Self { fields };
        for name in schema.required.iter().flatten() {
            let field = form.fields.iter_mut().find(|field| field.name == *name);
            field.ok_or_else(|| FormError::NoSuchField { field: name.clone() })?.required = true;
        }
        Ok(form)
    }

    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// What the form holds before the user has changed anything: every default (C-339).
    pub fn defaults(&self) -> FormContent {
        self.with_defaults(FormContent::default())
    }

    /// `content` with the default of every field that it does not hold.
    #[must_use]
    pub fn with_defaults(&self, mut content: FormContent) -> FormContent {
        for field in &self.fields {
            if let (None, Some(default)) = (content.get(&field.name), &field.default) {
                content.set(&field.name, default.clone());
            }
        }
        content
    }

    /// Whether `content` may be sent (C-338): all that is required is there, nothing else is, and
    /// each value fits its field.
    ///
    /// # Errors
    ///
    /// The first thing that does not fit.
    pub fn check(&self, content: &FormContent) -> Result<(), ContentError> {
        for (name, value) in content.iter() {
            let Some(field) = self.field(name) else {
                return Err(ContentError::NoSuchField { field: name.to_owned() });
            };
            field.check(value).map_err(|source| ContentError::Value { field: name.to_owned(), source })?;
        }
        let missing = self.fields.iter().find(|field| field.required && content.get(&field.name).is_none());
        match missing {
            Some(field) => Err(ContentError::Missing { field: field.name.clone() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
