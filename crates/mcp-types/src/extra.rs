//! An object kept as it came: names in order, values raw.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// Members of an object in the order they came, their values byte for byte as they were sent.
///
/// Every open object of the specification has one, for the members this crate does not know (C-020).
/// Integers of any size, the spelling of numbers and the order of keys all survive. An empty one
/// has allocated nothing.
#[derive(Clone, Debug, Default)]
pub struct Extra(Vec<(String, Box<RawValue>)>);

impl Extra {
    /// No members.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Sets a member: in its place if there is one of that name, else at the end.
    pub fn insert(&mut self, name: impl Into<String>, value: Box<RawValue>) {
        let name = name.into();
        match self.0.iter_mut().rfind(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.push(name, value),
        }
    }

    /// The value of a member. If a peer sent the name twice, the last one counts.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().rfind(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// All members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), &**value))
    }

    /// Whether there is no member at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a member without looking for one of that name: a peer that sends a hundred thousand
    /// members must not cost us the square of that.
    pub(crate) fn push(&mut self, name: String, value: Box<RawValue>) {
        self.0.push((name, value));
    }

    /// Adds all members a map still has.
    pub(crate) fn read_rest<'de, M: MapAccess<'de>>(&mut self, map: &mut M) -> Result<(), M::Error> {
        while let Some((name, value)) = map.next_entry()? {
            self.push(name, value);
        }
        Ok(())
    }

    pub(crate) fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ExtraVisitor)
    }
}

struct ExtraVisitor;

impl<'de> Visitor<'de> for ExtraVisitor {
    type Value = Extra;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Extra, M::Error> {
        let mut members = Extra::new();
        members.read_rest(&mut map)?;
        Ok(members)
    }
}

impl Serialize for Extra {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.write(&mut map)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::Extra;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn order_and_number_spelling_survive() {
        for json in [r#"{}"#, r#"{"z":1e400,"a":-0,"m":18446744073709551615,"":{"b":1,"a":0.10}}"#] {
            let members: Extra = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&members).unwrap(), json);
        }
    }

    #[test]
    fn the_last_of_two_equal_names_counts_and_both_are_kept() {
        let json = r#"{"a":1,"b":2,"a":3}"#;
        let mut members: Extra = serde_json::from_str(json).unwrap();
        assert_eq!(members.get("a").unwrap().get(), "3");
        assert_eq!(serde_json::to_string(&members).unwrap(), json);

        members.insert("a", raw("4"));
        assert_eq!(members.get("a").unwrap().get(), "4");
    }

    #[test]
    fn insert_replaces_in_place_or_appends() {
        let mut members = Extra::new();
        members.insert("a", raw("1"));
        members.insert("b", raw("2"));
        members.insert("a", raw("null"));
        assert_eq!(serde_json::to_string(&members).unwrap(), r#"{"a":null,"b":2}"#);
        assert!(members.get("c").is_none());
    }

    #[test]
    fn only_an_object_is_read() {
        let error = serde_json::from_str::<Extra>("[]").unwrap_err().to_string();
        assert!(error.contains("expected an object"), "{error}");
    }
}
