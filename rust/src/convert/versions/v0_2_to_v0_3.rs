//! The step between v0.2 and v0.3: up nothing changes but the declared version; down, what v0.2 has
//! no place for is left out and reported.

use std::collections::BTreeMap;

use crate::json::{Value, json};

use crate::convert::versions::opaque_state::{OFFSET, has_form, whole_number};
use crate::convert::versions::v0_1_to_v0_2::declares;
use crate::convert::versions::walk::Walk;
use crate::json::fields::{Fields, filtered, object, put};
use crate::tables::losses::KIND_CODES;
use crate::tables::tool_states::DENIED_PLACEHOLDER;

const OLD: &str = "v0.2";
const NEW: &str = "v0.3";

/// Returns the loss of a part or delta of a kind that v0.2 does not know.
pub(crate) fn code_of(kind: &str) -> Option<&'static str> {
    KIND_CODES.iter().find(|(known, _)| *known == kind).map(|(_, code)| *code)
}

/// Returns a document of a type of v0.2, whose members are those of v0.3, as v0.3 has it.
pub(crate) fn up(name: &str, mut value: Value) -> Value {
    if name.strip_prefix("envelope.").is_some_and(declares) {
        put(&mut value, "schema_version", NEW);
    }
    value
}

/// Returns what v0.2 has for a value of a definition of v0.3; None where only its members
/// distinguish them.
pub(crate) fn down(
    walk: &mut Walk,
    family: &str,
    name: &str,
    value: &Value,
    pointer: &str,
) -> Option<Value> {
    match (family, name) {
        ("message", "Message") => Some(message_down(walk, value, pointer)),
        ("message", "MessagePart" | "MessageDelta") => {
            let Some(code) = code_of(value.text("kind")) else {
                return Some(walk.variant(value, name, pointer));
            };
            walk.log.note(code, pointer);
            walk.has_no_place = true;
            Some(Value::Null)
        }
        ("session", "ToolStateAwaitingApproval") => Some(waiting_down(walk, value, pointer)),
        ("session", "ToolStateDenied") => Some(denied_down(walk, value, pointer)),
        ("session", "InvalidStateTransitionDetails") => Some(details_down(walk, value, pointer)),
        ("envelope", name) if declares(name) => {
            let mut made = walk.members(value, name, pointer);
            made.insert("schema_version".to_owned(), OLD.into());
            Some(Value::Object(made))
        }
        _ => None,
    }
}

/// Tells whether going down may change a document that v0.2 takes as it is.
pub(crate) fn changes(family: &str, _: &Value) -> bool {
    family == "envelope"
}

/// Returns a message without the parts that v0.2 does not know.
fn message_down(walk: &mut Walk, message: &Value, pointer: &str) -> Value {
    let given = message.list("parts");
    let mut places = BTreeMap::new();
    for (index, part) in given.iter().enumerate() {
        match code_of(part.text("kind")) {
            None => _ = places.insert(index, places.len()),
            Some(code) => walk.log.note(code, format!("{pointer}/parts/{index}")),
        }
    }
    let is_same = places.len() == given.len();
    let mut ends = places.clone();
    ends.insert(given.len(), places.len());
    let mut bare = message.clone();
    put(&mut bare, "parts", json!([]));
    let mut made = walk.members(&bare, "Message", pointer);
    let mut parts = Vec::new();
    for (index, part) in given.iter().enumerate() {
        let Some(place) = places.get(&index) else { continue };
        let at = format!("{pointer}/parts/{index}");
        if is_same {
            parts.push(walk.walk(part, "MessagePart", &at));
            continue;
        }
        let part = state_placed(walk, part, index, &ends, &at);
        parts.push(walk.walk(&part, "MessagePart", &at));
        walk.moved.insert(format!("{pointer}/parts/{place}"), at);
    }
    made.insert("parts".to_owned(), parts.into());
    Value::Object(made)
}

/// Returns a part whose items of state say where the parts that they belong to are now. An item of
/// a part that is left out is left out, too.
fn state_placed(
    walk: &mut Walk,
    part: &Value,
    index: usize,
    places: &BTreeMap<usize, usize>,
    pointer: &str,
) -> Value {
    let opaque = part.at("payload").at("opaque");
    let data = opaque.at("data");
    if !has_form(data, part.text("kind")) {
        return part.clone();
    }
    let end = places.last_key_value().map_or(0, |(end, _)| *end);
    let mut is_moved = false;
    let mut items = Vec::new();
    for item in data.list("items") {
        let offset = whole_number(item.at(OFFSET)).unwrap_or(0);
        let target = usize::try_from(index as i128 + offset).ok().filter(|target| *target <= end);
        let (Some(target), Some(own)) = (target, places.get(&index)) else {
            items.push(item.clone());
            continue;
        };
        let Some(place) = places.get(&target) else { continue };
        let moved = *place as i128 - *own as i128;
        let mut item = item.clone();
        if moved != offset {
            is_moved = true;
            put(&mut item, OFFSET, i64::try_from(moved).unwrap_or_default());
        }
        items.push(item);
    }
    let has_less = items.len() < data.list("items").len();
    if !has_less && !is_moved {
        return part.clone();
    }
    let code = if has_less { "opaque" } else { "opaque-moved" };
    walk.log.note(code, format!("{pointer}/payload/opaque"));
    let mut payload = filtered(part.at("payload"), |name, _| name != "opaque");
    let mut data = filtered(data, |name, _| name != "items");
    if !items.is_empty() {
        data.insert("items".to_owned(), items.into());
    }
    if !data.is_empty() {
        let mut opaque = opaque.clone();
        put(&mut opaque, "data", Value::Object(data));
        payload.insert("opaque".to_owned(), opaque);
    }
    let mut made = part.clone();
    put(&mut made, "payload", Value::Object(payload));
    made
}

/// Returns the state of a call that waits for a person as one that is pending.
fn waiting_down(walk: &mut Walk, state: &Value, pointer: &str) -> Value {
    walk.log.note("approval", format!("{pointer}/approval"));
    if state.has("metadata") {
        walk.log.note("unknown-member", format!("{pointer}/metadata"));
    }
    let (input, raw) = (state.at("input").clone(), state.at("raw").clone());
    Value::Object(object([("status", "pending".into()), ("input", input), ("raw", raw)]))
}

/// Returns the state of a denied call as an error, at the time of the decision.
fn denied_down(walk: &mut Walk, state: &Value, pointer: &str) -> Value {
    walk.log.note("approval", format!("{pointer}/approval"));
    let time = state.at("approval").at("time");
    let decided = ["decided", "requested"].iter().find(|name| time.has(name));
    let decided = decided.map_or(0, |name| time.whole(name));
    let error = if state.has("error") { state.text("error") } else { DENIED_PLACEHOLDER };
    let mut made = object([
        ("status", "error".into()),
        ("input", state.at("input").clone()),
        ("error", error.into()),
        ("time", json!({"start": decided, "end": decided})),
    ]);
    let metadata = state.get("metadata").cloned();
    made.extend(metadata.map(|metadata| ("metadata".to_owned(), metadata)));
    Value::Object(made)
}

/// Returns what is said of a refused move, by the name that the state has in v0.2.
fn details_down(walk: &mut Walk, details: &Value, pointer: &str) -> Value {
    let status = match details.text("currentStatus") {
        "awaiting_approval" => Some("pending"),
        "denied" => Some("error"),
        _ => None,
    };
    let mut told = details.clone();
    if let Some(status) = status {
        walk.log.note("approval", format!("{pointer}/currentStatus"));
        put(&mut told, "currentStatus", status);
    }
    Value::Object(walk.members(&told, "InvalidStateTransitionDetails", pointer))
}
