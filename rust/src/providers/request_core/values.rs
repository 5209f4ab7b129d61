//! JSON values and text, as requests need them.

use crate::json::{Map, Value};

use crate::json::documents::plain;
use crate::json::json_text::json_text;
use crate::json::raw_text::is_space;
use crate::json::text::{bracket_depth, may_pass_depth};

/// The members of a JSON object.
pub(crate) type Json = Map;

// Nested deeper, arguments are not read.
const MAX_DEPTH: usize = 990;

/// Returns text without the white space around it.
pub(crate) fn stripped(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Tells whether there is anything but white space in a text.
pub(crate) fn says_something(text: &str) -> bool {
    !text.chars().all(is_space)
}

/// Adds members to an object; what it has already stays in its place, with the new value.
pub(crate) fn join(mut members: Json, more: Json) -> Json {
    for (name, value) in more {
        members.insert(name, value);
    }
    members
}

/// Adds text to a member that is text, in place.
pub(crate) fn push_text(value: &mut Value, name: &str, more: &str) {
    if let Some(Value::String(text)) = value.get_mut(name) {
        text.push_str(more);
    }
}

/// Returns a copy without null members, which a request does not have.
pub(crate) fn without_nulls(data: &Json) -> Json {
    let members = data.iter().filter(|(_, value)| !value.is_null());
    members.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Returns a value of a provider's as text, which distinguishes one that is not text from others.
pub(crate) fn worded(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => "None".to_owned(),
        Some(Value::Bool(true)) => "True".to_owned(),
        Some(Value::Bool(false)) => "False".to_owned(),
        Some(other) => json_text(other),
    }
}

/// Tells whether a value says anything: it is not null, false, zero or empty.
pub(crate) fn says_anything(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(flag)) => *flag,
        Some(Value::Number(number)) => number.as_f64() != 0.0,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(members)) => !members.is_empty(),
    }
}

/// Returns what JSON text holds, None where it is not JSON.
pub(crate) fn parsed(text: &str) -> Option<Value> {
    if may_pass_depth(text, MAX_DEPTH) && bracket_depth(text) > MAX_DEPTH {
        return None;
    }
    plain(text).ok()
}

/// Tells whether two JSON values say the same: members have no order, and true is 1, as it is to
/// many a reader.
pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has_same = |(name, member): (&String, &Value)| {
                other.get(name).is_some_and(|known| is_same(member, known))
            };
            one.len() == other.len() && one.iter().all(has_same)
        }
        _ => one == other || number_of(one).is_some_and(|number| number_of(other) == Some(number)),
    }
}

fn number_of(value: &Value) -> Option<f64> {
    value.as_bool().map(|flag| f64::from(u8::from(flag))).or_else(|| value.as_f64())
}

/// Tells whether a path is the id of a file that was uploaded to a provider.
pub(crate) fn is_file_id(path: &str, head: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    path.strip_prefix(head).is_some_and(|id| id.len() >= 8 && id.bytes().all(is_plain))
}
