//! What a provider wants back, from its event to the delta that carries it.
//!
//! An item goes with the delta that ends the part which it belongs to: text and thinking are ended
//! by a delta with empty text, a call by its `tool_call_end`. What comes when its part is over, or
//! is behind the last part, goes with the last delta that can carry any, and says by
//! `partOffset` where it belongs.

use std::collections::{BTreeSet, HashMap};

use crate::json::Value;

use crate::contract::current::message::Opaque;
use crate::contract::types::Map;

/// One piece of provider state.
///
/// `start` and `end` count characters (code points) of the text of its part: the item covers them;
/// where both are equal, it is in between, at 0 before the part; without them it belongs to
/// the part as a whole, as what comes with a tool call does.
#[derive(Clone, Debug, PartialEq)]
pub struct OpaqueItem {
    /// What it is: `signature`, `redacted_thinking`, `citation` …
    pub kind: String,
    /// The provider's JSON value, as documents may hold it.
    pub data: Value,
    /// The 0-based index of the message part that it belongs to.
    pub part: i64,
    /// The first character that it covers.
    pub start: Option<usize>,
    /// The character behind the last one that it covers.
    pub end: Option<usize>,
}

/// The state of one stream: all of it in order of arrival, and what no delta has carried yet.
pub(crate) struct KeptState {
    /// All items.
    pub items: Vec<OpaqueItem>,
    /// Minted tool call id → the provider's own, None where it sent none.
    pub provider_ids: HashMap<String, Option<String>>,
    dialect: &'static str,
    /// By part: places in `items`, and when the first of them came.
    due: HashMap<i64, (usize, Vec<usize>)>,
}

impl KeptState {
    pub(crate) fn new(dialect: &'static str) -> Self {
        let (items, provider_ids, due) = (Vec::new(), HashMap::new(), HashMap::new());
        Self { items, provider_ids, dialect, due }
    }

    /// Tells whether there is anything that no delta has carried yet.
    pub(crate) fn is_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Keeps an item until a delta can carry it.
    pub(crate) fn keep(&mut self, item: OpaqueItem) {
        let at = self.items.len();
        self.due.entry(item.part).or_insert_with(|| (at, Vec::new())).1.push(at);
        self.items.push(item);
    }

    /// Keeps items that something carries itself, and returns them as it does.
    pub(crate) fn carry(&mut self, items: Vec<OpaqueItem>) -> Opaque {
        let wires = items.iter().map(|item| wire(item, 0)).collect();
        self.items.extend(items);
        let data = Map::from_iter([("items".to_owned(), Value::Array(wires))]);
        Opaque { provider: self.dialect.to_owned(), data }
    }

    /// Returns what the delta carries that ends `part`; for a call, also its own id.
    pub(crate) fn of_part(&mut self, part: i64, call_id: Option<&str>) -> Option<Opaque> {
        let due = self.due.remove(&part).map(|(_, due)| due).unwrap_or_default();
        let items = due.iter().filter_map(|at| self.items.get(*at));
        let wires = items.map(|item| wire(item, item.part - part)).collect();
        self.opaque(wires, call_id)
    }

    /// Returns all that is due, as the last delta that can carry it does, which ends `part`.
    ///
    /// `left_out` are the parts of calls that a partial message lacks: what belongs to such a call
    /// goes with it, and the parts behind it move up.
    pub(crate) fn rest(
        &mut self,
        part: i64,
        call_id: Option<&str>,
        left_out: &BTreeSet<i64>,
    ) -> Option<Opaque> {
        let mine = self.due.remove(&part).map(|(_, due)| due).unwrap_or_default();
        let mut others: Vec<_> = self.due.drain().map(|(_, due)| due).collect();
        others.sort_by_key(|(first, _)| *first);
        let gone: Vec<i64> = left_out.iter().copied().collect();
        let moved = |part: i64| {
            part - i64::try_from(gone.partition_point(|each| *each < part)).unwrap_or(0)
        };
        let all = mine.iter().chain(others.iter().flat_map(|(_, due)| due));
        let items = all.filter_map(|at| self.items.get(*at));
        let stays = |item: &&OpaqueItem| item.start.is_some() || !left_out.contains(&item.part);
        let place = |item: &OpaqueItem| moved(item.part) - moved(part);
        let wires = items.filter(stays).map(|item| wire(item, place(item))).collect();
        self.opaque(wires, call_id)
    }

    fn opaque(&self, items: Vec<Value>, call_id: Option<&str>) -> Option<Opaque> {
        let own = call_id.and_then(|id| self.provider_ids.get(id));
        if items.is_empty() && own.is_none() {
            return None;
        }
        let mut data = Map::new();
        data.insert("items".to_owned(), Value::Array(items));
        if let Some(own) = own {
            data.insert("toolCallId".to_owned(), own.clone().into());
        }
        Some(Opaque { provider: self.dialect.to_owned(), data })
    }
}

/// Returns an item as the delta of a part carries it, `offset` parts before its own.
fn wire(item: &OpaqueItem, offset: i64) -> Value {
    let mut wire = Map::new();
    wire.insert("kind".to_owned(), item.kind.clone().into());
    wire.insert("data".to_owned(), item.data.clone());
    if let Some(start) = item.start {
        wire.insert("start".to_owned(), start.into());
        wire.insert("end".to_owned(), item.end.into());
    }
    if offset != 0 {
        wire.insert("partOffset".to_owned(), offset.into());
    }
    Value::Object(wire)
}
