//! The subschemas of a schema and what leads from one to the other, references included.
//!
//! Made before the library sees the schema: what is external, endless or too much is refused here.

use std::collections::HashMap;

use serde_json::Value;

use super::error::SchemaError;
use super::limits::SchemaLimits;
use super::node::{Id, Node, Place, subschemas};
use super::reference::{self, Target};

/// Keywords whose value is a reference.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords whose value is an anchor. Without an id of its own in any part, the dynamic ones are like others.
const ANCHORS: [&str; 2] = ["$anchor", "$dynamicAnchor"];

/// The subschemas, the whole schema first.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
}

impl Graph {
    /// Reads `root`, whose nesting is bounded already.
    pub(super) fn of(root: &Value, limits: &SchemaLimits) -> Result<Self, SchemaError> {
        let mut reader = Reader::new(root, limits);
        reader.visit(root)?;
        reader.read_all()?;
        let graph = Self { nodes: reader.nodes };
        graph.check_chains(limits.max_chain)?;
        Ok(graph)
    }

    pub(super) fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id)
    }

    fn check_chains(&self, limit: usize) -> Result<(), SchemaError> {
        let mut lengths = vec![Length::Unknown; self.nodes.len()];
        for id in 0..self.nodes.len() {
            self.chain(id, limit, limit, &mut lengths)?;
        }
        Ok(())
    }

    /// How many schemas stand behind `id`, itself included. Recurses `left` times at most.
    fn chain(&self, id: Id, left: usize, limit: usize, lengths: &mut [Length]) -> Result<usize, SchemaError> {
        match lengths.get(id) {
            Some(Length::Open) => return Err(SchemaError::Circle),
            Some(Length::Known(length)) if *length > left => return Err(SchemaError::Chain { limit }),
            Some(Length::Known(length)) => return Ok(*length),
            Some(Length::Unknown) | None => {}
        }
        let left = left.checked_sub(1).ok_or(SchemaError::Chain { limit })?;
        set(lengths, id, Length::Open);
        let mut longest = 0;
        for next in self.node(id).into_iter().flat_map(|node| &node.here) {
            longest = longest.max(self.chain(*next, left, limit, lengths)?);
        }
        set(lengths, id, Length::Known(longest + 1));
        Ok(longest + 1)
    }
}

#[derive(Clone, Copy)]
enum Length {
    Unknown,
    /// It is being measured: who comes here again goes in a circle.
    Open,
    Known(usize),
}

fn set(lengths: &mut [Length], id: Id, length: Length) {
    if let Some(known) = lengths.get_mut(id) {
        *known = length;
    }
}

/// The graph while it is read.
struct Reader<'s> {
    root: &'s Value,
    limits: &'s SchemaLimits,
    nodes: Vec<Node>,
    /// By the address of the subschema, which does not move while it is read.
    ids: HashMap<*const Value, Id>,
    anchors: HashMap<&'s str, Id>,
    /// Seen, and not read yet.
    queue: Vec<(Id, &'s Value)>,
    /// Not followed yet.
    references: Vec<(Id, &'s str)>,
    /// To anchors; what they lead to may come later.
    named: Vec<(Id, String)>,
}

impl<'s> Reader<'s> {
    fn new(root: &'s Value, limits: &'s SchemaLimits) -> Self {
        Self {
            root,
            limits,
            nodes: Vec::new(),
            ids: HashMap::new(),
            anchors: HashMap::new(),
            queue: Vec::new(),
            references: Vec::new(),
            named: Vec::new(),
        }
    }

    fn read_all(&mut self) -> Result<(), SchemaError> {
        loop {
            if let Some((id, schema)) = self.queue.pop() {
                self.read(id, schema)?;
            } else if let Some((from, reference)) = self.references.pop() {
                match reference::read(reference)? {
                    Target::Pointer(pointer) => {
                        let to = self.visit(reference::follow(self.root, &pointer)?)?;
                        self.add(from, &Place::Here, to);
                    }
                    Target::Anchor(name) => self.named.push((from, name)),
                }
            } else {
                break;
            }
        }
        for (from, name) in std::mem::take(&mut self.named) {
            let to = self.anchors.get(name.as_str()).copied();
            let to = to.ok_or_else(|| SchemaError::Dangling(reference::shown(&format!("#{name}"))))?;
            self.add(from, &Place::Here, to);
        }
        Ok(())
    }

    fn read(&mut self, id: Id, schema: &'s Value) -> Result<(), SchemaError> {
        let Value::Object(members) = schema else { return Ok(()) };
        if id != 0 {
            reference::refuse_id(schema)?;
        }
        for keyword in REFERENCES {
            if let Some(Value::String(reference)) = members.get(keyword) {
                self.references.push((id, reference));
            }
        }
        let named = ANCHORS.iter().filter_map(|keyword| members.get(*keyword)?.as_str());
        let fragments = ["$id", "id"].iter().filter_map(|it| members.get(*it)?.as_str()?.strip_prefix('#'));
        self.anchors.extend(named.chain(fragments).map(|name| (name, id)));
        for (place, part) in subschemas(members) {
            let part = self.visit(part)?;
            self.add(id, &place, part);
        }
        Ok(())
    }

    /// The number of a subschema, which is read later.
    fn visit(&mut self, schema: &'s Value) -> Result<Id, SchemaError> {
        if let Some(id) = self.ids.get(&std::ptr::from_ref(schema)) {
            return Ok(*id);
        }
        let node = match schema {
            Value::Object(members) => Node::of(members),
            Value::Bool(_) => Node::default(),
            other => return Err(SchemaError::NoSchema(reference::shown(&other.to_string()))),
        };
        if self.nodes.len() >= self.limits.max_subschemas {
            return Err(SchemaError::TooMany { limit: self.limits.max_subschemas });
        }
        let id = self.nodes.len();
        self.nodes.push(node);
        self.ids.insert(std::ptr::from_ref(schema), id);
        self.queue.push((id, schema));
        Ok(id)
    }

    fn add(&mut self, from: Id, place: &Place<'_>, to: Id) {
        if let Some(node) = self.nodes.get_mut(from) {
            node.add(place, to);
        }
    }
}
