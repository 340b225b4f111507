//! How things look to people: text in, text out; nothing here prints.

pub(crate) mod content;
pub(crate) mod escape;
pub(crate) mod json;
pub(crate) mod lists;
pub(crate) mod look;
pub(crate) mod rows;
pub(crate) mod tools;
