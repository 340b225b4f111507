//! Listings, page by page.

use mcp_jsonrpc::{CallError, Raw};
use mcp_types::{ErrorCode, Extra};
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::value::RawValue;

use crate::client::{Client, Inner};
use crate::error::ClientError;
use crate::options::CallOptions;
use crate::pages::Pages;
use crate::params;

impl Client {
    /// All items of a listing, each exactly as it was sent: for example `tools/list` and its
    /// member `tools`. The pages are bounded by the [`ClientOptions`](crate::ClientOptions), and a
    /// cursor that repeats ends in an error.
    ///
    /// In 2026-07-28 a cursor that the server refuses makes the listing begin anew, once and without results
    /// that were kept.
    ///
    /// The timeouts of `options` hold for each page, so the whole takes at most
    /// [`max_pages`](crate::ClientOptions::max_pages) times as long; `options.cancel` bounds it
    /// from outside.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call), and [`ClientError::Pages`] if there is no end to it. What was read
    /// until then is lost.
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call), for the page in flight.
    pub async fn list_raw(
        &self,
        method: &str,
        member: &str,
        options: CallOptions,
    ) -> Result<Vec<Raw>, ClientError> {
        self.inner.list(method, options, |page| read_page(page, member)).await
    }
}

impl Inner {
    /// All items of a listing whose pages `read` reads.
    pub(crate) async fn list<T>(
        &self,
        method: &str,
        mut options: CallOptions,
        read: impl Fn(&Raw) -> serde_json::Result<Page<T>>,
    ) -> Result<Vec<T>, ClientError> {
        self.check_offered(method)?;
        let mut pages = Pages::new(&self.options);
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let params = cursor.as_deref().map(|cursor| PageParams { cursor });
            let params = params::plain(&params).map_err(|error| self.unwritten(method, error))?;
            let answer = match self.send(method, params, options.clone()).await {
                // The cursor may have come from a page that was kept; the server knows it no longer (C-434).
                Err(error) if cursor.is_some() && self.is_stale(&error) => {
                    self.router.results.forget_list(method);
                    if options.is_fresh {
                        return Err(error);
                    }
                    options.is_fresh = true;
                    (pages, items, cursor) = (Pages::new(&self.options), Vec::new(), None);
                    continue;
                }
                answer => answer?,
            };
            let mut page = read(&answer).map_err(|error| self.unread(method, &answer, error))?;
            if let Some(modern) = &self.modern {
                let left_out = modern.listed(self, method, &answer, (cursor.is_none(), page.next.is_none()));
                leave_out(&mut page.items, left_out.iter().map(|item| item.index));
            }
            pages.turn(page.items.len(), answer.as_bytes().len(), page.next.as_deref()).map_err(
                |source| ClientError::Pages { server: self.server.clone(), method: method.into(), source },
            )?;
            // Most listings have one page, which needs no copy.
            if items.is_empty() {
                items = page.items;
            } else {
                items.extend(page.items);
            }
            cursor = page.next;
            if cursor.is_none() {
                return Ok(items);
            }
        }
    }

    /// Whether the server refuses a cursor. Without a handshake only, where one outlives the listing that it
    /// came from.
    fn is_stale(&self, error: &ClientError) -> bool {
        let error = error.call_error().and_then(CallError::as_rpc);
        self.modern.is_some() && error.is_some_and(|error| error.code == ErrorCode::INVALID_PARAMS)
    }
}

/// Leaves out the items at these places, which come in order. There may be fewer items than that: they need
/// not be those that the places were found in.
fn leave_out<T>(items: &mut Vec<T>, places: impl Iterator<Item = usize>) {
    let (mut places, mut place) = (places.peekable(), 0);
    items.retain(|_| {
        let is_left_out = places.next_if_eq(&place).is_some();
        place += 1;
        !is_left_out
    });
}

/// One page of a listing.
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next: Option<String>,
}

#[derive(Serialize)]
struct PageParams<'a> {
    cursor: &'a str,
}

/// Reads the items in `member`, and the cursor, and passes over the rest.
fn read_page(page: &Raw, member: &str) -> serde_json::Result<Page<Raw>> {
    let members: Extra = page.parse()?;
    let Some(items) = read_member::<Vec<Box<RawValue>>>(&members, member)? else {
        return Err(serde_json::Error::custom(format_args!("missing field `{member}`")));
    };
    let next = read_member(&members, "nextCursor")?;
    Ok(Page { items: items.into_iter().map(Raw::from).collect(), next })
}

/// A member that may be absent or null.
fn read_member<T: DeserializeOwned>(members: &Extra, name: &str) -> serde_json::Result<Option<T>> {
    let Some(value) = members.get(name) else { return Ok(None) };
    serde_json::from_str(value.get())
        .map_err(|error| serde_json::Error::custom(format_args!("`{name}`: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{Raw, read_page};

    fn read(json: &str) -> Result<(Vec<String>, Option<String>), String> {
        let raw = Raw::from(RawValue::from_string(json.to_owned()).unwrap());
        let page = read_page(&raw, "items").map_err(|error| error.to_string())?;
        Ok((page.items.iter().map(|item| item.as_str().to_owned()).collect(), page.next))
    }

    #[test]
    fn items_come_exactly_as_they_were_sent() {
        let json = r#"{"x":[],"items":[ {"b":1e400, "a":9007199254740993} ,null],"nextCursor":""}"#;
        let items = vec![r#"{"b":1e400, "a":9007199254740993}"#.to_owned(), "null".to_owned()];
        assert_eq!(read(json), Ok((items, Some(String::new()))));
    }

    #[test]
    fn places_that_are_not_there_leave_nothing_out() {
        let mut items = vec!['a', 'b', 'c'];
        super::leave_out(&mut items, [0, 2, 7, 9].into_iter());
        assert_eq!(items, ['b']);
        super::leave_out(&mut items, std::iter::empty());
        assert_eq!(items, ['b']);
    }

    #[test]
    fn no_cursor_and_a_null_cursor_are_the_end() {
        assert_eq!(read(r#"{"items":[]}"#), Ok((vec![], None)));
        assert_eq!(read(r#"{"nextCursor":null,"items":[]}"#), Ok((vec![], None)));
    }

    #[test]
    fn a_page_without_its_items_does_not_fit() {
        assert!(read(r#"{"tools":[]}"#).unwrap_err().starts_with("missing field `items`"));
        assert!(read("[]").unwrap_err().contains("expected an object"));
        assert!(read(r#"{"items":{}}"#).is_err() && read(r#"{"items":[],"nextCursor":7}"#).is_err());
    }
}
