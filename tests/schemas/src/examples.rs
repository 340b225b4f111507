//! Values of a definition: what may come over the wire, made from the schema alone.

use serde_json::{Map, Value, json};

use crate::published::{Published, is_open};

/// How many arms of a union are asked for one by one.
const ARMS: usize = 12;
/// How many values are made by chance, of a fixed seed.
const BY_CHANCE: u64 = 24;
/// From this depth on, values are as small as they may be.
const DEEP: usize = 10;

/// Values of a definition, each once: as small as may be, with every optional member, with members that nobody
/// knows, and by chance; with each arm of each union. The same ones each time.
///
/// # Panics
///
/// If there is no such definition.
pub fn examples(published: &Published, definition: &str) -> Vec<Value> {
    let schema = published.definition(definition).unwrap_or_else(|| panic!("there is no `{definition}`"));
    let by_arm = (0..ARMS).flat_map(|arm| {
        [(0, false), (u64::MAX, false), (u64::MAX, true)].map(|(optional, unknown)| Choice::Fixed {
            arm,
            optional: optional != 0,
            unknown,
        })
    });
    let by_chance = (1..=BY_CHANCE).map(|seed| Choice::Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    let mut made: Vec<Value> = Vec::new();
    for choice in by_arm.chain(by_chance) {
        let value = Maker { published, choice }.value(schema, 0);
        if !made.contains(&value) {
            made.push(value);
        }
    }
    made
}

enum Choice {
    Fixed { arm: usize, optional: bool, unknown: bool },
    Chance(u64),
}

struct Maker<'a> {
    published: &'a Published,
    choice: Choice,
}

impl Maker<'_> {
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        let Value::Object(members) = schema else { return self.anything() };
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            let published = self.published;
            return self.value(published.follow(reference), depth + 1);
        }
        if let Some(value) = members.get("const") {
            return value.clone();
        }
        for keyword in ["enum", "anyOf", "oneOf"] {
            if let Some(Value::Array(arms)) = members.get(keyword) {
                let arm = &arms[self.pick(arms.len())];
                return if keyword == "enum" { arm.clone() } else { self.value(arm, depth + 1) };
            }
        }
        if let Some(Value::Array(all)) = members.get("allOf") {
            return self.joined(all, members, depth);
        }
        if is_open(members) && !members.contains_key("properties") {
            return self.anything();
        }
        let kind = match members.get("type") {
            Some(Value::Array(kinds)) => &kinds[self.pick(kinds.len())],
            Some(kind) => kind,
            None => &json!("object"),
        };
        self.of_kind(kind.as_str().unwrap_or_default(), members, depth)
    }

    fn of_kind(&mut self, kind: &str, schema: &Map<String, Value>, depth: usize) -> Value {
        match kind {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => self.text(schema),
            "boolean" => json!(self.pick(2) == 0),
            "null" => Value::Null,
            // The schemas do not say so, but sizes and the like are not negative.
            "integer" => number(schema, &[json!(7), json!(0), json!(9_007_199_254_740_993_i64)], self),
            "number" => number(schema, &[json!(0.5), json!(3), json!(-2.25), json!(1e300)], self),
            other => panic!("a published schema has the type `{other}`"),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let required: Vec<_> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().collect();
        let mut value = Map::new();
        for (name, part) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if required.iter().any(|it| *it == name) || self.wants_more(depth) {
                value.insert(name.clone(), self.value(part, depth + 1));
            }
        }
        match schema.get("additionalProperties") {
            Some(part @ Value::Object(more)) if !more.is_empty() => {
                for name in ["k", "ключ"].iter().filter(|_| self.wants_more(depth)).collect::<Vec<_>>() {
                    value.insert((*name).to_owned(), self.value(part, depth + 1));
                }
            }
            _ if self.wants_unknown() => {
                value.insert("x-unknown".to_owned(), json!({"a": [1, null, "\u{1b}"], "b": 1.5}));
            }
            _ => {}
        }
        Value::Object(value)
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let length = if self.wants_more(depth) { least.max(1) + self.pick(2) as u64 } else { least };
        let items = schema.get("items").cloned().unwrap_or_default();
        (0..length).map(|_| self.value(&items, depth + 1)).collect()
    }

    fn text(&mut self, schema: &Map<String, Value>) -> Value {
        let texts = match schema.get("format").and_then(Value::as_str) {
            Some("uri") => ["file:///a/b.txt", "https://example.com/a?b=c#d", "own:x"],
            Some("uri-template") => ["file:///{path}", "own:{a}/{b}", "x:{?q}"],
            Some("byte") => ["aGVsbG8=", "", "AAEC"],
            _ => ["text", "", "né\n\u{1b}\"\\ 漢 🦀"],
        };
        json!(texts[self.pick(3)])
    }

    /// Any JSON. An object first, since an open schema often stands for one.
    fn anything(&mut self) -> Value {
        let all =
            [json!({}), json!({"a": {"b": [1, 2.5, null]}}), json!(null), json!([]), json!("t"), json!(0)];
        all[self.pick(all.len())].clone()
    }

    fn joined(&mut self, all: &[Value], schema: &Map<String, Value>, depth: usize) -> Value {
        let mut value = Map::new();
        let own = Value::Object(schema.iter().filter(|(name, _)| *name != "allOf").map(owned).collect());
        for part in all.iter().chain([&own]) {
            if let Value::Object(members) = self.value(part, depth + 1) {
                value.extend(members);
            }
        }
        Value::Object(value)
    }

    fn pick(&mut self, of: usize) -> usize {
        match &mut self.choice {
            Choice::Fixed { arm, .. } => *arm % of.max(1),
            Choice::Chance(state) => {
                // One step of xorshift.
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                usize::try_from(*state % of.max(1) as u64).unwrap_or_default()
            }
        }
    }

    fn wants_more(&mut self, depth: usize) -> bool {
        depth < DEEP
            && match self.choice {
                Choice::Fixed { optional, .. } => optional,
                Choice::Chance(_) => self.pick(2) == 0,
            }
    }

    fn wants_unknown(&mut self) -> bool {
        match self.choice {
            Choice::Fixed { unknown, .. } => unknown,
            Choice::Chance(_) => self.pick(4) == 0,
        }
    }
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// One of `numbers` that is within the bounds, or a bound.
fn number(schema: &Map<String, Value>, numbers: &[Value], maker: &mut Maker<'_>) -> Value {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let (least, most) = (bound("minimum"), bound("maximum"));
    let fits = |value: &&Value| {
        value
            .as_f64()
            .is_some_and(|it| least.is_none_or(|least| it >= least) && most.is_none_or(|most| it <= most))
    };
    let fitting: Vec<_> = numbers.iter().filter(fits).collect();
    match fitting.is_empty() {
        true => schema.get("minimum").or_else(|| schema.get("maximum")).cloned().unwrap_or_default(),
        false => fitting[maker.pick(fitting.len())].clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn examples_fit_and_go_through_every_arm_and_member() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let published = Published::read(&fixtures, "2002-02-02").unwrap();
        let found = examples(&published, "CountRequest");
        assert_eq!(found, examples(&published, "CountRequest"), "the same ones each time");
        for example in &found {
            published.check("CountRequest", example).unwrap();
        }
        let has = |pointer: &str, value: Value| found.iter().any(|it| it.pointer(pointer) == Some(&value));
        assert!(has("/params/of/kind", json!("apple")) && has("/params/of/kind", json!("pear")));
        assert!(has("/params/of/red", json!(true)) && has("/params/of/size", json!(0.5)));
        assert!(has("/params/of/parts/0/kind", json!("pear")), "unions in unions");
        assert!(has("/params/x-unknown/b", json!(1.5)) && has("/params/most", json!(7)));
        assert!(
            found.contains(&json!({"jsonrpc": "2.0", "id": "text", "method": "count",
            "params": {"of": {"kind": "apple"}}})),
            "as small as may be"
        );
    }
}
