//! Provider state that stands at another part than it belongs to, as late state of a stream does.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::opaque_state::{OFFSET, has_form, is_carrier, is_text, other_text, whole_number};
use crate::fields::{Fields, filtered};

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
/// one place, says it by the index. What belongs behind the last part gets a part of its own, and
/// a part that was there for such state alone is left out.
pub(crate) fn settled(parts: &[Value]) -> Settled {
    let mut places: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    let mut givers: BTreeMap<usize, &str> = BTreeMap::new(); // the provider of what a part is given
    let mut changed = BTreeSet::new();
    for (index, part) in parts.iter().enumerate() {
        for item in items_of(part) {
            let target = target_of(item, index, parts);
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
fn target_of(item: &Value, index: usize, parts: &[Value]) -> usize {
    let offset = whole_number(item.at(OFFSET)).unwrap_or(0);
    let target = isize::try_from(offset).ok().and_then(|offset| index.checked_add_signed(offset));
    let Some(target) = target.filter(|target| *target <= parts.len()) else { return index };
    let Some(part) = parts.get(target) else { return target };
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
    let old = payload.shift_remove("opaque");
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
