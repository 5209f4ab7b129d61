//! Documents: validate and read.

use partwire::{Error, Mode, Reading, Version, read_value, validate};
use partwire::{Value, json};

use crate::values::{Outcome, bytes, findings, refusal, text, words};

pub(crate) fn checked(given: &Value, version: Version) -> Outcome {
    let document = bytes(&given["document"])?;
    let found = validate(&document, text(given, "type"), version).map_err(words)?;
    Ok(json!({"findings": findings(&found)}))
}

pub(crate) fn read(given: &Value, mode: Mode, version: Version) -> Outcome {
    let document = bytes(&given["document"])?;
    match read_value(&document, text(given, "type"), mode, version) {
        Ok(read) => Ok(outcome(&read)),
        Err(error @ Error::Usage(_)) => Err(words(error)),
        Err(error) => Ok(refusal(&error)),
    }
}

fn outcome(read: &Reading<Value>) -> Value {
    let mut made = json!({"value": read.value, "findings": findings(&read.findings)});
    if !read.defaults.is_empty() {
        made["defaults"] = json!(read.defaults);
    }
    made
}
