//! JSON text and JSON values: what every document has to be before a schema looks at it.
//!
//! The rules are those of I-JSON (RFC 7493): UTF-8, well-formed Unicode, finite numbers.

use std::fmt::Write;

use crate::json::Value;
use serde::Deserialize;

use crate::errors::{Error, Finding, clip_text};
use crate::json::pointer::escape_pointer;
use crate::json::raw::{Raw, whole_value};
use crate::json::raw_reader::{Seen, decode_document};
use crate::json::raw_text::{RawText, Text};
use crate::json::text::{bracket_depth, may_pass_depth};
use crate::tables::limits::{MAX_DEPTH, MOST_DIGITS};

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
    plain(text).or_else(|_| match decode_document(text) {
        Some((value, seen)) => of_raw(text, &value, seen),
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

/// Returns a value that plain decoding refused, or what keeps it from being one of a document.
fn of_raw(text: &str, value: &Raw, seen: Seen) -> Result<Value, Vec<Finding>> {
    if seen.digits > MOST_DIGITS {
        return Err(vec![not_finite("")]);
    }
    match document_of(value) {
        Ok(_) if seen.refused => Err(vec![invalid_json("Not a value of a document", text)]),
        Err(found) if seen.refused => Err(found.into_iter().take(1).collect()),
        made => made,
    }
}

/// Returns a value as one of a document; fails with what keeps it from being one.
pub(crate) fn document_of(value: &Raw) -> Result<Value, Vec<Finding>> {
    let mut found = Vec::new();
    find_refused(value, "", &mut found);
    if found.is_empty() { Ok(whole_value(value)) } else { Err(found) }
}

/// Adds what keeps a value from being one of a document.
fn find_refused(value: &Raw, pointer: &str, found: &mut Vec<Finding>) {
    match value {
        Raw::Float(number) if !number.is_finite() => found.push(not_finite(pointer)),
        Raw::Huge(digits) if !digits.parse().is_ok_and(f64::is_finite) => {
            found.push(not_finite(pointer));
        }
        Raw::Text(text) => find_half(text.as_text(), pointer, found),
        Raw::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find_refused(item, &format!("{pointer}/{index}"), found);
            }
        }
        Raw::Object(members) => {
            let place = |name: &RawText| format!("{pointer}/{}", escape_pointer(&spelled(name)));
            for (name, _) in members.iter() {
                find_half(name.as_text(), &place(name), found);
            }
            for (name, member) in members.iter() {
                find_refused(member, &place(name), found);
            }
        }
        _ => {}
    }
}

fn find_half(text: Text<'_>, pointer: &str, found: &mut Vec<Finding>) {
    if let Some(half) = text.first_half() {
        let message = "A lone surrogate is in the text";
        let finding = Finding::error("document/lone-surrogate", pointer, message);
        found.push(finding.expected("well-formed Unicode").actual(format!("U+{half:04X}")));
    }
}

/// Returns a member name, halves of characters as escapes.
fn spelled(name: &RawText) -> String {
    let points = name.as_text().points();
    points.fold(String::new(), |mut made, point| {
        match char::from_u32(point) {
            Some(char) => made.push(char),
            None => _ = write!(made, "\\u{point:04x}"),
        }
        made
    })
}

fn text_finding(text: &str) -> Finding {
    if text.trim_matches(['\t', '\n', '\x0b', '\x0c', '\r', ' ']).is_empty() {
        return Finding::error("document/empty", "", "There is no JSON value")
            .expected("a JSON value");
    }
    if text.starts_with('\u{feff}') {
        return invalid_json("A byte order mark before the JSON text", text);
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
