//! Objects of Gemini, whose names are in camel case or in snake case.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::formats::core::members::Members;
use crate::formats::core::reading::Reading;
use crate::json::{Map, Value};

const MOST_LEVELS: usize = 64;

/// Members whose names are in camel or snake case, taken by their names in camel case.
///
/// Of one that is there in both spellings the second one is reported.
pub(crate) struct Names<'a> {
    members: Members<'a>,
    /// Name in camel case → the name that it has.
    own: HashMap<String, &'a str>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(source: &'a Map, place: impl Into<String>, reading: &mut Reading) -> Self {
        let mut members = Members::new(source, place);
        let mut own = HashMap::new();
        for name in source.keys() {
            match own.entry(camel(name)) {
                Entry::Vacant(place) => _ = place.insert(name.as_str()),
                Entry::Occupied(_) if members.value(name).is_null() => {}
                Entry::Occupied(_) => reading.note("foreign-member", &members.at(name)),
            }
        }
        Self { members, own }
    }

    /// Where the object stands.
    pub(crate) fn place(&self) -> &str {
        &self.members.place
    }

    /// Tells whether a member is there that has not been taken; it may be null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.members.has(self.of(name))
    }

    /// Returns the place of a member.
    pub(crate) fn at(&self, name: &str) -> String {
        self.members.at(self.of(name))
    }

    /// Returns each member: its name in camel case, its place, and its value.
    pub(crate) fn members(&self) -> Vec<(String, String, &'a Value)> {
        let named = self.members.source().iter().map(|(name, value)| (camel(name), name, value));
        let first = named.filter(|(camel, name, _)| self.of(camel) == *name);
        first.map(|(camel, name, value)| (camel, self.members.at(name), value)).collect()
    }

    /// Takes all members, and returns them by their names in camel case.
    pub(crate) fn take_all(&mut self) -> Map {
        let own = std::mem::take(&mut self.own);
        let mut all = Map::new();
        for name in self.members.source().keys() {
            let camel = camel(name);
            if own.get(&camel) == Some(&name.as_str()) {
                all.insert(camel, self.members.value(name).clone());
            }
        }
        all
    }

    /// Returns a member without taking it; null where it is absent.
    pub(crate) fn peek(&self, name: &str) -> &'a Value {
        self.members.peek(self.of(name))
    }

    /// Takes a member, whatever it is; null where it is absent.
    pub(crate) fn value(&mut self, name: &'a str) -> &'a Value {
        self.members.value(self.of(name))
    }

    /// Takes text.
    pub(crate) fn text(&mut self, name: &'a str) -> Option<&'a str> {
        self.members.text(self.of(name))
    }

    /// Takes text; returns it where it is not empty.
    pub(crate) fn some_text(&mut self, name: &'a str) -> Option<&'a str> {
        self.members.some_text(self.of(name))
    }

    /// Takes true or false.
    pub(crate) fn flag(&mut self, name: &'a str) -> Option<bool> {
        self.members.flag(self.of(name))
    }

    /// Takes a number of things.
    pub(crate) fn count(&mut self, name: &'a str) -> Option<u64> {
        self.members.count(self.of(name))
    }

    /// Takes an object, and opens it.
    pub(crate) fn object(&mut self, name: &'a str, reading: &mut Reading) -> Option<Names<'a>> {
        let own = self.of(name);
        let opened = self.members.object(own)?;
        Some(Names::new(opened.source(), opened.place, reading))
    }

    /// Takes a member that says nothing by one of `values`, such as a default; or null.
    pub(crate) fn skip(&mut self, name: &'a str, values: &[Value]) {
        self.members.skip(self.of(name), values);
    }

    /// Reports what has not been taken, as members that a message has no place for.
    pub(crate) fn close(&self, reading: &mut Reading) {
        self.members.close(reading);
    }

    /// Reports what has not been taken.
    pub(crate) fn close_as(&self, code: &str, reading: &mut Reading) {
        self.members.close_as(code, reading);
    }

    /// Returns the name that a member has in the source.
    fn of<'n>(&self, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        self.own.get(name).copied().unwrap_or(name)
    }
}

/// Returns metadata of an answer with names in camel case; none of it is a user's own JSON.
pub(crate) fn in_camel_case(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(items) if depth < MOST_LEVELS => {
            items.iter().map(|item| in_camel_case(item, depth + 1)).collect()
        }
        Value::Object(members) if depth < MOST_LEVELS => {
            let members = members.iter();
            members.map(|(name, item)| (camel(name), in_camel_case(item, depth + 1))).collect()
        }
        _ => value.clone(),
    }
}

/// Returns a name with a capital in place of each underscore and the small letter behind it.
fn camel(name: &str) -> String {
    let mut made = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        match chars.next_if(|next| char == '_' && next.is_ascii_lowercase()) {
            Some(next) => made.push(next.to_ascii_uppercase()),
            None => made.push(char),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::camel;

    #[test]
    fn names_are_in_camel_case() {
        let rows = [
            ("inline_data", "inlineData"),
            ("a__b", "a_B"),
            ("_a", "A"),
            ("a_", "a_"),
            ("a_1", "a_1"),
        ];
        for (snake, name) in rows {
            assert_eq!(camel(snake), name);
        }
    }
}
