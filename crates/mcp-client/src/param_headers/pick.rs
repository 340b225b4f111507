//! The way through the arguments of a call, to the values that go into headers.

use std::fmt;

use mcp_jsonrpc::{Mirrored, Sample};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::error::ParamError;
use super::value::Unfit;
use super::{Name, Node, Param, ParamHeaders, pass_over_scalars};

/// The headers for these arguments, in the order of the parameters.
pub(super) fn headers(headers: &ParamHeaders, arguments: &str) -> Result<Vec<Mirrored>, ParamError> {
    let mut values = vec![None; headers.params.len()];
    let mut json = serde_json::Deserializer::from_str(arguments);
    let members = Members { node: &headers.root, values: &mut values };
    members.deserialize(&mut json).and_then(|()| json.end()).map_err(ParamError::Unreadable)?;
    let given = headers.params.iter().zip(values).filter_map(|(param, value)| Some((param, value?)));
    given.filter_map(|(param, value)| mirrored(param, value).transpose()).collect()
}

fn mirrored(param: &Param, value: &RawValue) -> Result<Option<Mirrored>, ParamError> {
    let (header, at) = (|| Sample::of(param.header.as_bytes()), || param.at.clone());
    match param.kind.text(value) {
        Ok(text) => Ok(text.map(|value| Mirrored { header: param.header.clone(), value })),
        Err(Unfit::Type) => Err(ParamError::WrongType { header: header(), at: at(), expected: param.kind }),
        Err(Unfit::Range) => Err(ParamError::OutOfRange { header: header(), at: at() }),
    }
}

/// The members of one object of the arguments, if it is one.
struct Members<'n, 'v, 'a> {
    node: &'n Node,
    /// The value of each parameter, as far as the arguments are read.
    values: &'v mut [Option<&'a RawValue>],
}

impl Node {
    /// Forgets the values below: they were in an object that is there twice.
    fn forget(&self, values: &mut [Option<&RawValue>]) {
        for member in self.members.values() {
            if let Some(value) = member.param.and_then(|param| values.get_mut(param)) {
                *value = None;
            }
            member.forget(values);
        }
    }
}

impl<'a> DeserializeSeed<'a> for Members<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        self.node.forget(self.values);
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Members<'_, '_, 'a> {
    type Value = ();

    pass_over_scalars!();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("arguments")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(Name(name)) = map.next_key()? {
            match self.node.members.get(&*name) {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(Node { param: Some(param), .. }) => {
                    let value = map.next_value()?;
                    if let Some(slot) = self.values.get_mut(*param) {
                        *slot = Some(value);
                    }
                }
                Some(node) => map.next_value_seed(Members { node, values: self.values })?,
            }
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'a>>(self, mut list: S) -> Result<(), S::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}
