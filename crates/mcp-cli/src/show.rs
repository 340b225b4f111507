//! How things look to people: text in, text out; nothing here prints.

pub(crate) mod content;
pub(crate) mod escape;
pub(crate) mod json;
pub(crate) mod lists;
pub(crate) mod look;
pub(crate) mod rows;
pub(crate) mod server;
pub(crate) mod tools;

/// So many of something, as `1 tool` and `2 tools`.
pub(crate) fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}
