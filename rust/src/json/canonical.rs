//! The canonical form of a JSON value, RFC 8785: equal values are equal bytes in every language.

use std::fmt::Write;

use crate::json::Value;

use crate::errors::Error;
use crate::json::documents::check_depth;

/// Returns the canonical JSON text of a value: members in the order of their names' UTF-16 code
/// units, numbers as ECMAScript writes them.
///
/// Fails with [`Error::Write`] `document/too-deep`.
pub fn canonical(value: &Value) -> Result<String, Error> {
    check_depth(value).map_err(Error::Write)?;
    let mut out = String::new();
    put(value, &mut out);
    Ok(out)
}

fn put(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => {
            let double = number.as_f64();
            out.push_str(ryu_js::Buffer::new().format(double));
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                put(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            out.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                text(name, out);
                out.push(':');
                put(member, out);
            }
            out.push('}');
        }
        Value::String(string) => text(string, out),
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
    }
}

/// Writes a string as ECMAScript does: the short escapes, and `\u00xx` in lower case.
fn text(string: &str, out: &mut String) {
    out.push('"');
    for char in string.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => _ = write!(out, "\\u{:04x}", u32::from(char)),
            _ => out.push(char),
        }
    }
    out.push('"');
}
