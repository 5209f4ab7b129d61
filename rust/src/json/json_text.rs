//! JSON values as compact text that is the same in every language that has integers and floats:
//! numbers keep what they are, and floats are written as the shortest text that reads as them.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// Returns a value as compact JSON text; members stay in their order.
pub(crate) fn json_text(value: &Value) -> String {
    let mut out = Vec::new();
    let mut writer = Serializer::with_formatter(&mut out, Floats);
    // What a value holds can always be written, and its text is UTF-8.
    if value.serialize(&mut writer).is_err() {
        return String::new();
    }
    String::from_utf8(out).unwrap_or_default()
}

struct Floats;

impl Formatter for Floats {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(float_text(value).as_bytes())
    }
}

/// Returns a finite float with a fraction, or with an exponent where it is large or small.
fn float_text(value: f64) -> String {
    let spelled = format!("{value:e}");
    let (digits, exponent) = spelled.split_once('e').unwrap_or((&spelled, "0"));
    match exponent.parse::<i32>() {
        Ok(power) if !(-4..16).contains(&power) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", power.abs())
        }
        _ => {
            let plain = value.to_string();
            if plain.contains('.') { plain } else { plain + ".0" }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
