//! Arguments that are always texts, as those of prompts are.

use std::collections::BTreeMap;

use crate::failure::Failure;

/// Reads `KEY=VALUE` for each.
pub(crate) fn texts(given: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let mut texts = BTreeMap::new();
    for text in given {
        let Some((key, value)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(Failure::usage(format!("`{text}` is not KEY=VALUE")));
        };
        if texts.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(Failure::usage(format!("`{key}` is given twice")));
        }
    }
    Ok(texts)
}
