//! What each move makes of a state, as JSON values.

use crate::contract::types::Map;
use crate::errors::{Error, Finding};
use crate::json::Value;
use crate::tables::tool_states::EMPTY_OUTPUT_PLACEHOLDER;

pub(super) fn to_running(state: &Map, given: &Map) -> Value {
    let mut made = Map::new();
    made.insert("status".to_owned(), "running".into());
    put(&mut made, "input", state.get("input").cloned());
    put(&mut made, "time", Some(times([("start", given.get("start").cloned())])));
    put(&mut made, "title", given.get("title").cloned());
    keep(&mut made, state, given);
    Value::Object(made)
}

/// Passes metadata and approval on, with what is given put over it.
fn keep(made: &mut Map, state: &Map, given: &Map) {
    put(made, "metadata", merged(state.get("metadata"), given.get("metadata")));
    put(made, "approval", decided(state.get("approval"), given.get("approval")));
}

pub(super) fn to_awaiting(state: &Map, given: &Map) -> Value {
    let mut made = Map::new();
    made.insert("status".to_owned(), "awaiting_approval".into());
    put(&mut made, "input", state.get("input").cloned());
    put(&mut made, "raw", state.get("raw").cloned());
    keep(&mut made, state, given);
    Value::Object(made)
}

pub(super) fn to_denied(state: &Map, given: &Map) -> Value {
    let mut made = Map::new();
    made.insert("status".to_owned(), "denied".into());
    put(&mut made, "input", state.get("input").cloned());
    put(&mut made, "error", given.get("error").cloned());
    keep(&mut made, state, given);
    Value::Object(made)
}

pub(super) fn to_completed(state: &Map, given: &Map) -> Result<Value, Error> {
    let output = given.get("output").cloned().unwrap_or_default();
    let title = chosen_title([given.get("title"), state.get("title"), given.get("tool")])?;
    let mut made = Map::new();
    made.insert("metadata".to_owned(), Value::Object(Map::new()));
    keep(&mut made, state, given);
    made.insert("status".to_owned(), "completed".into());
    put(&mut made, "input", state.get("input").cloned());
    put(&mut made, "output", Some(filled(output, given.get("emptyOutput"))?));
    put(&mut made, "title", Some(title));
    put(
        &mut made,
        "time",
        Some(times([("start", start_of(state)), ("end", given.get("end").cloned())])),
    );
    put(&mut made, "attachments", given.get("attachments").cloned());
    Ok(Value::Object(made))
}

pub(super) fn to_error(state: &Map, given: &Map) -> Value {
    let mut made = Map::new();
    made.insert("status".to_owned(), "error".into());
    put(&mut made, "input", state.get("input").cloned());
    put(&mut made, "error", given.get("error").cloned());
    put(
        &mut made,
        "time",
        Some(times([("start", start_of(state)), ("end", given.get("end").cloned())])),
    );
    keep(&mut made, state, given);
    Value::Object(made)
}

pub(super) fn rewritten(state: &Map, given: &Map) -> Result<Map, Error> {
    let mut made = state.clone();
    for name in ["raw", "error", "title", "input", "attachments"] {
        put(&mut made, name, given.get(name).cloned());
    }
    if given.contains_key("output") || given.contains_key("emptyOutput") {
        let output = given.get("output").or(state.get("output")).cloned().unwrap_or_default();
        put(&mut made, "output", Some(filled(output, given.get("emptyOutput"))?));
    }
    keep(&mut made, state, given);
    if given.contains_key("start") || given.contains_key("end") {
        let before = state.get("time").and_then(Value::as_object);
        let mut time = before.cloned().unwrap_or_default();
        put(&mut time, "start", given.get("start").cloned());
        put(&mut time, "end", given.get("end").cloned());
        put(&mut made, "time", Some(Value::Object(time)));
    }
    Ok(made)
}

fn put(made: &mut Map, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        made.insert(name.to_owned(), value);
    }
}

fn times<const N: usize>(rows: [(&str, Option<Value>); N]) -> Value {
    let mut made = Map::new();
    for (name, time) in rows {
        put(&mut made, name, time);
    }
    Value::Object(made)
}

fn start_of(state: &Map) -> Option<Value> {
    state.get("time")?.get("start").cloned()
}

fn filled(output: Value, policy: Option<&Value>) -> Result<Value, Error> {
    match policy.map(|policy| (policy, policy.as_str())) {
        Some((_, Some("placeholder"))) if output == "" => Ok(EMPTY_OUTPUT_PLACEHOLDER.into()),
        None | Some((_, Some("reject" | "placeholder"))) => Ok(output),
        Some((policy, _)) => {
            let message = "No such way to take an empty output";
            Err(Error::argument(message, "reject or placeholder", policy))
        }
    }
}

/// Returns the title that is given, else the first of the others that says something.
fn chosen_title([given, before, tool]: [Option<&Value>; 3]) -> Result<Value, Error> {
    let says = |title: &&Value| !title.is_null() && title.as_str() != Some("");
    let title = given.or_else(|| before.filter(says)).or_else(|| tool.filter(says));
    if let Some(title) = title.filter(|title| title.as_str() != Some("")) {
        return Ok(title.clone());
    }
    let message = "A completed call has a title, and there is none to fall back to";
    let finding = Finding::error("session/title-missing", "/title", message);
    Err(Error::Part(vec![finding.expected("a title, or the tool's name")]))
}

/// Returns metadata with members put over those of the same name.
fn merged(before: Option<&Value>, given: Option<&Value>) -> Option<Value> {
    match (before, given) {
        (Some(Value::Object(before)), Some(Value::Object(given))) => {
            let mut made = before.clone();
            made.extend(given.clone());
            Some(Value::Object(made))
        }
        (before, given) => given.or(before).cloned(),
    }
}

/// Returns an approval with members put over those of the same name, in its time too.
fn decided(before: Option<&Value>, given: Option<&Value>) -> Option<Value> {
    let mut made = merged(before, given)?;
    let time =
        |approval: Option<&Value>| approval?.get("time").filter(|time| time.is_object()).cloned();
    if let (Some(asked), Some(got), Value::Object(members)) = (time(before), time(given), &mut made)
    {
        put(members, "time", merged(Some(&asked), Some(&got)));
    }
    Some(made)
}
