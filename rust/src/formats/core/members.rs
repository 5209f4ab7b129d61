//! Objects of the source, as readers open them.

use std::collections::HashSet;
use std::iter::Enumerate;
use std::slice;

use crate::errors::{Error, Finding, clip};
use crate::formats::core::reading::Reading;
use crate::json::fields::{Fields, same};
use crate::json::pointer::escape_pointer;
use crate::json::{Map, Value};

// What a message counts has at most 53 bits.
const MOST_COUNT: u64 = (1 << 53) - 1;

/// The members of an object of the source at a place, until they are taken.
///
/// A member that does not have the type that is asked for stays, and is reported with the rest.
pub(crate) struct Members<'a> {
    /// Where the object stands.
    pub place: String,
    source: &'a Map,
    taken: HashSet<&'a str>,
}

impl<'a> Members<'a> {
    pub(crate) fn new(source: &'a Map, place: impl Into<String>) -> Self {
        Self { place: place.into(), source, taken: HashSet::new() }
    }

    /// Tells whether a member is there that has not been taken; it may be null.
    pub(crate) fn has(&self, name: &str) -> bool {
        !self.taken.contains(name) && self.source.contains_key(name)
    }

    /// Returns the place of a member.
    pub(crate) fn at(&self, name: &str) -> String {
        format!("{}/{}", self.place, escape_pointer(name))
    }

    /// Returns the whole object, for a reader of its own.
    pub(crate) fn source(&self) -> &'a Map {
        self.source
    }

    /// Returns a member without taking it; null where it is absent.
    pub(crate) fn peek(&self, name: &str) -> &'a Value {
        const NULL: &Value = &Value::Null;
        if self.taken.contains(name) { NULL } else { self.source.at(name) }
    }

    /// Takes a member, whatever it is; null where it is absent.
    pub(crate) fn value(&mut self, name: &'a str) -> &'a Value {
        let value = self.peek(name);
        self.taken.insert(name);
        value
    }

    /// Tells whether a member that has not been taken is text, and not empty.
    pub(crate) fn has_text(&self, name: &str) -> bool {
        self.peek(name).as_str().is_some_and(|text| !text.is_empty())
    }

    /// Takes text.
    pub(crate) fn text(&mut self, name: &'a str) -> Option<&'a str> {
        self.take(name, Value::as_str)
    }

    /// Takes text; returns it where it is not empty.
    pub(crate) fn some_text(&mut self, name: &'a str) -> Option<&'a str> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// Takes true or false.
    pub(crate) fn flag(&mut self, name: &'a str) -> Option<bool> {
        self.take(name, Value::as_bool)
    }

    /// Takes a number of things.
    pub(crate) fn count(&mut self, name: &'a str) -> Option<u64> {
        self.take(name, |value| value.as_u64().filter(|count| *count <= MOST_COUNT))
    }

    /// Takes a number from 0 to `most`.
    pub(crate) fn number(&mut self, name: &'a str, most: f64) -> Option<f64> {
        self.take(name, |value| value.as_f64().filter(|number| (0.0..=most).contains(number)))
    }

    /// Takes an object, and opens it.
    pub(crate) fn object(&mut self, name: &'a str) -> Option<Members<'a>> {
        let found = self.take(name, Value::as_object)?;
        Some(Members::new(found, self.at(name)))
    }

    /// Takes an array.
    pub(crate) fn list(&mut self, name: &'a str) -> Option<&'a [Value]> {
        self.take(name, Value::as_array).map(Vec::as_slice)
    }

    /// Takes a member that says nothing by one of `values`, such as a default; or null.
    pub(crate) fn skip(&mut self, name: &'a str, values: &[Value]) {
        let value = self.peek(name);
        if value.is_null() || values.iter().any(|each| same(value, each)) {
            self.taken.insert(name);
        }
    }

    /// Reports what has not been taken, as members that a message has no place for.
    pub(crate) fn close(&self, reading: &mut Reading) {
        self.close_as("foreign-member", reading);
    }

    /// Reports what has not been taken.
    pub(crate) fn close_as(&self, code: &str, reading: &mut Reading) {
        for (name, value) in self.source {
            if !value.is_null() && !self.taken.contains(name.as_str()) {
                reading.note(code, &self.at(name));
            }
        }
    }

    fn take<T>(&mut self, name: &'a str, found: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        let value = found(self.peek(name))?;
        self.taken.insert(name);
        Some(value)
    }
}

/// The objects of an array, one after the other; an error in place of anything else.
pub(crate) struct Items<'a> {
    pub format: &'static str,
    pub place: String,
    pub rest: Enumerate<slice::Iter<'a, Value>>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<Members<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (number, value) = self.rest.next()?;
        Some(opened(self.format, value, format!("{}/{number}", self.place)))
    }
}

/// Opens an object of a document of a format; fails where it is something else.
pub(crate) fn opened<'a>(
    format: &str,
    value: &'a Value,
    place: String,
) -> Result<Members<'a>, Error> {
    match value {
        Value::Object(members) => Ok(Members::new(members, place)),
        other => Err(misshapen(format, &place, "an object", clip(other))),
    }
}

/// Returns the error for a document that is not of the format.
pub(crate) fn misshapen(format: &str, place: &str, expected: &str, actual: String) -> Error {
    let message = format!("The document does not have the shape of {format}");
    let finding = Finding::error("format/wrong-shape", place, &message);
    Error::Read(vec![finding.expected(expected).actual(actual)])
}
