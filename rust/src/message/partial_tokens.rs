//! The tokens of JSON text that is cut anywhere: escapes, numbers and literals.

use serde_json::{Number, Value};

pub(crate) fn scalar_value(token: &str) -> Option<Value> {
    match token {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ if token.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) => {
            serde_json::from_str::<Number>(token).ok().map(Value::Number)
        }
        _ => None,
    }
}

/// Tells whether a token can go on to be a number or a literal.
pub(crate) fn is_begun(token: &str) -> bool {
    if ["true", "false", "null"].iter().any(|literal| literal.starts_with(token)) {
        return true;
    }
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    let rest = unsigned.get(whole..).unwrap_or("");
    let rest = match rest.strip_prefix('.') {
        None => rest,
        Some(_) if whole == 0 => return false,
        Some(fraction) => {
            let count = digits(fraction);
            let rest = fraction.get(count..).unwrap_or("");
            if count == 0 {
                return rest.is_empty();
            }
            rest
        }
    };
    match rest.strip_prefix(['e', 'E']) {
        None => rest.is_empty(),
        Some(_) if whole == 0 => false,
        Some(exponent) => {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            digits(exponent) == exponent.len()
        }
    }
}

pub(crate) enum Escape {
    /// A character, and the length of what says it.
    Char(char, usize),
    Cut,
    Wrong,
}

/// Reads the escape, or the two that are a pair, with which `text` begins.
pub(crate) fn escape(text: &str) -> Escape {
    let Some(byte) = text.as_bytes().get(1) else {
        return Escape::Cut;
    };
    let char = match byte {
        b'u' => return unicode(text),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        plain @ (b'"' | b'\\' | b'/') => char::from(*plain),
        _ => return Escape::Wrong,
    };
    Escape::Char(char, 2)
}

fn unicode(text: &str) -> Escape {
    let first = match unit(text, 0) {
        Ok(unit) => unit,
        Err(how) => return how,
    };
    if let Some(char) = char::from_u32(first) {
        return Escape::Char(char, 6);
    }
    if first >= 0xdc00 {
        return Escape::Wrong;
    }
    // What is there of the second half has to be its beginning.
    let second = text.as_bytes().get(6..).unwrap_or_default();
    let fits = second.iter().take(6).enumerate().all(|(at, byte)| match at {
        0 => *byte == b'\\',
        1 => *byte == b'u',
        2 => matches!(byte, b'd' | b'D'),
        3 => matches!(byte, b'c'..=b'f' | b'C'..=b'F'),
        _ => byte.is_ascii_hexdigit(),
    });
    if !fits {
        return Escape::Wrong;
    }
    match unit(text, 6) {
        Ok(low) => {
            let code = 0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00);
            char::from_u32(code).map_or(Escape::Wrong, |char| Escape::Char(char, 12))
        }
        Err(how) => how,
    }
}

/// Returns the unit of the escape `\uXXXX` at `at`.
fn unit(text: &str, at: usize) -> Result<u32, Escape> {
    let hex: Vec<u8> = text.bytes().skip(at + 2).take(4).collect();
    if !hex.iter().all(u8::is_ascii_hexdigit) {
        return Err(Escape::Wrong);
    }
    if hex.len() < 4 {
        return Err(Escape::Cut);
    }
    let digits = hex.iter().filter_map(|byte| char::from(*byte).to_digit(16));
    Ok(digits.fold(0, |sum, digit| sum * 16 + digit))
}
