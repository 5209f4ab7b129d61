//! Provider state of a stored message: read, checked, and put in its place.
//!
//! It is in the parts that it belongs to, `payload.opaque`; messages of v0.1 have it in
//! `meta.opaque`, which is read as well. It came from an adapter, through stores that know nothing
//! of it: nothing here trusts it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::json::{Value, json};

use crate::convert::versions::opaque_state::whole_number;
use crate::json::fields::Fields;
use crate::json::pointer::escape_pointer;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::values::Json;

/// One piece of provider state.
#[derive(Clone)]
pub(crate) struct Item {
    pub kind: String,
    pub data: Value,
    pub pointer: String,
    /// Where it begins and ends in the text of its part, in characters.
    pub span: Option<(usize, usize)>,
}

/// The state of one message, for the dialect that it came from.
#[derive(Default)]
pub(crate) struct MessageState {
    /// By part index; what is at the number of parts is behind the last one.
    pub parts: BTreeMap<usize, Vec<Item>>,
    /// The provider's own ids of calls whose id was minted, by part index; "" where it had none.
    pub call_ids: HashMap<usize, String>,
    /// The parts with state of another dialect.
    pub foreign: BTreeSet<usize>,
    /// Whether there is any of this dialect: its adapter wrote this message.
    pub known: bool,
}

impl MessageState {
    /// Returns the state of a part.
    pub(crate) fn of_part(&self, number: usize) -> &[Item] {
        self.parts.get(&number).map_or(&[], Vec::as_slice)
    }
}

/// Tells whether a part is of a kind that this version knows.
pub(crate) fn is_known(part: &Value) -> bool {
    const KINDS: [&str; 11] = [
        "text",
        "thinking",
        "tool_call",
        "tool_result",
        "image",
        "file_ref",
        "media",
        "server_tool_call",
        "server_tool_result",
        "approval_request",
        "approval_response",
    ];
    KINDS.contains(&part.text("kind"))
}

/// Notes state in a part of anybody but the assistant: no provider gave it.
pub(crate) fn note_stray(part: &Value, place: &str, notes: &Notes) {
    let opaque = part.at("payload").at("opaque");
    if opaque.is_object() {
        let place = format!("{place}/payload/opaque");
        notes.malformed(&place, "a part of an assistant", opaque.at("provider"));
    }
}

/// Returns the state of a message, as far as it is `dialect`'s and in order.
///
/// State of another dialect is left out (`encode/foreign-state`), and so is what does not have the
/// form that adapters write (`encode/malformed-state`). `meta.opaque` counts for what the parts say
/// nothing of (`encode/repeated-state`): whatever could not be moved is there.
pub(crate) fn read_state(
    message: &Value,
    pointer: &str,
    dialect: &str,
    notes: &Notes,
) -> MessageState {
    let reader = Reader::new(message.list("parts"), dialect, notes);
    let mut state = reader.of_parts(&format!("{pointer}/parts"));
    let Some(opaque) = message.at("meta").get("opaque") else { return state };
    let place = format!("{pointer}/meta/opaque");
    match (opaque, opaque.at("dialect").as_str()) {
        (Value::Object(opaque), Some(found)) if found == dialect => {
            let rest = reader.of_meta(opaque, &place);
            for (number, items) in rest.parts {
                if let Entry::Vacant(vacant) = state.parts.entry(number) {
                    vacant.insert(items);
                } else {
                    let said = "The part has its state with it; this one is left out";
                    notes.add("encode/repeated-state", said, &format!("{place}/parts/{number}"));
                }
            }
            for (number, own) in rest.call_ids {
                state.call_ids.entry(number).or_insert(own);
            }
            state.known = true;
        }
        (Value::Object(_), Some(found)) => reader.note_foreign(&place, found),
        _ => notes.malformed(&place, "an object with a dialect", opaque),
    }
    state
}

/// Reads the state of one message's parts.
struct Reader<'a> {
    parts: &'a [Value],
    /// Characters of each part, 0 where it is not text; what follows the last part has none.
    lengths: Vec<usize>,
    dialect: &'a str,
    notes: &'a Notes,
}

impl<'a> Reader<'a> {
    fn new(parts: &'a [Value], dialect: &'a str, notes: &'a Notes) -> Self {
        let length = |part| text_of(part).chars().count();
        let lengths = parts.iter().map(length).chain([0]).collect();
        Self { parts, lengths, dialect, notes }
    }

    fn note_foreign(&self, pointer: &str, found: &str) {
        let message = "The provider's state is of another dialect; it is left out";
        let actual: String = found.chars().take(80).collect();
        self.notes.add_with("encode/foreign-state", message, pointer, self.dialect, actual);
    }

    fn of_parts(&self, pointer: &str) -> MessageState {
        let mut state = MessageState::default();
        for (number, part) in self.parts.iter().enumerate() {
            let opaque = part.at("payload").at("opaque");
            if !is_known(part) || !opaque.is_object() {
                continue;
            }
            let place = format!("{pointer}/{number}/payload/opaque");
            if opaque.text("provider") == self.dialect {
                state.known = true;
                self.of_part(opaque.at("data"), &format!("{place}/data"), number, &mut state);
            } else {
                state.foreign.insert(number);
                self.note_foreign(&place, opaque.text("provider"));
            }
        }
        state
    }

    fn of_part(&self, data: &Value, place: &str, number: usize, state: &mut MessageState) {
        let is_call = self.parts.get(number).is_some_and(|part| part.text("kind") == "tool_call");
        let call_id = data.get("toolCallId");
        if data.get("items").is_none() && call_id.is_none() {
            self.notes.malformed(place, "an object with items", data);
            return;
        }
        if let Some(items) = data.get("items") {
            self.place(items, &format!("{place}/items"), number, &mut state.parts);
        }
        if let Some(value) = call_id.filter(|_| is_call) {
            if let Some(own) = self.call_id(value, &format!("{place}/toolCallId")) {
                state.call_ids.insert(number, own);
            }
        }
        for (name, value) in data.as_object().into_iter().flatten() {
            if name != "items" && !(is_call && name == "toolCallId") {
                let place = format!("{place}/{}", escape_pointer(name));
                self.notes.malformed(&place, "items, and a call's id", value);
            }
        }
    }

    /// Returns what a message of v0.1 has.
    fn of_meta(&self, opaque: &Json, pointer: &str) -> MessageState {
        let none = json!({});
        let given = |name: &str| opaque.get(name).unwrap_or(&none);
        let parts = self.by_part(given("parts"), &format!("{pointer}/parts"));
        let ids = self.call_ids(given("toolCallIds"), &format!("{pointer}/toolCallIds"));
        let mut state = MessageState { parts, ..MessageState::default() };
        for (number, part) in self.parts.iter().enumerate() {
            if part.text("kind") != "tool_call" {
                continue;
            }
            if let Some(own) = ids.get(part.at("payload").text("toolCallId")) {
                state.call_ids.insert(number, own.clone());
            }
        }
        state
    }

    fn by_part(&self, value: &Value, pointer: &str) -> BTreeMap<usize, Vec<Item>> {
        let mut parts = BTreeMap::new();
        let Value::Object(members) = value else {
            self.notes.malformed(pointer, "an object", value);
            return parts;
        };
        for (key, items) in members {
            let place = format!("{pointer}/{}", escape_pointer(key));
            match index_of(key).filter(|index| *index < self.lengths.len()) {
                Some(index) => self.place(items, &place, index, &mut parts),
                None => self.notes.malformed(&place, "the index of a part", &json!(key)),
            }
        }
        parts
    }

    /// Puts the items that are in part `number` to the parts that they belong to.
    ///
    /// One that came when its part was over says by `partOffset` how many parts further on that is.
    fn place(
        &self,
        value: &Value,
        pointer: &str,
        number: usize,
        parts: &mut BTreeMap<usize, Vec<Item>>,
    ) {
        let Value::Array(items) = value else {
            self.notes.malformed(pointer, "an array", value);
            return;
        };
        for (at, each) in items.iter().enumerate() {
            let place = format!("{pointer}/{at}");
            let target = match each.get("partOffset") {
                None => Some(number),
                Some(offset) => whole_number(offset)
                    .and_then(|offset| i128::try_from(number).ok()?.checked_add(offset))
                    .and_then(|target| usize::try_from(target).ok()),
            };
            let length = target.and_then(|target| Some((target, *self.lengths.get(target)?)));
            let item = length
                .and_then(|(target, length)| Some((target, item_of(each, place.clone(), length)?)));
            if let Some((target, item)) = item {
                parts.entry(target).or_default().push(item);
            } else {
                let expected = "an item with kind, data, start and end";
                self.notes.malformed(&place, expected, each);
            }
        }
    }

    /// Returns the provider's own ids by minted id.
    fn call_ids(&self, value: &Value, pointer: &str) -> HashMap<String, String> {
        let Value::Object(members) = value else {
            self.notes.malformed(pointer, "an object", value);
            return HashMap::new();
        };
        let own = |(minted, own): (&String, &Value)| {
            let own = self.call_id(own, &format!("{pointer}/{}", escape_pointer(minted)))?;
            Some((minted.clone(), own))
        };
        members.iter().filter_map(own).collect()
    }

    /// Returns the provider's own id of a call, "" where it gave none; None for what is not an id.
    fn call_id(&self, value: &Value, pointer: &str) -> Option<String> {
        match value {
            Value::Null => Some(String::new()),
            Value::String(own) => Some(own.clone()),
            _ => {
                self.notes.malformed(pointer, "a string or null", value);
                None
            }
        }
    }
}

/// Returns the text of a part, "" where it is none.
fn text_of(part: &Value) -> &str {
    match part.text("kind") {
        "text" | "thinking" => part.at("payload").text("text"),
        _ => "",
    }
}

fn index_of(key: &str) -> Option<usize> {
    let is_index = (1..=9).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_digit())
        && (key == "0" || !key.starts_with('0'));
    key.parse().ok().filter(|_| is_index)
}

/// Returns one item, None where it is not an item; `length` is that of the part's text.
fn item_of(value: &Value, pointer: String, length: usize) -> Option<Item> {
    let data = value.get("data")?.clone();
    let kind = value.text("kind").to_owned();
    if kind.is_empty() {
        return None;
    }
    let (start, end) = (value.at("start"), value.at("end"));
    if start.is_null() && end.is_null() {
        return Some(Item { kind, data, pointer, span: None });
    }
    let place = |value: &Value| usize::try_from(whole_number(value)?).ok();
    let (start, end) = (place(start)?, place(end)?);
    (start <= end && end <= length).then_some(Item {
        kind,
        data,
        pointer,
        span: Some((start, end)),
    })
}
