//! Tolerant reading, led by the schema: a newer peer's tags and enum values, null for absent. What
//! a closed object does not know goes; strict reading closes valid values by the same walk.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{Map, Number, Value};

use crate::contract::schema::{Node, ObjectNode, Schemas};
use crate::errors::{Finding, clip, clip_text};
use crate::json::pointer::{escape_pointer, unescape_pointer};
use crate::json::text::kind_name;

const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Returns `value` as tolerant reading takes it, and a warning per change.
pub(crate) fn relax(schemas: &Schemas, name: &str, value: Value) -> (Value, Vec<Finding>) {
    relaxed(schemas, name, value, false)
}

/// Relaxes, but for enum values that are not known: they are noted, and stay as they are.
pub(crate) fn relax_keeping(schemas: &Schemas, name: &str, value: Value) -> (Value, Vec<Finding>) {
    relaxed(schemas, name, value, true)
}

fn relaxed(schemas: &Schemas, name: &str, value: Value, keeps: bool) -> (Value, Vec<Finding>) {
    let mut relaxing = Relaxing { schemas, keeps, notes: Vec::new(), left_out: Vec::new() };
    let value = relaxing.run(name, value);
    (value, relaxing.notes)
}

/// Returns pointers to the members that [`relax`] leaves out, in document order.
pub(crate) fn unknown_members_of(schemas: &Schemas, name: &str, value: Value) -> Vec<String> {
    let mut relaxing = Relaxing { schemas, keeps: true, notes: Vec::new(), left_out: Vec::new() };
    relaxing.run(name, value);
    relaxing.left_out
}

/// Returns where the variants of unknown tags are; the notes name the tags.
pub(crate) fn unknown_places(notes: &[Finding]) -> BTreeSet<String> {
    let tagged = notes.iter().filter(|note| note.rule == "read/unknown-variant");
    tagged.map(|note| parent_of(&note.pointer).to_owned()).collect()
}

/// Returns where enum values are that are not known.
pub(crate) fn unknown_values(notes: &[Finding]) -> BTreeSet<String> {
    let values = notes.iter().filter(|note| note.rule == "read/unknown-enum-value");
    values.map(|note| note.pointer.clone()).collect()
}

/// Returns the pointer to what holds the place of `pointer`.
pub(crate) fn parent_of(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

struct Relaxing<'a> {
    schemas: &'a Schemas,
    keeps: bool,
    notes: Vec<Finding>,
    /// Where the members stood that went.
    left_out: Vec<String>,
}

impl Relaxing<'_> {
    fn run(&mut self, name: &str, value: Value) -> Value {
        match self.schemas.types.get(name) {
            Some(node) => self.node(node, value, ""),
            None => value,
        }
    }

    fn note(&mut self, rule: &str, message: &str, pointer: &str, expected: String, actual: String) {
        let finding = Finding::of(rule, pointer, message);
        self.notes.push(finding.expected(expected).actual(actual));
    }

    fn node(&mut self, given: &Node, value: Value, pointer: &str) -> Value {
        let schemas = self.schemas;
        let node = schemas.member_for(given, kind_name(&value));
        match (value, node) {
            (Value::Object(members), node) => self.object(node, members, pointer),
            (Value::Array(values), Some(Node::Array { items, .. })) => {
                let each = values.into_iter().enumerate();
                let relaxed =
                    each.map(|(index, item)| self.node(items, item, &format!("{pointer}/{index}")));
                Value::Array(relaxed.collect())
            }
            (Value::String(text), Some(Node::Enum { values, default: Some(default) }))
                if !values.contains(&text) =>
            {
                let message = format!("Unknown value, taken as {default}");
                let rule = "read/unknown-enum-value";
                self.note(rule, &message, pointer, values.join(", "), clip_text(&text));
                Value::String(if self.keeps { text } else { default.clone() })
            }
            (Value::Number(number), Some(Node::Number { whole: true, .. })) => {
                Value::Number(integral(number))
            }
            (value, _) => value,
        }
    }

    fn object(&mut self, node: Option<&Node>, members: Map, pointer: &str) -> Value {
        let Some(Node::Union { tag, variants }) = node else {
            return self.members(node, members, pointer);
        };
        let Some(Value::String(given)) = members.get(tag) else {
            return Value::Object(members);
        };
        let schemas = self.schemas;
        if let Some((_, name)) = variants.iter().find(|(known, _)| known == given) {
            return self.members(schemas.types.get(name), members, pointer);
        }
        let known: Vec<&str> = variants.iter().map(|(known, _)| known.as_str()).collect();
        let (expected, actual) = (known.join(", "), clip_text(given));
        let place = format!("{pointer}/{}", escape_pointer(tag));
        self.note("read/unknown-variant", "Unknown tag, kept as it is", &place, expected, actual);
        Value::Object(members)
    }

    fn members(&mut self, node: Option<&Node>, members: Map, pointer: &str) -> Value {
        let schemas = self.schemas;
        match node.map(|node| schemas.resolve(node)) {
            Some(Node::Free) => Value::Object(members),
            Some(Node::Map(items)) => {
                let each = members.into_iter().map(|(name, member)| {
                    let place = format!("{pointer}/{}", escape_pointer(&name));
                    let member = self.node(items, member, &place);
                    (name, member)
                });
                Value::Object(each.collect())
            }
            Some(Node::Object(node)) => Value::Object(self.declared(node, members, pointer)),
            // A value of another type, which the check refuses: nothing of it is known.
            _ => Value::Object(Map::new()),
        }
    }

    fn declared(&mut self, node: &ObjectNode, members: Map, pointer: &str) -> Map {
        let mut made = Map::new();
        for (name, value) in members {
            let place = format!("{pointer}/{}", escape_pointer(&name));
            let Some(member) = node.members.iter().find(|member| member.name == name) else {
                if node.extensible {
                    made.insert(name, value);
                } else {
                    self.left_out.push(place);
                }
                continue;
            };
            if value.is_null() && !member.required {
                let message = "null taken as absent";
                self.note(
                    "read/null-as-absent",
                    message,
                    &place,
                    "no null".to_owned(),
                    clip(&value),
                );
            } else {
                let value = self.node(&member.node, value, &place);
                made.insert(name, value);
            }
        }
        made
    }
}

/// Returns an integral number as an integer: `1.0` as `1`.
pub(crate) fn integral(number: Number) -> Number {
    let float = number.as_f64();
    if number.is_f64() && float.fract() == 0.0 && float.abs() <= LARGEST_WHOLE {
        #[allow(clippy::cast_possible_truncation)] // its range has just been looked at
        return Number::from(float as i64);
    }
    number
}

// --- looking past unknown variants --------------------------------------------------------------

/// Returns the innermost array items of `value` that are at `places` or hold them.
pub(crate) fn items_of(value: &Value, places: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for place in places {
        let mut node = Some(value);
        let (mut pointer, mut item) = (String::new(), String::new());
        for token in place.split('/').skip(1) {
            pointer.push('/');
            pointer.push_str(token);
            node = match node {
                Some(Value::Array(values)) => {
                    item.clone_from(&pointer);
                    token.parse().ok().and_then(|index: usize| values.get(index))
                }
                Some(Value::Object(members)) => members.get(&unescape_pointer(token)),
                _ => None,
            };
        }
        if !item.is_empty() {
            found.insert(item);
        }
    }
    found
}

/// Returns `value` without the array items at the pointers `items`.
pub(crate) fn without_items(value: &Value, items: &BTreeSet<String>, pointer: &str) -> Value {
    let below = format!("{pointer}/");
    let has_some = items.range(below.clone()..).next().is_some_and(|item| item.starts_with(&below));
    match value {
        _ if !has_some => value.clone(),
        Value::Array(values) => {
            let each = values.iter().enumerate().filter_map(|(index, item)| {
                let place = format!("{below}{index}");
                (!items.contains(&place)).then(|| without_items(item, items, &place))
            });
            Value::Array(each.collect())
        }
        Value::Object(members) => {
            let each = members.iter().map(|(name, member)| {
                let place = format!("{below}{}", escape_pointer(name));
                (name.clone(), without_items(member, items, &place))
            });
            Value::Object(each.collect())
        }
        other => other.clone(),
    }
}

/// Returns where a value stood that is at `pointer` after [`without_items`].
pub(crate) fn pointer_before(pointer: &str, items: &BTreeSet<String>) -> String {
    let mut gone: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for item in items {
        if let Some((parent, index)) = item.rsplit_once('/') {
            gone.entry(parent).or_default().extend(index.parse::<usize>().ok());
        }
    }
    let mut before = String::new();
    for token in pointer.split('/').skip(1) {
        let step = match (gone.get_mut(before.as_str()), token.parse::<usize>()) {
            (Some(indices), Ok(mut step)) => {
                indices.sort_unstable();
                for index in indices.iter() {
                    step += usize::from(*index <= step);
                }
                step.to_string()
            }
            _ => token.to_owned(),
        };
        before.push('/');
        before.push_str(&step);
    }
    before
}
