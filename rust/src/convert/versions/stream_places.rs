//! Where the parts of a stream are for a reader that does not get all of them.

use std::collections::HashMap;

use crate::contract::types::Map;
use crate::convert::versions::opaque_state::{OFFSET, has_form, is_text, shifted, whole_number};
use crate::json::Value;
use crate::json::fields::{Fields, filtered, put};

/// The kinds of deltas that begin a part which v0.2 does not have.
const BEGIN: [&str; 4] =
    ["server_tool_call_start", "server_tool_result", "approval_request", "media_start"];

/// Where a part is for the reader, None if it is left out, and its characters there.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    place: Option<i64>,
    start: i64,
    size: i64,
}

/// The parts that have begun, as the assembler counts them, and as the reader's does.
///
/// State says by `partOffset` to which part it belongs, and by `start` and `end` to which
/// characters: both change where parts go, as text on both sides of one is one for the reader.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamPlaces {
    parts: Vec<Part>,
    calls: HashMap<String, usize>,
    /// The kind of text that can be joined.
    open: String,
    /// How many parts the reader has.
    count: i64,
    reader_open: String,
    is_changed: bool,
    next_seq: u64,
    given: HashMap<u64, Option<Map>>,
}

impl StreamPlaces {
    /// Takes a delta that the reader does not get.
    pub(super) fn begin(&mut self, kind: &str, seq: u64) {
        if BEGIN.contains(&kind) && seq >= self.next_seq {
            self.parts.push(Part::default());
            self.open.clear();
            self.is_changed = true;
        }
        self.next_seq = self.next_seq.max(seq.saturating_add(1));
    }

    /// Takes a delta that the reader gets; returns the data of its state as the reader gets it, None
    /// where no state is left. A delta that comes again gives the same again.
    pub(super) fn data(&mut self, kind: &str, seq: u64, payload: &Value) -> Option<Map> {
        let data = payload.get("opaque").map(|opaque| opaque.at("data"));
        let members = data.and_then(Value::as_object).cloned();
        if seq < self.next_seq {
            return self.given.get(&seq).cloned().unwrap_or(members);
        }
        self.next_seq = seq.saturating_add(1);
        let index = if is_text(kind) {
            self.text(kind, payload.text("textDelta"), data.is_some())
        } else {
            self.call(kind, payload.text("toolCallId"))
        };
        let mut made = members;
        if let (Some(data), Some(index), true) = (data, index, self.is_changed) {
            if has_form(data, if is_text(kind) { kind } else { "tool_call" }) {
                made = self.moved(data, index);
            }
            self.given.insert(seq, made.clone());
        }
        if is_text(kind) && made.is_some() {
            self.reader_open.clear();
        }
        made
    }

    fn text(&mut self, kind: &str, text: &str, has_state: bool) -> Option<usize> {
        if text.is_empty() && !has_state {
            return None;
        }
        if self.open != kind {
            let last = self.parts.iter().rev().find(|part| part.place.is_some());
            match last.filter(|_| self.reader_open == kind) {
                Some(last) => {
                    let start = last.start.saturating_add(last.size);
                    self.parts.push(Part { place: last.place, start, size: 0 });
                }
                None => self.add(),
            }
        }
        let part = self.parts.last_mut()?;
        part.size = part.size.saturating_add(i64::try_from(text.chars().count()).unwrap_or(0));
        kind.clone_into(&mut self.reader_open);
        self.open = if has_state { String::new() } else { kind.to_owned() };
        Some(self.parts.len() - 1)
    }

    fn call(&mut self, kind: &str, id: &str) -> Option<usize> {
        if kind == "tool_call_start" {
            self.calls.insert(id.to_owned(), self.parts.len());
            self.add();
            self.open.clear();
            self.reader_open.clear();
        }
        self.calls.get(id).copied()
    }

    fn add(&mut self) {
        self.parts.push(Part { place: Some(self.count), start: 0, size: 0 });
        self.count += 1;
    }

    /// Returns the data of the state of a part with its items where they belong now. An item of a part
    /// that is left out is left out, and so is one of a part that has not begun and may be.
    fn moved(&self, data: &Value, index: usize) -> Option<Map> {
        let items: Vec<Value> =
            data.list("items").iter().filter_map(|item| self.moved_item(item, index)).collect();
        let mut made = filtered(data, |name, _| name != "items");
        if !items.is_empty() {
            made.insert("items".to_owned(), items.into());
        }
        (!made.is_empty()).then_some(made)
    }

    fn moved_item(&self, item: &Value, index: usize) -> Option<Value> {
        let target = index as i128 + whole_number(item.at(OFFSET)).unwrap_or(0);
        if target < 0 {
            return Some(item.clone());
        }
        let part = match usize::try_from(target) {
            Ok(target) if target < self.parts.len() => *self.parts.get(target)?,
            Ok(target) if target == self.parts.len() => self.next(),
            _ => Part::default(),
        };
        let moved = part.place? - self.parts.get(index)?.place.unwrap_or(0);
        let made = if part.start > 0 { shifted(item, part.start, part.size) } else { item.clone() };
        let mut made = Value::Object(filtered(&made, |name, _| name != OFFSET));
        if moved != 0 {
            put(&mut made, OFFSET, moved);
        }
        Some(made)
    }

    /// Returns where the part will be that comes next; nobody knows of those behind it.
    fn next(&self) -> Part {
        let joins = !self.reader_open.is_empty()
            && self.parts.last().is_none_or(|part| part.place.is_none());
        if joins { Part::default() } else { Part { place: Some(self.count), start: 0, size: 0 } }
    }
}
