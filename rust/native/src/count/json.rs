//! JSON text, made piece by piece: keys of rows, and what is handed to Python.

use std::io::Write;

use crate::scan::encoded;

/// Appends the comma before a member or an item, unless it is the first one.
pub fn comma(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'{' | b'[')) {
        out.push(b',');
    }
}

/// Appends a string.
pub fn string(out: &mut Vec<u8>, text: &str) {
    let mut escaped = String::new();
    plain(out, encoded(text, &mut escaped).0);
}

/// Appends a string that needs no escapes.
pub fn plain(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Appends a string that needs no escapes, or `null`.
pub fn plain_or_null(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => plain(out, text),
        None => null(out),
    }
}

pub fn null(out: &mut Vec<u8>) {
    out.extend_from_slice(b"null");
}

/// Appends a number: less work than the formatter of the standard library.
pub fn number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        #[allow(clippy::cast_possible_truncation)] // it is less than 10
        let digit = (number % 10) as u8;
        digits[at] = b'0' + digit;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a count, or `null`.
pub fn count_or_null(out: &mut Vec<u8>, count: Option<i64>) {
    match count {
        Some(count) => drop(write!(out, "{count}")),
        None => null(out),
    }
}

/// Appends the counts of a row, in brackets.
pub fn counts(out: &mut Vec<u8>, counts: &[Option<i64>]) {
    out.push(b'[');
    for count in counts {
        comma(out);
        count_or_null(out, *count);
    }
    out.push(b']');
}
