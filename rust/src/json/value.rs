//! JSON values.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Index, IndexMut};

use crate::json::pointer::unescape_pointer;
use crate::json::{Map, Number};

/// A JSON value.
///
/// Members of objects keep the order of the text, whatever features of `serde_json` are on. A value
/// of `serde_json` becomes one by [`From`], and the other way round; of a number that only its
/// feature `arbitrary_precision` can hold, beyond a double, that makes null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Map),
}

static NULL: Value = Value::Null;

/// What a value is asked for by: the name of a member, or the index of an item.
pub trait Place: private::Sealed {
    #[doc(hidden)]
    fn of<'a>(&self, value: &'a Value) -> Option<&'a Value>;
    #[doc(hidden)]
    fn of_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value>;
    /// Makes room for what is assigned.
    #[doc(hidden)]
    fn make(&self, value: &mut Value);
}

mod private {
    pub trait Sealed {}
    impl Sealed for str {}
    impl Sealed for String {}
    impl Sealed for usize {}
    impl<T: Sealed + ?Sized> Sealed for &T {}
}

impl Place for str {
    fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        value.as_object()?.get(self)
    }

    fn of_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        value.as_object_mut()?.get_mut(self)
    }

    fn make(&self, value: &mut Value) {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        if let Value::Object(members) = value {
            members.get_or_insert_with(self, Value::default);
        }
    }
}

impl Place for String {
    fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.as_str().of(value)
    }

    fn of_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        self.as_str().of_mut(value)
    }

    fn make(&self, value: &mut Value) {
        self.as_str().make(value);
    }
}

impl Place for usize {
    fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        value.as_array()?.get(*self)
    }

    fn of_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        value.as_array_mut()?.get_mut(*self)
    }

    fn make(&self, _: &mut Value) {}
}

impl<T: Place + ?Sized> Place for &T {
    fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        T::of(self, value)
    }

    fn of_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        T::of_mut(self, value)
    }

    fn make(&self, value: &mut Value) {
        T::make(self, value);
    }
}

impl Value {
    /// Returns a member of an object by name, or an item of an array by index.
    #[must_use]
    pub fn get(&self, place: impl Place) -> Option<&Value> {
        place.of(self)
    }

    /// Returns a member or item, to change it.
    pub fn get_mut(&mut self, place: impl Place) -> Option<&mut Value> {
        place.of_mut(self)
    }

    /// Returns what is at a JSON Pointer (RFC 6901); the empty one is the whole value.
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        tokens(pointer)?.try_fold(self, |value, token| match value {
            Value::Object(members) => members.get(&token),
            Value::Array(items) => items.get(index_of(&token)?),
            _ => None,
        })
    }

    /// Returns what is at a JSON Pointer, to change it.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        tokens(pointer)?.try_fold(self, |value, token| match value {
            Value::Object(members) => members.get_mut(&token),
            Value::Array(items) => items.get_mut(index_of(&token)?),
            _ => None,
        })
    }

    /// Takes the value out, and leaves null.
    #[must_use]
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }

    /// Tells whether the value is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Tells whether the value is `true` or `false`.
    #[must_use]
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Tells whether the value is a number.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Tells whether the value is a string.
    #[must_use]
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// Tells whether the value is an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// Tells whether the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns `true` or `false`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(is) = self { Some(*is) } else { None }
    }

    /// Returns the number.
    #[must_use]
    pub fn as_number(&self) -> Option<Number> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// Returns the integer, where it is one of 64 bits with a sign.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// Returns the integer, where it is one of 64 bits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number().and_then(Number::as_u64)
    }

    /// Returns the number, or the double nearest to it.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().map(Number::as_f64)
    }

    /// Returns the string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// Returns the array.
    #[must_use]
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the array, to change it.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Map> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// Returns the object, to change it.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}

/// Returns the names that lead along a pointer; None where it is not one.
fn tokens(pointer: &str) -> Option<impl Iterator<Item = String>> {
    let is_pointer = pointer.is_empty() || pointer.starts_with('/');
    is_pointer.then(|| pointer.split('/').skip(1).map(unescape_pointer))
}

fn index_of(token: &str) -> Option<usize> {
    let is_index = !token.starts_with('+') && (token == "0" || !token.starts_with('0'));
    is_index.then(|| token.parse().ok()).flatten()
}

/// Null where there is no such member or item.
impl<P: Place> Index<P> for Value {
    type Output = Value;

    fn index(&self, place: P) -> &Value {
        place.of(self).unwrap_or(&NULL)
    }
}

/// A member that is not there is made, and so is an object in place of null.
///
/// # Panics
///
/// Where the value cannot have such a member or item.
impl<P: Place> IndexMut<P> for Value {
    fn index_mut(&mut self, place: P) -> &mut Value {
        place.make(self);
        #[allow(clippy::expect_used)] // what `v[i] = x` does everywhere, on what has no such place
        place.of_mut(self).expect("a value with such a member or item")
    }
}

/// The value as compact JSON text; `{:#}` spreads it over lines.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        put_text(self, f)
    }
}

pub(super) fn put_text(value: &impl serde::Serialize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let write = if f.alternate() { serde_json::to_string_pretty } else { serde_json::to_string };
    f.write_str(&write(value).map_err(|_| fmt::Error)?)
}

impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(is) => serializer.serialize_bool(*is),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

// --- made of other values -----------------------------------------------------------------------

macro_rules! from_numbers {
    ($($integer:ident)*) => {
        $(
            impl From<$integer> for Value {
                fn from(number: $integer) -> Self {
                    Self::Number(number.into())
                }
            }

            impl PartialEq<$integer> for Value {
                fn eq(&self, other: &$integer) -> bool {
                    self.as_number() == Some(Number::from(*other))
                }
            }
        )*
    };
}

from_numbers!(u8 u16 u32 u64 usize i8 i16 i32 i64);

/// Null for infinity and NaN.
impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Number::from_f64(number).into()
    }
}

macro_rules! from_others {
    ($($other:ty: $value:ident => $made:expr;)*) => {
        $(impl From<$other> for Value {
            fn from($value: $other) -> Self {
                $made
            }
        })*
    };
}

from_others! {
    bool: is => Self::Bool(is);
    Number: number => Self::Number(number);
    &str: text => Self::String(text.to_owned());
    String: text => Self::String(text);
    &String: text => Self::String(text.clone());
    Cow<'_, str>: text => Self::String(text.into_owned());
    Map: members => Self::Object(members);
}

impl<T: Into<Value> + Clone> From<&[T]> for Value {
    fn from(items: &[T]) -> Self {
        items.iter().cloned().collect()
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

/// Null for None.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// An array.
impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

/// An object.
impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(members: I) -> Self {
        let members = members.into_iter();
        Self::Object(members.map(|(name, member)| (name.into(), member.into())).collect())
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(is) => Self::Bool(is),
            serde_json::Value::Number(number) => Number::try_from(&number).ok().into(),
            serde_json::Value::String(text) => Self::String(text),
            serde_json::Value::Array(items) => items.into_iter().collect(),
            serde_json::Value::Object(members) => Self::Object(members.into()),
        }
    }
}

impl From<Value> for serde_json::Value {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is) => Self::Bool(is),
            Value::Number(number) => number.into(),
            Value::String(text) => Self::String(text),
            Value::Array(items) => items.into_iter().map(Self::from).collect(),
            Value::Object(members) => Self::Object(members.into()),
        }
    }
}

impl PartialEq<str> for Value {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(*other)
    }
}

impl PartialEq<String> for Value {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<bool> for Value {
    fn eq(&self, other: &bool) -> bool {
        self.as_bool() == Some(*other)
    }
}

impl PartialEq<f64> for Value {
    fn eq(&self, other: &f64) -> bool {
        self.as_f64() == Some(*other)
    }
}
