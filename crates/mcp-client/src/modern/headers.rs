//! Which arguments of which tool go into headers, as the tools were last listed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::{Mirrored, Raw, Sample};
use mcp_types::{CallTool, Method};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::param_headers::{ParamError, ParamHeaders};

/// The tools that have such arguments. There are no more of them than two listings may have items.
#[derive(Debug, Default)]
pub(crate) struct ToolHeaders(Mutex<Known>);

/// What the listings said. What an earlier one said holds until the next one is through, so that calls
/// find their headers while the tools are listed again.
#[derive(Debug, Default)]
struct Known {
    /// By name, with the number of the listing that had it last.
    tools: HashMap<String, (u64, Arc<ParamHeaders>)>,
    listing: u64,
}

/// A tool that is left out of a list, since nobody could call it as it asks to be called (C-155).
#[derive(Debug)]
pub(crate) struct LeftOut {
    /// Its place on the page.
    pub(crate) index: usize,
    name: Sample,
    why: String,
}

impl LeftOut {
    pub(crate) fn text(&self) -> String {
        format!("left out the tool {}: {}", self.name, self.why)
    }
}

impl ToolHeaders {
    /// Takes note of a page of tools; the first one begins a new list, and after the last one nothing else
    /// is known. Yields those that cannot be used, in order.
    pub(crate) fn learn(&self, page: &Raw, is_first: bool, is_last: bool) -> Vec<LeftOut> {
        let mut known = self.lock();
        if is_first {
            // Listings that break off in the middle must not add up.
            let last = known.listing;
            known.tools.retain(|_, (listing, _)| *listing >= last);
            known.listing += 1;
        }
        let left_out = known.learn(page);
        if is_last {
            let last = known.listing;
            known.tools.retain(|_, (listing, _)| *listing == last);
        }
        left_out
    }

    /// The headers of a call with these params. A tool that was not listed has none.
    pub(crate) fn of_call(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Vec<Mirrored>, ParamError> {
        if method != CallTool::NAME || self.lock().tools.is_empty() {
            return Ok(Vec::new());
        }
        let call = params.and_then(|params| serde_json::from_str::<Call<'_>>(params.get()).ok());
        let Some(Call { name, arguments: Some(arguments) }) = call else { return Ok(Vec::new()) };
        let headers = self.lock().tools.get(&name).map(|(_, headers)| headers.clone());
        headers.map_or_else(|| Ok(Vec::new()), |headers| headers.headers_for(arguments))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // What runs under the lock only clones and moves, so a poisoned one is still sound.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn learn(&mut self, page: &Raw) -> Vec<LeftOut> {
        // One that does not fit is told by whoever reads it.
        let Ok(page) = serde_json::from_str::<Page<'_>>(page.as_str()) else { return Vec::new() };
        let mut left_out = Vec::new();
        for (index, tool) in page.tools.into_iter().enumerate() {
            let Ok(tool) = serde_json::from_str::<Tool<'_>>(tool.get()) else { continue };
            self.tools.remove(&tool.name);
            match tool.input_schema.map(ParamHeaders::of) {
                Some(Ok(headers)) if !headers.is_empty() => {
                    self.tools.insert(tool.name, (self.listing, Arc::new(headers)));
                }
                Some(Err(error)) => left_out.push(LeftOut {
                    index,
                    name: Sample::of(tool.name.as_bytes()),
                    why: error.to_string(),
                }),
                _ => {}
            }
        }
        left_out
    }
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tool<'a> {
    name: String,
    #[serde(borrow)]
    input_schema: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}
