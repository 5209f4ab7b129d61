//! Histories in the formats of providers: the text of a document in, messages and losses out.

use partwire::formats::Context;
use partwire::internal::{read_values, rounded};

/// Digits in a row that an integer of more than 64 bits has at least.
const FEWEST_DIGITS: usize = 19;

/// What is read of a document, as JSON text: each message, and the array of the losses, each an
/// array of pointer, code, severity and detail.
pub type Read = (Vec<Vec<u8>>, Vec<u8>);

/// Reads a document of a format; None for one that is odd, and for formats that are not known here.
///
/// The messages are not validated.
pub fn read(format: &str, text: &[u8], context: &Context) -> Option<Read> {
    if may_hold_wide_integer(text) || may_hold_minus_zero(text) {
        return None;
    }
    let before = rounded();
    let (messages, losses) = read_values(format, text, context).ok()?;
    if rounded() != before {
        return None;
    }
    let messages = messages.iter().map(serde_json::to_vec).collect::<Result<_, _>>().ok()?;
    let losses: Vec<_> = losses
        .iter()
        .map(|loss| (&loss.pointer, loss.code, loss.severity.as_str(), &loss.detail))
        .collect();
    Some((messages, serde_json::to_vec(&losses).ok()?))
}

/// Tells whether a text may hold an integer beyond 64 bits: reading it as a value rounds it.
fn may_hold_wide_integer(text: &[u8]) -> bool {
    let mut at = FEWEST_DIGITS - 1;
    // Of so many digits in a row, one stands at each step.
    while let Some(byte) = text.get(at) {
        if byte.is_ascii_digit() {
            let before = text[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let behind = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let is_fraction = text[..at - before].last() == Some(&b'.');
            if before + behind >= FEWEST_DIGITS && !is_fraction {
                return true;
            }
            at += behind;
        }
        at += FEWEST_DIGITS;
    }
    false
}

/// Tells whether a text may hold `-0`: to Python it is the integer 0, to the crate a double.
fn may_hold_minus_zero(text: &[u8]) -> bool {
    let is_apart = |byte: Option<&u8>| byte.is_none_or(|byte| b"[]{},: \t\r\n".contains(byte));
    let mut at = 0;
    while let Some(step) = text[at..].iter().position(|byte| *byte == b'-') {
        at += step + 1;
        if text.get(at) == Some(&b'0')
            && is_apart(text.get(at + 1))
            && is_apart(text[..at - 1].last())
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{may_hold_minus_zero, may_hold_wide_integer};

    #[test]
    fn digits_in_a_row_are_found_wherever_they_stand() {
        for before in 0..40 {
            let text = |digits: &str| format!("{}{digits} ", " ".repeat(before));
            assert!(may_hold_wide_integer(text("9223372036854775809").as_bytes()));
            assert!(may_hold_wide_integer(text("1234 -9223372036854775809").as_bytes()));
            assert!(!may_hold_wide_integer(
                text("922337203685477580 922337203685477580").as_bytes()
            ));
            assert!(!may_hold_wide_integer(text("0.1234567890123456789012345").as_bytes()));
        }
    }

    #[test]
    fn minus_zero_is_an_integer_to_python() {
        for text in ["-0", "[-0]", "{\"a\": -0}", "[1,-0,-0.0]", "- -0"] {
            assert!(may_hold_minus_zero(text.as_bytes()), "{text}");
        }
        for text in ["", "-", "-0.0", "[-0e1]", "\"a-0b\"", "[0, -1]", "\"2026-01-02\""] {
            assert!(!may_hold_minus_zero(text.as_bytes()), "{text}");
        }
    }
}
