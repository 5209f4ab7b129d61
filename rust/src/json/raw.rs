//! The value of one raw event: JSON, and what vendors' own writers make of it.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::Write;

use crate::json::{Map, Number, Value};

use crate::errors::counted;
use crate::json::json_text::float_text;
use crate::json::raw_text::{RawText, Text, put_text};
use crate::tables::limits::CLIP_CHARS;

/// A JSON value as a provider sent it: wider than [`Value`], since halves of surrogate pairs,
/// integers of any size and numbers beyond a double may be in it.
///
/// Two are equal as JSON values are: members in any order, numbers by what they count; `true` is
/// not 1.
#[derive(Clone, Debug, Default)]
pub enum Raw {
    /// `null`, also in place of NaN and Infinity: what is not a number.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer, written without fraction and exponent.
    Int(i128),
    /// An integer beyond 128 bits: its digits.
    Huge(String),
    /// Any other number; infinite where it is beyond a double.
    Float(f64),
    /// A string.
    Text(RawText),
    /// An array.
    Array(Vec<Raw>),
    /// An object.
    Object(RawObject),
}

/// A JSON object whose members stay in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct RawObject {
    members: Vec<(RawText, Raw)>,
}

static NULL: Raw = Raw::Null;

/// Of so many members on, names are looked up and not compared one by one.
const MANY: usize = 16;

impl Raw {
    /// Tells whether the value is null, or, by [`RawObject::get`], absent.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Tells whether the value says anything: no null, `false`, zero, `""`, `[]` or `{}`.
    #[must_use]
    pub fn says_something(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(is) => *is,
            Self::Int(number) => *number != 0,
            Self::Huge(_) => true,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Object(members) => !members.is_empty(),
        }
    }

    /// Returns the string.
    #[must_use]
    pub fn text(&self) -> Option<Text<'_>> {
        if let Self::Text(text) = self { Some(text.as_text()) } else { None }
    }

    /// Returns a string that says something.
    #[must_use]
    pub fn some_text(&self) -> Option<Text<'_>> {
        self.text().filter(|text| !text.is_empty())
    }

    /// Returns the string if it holds no half of a character: to compare with names.
    #[must_use]
    pub fn str(&self) -> Option<&str> {
        self.text().and_then(Text::whole)
    }

    /// Returns the integer; the nearest one that there is for one beyond 128 bits.
    #[must_use]
    pub fn int(&self) -> Option<i128> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Huge(digits) if digits.starts_with('-') => Some(i128::MIN),
            Self::Huge(_) => Some(i128::MAX),
            _ => None,
        }
    }

    /// Returns the object.
    #[must_use]
    pub fn object(&self) -> Option<&RawObject> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// Returns the array.
    #[must_use]
    pub fn array(&self) -> Option<&[Raw]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the value as one line of at most 80 characters.
    #[must_use]
    pub(crate) fn clip(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(is) => is.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Huge(digits) => clip_integer(digits),
            Self::Float(number) => float_text(*number),
            Self::Text(text) => clip_raw(text.as_text()),
            Self::Array(items) => format!("array with {}", counted(items.len(), "item")),
            Self::Object(members) => format!("object with {}", counted(members.len(), "member")),
        }
    }
}

impl RawObject {
    /// Returns a member, [`Raw::Null`] where there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> &Raw {
        self.find(name).unwrap_or(&NULL)
    }

    /// Returns a member that is there.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Raw> {
        self.members.iter().find(|(each, _)| each == name).map(|(_, member)| member)
    }

    /// Tells whether there is such a member.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The members, in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&RawText, &Raw)> {
        self.members.iter().map(|(name, member)| (name, member))
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Tells whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Sets a member, at the place of an earlier one of its name, else at the end.
    pub fn set(&mut self, name: impl Into<RawText>, member: Raw) {
        let name = name.into();
        match self.members.iter_mut().find(|(each, _)| *each == name) {
            Some((_, before)) => *before = member,
            None => self.members.push((name, member)),
        }
    }

    /// Returns a member that is there, to change it.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Raw> {
        self.members.iter_mut().find(|(each, _)| each == name).map(|(_, member)| member)
    }

    /// Returns the object with a member before all others, of which none has its name.
    #[must_use]
    pub fn led_by(mut self, name: &str, member: Raw) -> Self {
        self.members.insert(0, (name.into(), member));
        self
    }

    /// Returns the object with the members of another, which replace those of their names.
    #[must_use]
    pub fn merged(self, other: &RawObject) -> Self {
        let others = other.members.iter().cloned();
        self.members.into_iter().chain(others).collect()
    }

    /// Keeps the members whose name and value `is` takes.
    pub fn retain(&mut self, mut is: impl FnMut(&RawText, &Raw) -> bool) {
        self.members.retain(|(name, member)| is(name, member));
    }

    /// Returns an object of members whose names are known to differ.
    pub(crate) fn of_distinct(members: Vec<(RawText, Raw)>) -> Self {
        Self { members }
    }
}

/// Members of an object in the making: of duplicate names the last wins, at the first's place.
#[derive(Default)]
pub(crate) struct Members {
    all: Vec<(RawText, Raw)>,
    /// Places by name, once there are many.
    places: HashMap<RawText, usize>,
}

impl Members {
    pub(crate) fn set(&mut self, name: RawText, member: Raw) {
        let at = if self.places.is_empty() {
            self.all.iter().position(|(each, _)| *each == name)
        } else {
            self.places.get(&name).copied()
        };
        if let Some((_, before)) = at.and_then(|at| self.all.get_mut(at)) {
            *before = member;
            return;
        }
        self.all.push((name, member));
        if self.places.is_empty() && self.all.len() >= MANY {
            self.places = (0..).zip(&self.all).map(|(at, (name, _))| (name.clone(), at)).collect();
        } else if let (false, Some((name, _))) = (self.places.is_empty(), self.all.last()) {
            self.places.insert(name.clone(), self.all.len() - 1);
        }
    }
}

impl From<Members> for RawObject {
    fn from(members: Members) -> Self {
        Self::of_distinct(members.all)
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Array(one), Self::Array(other)) => one == other,
            (Self::Object(one), Self::Object(other)) => one == other,
            (Self::Huge(one), Self::Huge(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one == other,
            (Self::Float(float), Self::Int(whole)) | (Self::Int(whole), Self::Float(float)) => {
                is_count(*float, *whole)
            }
            _ => false,
        }
    }
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // shown by the way back
#[allow(clippy::float_cmp)] // the very number is meant
fn is_count(float: f64, whole: i128) -> bool {
    whole as f64 == float && float as i128 == whole
}

impl PartialEq for RawObject {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        if self.len() < MANY {
            let find = |name: &RawText| other.iter().find(|(each, _)| *each == name);
            return self.iter().all(|(name, one)| find(name).is_some_and(|(_, each)| each == one));
        }
        let others: HashMap<&RawText, &Raw> = other.iter().collect();
        self.iter().all(|(name, one)| others.get(name).is_some_and(|each| *each == one))
    }
}

impl<N: Into<RawText>> FromIterator<(N, Raw)> for RawObject {
    fn from_iter<I: IntoIterator<Item = (N, Raw)>>(members: I) -> Self {
        let mut made = Members::default();
        members.into_iter().for_each(|(name, member)| made.set(name.into(), member));
        made.into()
    }
}

impl From<RawObject> for Raw {
    fn from(members: RawObject) -> Self {
        Self::Object(members)
    }
}

impl From<RawText> for Raw {
    fn from(text: RawText) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Raw {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Text<'_>> for Raw {
    fn from(text: Text<'_>) -> Self {
        Self::Text(text.into())
    }
}

impl From<Value> for Raw {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is) => Self::Bool(is),
            Value::Number(number) => {
                number.as_i128().map_or_else(|| Self::Float(number.as_f64()), Self::Int)
            }
            Value::String(text) => Self::Text(text.into()),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Object(members) => {
                let members = members.into_iter();
                let made = members.map(|(name, member)| (name.into(), member.into())).collect();
                Self::Object(RawObject::of_distinct(made))
            }
        }
    }
}

fn clip_integer(digits: &str) -> String {
    let bits = bits_of(digits.trim_start_matches('-'));
    if bits > MOST_BITS {
        return format!("an integer of {bits} bits");
    }
    if digits.len() <= CLIP_CHARS {
        return digits.to_owned();
    }
    digits.chars().take(CLIP_CHARS - 1).chain(['…']).collect()
}

/// Returns how many binary digits a number of decimal digits has.
fn bits_of(digits: &str) -> usize {
    let mut words: Vec<u32> = Vec::new(); // the lowest first
    for digit in digits.bytes() {
        let mut carry = u64::from(digit.saturating_sub(b'0'));
        for word in &mut words {
            let sum = u64::from(*word) * 10 + carry;
            *word = u32::try_from(sum & u64::from(u32::MAX)).unwrap_or(0);
            carry = sum >> 32;
        }
        words.extend(u32::try_from(carry).ok().filter(|carry| *carry > 0));
    }
    let top = words.last().map_or(0, |word| word.leading_zeros());
    (words.len() * 32).saturating_sub(usize::try_from(top).unwrap_or(0))
}

fn clip_raw(text: Text<'_>) -> String {
    let mut spelled = String::new();
    put_text(text.points_from(0, Some(CLIP_CHARS + 1)).as_text(), false, &mut spelled);
    if spelled.chars().count() <= CLIP_CHARS {
        return spelled;
    }
    spelled.chars().take(CLIP_CHARS - 1).chain(['…']).collect()
}

const MAX_DEPTH: usize = 64;

// A longer integer is not spelled out.
const MOST_BITS: usize = 512;

/// Returns a copy of provider state as documents may hold it: halves of characters become U+FFFD,
/// what is not a number null, and so does what is nested deeper than 64 levels.
pub(crate) fn storable(value: &Raw) -> Value {
    copied(value, 0, &|_| None, plain)
}

fn plain(text: Text<'_>) -> Cow<'_, str> {
    text.well_formed()
}

/// Returns a copy of a value; `hides` gives what is in place of a member of a name, and `text`
/// what a string becomes.
pub(crate) fn copied(
    value: &Raw,
    depth: usize,
    hides: &dyn Fn(&str) -> Option<Value>,
    text: for<'a> fn(Text<'a>) -> Cow<'a, str>,
) -> Value {
    match value {
        Raw::Text(string) => Value::String(text(string.as_text()).into_owned()),
        Raw::Array(_) | Raw::Object(_) if depth >= MAX_DEPTH => Value::Null,
        Raw::Array(items) => {
            items.iter().map(|item| copied(item, depth + 1, hides, text)).collect()
        }
        Raw::Object(members) => {
            let mut made = Map::new();
            for (name, member) in members.iter() {
                let name = name.as_text().well_formed().into_owned();
                let copy = hides(&name).unwrap_or_else(|| copied(member, depth + 1, hides, text));
                made.insert(name, copy);
            }
            Value::Object(made)
        }
        scalar => scalar_of(scalar),
    }
}

/// Returns a value that documents may hold, of any depth.
pub(crate) fn whole_value(value: &Raw) -> Value {
    match value {
        Raw::Text(text) => Value::String(text.as_text().well_formed().into_owned()),
        Raw::Array(items) => items.iter().map(whole_value).collect(),
        Raw::Object(members) => {
            let name = |name: &RawText| name.as_text().well_formed().into_owned();
            members.iter().map(|(each, member)| (name(each), whole_value(member))).collect()
        }
        scalar => scalar_of(scalar),
    }
}

/// Returns what is not text and no container; null for what is not a number.
fn scalar_of(value: &Raw) -> Value {
    match value {
        Raw::Bool(is) => Value::Bool(*is),
        Raw::Int(number) => number_of(*number),
        Raw::Huge(digits) => rounded_to(digits.parse().unwrap_or(f64::NAN)),
        Raw::Float(number) => Number::from_f64(*number).into(),
        _ => Value::Null,
    }
}

thread_local! {
    static ROUNDED: Cell<u64> = const { Cell::new(0) };
}

/// Returns how many integers beyond 64 bits have lost digits in this thread, by becoming a value.
///
/// The native core of the Python package asks: Python keeps such integers.
#[must_use]
pub fn rounded() -> u64 {
    ROUNDED.get()
}

/// Returns the double in place of an integer beyond 64 bits; null where there is none.
fn rounded_to(number: f64) -> Value {
    ROUNDED.set(ROUNDED.get() + 1);
    Number::from_f64(number).into()
}

#[allow(clippy::cast_precision_loss)] // a Value has no integer that is larger
fn number_of(number: i128) -> Value {
    let small = i64::try_from(number).map(Number::from);
    let small = small.or_else(|_| u64::try_from(number).map(Number::from));
    small.map_or_else(|_| rounded_to(number as f64), Value::Number)
}

/// Returns JSON text of an object that came in place of text.
///
/// Characters are written as they are, unless half of one is among them: then all that is not
/// ASCII is escaped.
pub(crate) fn as_json_text(value: &Raw) -> String {
    let mut out = String::new();
    put(value, has_halves(value), &mut out);
    out
}

fn has_halves(value: &Raw) -> bool {
    let is = |text: Text<'_>| text.whole().is_none();
    match value {
        Raw::Text(text) => is(text.as_text()),
        Raw::Array(items) => items.iter().any(has_halves),
        Raw::Object(members) => {
            members.iter().any(|(name, member)| is(name.as_text()) || has_halves(member))
        }
        _ => false,
    }
}

fn put(value: &Raw, is_ascii: bool, out: &mut String) {
    match value {
        Raw::Null => out.push_str("null"),
        Raw::Bool(is) => out.push_str(if *is { "true" } else { "false" }),
        Raw::Int(number) => _ = write!(out, "{number}"),
        Raw::Huge(digits) => out.push_str(digits),
        Raw::Float(number) => out.push_str(&float_text(*number)),
        Raw::Text(text) => put_text(text.as_text(), is_ascii, out),
        Raw::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                put(item, is_ascii, out);
            }
            out.push(']');
        }
        Raw::Object(members) => {
            out.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                put_text(name.as_text(), is_ascii, out);
                out.push(':');
                put(member, is_ascii, out);
            }
            out.push('}');
        }
    }
}
