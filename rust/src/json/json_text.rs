//! JSON values as compact text that is the same in every language that has integers and floats:
//! numbers keep what they are, and floats are written as the shortest text that reads as them.

use std::io::{self, Write};

use crate::json::Value;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Returns a value as compact JSON text; members stay in their order.
pub(crate) fn json_text(value: &Value) -> String {
    written(value, float_text)
}

/// Returns a value as compact JSON text as the JSON libraries of the other languages write it:
/// without a plus sign in an exponent.
pub(crate) fn library_text(value: &impl Serialize) -> String {
    written(value, |number| Value::from(number).to_string().replacen("e+", "e", 1))
}

fn written(value: &impl Serialize, float: fn(f64) -> String) -> String {
    let mut out = Vec::new();
    // What is given can always be written, and its text is UTF-8.
    _ = value.serialize(&mut Serializer::with_formatter(&mut out, Floats(float)));
    String::from_utf8(out).unwrap_or_default()
}

/// How floats are spelled.
struct Floats(fn(f64) -> String);

impl Formatter for Floats {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all((self.0)(value).as_bytes())
    }
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
        let plain = number.to_string();
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::json_text;

    #[test]
    fn numbers_keep_what_they_are() {
        let rows = [
            (json!(1), "1"),
            (json!(1.0), "1.0"),
            (json!(-0.0), "-0.0"),
            (json!(0.1), "0.1"),
            (json!(1e15), "1000000000000000.0"),
            (json!(1e16), "1e+16"),
            (json!(1.5e300), "1.5e+300"),
            (json!(0.0001), "0.0001"),
            (json!(0.000_012), "1.2e-05"),
            (json!(5e-324), "5e-324"),
            (json!(u64::MAX), "18446744073709551615"),
        ];
        for (value, text) in rows {
            assert_eq!(json_text(&value), text);
        }
    }

    #[test]
    fn text_is_compact_and_in_order() {
        let value = json!({"b": [1, "é\n\u{1}\u{7f}"], "a": {}});
        assert_eq!(json_text(&value), "{\"b\":[1,\"é\\n\\u0001\u{7f}\"],\"a\":{}}");
    }
}
