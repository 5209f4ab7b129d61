//! What the protocol writes for bytes, findings and refusals.

use partwire::{Contract, Error, Finding, Limits, Loss, Version, to_value};
use partwire::{Value, json};

use crate::serving;

/// A result, or why the driver itself failed.
pub(crate) type Outcome = Result<Value, String>;

#[allow(clippy::needless_pass_by_value)] // as map_err wants it
pub(crate) fn words(error: Error) -> String {
    error.to_string()
}

/// Returns the bytes that a Text of the protocol encodes.
pub(crate) fn bytes(text: &Value) -> Result<Vec<u8>, String> {
    match text {
        Value::String(text) => Ok(text.clone().into_bytes()),
        other => from_base64(other["base64"].as_str().ok_or("no text")?),
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn from_base64(text: &str) -> Result<Vec<u8>, String> {
    let (mut made, mut bits, mut count) = (Vec::new(), 0u32, 0u32);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let digit = ALPHABET.iter().position(|each| *each == byte).ok_or("no base64")?;
        bits = (bits << 6) | u32::try_from(digit).unwrap_or(0);
        count += 6;
        if count >= 8 {
            count -= 8;
            made.push(u8::try_from((bits >> count) & 0xff).unwrap_or(0));
        }
    }
    Ok(made)
}

/// Returns bytes as a Text of the protocol.
pub(crate) fn text_of(bytes: Vec<u8>) -> Value {
    match String::from_utf8(bytes) {
        Ok(text) => Value::String(text),
        Err(cause) => json!({"base64": to_base64(cause.as_bytes())}),
    }
}

fn to_base64(bytes: &[u8]) -> String {
    let mut made = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0, |bits, byte| (bits << 8) | u32::from(*byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = usize::try_from((bits >> (18 - 6 * place)) & 63).unwrap_or(0);
            made.push(if place > chunk.len() { '=' } else { char::from(ALPHABET[digit]) });
        }
    }
    made
}

pub(crate) fn findings<'a>(found: impl IntoIterator<Item = &'a Finding>) -> Value {
    let row = |finding: &Finding| {
        let Finding { rule, pointer, severity, .. } = finding;
        json!({"rule": rule, "pointer": pointer, "severity": severity.as_str()})
    };
    found.into_iter().map(row).collect()
}

pub(crate) fn losses<'a>(found: impl IntoIterator<Item = &'a Loss>) -> Value {
    let row = |loss: &Loss| {
        let severity = loss.severity.as_str();
        json!({"code": loss.code, "pointer": loss.pointer, "severity": severity})
    };
    found.into_iter().map(row).collect()
}

pub(crate) fn place(error: &Error) -> Value {
    let pointer = error.findings().first().map_or("", |found| &found.pointer);
    json!({"rule": error.rule(), "pointer": pointer})
}

pub(crate) fn refusal(error: &Error) -> Value {
    let mut made = place(error);
    made["findings"] = findings(error.findings());
    json!({"error": made})
}

pub(crate) fn text<'a>(given: &'a Value, name: &str) -> &'a str {
    given[name].as_str().unwrap_or("")
}

pub(crate) fn flag(given: &Value, name: &str) -> bool {
    given[name].as_bool().unwrap_or(false)
}

/// Returns the limits of a stream, recommended ones where none are given.
pub(crate) fn limits(given: &Value) -> Limits {
    let mut limits = Limits::default();
    for (name, value) in given.as_object().into_iter().flatten() {
        let Some(value) = value.as_u64() else { continue };
        match name.as_str() {
            "text_bytes" => limits.text_bytes = value,
            "arguments_bytes" => limits.arguments_bytes = value,
            "tool_calls" => limits.tool_calls = value,
            "parts" => limits.parts = value,
            "arguments_depth" => limits.arguments_depth = value,
            "id_chars" => limits.id_chars = value,
            "opaque_bytes" => limits.opaque_bytes = value,
            "opaque_depth" => limits.opaque_depth = value,
            "payload_bytes" => limits.payload_bytes = value,
            "payload_depth" => limits.payload_depth = value,
            "media_bytes" => limits.media_bytes = value,
            "agents" => limits.agents = value,
            _ => {}
        }
    }
    limits
}

/// Returns the refusal of a line: rule and line, and what else is known of it.
pub(crate) fn line_error(error: &Error, line: usize) -> Value {
    let mut found = json!({"rule": error.rule(), "line": line});
    if let Error::Stream(refusal) = error {
        if let Some(seq) = refusal.seq {
            found["seq"] = seq.into();
        }
        if let Some(limit) = refusal.limit {
            found["limit"] = limit.into();
        }
    }
    found
}

/// Returns a value as a reader of a version gets it.
pub(crate) fn served<T: Contract>(value: &T, version: Version) -> Outcome {
    serving::served(&to_value(value).map_err(words)?, T::TYPE, version).map_err(words)
}
