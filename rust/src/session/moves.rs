//! What each move makes of a state, as JSON values.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::error::{Error, Finding, clip_object};
use crate::session::{
    EMPTY_OUTPUT_PLACEHOLDER, Moved, followers, not_allowed, owned, state_changed, status_of,
};
use crate::types::Map;

// What may change while the call runs.
const OPEN_MEMBERS: [&str; 2] = ["title", "metadata"];

pub(crate) fn to_running(state: &Map, given: &Map) -> Result<Value, Error> {
    let mut made = Map::new();
    made.insert("status".to_owned(), "running".into());
    put(&mut made, "input", state.get("input").cloned());
    put(&mut made, "time", Some(times([("start", Some(needed(given, "start", "running")?))])));
    put(&mut made, "title", given.get("title").cloned());
    put(&mut made, "metadata", given.get("metadata").cloned());
    Ok(Value::Object(made))
}

pub(crate) fn to_completed(state: &Map, given: &Map) -> Result<Value, Error> {
    let output = needed(given, "output", "completed")?;
    let end = needed(given, "end", "completed")?;
    let title = chosen_title([given.get("title"), state.get("title"), given.get("tool")])?;
    let metadata = merged(state.get("metadata"), given.get("metadata"));
    let mut made = Map::new();
    made.insert("status".to_owned(), "completed".into());
    put(&mut made, "input", state.get("input").cloned());
    put(&mut made, "output", Some(filled(output, given.get("emptyOutput"))?));
    put(&mut made, "title", Some(title));
    put(&mut made, "metadata", Some(metadata.unwrap_or_else(|| Value::Object(Map::new()))));
    put(&mut made, "time", Some(times([("start", start_of(state)), ("end", Some(end))])));
    put(&mut made, "attachments", given.get("attachments").cloned());
    Ok(Value::Object(made))
}

pub(crate) fn to_error(state: &Map, given: &Map) -> Result<Value, Error> {
    let error = needed(given, "error", "error")?;
    let end = needed(given, "end", "error")?;
    let mut made = Map::new();
    made.insert("status".to_owned(), "error".into());
    put(&mut made, "input", state.get("input").cloned());
    put(&mut made, "error", Some(error));
    put(&mut made, "time", Some(times([("start", start_of(state)), ("end", Some(end))])));
    put(&mut made, "metadata", merged(state.get("metadata"), given.get("metadata")));
    Ok(Value::Object(made))
}

/// Returns the same status with what is given.
pub(crate) fn again(state: &Map, given: &Map) -> Result<Moved<Value>, Error> {
    if given.is_empty() {
        return Ok(Moved::Same);
    }
    let after = owned(&Value::Object(rewritten(state, given)?))?;
    same_status(state, after)
}

/// Returns the state that is there with what may change in it; refuses everything else.
fn same_status(state: &Map, after: Value) -> Result<Moved<Value>, Error> {
    let status = state.get("status").and_then(Value::as_str).unwrap_or("");
    let changed = changed(state, &after);
    for name in &changed {
        if status != "running" || !OPEN_MEMBERS.contains(&name.as_str()) {
            return Err(state_changed(status, name));
        }
    }
    Ok(if changed.is_empty() { Moved::Same } else { Moved::State(after) })
}

/// Returns the names of the members that are not the same, in their order.
fn changed(before: &Map, after: &Value) -> BTreeSet<String> {
    let empty = Map::new();
    let members = after.as_object().unwrap_or(&empty);
    let names = before.keys().chain(members.keys());
    let is_changed = |name: &&String| !same_member(before.get(*name), members.get(*name));
    names.filter(is_changed).cloned().collect()
}

/// Returns a state that was made elsewhere, if it may follow `before`; input and start stay.
pub(crate) fn followed(before: &Value, after: &Value) -> Result<Moved<Value>, Error> {
    let (current, to) = (status_of(before)?, status_of(after)?);
    if to != current && !followers(current).contains(&to) {
        return Err(not_allowed(current, to));
    }
    let made = owned(after)?;
    let empty = Map::new();
    let state = before.as_object().unwrap_or(&empty);
    if to == current {
        return same_status(state, made);
    }
    let changed = changed(state, &made);
    if changed.contains("input") {
        return Err(state_changed(current, "input"));
    }
    let start = |state: &Value| state.pointer("/time/start").cloned();
    if current == "running" && to != "pending" && start(before) != start(&made) {
        return Err(state_changed(current, "time"));
    }
    Ok(Moved::State(made))
}

fn rewritten(state: &Map, given: &Map) -> Result<Map, Error> {
    let mut made = state.clone();
    for name in ["raw", "error", "title", "input", "attachments"] {
        put(&mut made, name, given.get(name).cloned());
    }
    if given.contains_key("output") || given.contains_key("emptyOutput") {
        let output = given.get("output").or(state.get("output")).cloned().unwrap_or_default();
        put(&mut made, "output", Some(filled(output, given.get("emptyOutput"))?));
    }
    if given.contains_key("metadata") {
        put(&mut made, "metadata", merged(state.get("metadata"), given.get("metadata")));
    }
    if given.contains_key("start") || given.contains_key("end") {
        let before = state.get("time").and_then(Value::as_object);
        let mut time = before.cloned().unwrap_or_default();
        put(&mut time, "start", given.get("start").cloned());
        put(&mut time, "end", given.get("end").cloned());
        put(&mut made, "time", Some(Value::Object(time)));
    }
    Ok(made)
}

fn same_member(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Tells whether two JSON values are equal: numbers as numbers, members without order.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let fits = |(name, member)| other.get(name).is_some_and(|each| same(member, each));
            one.len() == other.len() && one.iter().all(fits)
        }
        _ => one == other,
    }
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

fn needed(given: &Map, name: &str, status: &str) -> Result<Value, Error> {
    given.get(name).cloned().ok_or_else(|| {
        let finding =
            Finding::error("usage/invalid-argument", "", &format!("{status} needs {name}"));
        Error::Usage(vec![finding.expected(name).actual(clip_object(given))])
    })
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
