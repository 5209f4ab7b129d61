//! What can be said of text and values without reading them.

use crate::json::Value;

/// Returns the JSON type of a value by its name in schemas.
pub(crate) fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns how deep brackets outside strings are nested; the text need not be JSON.
pub(crate) fn bracket_depth(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut deepest, mut at) = (0isize, 0isize, 0usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at + 1),
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    deepest.unsigned_abs()
}

/// Returns where the string that goes on at `at` has its closing quote, or the end of the text.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// Tells whether there are more opening brackets in `text` than `most`.
pub(crate) fn may_pass_depth(text: &str, most: usize) -> bool {
    let is_opening = |byte: &&u8| matches!(byte, b'{' | b'[');
    text.len() > most && text.as_bytes().iter().filter(is_opening).count() > most
}

/// Tells whether text may hold what typed decoding does not see: a lone surrogate, or a number
/// beyond a double, in a member that it passes over.
pub(crate) fn may_hide(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 309 && !has_hint(bytes) {
        return false;
    }
    let digits = |from: usize, count: usize| {
        bytes.get(from..from + count).is_some_and(|run| run.iter().all(u8::is_ascii_digit))
    };
    bytes.iter().enumerate().any(|(at, byte)| match byte {
        b'\\' => {
            matches!(bytes.get(at + 1), Some(b'u'))
                && matches!(bytes.get(at + 2), Some(b'd' | b'D'))
        }
        b'e' | b'E' => digits(at + 1 + usize::from(bytes.get(at + 1) == Some(&b'+')), 3),
        _ => false,
    }) || (bytes.len() >= 309 && long_digits(bytes, 309))
}

/// Tells whether there is the beginning of what [`may_hide`] looks for; without a branch for each
/// byte, since nearly every text has none.
#[allow(clippy::needless_bitwise_bool)]
fn has_hint(bytes: &[u8]) -> bool {
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    pairs.fold(false, |found, (byte, next)| {
        let escape = (*byte == b'\\') & (*next == b'u');
        let exponent = (*byte | 0x20 == b'e') & (next.is_ascii_digit() | (*next == b'+'));
        found | escape | exponent
    })
}

/// Tells whether a run of at least `least` digits is in the text.
pub(crate) fn long_digits(bytes: &[u8], least: usize) -> bool {
    bytes.split(|byte| !byte.is_ascii_digit()).any(|run| run.len() >= least)
}
