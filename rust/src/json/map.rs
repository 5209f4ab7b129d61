//! Objects of JSON values.

use std::fmt;
use std::ops::Index;

use indexmap::{IndexMap, map};

use crate::json::Value;
use crate::json::value::put_text;

/// A JSON object whose members stay in the order of the text.
///
/// Two objects are equal if they have the same members, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map(IndexMap<String, Value>);

impl Map {
    /// Returns an object without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns a member, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.get_mut(name)
    }

    /// Returns a member, to change it; where there is none, it is made and put at the end.
    pub fn get_or_insert_with(
        &mut self,
        name: impl Into<String>,
        make: impl FnOnce() -> Value,
    ) -> &mut Value {
        self.0.entry(name.into()).or_insert_with(make)
    }

    /// Tells whether there is such a member.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Sets a member, at the place of an earlier one of its name, else at the end; returns that
    /// earlier one.
    pub fn insert(&mut self, name: impl Into<String>, member: Value) -> Option<Value> {
        self.0.insert(name.into(), member)
    }

    /// Takes a member out; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name)
    }

    /// Keeps the members whose name and value `is` takes.
    pub fn retain(&mut self, mut is: impl FnMut(&str, &mut Value) -> bool) {
        self.0.retain(|name, member| is(name, member));
    }

    /// The names, in order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &String> + ExactSizeIterator {
        self.0.keys()
    }

    /// The values, in order.
    #[must_use]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator {
        self.0.values()
    }

    /// The values, in order, to change them.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Value> {
        self.0.values_mut()
    }

    /// The members, in order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.0.iter())
    }

    /// The members, in order, to change their values.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        IterMut(self.0.iter_mut())
    }
}

/// The members of an object, in order.
#[derive(Clone, Debug)]
pub struct Iter<'a>(map::Iter<'a, String, Value>);

/// The members of an object, in order, to change their values.
#[derive(Debug)]
pub struct IterMut<'a>(map::IterMut<'a, String, Value>);

/// The members of an object that is no longer needed, in order.
#[derive(Debug)]
pub struct IntoIter(map::IntoIter<String, Value>);

macro_rules! iterates {
    ($name:ty, $item:ty $(, $lifetime:lifetime)?) => {
        impl<$($lifetime)?> Iterator for $name {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.0.next()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<$($lifetime)?> DoubleEndedIterator for $name {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back()
            }
        }

        impl<$($lifetime)?> ExactSizeIterator for $name {}
    };
}

iterates!(Iter<'a>, (&'a String, &'a Value), 'a);
iterates!(IterMut<'a>, (&'a String, &'a mut Value), 'a);
iterates!(IntoIter, (String, Value));

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a String, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Map {
    type Item = (&'a String, &'a mut Value);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> IterMut<'a> {
        self.iter_mut()
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self.0.into_iter())
    }
}

impl FromIterator<(String, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl Extend<(String, Value)> for Map {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, members: I) {
        self.0.extend(members);
    }
}

/// Null where there is no such member.
impl Index<&str> for Map {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        static NULL: Value = Value::Null;
        self.get(name).unwrap_or(&NULL)
    }
}

/// The object as compact JSON text; `{:#}` spreads it over lines.
impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        put_text(self, f)
    }
}

impl serde::Serialize for Map {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl From<serde_json::Map<String, serde_json::Value>> for Map {
    fn from(members: serde_json::Map<String, serde_json::Value>) -> Self {
        members.into_iter().map(|(name, member)| (name, member.into())).collect()
    }
}

impl From<Map> for serde_json::Map<String, serde_json::Value> {
    fn from(members: Map) -> Self {
        members.into_iter().map(|(name, member)| (name, member.into())).collect()
    }
}
