//! The one place where a tool call's argument text becomes a value.

use crate::json::Value;

use crate::contract::types::Map;
use crate::json::documents::{document_of, plain};
use crate::json::raw::Raw;
use crate::json::raw_reader::decode_document;
use crate::json::text::{bracket_depth, long_digits, may_hide, may_pass_depth};
use crate::tables::limits::MOST_DIGITS;

// Deeper than this, decoding could exhaust the stack of a thread.
const STACK_DEPTH: usize = 900;

const MAX_SAFE: u128 = (1 << 53) - 1;

/// Why arguments are a mere `{}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseError {
    /// The text is not JSON of a document.
    InvalidJson,
    /// It is JSON, and no object.
    NotAnObject,
}

/// Arguments as a value, with what their text says beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedArguments {
    /// The arguments; `{}` where there is an error.
    pub value: Map,
    /// Whether the text says more than the value.
    pub keep_text: bool,
    /// Why the value is a mere `{}`.
    pub error: Option<ParseError>,
}

/// Parses the whole argument text of one call, once, strictly; None if it is nested too deep.
///
/// Empty or JSON white space only is `{}`. Everything that RFC 8259 refuses is `InvalidJson`; so
/// are, since no document may hold them, a lone surrogate and a number beyond a double's range. Of
/// duplicate names the last wins. An integer beyond ±(2^53 - 1), written without fraction and
/// exponent, keeps the text beside the value. Depth counts brackets outside strings, whether or
/// not the text is JSON.
#[must_use]
pub fn parse_arguments(text: &str, max_depth: usize) -> Option<ParsedArguments> {
    let most = max_depth.min(STACK_DEPTH);
    if may_pass_depth(text, most) && bracket_depth(text) > most {
        return None;
    }
    if text.trim_matches([' ', '\t', '\n', '\r']).is_empty() {
        return Some(ParsedArguments { value: Map::new(), keep_text: false, error: None });
    }
    let says_more = long_digits(text.as_bytes(), 16) || may_hide(text);
    Some(match (says_more, plain(text)) {
        (false, Ok(Value::Object(value))) => {
            ParsedArguments { value, keep_text: false, error: None }
        }
        (false, Ok(_)) => failed(ParseError::NotAnObject),
        (false, Err(_)) if !text.contains("\\u") => failed(ParseError::InvalidJson),
        _ => with_care(text),
    })
}

fn failed(error: ParseError) -> ParsedArguments {
    ParsedArguments { value: Map::new(), keep_text: true, error: Some(error) }
}

fn with_care(text: &str) -> ParsedArguments {
    let Some((value, seen)) = decode_document(text) else {
        return failed(ParseError::InvalidJson);
    };
    if seen.refused || seen.digits > MOST_DIGITS {
        return failed(ParseError::InvalidJson);
    }
    let keep_text = holds_unsafe(&value);
    match document_of(&value) {
        Err(_) => failed(ParseError::InvalidJson),
        Ok(Value::Object(value)) => ParsedArguments { value, keep_text, error: None },
        Ok(_) => failed(ParseError::NotAnObject),
    }
}

/// Tells whether an integer beyond ±(2^53 - 1), written without fraction and exponent, is in it.
fn holds_unsafe(value: &Raw) -> bool {
    match value {
        Raw::Int(number) => number.unsigned_abs() > MAX_SAFE,
        Raw::Huge(_) => true,
        Raw::Array(items) => items.iter().any(holds_unsafe),
        Raw::Object(members) => members.iter().any(|(_, member)| holds_unsafe(member)),
        _ => false,
    }
}
