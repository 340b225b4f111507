//! Who hears of changes: legacy sessions, and subscriptions of 2026-07-28.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::info;
use super::message::Id;
use super::wire::{self, Wire};

/// Sessions and subscriptions at once; more are refused.
const MOST: usize = 128;
/// Resources that one of them may follow; more are refused, or left out of what is honoured.
pub(super) const MOST_RESOURCES: usize = 64;

/// What changed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change<'a> {
    Tools,
    Prompts,
    Resources,
    /// What the resource of this URI says.
    Resource(&'a str),
}

/// Which changes somebody wants to hear of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wants {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    pub(super) uris: Vec<String>,
}

/// Somebody who listens.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) wants: Wants,
    pub(super) wire: Wire,
    /// The id of the request that made this a subscription.
    pub(super) subscription: Option<Id>,
}

#[derive(Debug, Default)]
pub(super) struct Audience {
    members: Mutex<HashMap<String, Member>>,
}

impl Audience {
    /// Takes somebody in, who hears `first` before anything else. Says why not, if not.
    pub(super) fn join(&self, key: &str, member: Member, first: Option<String>) -> Result<(), &'static str> {
        let mut members = self.lock();
        if members.contains_key(key) {
            return Err("a subscription with this id is open");
        }
        if members.len() >= MOST {
            return Err("too many subscriptions at once");
        }
        if first.is_none_or(|first| member.wire.send(first)) {
            members.insert(key.to_owned(), member);
        }
        Ok(())
    }

    /// From now on nothing is sent to it. An unknown key is ignored: it may just have ended.
    pub(super) fn leave(&self, key: &str) {
        self.lock().remove(key);
    }

    /// Changes what a member wants; `None` if there is no such member.
    pub(super) fn change<T>(&self, key: &str, change: impl FnOnce(&mut Wants) -> T) -> Option<T> {
        self.lock().get_mut(key).map(|member| change(&mut member.wants))
    }

    /// Tells everybody who wants to know. Who does not take it in is let go: after the end of its
    /// stream a client knows that it may have missed something.
    pub(super) fn announce(&self, change: Change<'_>) {
        // The lock is held meanwhile, so that nobody hears anything after its end.
        self.lock().retain(|_, member| !member.wants.include(change) || member.tell(change));
    }

    /// Ends all subscriptions, each with the result that says so. Sessions stay.
    pub(super) fn end_subscriptions(&self) -> usize {
        let mut members = self.lock();
        let before = members.len();
        members.retain(|_, member| match &member.subscription {
            Some(id) => {
                member.wire.send(ended(id));
                false
            }
            None => true,
        });
        before - members.len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wants {
    fn include(&self, change: Change<'_>) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource(uri) => self.uris.iter().any(|known| known == uri),
        }
    }
}

impl Member {
    fn tell(&self, change: Change<'_>) -> bool {
        let mut params = json!({});
        let method = match change {
            Change::Tools => "notifications/tools/list_changed",
            Change::Prompts => "notifications/prompts/list_changed",
            Change::Resources => "notifications/resources/list_changed",
            Change::Resource(uri) => {
                params["uri"] = uri.into();
                "notifications/resources/updated"
            }
        };
        if let Some(id) = &self.subscription {
            params["_meta"] = tag(id);
        }
        self.wire.notify(method, &params)
    }
}

/// The `_meta` of all that belongs to a subscription.
pub(super) fn tag(id: &Id) -> Value {
    let id: Value = serde_json::from_str(id.get()).unwrap_or_default();
    json!({ "io.modelcontextprotocol/subscriptionId": id })
}

fn ended(id: &Id) -> String {
    let mut meta = tag(id);
    meta["io.modelcontextprotocol/serverInfo"] = info();
    wire::answer(id, &Ok(json!({ "resultType": "complete", "_meta": meta }))).text
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use serde_json::value::RawValue;

    use super::*;

    fn member(wants: Wants, subscription: Option<&str>) -> (Member, Receiver<Value>) {
        let (sender, receiver) = channel();
        let wire = Wire::new(move |text| sender.send(serde_json::from_str(&text).unwrap()).is_ok());
        let subscription = subscription.map(|id| RawValue::from_string(id.to_owned()).unwrap());
        (Member { wants, wire, subscription }, receiver)
    }

    #[test]
    fn each_hears_what_it_wants_under_its_own_id() {
        let audience = Audience::default();
        let wants = |tools, uri: &str| Wants { tools, uris: vec![uri.to_owned()], ..Wants::default() };
        let (one, first) = member(wants(true, "a:1"), Some("\"1\""));
        let (two, second) = member(wants(true, "a:2"), Some("1"));
        let (session, third) = member(wants(false, "a:1"), None);
        for (key, member) in [("x", one), ("y", two), ("z", session)] {
            audience.join(key, member, None).unwrap();
        }
        for change in [Change::Tools, Change::Prompts, Change::Resource("a:1")] {
            audience.announce(change);
        }
        let heard = |receiver: Receiver<Value>| -> Vec<(Value, Value)> {
            let id = |message: &Value| {
                message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone()
            };
            receiver.try_iter().map(|message| (message["method"].clone(), id(&message))).collect()
        };
        let (tools, updated) = ("notifications/tools/list_changed", "notifications/resources/updated");
        assert_eq!(heard(first), [(json!(tools), json!("1")), (json!(updated), json!("1"))]);
        assert_eq!(heard(second), [(json!(tools), json!(1))]);
        assert_eq!(heard(third), [(json!(updated), Value::Null)]);
    }

    #[test]
    fn the_end_of_a_subscription_is_its_result_and_the_last_it_hears() {
        let audience = Audience::default();
        let wants = Wants { tools: true, ..Wants::default() };
        let (one, first) = member(wants.clone(), Some("7"));
        let (session, second) = member(wants, None);
        audience.join("x", one, Some("{}".to_owned())).unwrap();
        audience.join("y", session, None).unwrap();
        assert_eq!(audience.end_subscriptions(), 1);
        audience.announce(Change::Tools);
        let heard: Vec<Value> = first.try_iter().collect();
        assert_eq!(
            (heard.len(), &heard[1]["id"], &heard[1]["result"]["resultType"]),
            (2, &json!(7), &json!("complete"))
        );
        assert_eq!(second.try_iter().count(), 1);
    }

    #[test]
    fn one_that_takes_nothing_in_is_let_go_and_there_is_room_for_so_many() {
        let audience = Audience::default();
        let deaf = Wire::new(|_| false);
        for number in 0..MOST {
            let wants = Wants { tools: true, ..Wants::default() };
            let member = Member { wants, wire: deaf.clone(), subscription: None };
            audience.join(&number.to_string(), member, None).unwrap();
        }
        let (late, _kept) = member(Wants::default(), None);
        assert!(audience.join("late", late, None).is_err());
        audience.announce(Change::Prompts);
        assert!(audience.change("0", |_| ()).is_some(), "it was told nothing");
        audience.announce(Change::Tools);
        assert!(audience.change("0", |_| ()).is_none());
    }

    #[test]
    fn an_id_in_use_is_refused() {
        let audience = Audience::default();
        audience.join("1", member(Wants::default(), None).0, None).unwrap();
        assert!(audience.join("1", member(Wants::default(), None).0, None).is_err());
        audience.leave("1");
        audience.join("1", member(Wants::default(), None).0, None).unwrap();
    }
}
