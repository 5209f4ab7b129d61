//! Members of JSON values whose shape is known: what is not there is null, empty or false.

use crate::json::{Map, Number, Value};

static NULL: Value = Value::Null;

/// Reads members of a value that was found valid.
pub(crate) trait Fields {
    fn at(&self, name: &str) -> &Value;

    fn has(&self, name: &str) -> bool {
        !self.at(name).is_null()
    }

    fn text(&self, name: &str) -> &str {
        self.at(name).as_str().unwrap_or("")
    }

    fn flag(&self, name: &str) -> bool {
        self.at(name).as_bool().unwrap_or(false)
    }

    /// Returns an integer of at most 53 bits.
    fn whole(&self, name: &str) -> i64 {
        whole(self.at(name)).unwrap_or(0)
    }

    fn list(&self, name: &str) -> &[Value] {
        self.at(name).as_array().map_or(&[], Vec::as_slice)
    }
}

impl Fields for Value {
    fn at(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NULL)
    }
}

impl Fields for Map {
    fn at(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NULL)
    }
}

fn whole(value: &Value) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation)] // integers of documents have at most 53 bits
    value.as_i64().or_else(|| value.as_f64().map(|float| float as i64))
}

/// Returns an object of members.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Map {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Sets a member of an object.
pub(crate) fn put(value: &mut Value, name: &str, member: impl Into<Value>) {
    if let Some(members) = value.as_object_mut() {
        members.insert(name.to_owned(), member.into());
    }
}

/// Returns the members of an object that `keep` lets through.
pub(crate) fn filtered(value: &Value, keep: impl Fn(&str, &Value) -> bool) -> Map {
    let members = value.as_object().into_iter().flatten();
    let kept = members.filter(|(name, member)| keep(name, member));
    kept.map(|(name, member)| (name.clone(), member.clone())).collect()
}

/// Tells whether two values are the same; numbers as numbers, members in any order.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || same_number(*one, *other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => same_members(one, other),
        _ => one == other,
    }
}

fn same_number(one: Number, other: Number) -> bool {
    (one.is_f64() || other.is_f64()) && one.is_same_double(other)
}

fn same_members(one: &Map, other: &Map) -> bool {
    let has_same = |(name, member): (&String, &Value)| {
        other.get(name).is_some_and(|known| same(member, known))
    };
    one.len() == other.len() && one.iter().all(has_same)
}
