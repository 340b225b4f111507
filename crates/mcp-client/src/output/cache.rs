//! Compiled schemas, kept by their text.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;

use super::error::SchemaError;
use super::limits::SchemaLimits;
use super::schema::OutputSchema;

/// Compiled schemas for calls to come. They are known by their text, so that one that a server changes is
/// compiled anew, and tools with equal ones share theirs. The oldest goes when there are too many.
pub struct OutputSchemas {
    limits: SchemaLimits,
    most: usize,
    kept: Mutex<VecDeque<(Box<RawValue>, Arc<OutputSchema>)>>,
}

impl OutputSchemas {
    /// How many are kept by default.
    pub const MOST: usize = 64;

    /// Keeps `most` schemas, compiled with these limits. With 0 none is kept and each is compiled again.
    pub fn new(limits: SchemaLimits, most: usize) -> Self {
        Self { limits, most, kept: Mutex::default() }
    }

    /// The schema compiled from this text.
    ///
    /// # Errors
    ///
    /// As [`OutputSchema::compile`]. Errors are not kept.
    pub fn compiled(&self, schema: &RawValue) -> Result<Arc<OutputSchema>, SchemaError> {
        if let Some(known) = self.known(schema) {
            return Ok(known);
        }
        // Without the lock: a server's schema holds up nobody else.
        let compiled = Arc::new(OutputSchema::compile(schema, &self.limits)?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((schema.to_owned(), compiled.clone()));
        while kept.len() > self.most {
            kept.pop_front();
        }
        Ok(compiled)
    }

    fn known(&self, schema: &RawValue) -> Option<Arc<OutputSchema>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, known) = kept.iter().find(|(text, _)| text.get() == schema.get())?;
        Some(known.clone())
    }
}

impl Default for OutputSchemas {
    /// The default limits, and [`MOST`](Self::MOST) schemas.
    fn default() -> Self {
        Self::new(SchemaLimits::default(), Self::MOST)
    }
}

impl fmt::Debug for OutputSchemas {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OutputSchemas").field("limits", &self.limits).finish_non_exhaustive()
    }
}
