//! `subscriptions/listen`: what of the client's wishes is honoured, and the stream of changes.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::audience::{MOST_RESOURCES, Member, Wants, tag};
use super::super::catalogue::resources;
use super::super::message::{Id, Params};
use super::super::outcome::{INTERNAL_ERROR, RpcError};
use super::super::wire::{self, Answered, Wire};
use super::super::world::{Shelf, World};

/// A subscription that was asked for.
#[derive(Debug)]
pub(in super::super) struct Listen {
    world: Arc<World>,
    id: Id,
    key: String,
    wants: Wants,
}

impl Listen {
    pub(super) fn read(world: &Arc<World>, id: &Id, key: &str, params: &Params) -> Result<Self, RpcError> {
        let wants = honoured(&world.shelf(), params.get("notifications"))?;
        Ok(Self { world: Arc::clone(world), id: id.clone(), key: key.to_owned(), wants })
    }

    /// Begins it: first the acknowledgement goes out, then what changes. What cannot begin is answered.
    pub(in super::super) fn start(self, wire: Wire) -> Result<(), Answered> {
        let params = json!({ "_meta": tag(&self.id), "notifications": filter(&self.wants) });
        let first = wire::notification("notifications/subscriptions/acknowledged", &params);
        let member = Member { wants: self.wants, wire, subscription: Some(self.id.clone()) };
        let joined = self.world.audience.join(&self.key, member, Some(first));
        joined.map_err(|text| wire::refusal(Some(&self.id), &RpcError::new(INTERNAL_ERROR, text)))
    }
}

/// What the client is told of: all lists, and resources that there are; no more than so many.
fn honoured(shelf: &Shelf, filter: Option<&Value>) -> Result<Wants, RpcError> {
    let filter = filter.and_then(Value::as_object);
    let filter = filter.ok_or_else(|| RpcError::invalid("`notifications` must be an object"))?;
    let flag = |name: &str| match filter.get(name) {
        None => Ok(false),
        Some(Value::Bool(wanted)) => Ok(*wanted),
        Some(_) => Err(RpcError::invalid(format!("`{name}` must be true or false"))),
    };
    let mut wants = Wants {
        tools: flag("toolsListChanged")?,
        prompts: flag("promptsListChanged")?,
        resources: flag("resourcesListChanged")?,
        uris: Vec::new(),
    };
    let uris = match filter.get("resourceSubscriptions") {
        None => &[],
        Some(Value::Array(uris)) if uris.iter().all(Value::is_string) => uris.as_slice(),
        Some(_) => return Err(RpcError::invalid("`resourceSubscriptions` must be an array of strings")),
    };
    for uri in uris.iter().filter_map(Value::as_str).filter(|uri| resources::has(shelf, uri)) {
        if wants.uris.len() < MOST_RESOURCES && !wants.uris.iter().any(|known| known == uri) {
            wants.uris.push(uri.to_owned());
        }
    }
    Ok(wants)
}

/// The same as the client would write it; what is not honoured is not in it.
fn filter(wants: &Wants) -> Value {
    let mut filter = json!({});
    let flags = [
        ("toolsListChanged", wants.tools),
        ("promptsListChanged", wants.prompts),
        ("resourcesListChanged", wants.resources),
    ];
    for (name, _) in flags.into_iter().filter(|(_, wanted)| *wanted) {
        filter[name] = true.into();
    }
    if !wants.uris.is_empty() {
        filter["resourceSubscriptions"] = json!(wants.uris);
    }
    filter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_does_not_have_is_not_honoured() {
        let asked = json!({
            "toolsListChanged": true, "promptsListChanged": false, "taskIds": ["1"],
            "resourceSubscriptions": ["demo://counter", "note://7", "demo://counter"]
        });
        let wants = honoured(&Shelf::default(), Some(&asked)).unwrap();
        let expected = json!({ "toolsListChanged": true, "resourceSubscriptions": ["demo://counter"] });
        assert_eq!(filter(&wants), expected);
        assert_eq!(filter(&honoured(&Shelf::default(), Some(&json!({}))).unwrap()), json!({}));
    }

    #[test]
    fn there_is_room_for_so_many_resources() {
        let uris: Vec<String> =
            (1..=MOST_RESOURCES + 1).map(|number| format!("demo://number/{number}")).collect();
        let wants = honoured(&Shelf::default(), Some(&json!({ "resourceSubscriptions": uris }))).unwrap();
        assert_eq!(wants.uris, uris[..MOST_RESOURCES]);
    }

    #[test]
    fn a_filter_of_another_shape_is_refused() {
        for wrong in [
            Value::Null,
            json!([]),
            json!({ "toolsListChanged": "yes" }),
            json!({ "resourceSubscriptions": "demo://counter" }),
            json!({ "resourceSubscriptions": [1] }),
        ] {
            assert_eq!(honoured(&Shelf::default(), Some(&wrong)).unwrap_err().code, -32602, "{wrong}");
        }
        assert_eq!(honoured(&Shelf::default(), None).unwrap_err().code, -32602);
    }
}
