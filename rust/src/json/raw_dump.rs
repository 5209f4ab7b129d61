//! JSON text of raw values, as Python's own writer gives it: the one that other peers write, too.

use std::fmt::Write;

use crate::json::raw::Raw;
use crate::json::raw_text::Text;

/// Returns JSON text of an object that came in place of text.
///
/// Characters stand as they are, unless half of one is among them: then all that is not ASCII is
/// escaped.
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

/// Writes a string; halves of characters are spelled out, and all else that is not ASCII if asked.
pub(crate) fn put_text(text: Text<'_>, is_ascii: bool, out: &mut String) {
    out.push('"');
    for point in text.points() {
        match char::from_u32(point) {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(char) if char >= ' ' && (char.is_ascii() || !is_ascii) => out.push(char),
            Some(char) => {
                let mut units = [0; 2];
                for unit in char.encode_utf16(&mut units) {
                    _ = write!(out, "\\u{unit:04x}");
                }
            }
            None => _ = write!(out, "\\u{point:04x}"),
        }
    }
    out.push('"');
}

/// Returns a number as Python writes it: the fewest digits, an exponent below -4 and from 16 on.
pub(crate) fn float_text(number: f64) -> String {
    if !number.is_finite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let spelled = format!("{number:e}");
    let (mantissa, exponent) = spelled.split_once('e').unwrap_or((&spelled, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{number}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}
