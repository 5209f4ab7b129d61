//! JSON text and JSON values: what every document has to be before a schema looks at it.
//!
//! The rules are those of I-JSON (RFC 7493): UTF-8, well-formed Unicode, finite numbers.

use serde::Deserialize;
use serde_json::Value;

use crate::errors::{Error, Finding, clip_text};
use crate::json::loose;
use crate::json::loose::Parsed;
use crate::json::text::{bracket_depth, may_pass_depth};

/// How deep arrays and objects may be nested in a document.
pub const MAX_DEPTH: usize = 512;

// Of more digits no reader of the contract makes an integer.
pub(crate) const MOST_DIGITS: usize = 4300;

/// Returns the JSON value that `data` holds; of duplicate member names the last wins.
///
/// Fails with [`Error::Read`]: `document/empty`, `document/invalid-utf8`, `document/too-deep`,
/// `document/invalid-json`, `document/lone-surrogate` or `document/not-finite`. Text in which
/// brackets are nested too deep is that before all else, JSON or not: how far a reader sees into it
/// depends on its stack.
pub fn decode_json(data: &[u8]) -> Result<Value, Error> {
    decode(data).map_err(Error::Read)
}

fn decode(data: &[u8]) -> Result<Value, Vec<Finding>> {
    let text = utf8(data)?;
    if may_pass_depth(text, MAX_DEPTH) && bracket_depth(text) > MAX_DEPTH {
        return Err(vec![too_deep()]);
    }
    plain(text).or_else(|_| match loose::parse(text) {
        Some(parsed) => loosely(text, parsed),
        None => Err(vec![text_finding(text)]),
    })
}

/// Decodes text that is known not to be nested too deep for the stack.
pub(crate) fn plain(text: &str) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = Value::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

pub(crate) fn utf8(data: &[u8]) -> Result<&str, Vec<Finding>> {
    std::str::from_utf8(data).map_err(|cause| {
        let message = format!("Not UTF-8 at byte {}", cause.valid_up_to());
        vec![Finding::error("document/invalid-utf8", "", &message).expected("UTF-8")]
    })
}

fn loosely(text: &str, parsed: Parsed) -> Result<Value, Vec<Finding>> {
    if parsed.digits > MOST_DIGITS {
        return Err(vec![not_finite("")]);
    }
    let mut found = Vec::new();
    parsed.value.findings("", &mut found);
    if parsed.refused {
        let first = found.into_iter().next();
        return Err(vec![first.unwrap_or_else(|| invalid_json("Not a value of a document", text))]);
    }
    if !found.is_empty() {
        return Err(found);
    }
    parsed.value.into_value().ok_or_else(|| vec![invalid_json("Not a value of a document", text)])
}

fn text_finding(text: &str) -> Finding {
    if text.trim_matches(['\t', '\n', '\x0b', '\x0c', '\r', ' ']).is_empty() {
        return Finding::error("document/empty", "", "There is no JSON value")
            .expected("a JSON value");
    }
    if text.starts_with('\u{feff}') {
        return invalid_json("A byte order mark stands before the JSON text", text);
    }
    invalid_json("Not JSON", text)
}

fn invalid_json(message: &str, text: &str) -> Finding {
    Finding::error("document/invalid-json", "", message)
        .expected("JSON text")
        .actual(clip_text(text))
}

pub(crate) fn not_finite(pointer: &str) -> Finding {
    let message = "A number is beyond the largest double";
    Finding::error("document/not-finite", pointer, message).expected("a finite number")
}

pub(crate) fn too_deep() -> Finding {
    // Without a pointer: it would be longer than all that is said.
    let message = format!("Nested deeper than {MAX_DEPTH} levels");
    Finding::error("document/too-deep", "", &message)
        .expected(format!("at most {MAX_DEPTH} levels"))
}

/// Returns how deep a value is nested; a string has depth 0. It keeps its own stack.
pub(crate) fn depth_of(value: &Value) -> usize {
    let mut deepest = 0;
    let mut stack = vec![(value, 1usize)];
    while let Some((node, depth)) = stack.pop() {
        match node {
            Value::Array(items) => stack.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => stack.extend(members.values().map(|item| (item, depth + 1))),
            _ => continue,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Refuses a value that is nested too deep; all else is right by its type.
pub(crate) fn check_depth(value: &Value) -> Result<(), Vec<Finding>> {
    if depth_of(value) > MAX_DEPTH { Err(vec![too_deep()]) } else { Ok(()) }
}
