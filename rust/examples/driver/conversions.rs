//! Between families: convert.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use partwire::convert::{Context, ConvertOptions, convert, losses_for};
use partwire::{Error, MAX_DEPTH, Version, decode_json};
use partwire::{Value, json};

use crate::serving::served;
use crate::values::{Outcome, bytes, flag, losses, refusal, text, words};

pub(crate) fn documents(given: &Value, version: Version) -> Outcome {
    let document = match list_or_document(&bytes(&given["document"])?) {
        Ok(document) => document,
        Err(error) => return Ok(refusal(&error)),
    };
    let ran_out = Arc::new(AtomicBool::new(false));
    let codes = given["accept"].as_array().into_iter().flatten();
    let options = ConvertOptions {
        strict: flag(given, "strict"),
        accept: codes.map(|code| code.as_str().unwrap_or("").to_owned()).collect(),
        context: context(&given["context"], &ran_out),
    };
    let made = convert(&document, text(given, "type"), text(given, "to"), &options);
    if ran_out.load(Ordering::Relaxed) {
        return Err("the id maker has no more ids".to_owned());
    }
    let made = match made {
        Ok(made) => made,
        Err(error) => return Ok(refusal(&error)),
    };
    let name = target(text(given, "type"), text(given, "to"));
    let value = match made.value {
        Value::Array(values) => {
            values.iter().map(|value| served(value, name, version)).collect::<Result<_, _>>()
        }
        value => served(&value, name, version),
    };
    let value = value.map_err(words)?;
    Ok(json!({"value": value, "losses": losses(&losses_for(&made.losses, version))}))
}

/// Returns the type of the results.
fn target(source: &str, to: &str) -> &'static str {
    let is_it = |(known, target): &&(&str, &str)| {
        *known == source && (*target == to || target.split('.').next() == Some(to))
    };
    partwire::convert::CONVERSIONS.iter().find(is_it).map_or("", |(_, target)| target)
}

/// Decodes a text that is a document, or a list of documents, each of which may be as deep as any.
fn list_or_document(data: &[u8]) -> Result<Value, Error> {
    match decode_json(data) {
        Err(error) if error.rule() == "document/too-deep" && depth(data) <= 2 * MAX_DEPTH => {
            let mut reader = serde_json::Deserializer::from_slice(data);
            reader.disable_recursion_limit();
            serde::Deserialize::deserialize(&mut reader).map_err(|_| error)
        }
        decoded => decoded,
    }
}

/// Returns how deep brackets outside strings are nested.
fn depth(data: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut is_escaped) = (0usize, 0, false, false);
    for byte in data {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn context(given: &Value, ran_out: &Arc<AtomicBool>) -> Context {
    let mut made = Context::new();
    for (name, value) in given.as_object().into_iter().flatten() {
        if name != "ids" {
            made = made.with(name, value.clone());
            continue;
        }
        let ids = value.as_array().cloned().unwrap_or_default();
        let ids = Mutex::new(ids.into_iter());
        let ran_out = Arc::clone(ran_out);
        made = made.make_id(move || {
            let id = ids.lock().ok().and_then(|mut ids| ids.next());
            ran_out.fetch_or(id.is_none(), Ordering::Relaxed);
            id.as_ref().and_then(Value::as_str).unwrap_or("").to_owned()
        });
    }
    made
}
