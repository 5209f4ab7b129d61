//! Provider state of a message: `meta.opaque` of v0.1, and `opaque` on the parts of v0.2.
//!
//! v0.1 says `meta.opaque = {dialect, parts: {"<index>": [items]}, toolCallIds?: {id: own|null}}`,
//! by the index of the part; what is at the number of parts is behind the last one. v0.2
//! says `opaque = {provider, data: {items, toolCallId?}}` on the part itself. Whatever does not
//! have these forms stays where it is on the way up, so that down again gives the same document.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{Value, json};

use crate::contract::types::Map;
use crate::json::fields::{Fields, filtered};
use crate::tables::limits::MAX_DEPTH;

/// The member of an item that says how many parts further on it belongs, in v0.2 alone.
pub(crate) const OFFSET: &str = "partOffset";
/// How deep an item of a part is in a message of v0.2.
const DEPTH: usize = 8;

/// Tells whether a part of a kind is text.
pub(crate) fn is_text(kind: &str) -> bool {
    matches!(kind, "text" | "thinking")
}

/// Tells whether a part of a kind may have provider state.
pub(crate) fn is_carrier(kind: &str) -> bool {
    is_text(kind) || kind == "tool_call"
}

/// Returns a JSON integer that a double holds exactly, and which may be written 1.0; None for any
/// other value.
pub(crate) fn whole_number(value: &Value) -> Option<i128> {
    const BEYOND: i128 = 1 << 53;
    let number = value.as_number()?;
    #[allow(clippy::cast_possible_truncation)] // a float that is too large ends beyond, too
    let of_float = |float: f64| (float.fract() == 0.0).then_some(float as i128);
    let whole = number.as_i128().or_else(|| of_float(number.as_f64()));
    whole.filter(|whole| -BEYOND < *whole && *whole < BEYOND)
}

/// `meta.opaque` of v0.1, taken apart; `ids` is None where it has no toolCallIds.
pub(crate) struct State {
    pub dialect: String,
    pub parts: Map,
    pub ids: Option<Map>,
}

impl State {
    /// Returns `meta.opaque` taken apart; None where it is of another form.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let members = value.as_object()?;
        let is_known = |name: &String| matches!(name.as_str(), "dialect" | "parts" | "toolCallIds");
        if !members.keys().all(is_known) || members.text("dialect").is_empty() {
            return None;
        }
        let ids = match members.get("toolCallIds") {
            Some(ids) => Some(ids.as_object()?.clone()),
            None => None,
        };
        let parts = members.get("parts")?.as_object()?.clone();
        Some(Self { dialect: members.text("dialect").to_owned(), parts, ids })
    }

    /// Returns it as `meta.opaque` says it.
    pub(crate) fn into_value(self) -> Value {
        let mut made = json!({"dialect": self.dialect, "parts": self.parts});
        if let (Some(ids), Some(members)) = (self.ids, made.as_object_mut()) {
            members.insert("toolCallIds".to_owned(), ids.into());
        }
        made
    }
}

/// Tells whether `data` of an opaque on a part of `kind` is what an adapter writes.
pub(crate) fn has_form(data: &Value, kind: &str) -> bool {
    let Some(members) = data.as_object() else { return false };
    let is_known = |name: &String| matches!(name.as_str(), "items" | "toolCallId");
    let items = match members.get("items") {
        Some(Value::Array(items)) => items.as_slice(),
        Some(_) => return false,
        None => &[],
    };
    if !members.keys().all(is_known) || !items.iter().all(Value::is_object) {
        return false;
    }
    match members.get("toolCallId") {
        None => !items.is_empty(),
        Some(own) => kind == "tool_call" && (own.is_null() || own.is_string()),
    }
}

pub(crate) fn at(item: &Value, start: Value, end: Value) -> Value {
    let mut made = item.clone();
    if let Some(members) = made.as_object_mut() {
        members.insert("start".to_owned(), start);
        members.insert("end".to_owned(), end);
    }
    made
}

/// Returns an item of a part of `size` characters that now begins at `by` in another.
pub(crate) fn shifted(item: &Value, by: i64, size: i64) -> Value {
    match (whole_number(item.at("start")), whole_number(item.at("end"))) {
        (Some(start), Some(end)) => at(item, moved(start, by), moved(end, by)),
        _ => at(item, by.into(), by.saturating_add(size).into()),
    }
}

fn moved(number: i128, by: i64) -> Value {
    let sum = number.saturating_add(by.into());
    #[allow(clippy::cast_precision_loss)] // beyond 64 bits, a number of JSON is a double
    let far = || Value::from(sum as f64);
    i64::try_from(sum)
        .map(Value::from)
        .or_else(|_| u64::try_from(sum).map(Value::from))
        .unwrap_or_else(|_| far())
}

/// Returns a message of v0.1 with its provider state on the parts, as v0.2 has it.
///
/// What cannot be on a part stays in `meta.opaque`. What is behind the last part gets its own empty
/// part.
pub(crate) fn lift_state(message: &Value) -> Value {
    let meta = message.at("meta");
    let Some(mut state) = State::read(meta.at("opaque")) else { return message.clone() };
    let has_empty_ids = state.ids.as_ref().is_some_and(Map::is_empty);
    let mut parts = message.list("parts").to_vec();
    let mut has_changed = false;
    let kinds: Vec<String> = parts.iter().map(|part| part.text("kind").to_owned()).collect();
    for (index, part) in parts.iter_mut().enumerate() {
        let following = kinds.get(index + 1).map(String::as_str);
        has_changed |= lift(part, index, following, &mut state);
    }
    if let Some(part) = behind(message, &mut state) {
        parts.push(part);
        has_changed = true;
    }
    if !has_changed {
        return message.clone();
    }
    let mut others = filtered(meta, |name, _| name != "opaque");
    let has_ids = state.ids.as_ref().is_some_and(|ids| !ids.is_empty());
    if !state.parts.is_empty() || has_ids || has_empty_ids {
        others.insert("opaque".to_owned(), state.into_value());
    }
    let mut made = filtered(message, |name, _| name != "meta");
    made.insert("parts".to_owned(), parts.into());
    if !others.is_empty() {
        made.insert("meta".to_owned(), others.into());
    }
    Value::Object(made)
}

/// Gives `part` its state, which is taken out of `state`; tells whether it has any.
fn lift(part: &mut Value, index: usize, following: Option<&str>, state: &mut State) -> bool {
    let key = index.to_string();
    let mut data = Map::new();
    data.insert("items".to_owned(), json!([]));
    let mut has_any = false;
    if may_carry(part, following) && state.parts.get(&key).is_some_and(are_items) {
        if let Some(items) = state.parts.remove(&key) {
            data.insert("items".to_owned(), items);
            has_any = true;
        }
    }
    if part.text("kind") == "tool_call" {
        let call = part.at("payload").text("toolCallId");
        let own = state.ids.as_ref().and_then(|ids| ids.get(call));
        if own.is_some_and(|own| own.is_null() || own.is_string()) {
            if let Some(own) = state.ids.as_mut().and_then(|ids| ids.remove(call)) {
                data.insert("toolCallId".to_owned(), own);
                has_any = true;
            }
        }
    }
    if !has_any {
        return false;
    }
    let opaque = json!({"provider": state.dialect, "data": data});
    if let Some(payload) = part.get_mut("payload").and_then(Value::as_object_mut) {
        payload.insert("opaque".to_owned(), opaque);
    }
    true
}

/// Tells whether down again gives this part, alone and by itself, the same items.
fn may_carry(part: &Value, following: Option<&str>) -> bool {
    let kind = part.text("kind");
    if is_text(kind) {
        return !part.at("payload").text("text").is_empty() && following != Some(kind);
    }
    is_carrier(kind)
}

/// Returns the empty part for what is behind the last part, taken out of `state`.
fn behind(message: &Value, state: &mut State) -> Option<Value> {
    let parts = message.list("parts");
    let key = parts.len().to_string();
    let items = state.parts.get(&key)?;
    let stand_before = items.as_array()?.iter().all(stands_before);
    if message.text("role") != "assistant" || !are_items(items) || !stand_before {
        return None;
    }
    let items = state.parts.remove(&key)?;
    let opaque = json!({"provider": state.dialect, "data": {"items": items}});
    let kind = other_text(parts.last().map_or("", |last| last.text("kind")));
    Some(json!({"kind": kind, "payload": {"text": "", "opaque": opaque}}))
}

/// Returns the kind of a text that is not a part of what is before it.
pub(crate) fn other_text(last: &str) -> &'static str {
    if last == "thinking" { "text" } else { "thinking" }
}

fn stands_before(item: &Value) -> bool {
    ["start", "end"].into_iter().all(|name| whole_number(item.at(name)) == Some(0))
}

fn are_items(value: &Value) -> bool {
    let Some(items) = value.as_array() else { return false };
    // Down, an item with an offset would go elsewhere.
    let fits = |item: &Value| item.as_object().is_some_and(|item| !item.contains_key(OFFSET));
    !items.is_empty() && items.iter().all(fits) && !is_too_deep(items)
}

/// Tells whether the items would be nested beyond the limit at their new place.
fn is_too_deep(items: &[Value]) -> bool {
    let mut level: Vec<&Value> = items.iter().collect();
    for _ in 0..MAX_DEPTH - DEPTH {
        let mut below = Vec::new();
        for node in level {
            match node {
                Value::Array(items) => below.extend(items),
                Value::Object(members) => below.extend(members.values()),
                _ => {}
            }
        }
        if below.is_empty() {
            return false;
        }
        level = below;
    }
    true
}

/// Returns the index that a member of `parts` names; None where it is not an index.
pub(crate) fn index_of(key: &str) -> Option<usize> {
    let is_index = key == "0" || (!key.starts_with('0') && (1..=9).contains(&key.len()));
    let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
    if is_index && is_number { key.parse().ok() } else { None }
}

// -------------------------------------------------------------------------------------------------
// Provider state that is at another part than it belongs to, as late state of a stream does.

/// The parts of a message of v0.2, with each item of state where it belongs.
pub(crate) struct Settled {
    /// Each part with the index that it had; a part that is new has the last one's.
    pub parts: Vec<(usize, Value)>,
    /// Which parts that changed.
    pub changed: Vec<usize>,
}

/// Puts each item of state where it belongs.
///
/// `partOffset` of an item says how many parts further on that is; v0.1, which has all state in
/// one place, says it by the index. What belongs behind the last part of an assistant gets its
/// own part, and a part that was there for such state alone is left out; other roles may have no
/// such part, and the item stays where it is.
pub(crate) fn settled(parts: &[Value], role: &str) -> Settled {
    let mut places: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    let mut givers: BTreeMap<usize, &str> = BTreeMap::new(); // the provider of what a part is given
    let mut changed = BTreeSet::new();
    for (index, part) in parts.iter().enumerate() {
        for item in items_of(part) {
            let target = target_of(item, index, parts, role);
            let mut kept = item.clone();
            if target != index {
                kept = filtered(item, |name, _| name != OFFSET).into();
                givers.insert(target, part.at("payload").at("opaque").text("provider"));
                changed.extend([index, target]);
            }
            places.entry(target).or_default().push(kept);
        }
    }
    let mut made = parts.to_vec();
    if changed.contains(&parts.len()) {
        let last = parts.last().map_or("", |last| last.text("kind"));
        made.push(json!({"kind": other_text(last), "payload": {"text": ""}}));
    }
    let end = parts.len().saturating_sub(1);
    let mut kept = Vec::new();
    for (index, mut part) in made.into_iter().enumerate() {
        if changed.contains(&index) {
            let items = places.remove(&index).unwrap_or_default();
            put_items(&mut part, items, givers.get(&index).copied().unwrap_or(""));
            if !says(&part) {
                continue;
            }
        }
        kept.push((index.min(end), part));
    }
    Settled { parts: kept, changed: changed.into_iter().filter(|index| *index <= end).collect() }
}

fn items_of(part: &Value) -> &[Value] {
    let opaque = part.at("payload").at("opaque");
    if is_carrier(part.text("kind")) && has_form(opaque.at("data"), part.text("kind")) {
        return opaque.at("data").list("items");
    }
    &[]
}

/// Returns the index of the part that an item belongs to; its own, where that cannot have it.
fn target_of(item: &Value, index: usize, parts: &[Value], role: &str) -> usize {
    let offset = whole_number(item.at(OFFSET)).unwrap_or(0);
    let target = isize::try_from(offset).ok().and_then(|offset| index.checked_add_signed(offset));
    let Some(target) = target.filter(|target| *target <= parts.len()) else { return index };
    let Some(part) = parts.get(target) else {
        return if role == "assistant" { target } else { index };
    };
    if !is_carrier(part.text("kind")) {
        return index;
    }
    let Some(opaque) = part.at("payload").get("opaque") else { return target };
    let own = parts.get(index).map_or("", |own| own.at("payload").at("opaque").text("provider"));
    let fits = has_form(opaque.at("data"), part.text("kind")) && opaque.text("provider") == own;
    if fits { target } else { index }
}

/// Gives a part other items of state.
fn put_items(part: &mut Value, items: Vec<Value>, provider: &str) {
    let Some(payload) = part.get_mut("payload").and_then(Value::as_object_mut) else { return };
    let old = payload.remove("opaque");
    let old = old.unwrap_or_else(|| json!({"provider": provider, "data": {}}));
    let mut data = filtered(old.at("data"), |_, _| true);
    let is_empty = items.is_empty();
    data.insert("items".to_owned(), items.into());
    if !is_empty || data.len() > 1 {
        let mut opaque = filtered(&old, |_, _| true);
        opaque.insert("data".to_owned(), data.into());
        payload.insert("opaque".to_owned(), opaque.into());
    }
}

/// Tells whether a part says anything without the state that it gave away.
fn says(part: &Value) -> bool {
    let payload = part.at("payload");
    !is_text(part.text("kind")) || !payload.text("text").is_empty() || payload.has("opaque")
}
