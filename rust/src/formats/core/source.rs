//! What is read: JSON text or a JSON value, bounded in depth.

use std::borrow::Cow;

use crate::errors::Error;
use crate::json::documents::{check_depth, decode_json};
use crate::json::{Map, Value};
use crate::providers::request_core::values::says_anything;

/// A document that is read: JSON text, or a value.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// JSON text in UTF-8; of duplicate member names the last wins.
    Text(&'a [u8]),
    /// A JSON value.
    Value(&'a Value),
}

impl<'a> From<&'a str> for Data<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.as_bytes())
    }
}

impl<'a> From<&'a String> for Data<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text.as_bytes())
    }
}

impl<'a> From<&'a [u8]> for Data<'a> {
    fn from(text: &'a [u8]) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a Vec<u8>> for Data<'a> {
    fn from(text: &'a Vec<u8>) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a Value> for Data<'a> {
    fn from(value: &'a Value) -> Self {
        Self::Value(value)
    }
}

impl<'a> Data<'a> {
    /// Returns the value of a document; fails with [`Error::Read`] `document/…`.
    pub(crate) fn value(self) -> Result<Cow<'a, Value>, Error> {
        match self {
            Self::Text(text) => decode_json(text).map(Cow::Owned),
            Self::Value(value) => {
                check_depth(value).map_err(Error::Read)?;
                Ok(Cow::Borrowed(value))
            }
        }
    }
}

/// Tells whether a value says anything: null, false, 0, and what is empty do not.
pub(crate) fn says(value: &Value) -> bool {
    says_anything(Some(value))
}

/// Tells whether an object has arrays and objects nested deeper than `levels`, itself included.
pub(crate) fn is_nested(members: &Map, levels: usize) -> bool {
    let holders = |value: &&Value| matches!(value, Value::Array(_) | Value::Object(_));
    let mut row: Vec<&Value> = members.values().filter(holders).collect();
    for _ in 1..levels {
        if row.is_empty() {
            return false;
        }
        let mut next = Vec::new();
        for each in row {
            match each {
                Value::Array(items) => next.extend(items.iter().filter(holders)),
                Value::Object(members) => next.extend(members.values().filter(holders)),
                _ => {}
            }
        }
        row = next;
    }
    !row.is_empty()
}
