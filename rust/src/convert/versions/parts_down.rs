//! The parts of a message of v0.1, made of those of v0.2.

use std::collections::BTreeMap;

use crate::json::Value;

use crate::contract::types::Map;
use crate::convert::versions::opaque_state::{
    OFFSET, at, has_form, is_carrier, is_text, other_text, shifted,
};
use crate::convert::versions::walk::Walk;
use crate::json::fields::{Fields, same};

/// The parts of v0.1 as far as they are known, and the state that belongs to each.
///
/// v0.1 has no part that is there for its state alone, and joins text of one kind that only the
/// end of a state parted.
pub(crate) struct Parts {
    pub made: Vec<Value>,
    pub items: BTreeMap<usize, Vec<Value>>,
    pub ids: Map,
    pub dialect: String,
    /// By index in v0.2: the index now, None where the part is joined to another.
    pub moved: Vec<Option<usize>>,
    is_assistant: bool,
    /// The kind of the last part, where its state ended it.
    joinable: String,
    /// Characters of the last part, where others have been joined to it.
    joined: Option<i64>,
    /// Parts of state alone.
    waiting: Vec<Waiting>,
}

struct Waiting {
    pointer: String,
    kind: String,
    items: Vec<Value>,
}

impl Parts {
    pub(crate) fn new(role: &str, count: usize) -> Self {
        Self {
            made: Vec::new(),
            items: BTreeMap::new(),
            ids: Map::new(),
            dialect: String::new(),
            moved: vec![None; count],
            is_assistant: role == "assistant",
            joinable: String::new(),
            joined: None,
            waiting: Vec::new(),
        }
    }

    /// Tells whether a part has state.
    pub(crate) fn has_any(&self) -> bool {
        !self.items.is_empty() || !self.ids.is_empty()
    }

    /// Takes the next part of v0.2, which has or had this index there.
    pub(crate) fn add(&mut self, walk: &mut Walk, index: usize, part: &Value, pointer: &str) {
        let kind = part.text("kind");
        if self.is_assistant && matches!(kind, "image" | "file_ref" | "media") {
            walk.log.note("assistant-part", pointer);
            return;
        }
        let has_opaque = is_carrier(kind) && part.at("payload").has("opaque");
        let data = if has_opaque { self.state_of(walk, part, pointer) } else { None };
        let bare = has_opaque.then(|| without_state(part));
        let made = walk.walk(bare.as_ref().unwrap_or(part), "MessagePart", pointer);
        let items = data.as_ref().map_or(&[][..], |data| data.list("items"));
        if items.iter().any(|item| item.get(OFFSET).is_some()) {
            walk.log.note("opaque-moved", pointer); // no part can have it, and up leaves it
        }
        let has_state = data.is_some();
        let call = made.at("payload").text("toolCallId").to_owned();
        if is_text(kind) && kind == self.joinable {
            self.join(walk, &made, items, pointer);
        } else if is_text(kind) && has_state && made.at("payload").text("text").is_empty() {
            let (pointer, kind) = (pointer.to_owned(), kind.to_owned());
            self.waiting.push(Waiting { pointer, kind, items: items.to_vec() });
            return;
        } else {
            if let Some(moved) = self.moved.get_mut(index) {
                *moved = Some(self.made.len());
            }
            self.append(walk, made, items);
        }
        self.joinable = if has_state { kind.to_owned() } else { String::new() };
        if let Some(own) = data.as_ref().and_then(|data| data.get("toolCallId")) {
            self.ids.insert(call, own.clone());
            if data.as_ref().is_some_and(|data| !data.has("items")) {
                walk.log.note("opaque-moved", pointer);
            }
        }
    }

    /// Returns the data of a part's state; None where v0.1 has no place for it.
    fn state_of(&mut self, walk: &mut Walk, part: &Value, pointer: &str) -> Option<Value> {
        let pointer = format!("{pointer}/payload/opaque");
        let mut opaque = walk.members(part.at("payload").at("opaque"), "Opaque", &pointer);
        let data = opaque.get_mut("data").map(Value::take).unwrap_or_default();
        if !has_form(&data, part.text("kind")) {
            walk.log.note("opaque-form", pointer);
            return None;
        }
        if self.dialect.is_empty() {
            opaque.text("provider").clone_into(&mut self.dialect);
        }
        if opaque.text("provider") != self.dialect {
            walk.log.note("opaque-provider", pointer);
            return None;
        }
        Some(data)
    }

    fn append(&mut self, walk: &mut Walk, part: Value, items: &[Value]) {
        let mut own = Vec::new();
        for Waiting { pointer, items, .. } in self.waiting.drain(..) {
            own.extend(items.iter().map(|item| at(item, 0.into(), 0.into())));
            walk.log.note("opaque-moved", pointer);
        }
        own.extend_from_slice(items);
        if !own.is_empty() {
            self.items.insert(self.made.len(), own);
        }
        self.made.push(part);
        self.joined = None;
    }

    fn join(&mut self, walk: &mut Walk, part: &Value, items: &[Value], pointer: &str) {
        let index = self.made.len().saturating_sub(1);
        let text = self.made.last_mut().and_then(|last| last.get_mut("payload")?.get_mut("text"));
        let Some(Value::String(text)) = text else { return };
        let mine = self.items.entry(index).or_default();
        let first = self.joined.unwrap_or_else(|| {
            let count = chars(text);
            // The first join: until then, an item need not say where it is.
            for item in mine.iter_mut() {
                *item = shifted(item, 0, count);
            }
            count
        });
        let more = part.at("payload").text("text");
        let size = chars(more);
        mine.extend(items.iter().map(|item| shifted(item, first, size)));
        text.push_str(more);
        self.joined = Some(first.saturating_add(size));
        walk.log.note("parts-joined", pointer);
    }

    /// Says that no more parts come: state that waits for one is behind the last.
    pub(crate) fn close(&mut self, walk: &mut Walk) {
        if self.waiting.is_empty() {
            return;
        }
        let all = self.waiting.iter().flat_map(|waiting| &waiting.items);
        let placed: Vec<Value> = all.map(|item| at(item, 0.into(), 0.into())).collect();
        if !self.comes_back(&placed) {
            for waiting in &self.waiting {
                walk.log.note("opaque-moved", waiting.pointer.as_str());
            }
        }
        self.items.insert(self.made.len(), placed);
    }

    /// Tells whether up again makes the very part that the state behind the last one was.
    fn comes_back(&self, placed: &[Value]) -> bool {
        let last = self.made.last().map_or("", |last| last.text("kind"));
        match self.waiting.as_slice() {
            [only] => {
                let is_same = placed.iter().zip(&only.items).all(|(one, other)| same(one, other));
                self.is_assistant && only.kind == other_text(last) && is_same
            }
            _ => false,
        }
    }
}

/// Returns a part without its state.
fn without_state(part: &Value) -> Value {
    let mut made = part.clone();
    if let Some(payload) = made.get_mut("payload").and_then(Value::as_object_mut) {
        payload.remove("opaque");
    }
    made
}

fn chars(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}
