//! Requests: encode.

use partwire::providers::requests::{RequestInput, dialects, encode_request};
use partwire::{Value, json};
use partwire::{Version, decode_json};

use crate::values::{Outcome, bytes, findings, refusal, text};

pub(crate) fn encode(given: &Value, _: Version) -> Outcome {
    let dialect = text(given, "dialect");
    if !dialects().any(|name| name == dialect) {
        return Ok(Value::Null);
    }
    let asked = match decode_json(&bytes(&given["input"])?) {
        Ok(asked) => asked,
        Err(error) => return Ok(refusal(&error)),
    };
    if asked.get("messages").is_none() || asked.get("config").is_none() {
        return Err("a request has messages and config".to_owned());
    }
    Ok(match encode_request(dialect, &RequestInput::from_value(&asked)) {
        Ok(encoded) => json!({"body": encoded.body, "findings": findings(&encoded.findings)}),
        Err(error) => refusal(&error),
    })
}
