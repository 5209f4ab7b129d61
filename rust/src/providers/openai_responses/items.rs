//! Output items of a response: which event belongs to which item, and what each has said so far.
//!
//! The published rule: `output_index` distinguishes the items, `item_id` says the same. Some relays
//! make up new ids at every event, some give every item the index 0, some leave out both; an item is
//! found by index first, by id where two items share an index, and as the last of its kind where an
//! event names neither.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::{Index, IndexMut};

use crate::json::raw::{Raw, RawObject};
use crate::json::raw_reader::decode_event;
use crate::json::raw_text::{RawText, Text};
use crate::providers::core::writer::{DeltaWriter, OpenCall};
use crate::providers::core::writing::media::OpenMedia;
use crate::providers::openai_responses::server_items::server_arguments_of;
use crate::tables::provider_names::RESPONSES_CALLS;

/// A kind of text: the items that have it, and how events name its place and its whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Channel {
    Text,
    Refusal,
    Summary,
    Reasoning,
}

impl Channel {
    /// The kind of items that have it.
    pub(crate) fn item(self) -> &'static str {
        match self {
            Self::Text | Self::Refusal => "message",
            Self::Summary | Self::Reasoning => "reasoning",
        }
    }

    /// The member of an event that numbers the part.
    pub(crate) fn place(self) -> &'static str {
        if self == Self::Summary { "summary_index" } else { "content_index" }
    }

    /// The member of a part that says all of its text.
    pub(crate) fn whole(self) -> &'static str {
        if self == Self::Refusal { "refusal" } else { "text" }
    }

    /// Returns the channel of a content part's text; `plain` is what a part of type text is.
    pub(crate) fn of(part: &Raw, plain: Self) -> Option<Self> {
        match part.object()?.get("type").str()? {
            "text" => Some(plain),
            "output_text" => Some(Self::Text),
            "refusal" => Some(Self::Refusal),
            "summary_text" => Some(Self::Summary),
            "reasoning_text" => Some(Self::Reasoning),
            _ => None,
        }
    }
}

/// The text of one content part, as far as it has come.
#[derive(Debug)]
pub(crate) struct Slot {
    pub channel: Channel,
    /// False where the text is in another channel of the item.
    pub is_shown: bool,
    pub said: RawText,
    /// Text that the part began with.
    pub initial: RawText,
    /// Where its text begins, once there is any: a part, and a character of it.
    pub part: Option<i64>,
    pub start: usize,
    /// How many of its annotations have been written.
    pub cited: usize,
}

/// A slot, by its item and its number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotId {
    pub item: ItemId,
    number: usize,
}

/// An item, by its number in order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ItemId(usize);

/// One output item.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is a separate fact
pub(crate) struct Item {
    pub kind: String,
    pub index: Raw,
    pub body: RawObject,
    pub id: RawText,
    pub call_id: RawText,
    pub is_final: bool,
    pub has_mismatch: bool,
    /// A part holds all of it.
    pub is_made: bool,
    /// Where it began: a part, and how many characters stood in it.
    pub place: (i64, usize),
    /// Text and reasoning: the part that its text is in, and which characters of that.
    pub part: Option<i64>,
    pub start: usize,
    pub end: usize,
    pub channel: Option<Channel>,
    slots: Vec<Slot>,
    slot_numbers: HashMap<(Channel, Option<i128>), usize>,
    /// Tool calls.
    pub call: Option<OpenCall>,
    pub name: RawText,
    /// The provider executes it.
    pub is_server: bool,
    /// The provider has said all arguments, and no more since.
    pub is_settled: bool,
    pub has_ended: bool,
    /// Arguments that it began with.
    pub initial: RawText,
    /// Arguments as far as they have come.
    pub said: RawText,
    /// Some of them are written.
    pub is_sent: bool,
    /// An image that has begun.
    pub media: Option<OpenMedia>,
}

impl Item {
    /// Tells whether it is a call in the middle of its arguments.
    pub(crate) fn is_open_call(&self) -> bool {
        let is_open = self.call.is_some() && !self.is_server && !self.has_ended && !self.is_settled;
        let is_cut = || decode_event(&self.said.as_text().well_formed()).is_none();
        is_open && !self.said.is_empty() && (self.kind != "function_call" || is_cut())
    }

    /// Returns what has been written for it.
    pub(crate) fn text(&self) -> RawText {
        let mut text = RawText::default();
        for slot in self.slots.iter().filter(|slot| slot.is_shown) {
            text.push(slot.said.as_text());
        }
        text
    }

    /// Tells whether `body` is this item once more, going by its ids, or by nothing else.
    pub(crate) fn is_again(&self, body: &RawObject) -> bool {
        let call_id = text_of(body, "call_id");
        if call_id.is_empty() || self.call_id.is_empty() {
            return text_of(body, "id") == self.id.as_text();
        }
        call_id == self.call_id.as_text()
    }
}

/// The items of one kind.
#[derive(Debug, Default)]
struct Kin {
    by_index: HashMap<i128, ItemId>,
    by_id: HashMap<RawText, ItemId>,
    last: Option<ItemId>,
    /// Indexes that several items claim.
    shared: HashSet<i128>,
}

/// The items of one response, in order of arrival.
#[derive(Debug, Default)]
pub(crate) struct ItemTable {
    items: Vec<Item>,
    kinds: HashMap<String, Kin>,
    // What an id of another table would be of.
    no_item: Item,
}

impl ItemTable {
    /// The items, in order of arrival.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ItemId> + use<> {
        (0..self.items.len()).map(ItemId)
    }

    /// Returns the item of a kind that an event names, or the last one if it names none.
    pub(crate) fn find(&self, kind: &str, index: &Raw, item_id: &Raw) -> Option<ItemId> {
        let kin = self.kinds.get(kind)?;
        let index = index.int();
        let at_index = index.and_then(|index| kin.by_index.get(&index));
        let named = if let Raw::Text(id) = item_id { kin.by_id.get(id) } else { None };
        let is_shared = index.is_some_and(|index| kin.shared.contains(&index));
        if named.is_some() && (at_index.is_none() || is_shared) {
            return named.copied();
        }
        if index.is_none() {
            return kin.last.filter(|last| !self[*last].is_final);
        }
        at_index.copied()
    }

    /// Adds an item that begins; it takes the index over from another one of its kind.
    pub(crate) fn add(&mut self, kind: &str, index: &Raw, body: RawObject) -> ItemId {
        let id = ItemId(self.items.len());
        let item = Item {
            kind: kind.to_owned(),
            index: index.clone(),
            id: text_of(&body, "id").into(),
            call_id: text_of(&body, "call_id").into(),
            body,
            ..Item::default()
        };
        if !self.kinds.contains_key(kind) {
            self.kinds.insert(kind.to_owned(), Kin::default());
        }
        if let Some(kin) = self.kinds.get_mut(kind) {
            kin.last = Some(id);
            if let Some(index) = index.int()
                && kin.by_index.insert(index, id).is_some()
            {
                kin.shared.insert(index);
            }
            if !item.id.is_empty() {
                kin.by_id.insert(item.id.clone(), id);
            }
        }
        self.items.push(item);
        id
    }

    /// Returns for each item of a whole response, with its kind, the one that the stream has
    /// brought: by id, else by its number, else the next of its kind. Ids change, and numbers are
    /// skipped.
    pub(crate) fn matched(&self, output: &[(String, &RawObject)]) -> Vec<Option<ItemId>> {
        let mut left: BTreeSet<ItemId> = self.ids().collect();
        let mut by_call = HashMap::new();
        for id in self.ids().filter(|id| !self[*id].call_id.is_empty()) {
            by_call.insert((self[id].kind.as_str(), self[id].call_id.as_text()), id);
        }
        let mut found = vec![None; output.len()];
        for by_name in [true, false] {
            for (number, (place, (kind, body))) in found.iter_mut().zip(output).enumerate() {
                if place.is_some() {
                    continue;
                }
                let item = if by_name {
                    let called = by_call.get(&(kind.as_str(), text_of(body, "call_id")));
                    called.copied().or_else(|| self.by_id(kind, body.get("id")))
                } else {
                    self.by_number(kind, number)
                };
                *place = item.filter(|item| left.remove(item));
            }
        }
        let mut waiting: HashMap<&str, VecDeque<ItemId>> = HashMap::new();
        for id in left {
            waiting.entry(&self[id].kind).or_default().push_back(id);
        }
        for (place, (kind, _)) in found.iter_mut().zip(output) {
            if place.is_none() {
                *place = waiting.get_mut(kind.as_str()).and_then(VecDeque::pop_front);
            }
        }
        found
    }

    fn by_id(&self, kind: &str, id: &Raw) -> Option<ItemId> {
        let Raw::Text(id) = id else { return None };
        self.kinds.get(kind)?.by_id.get(id).copied()
    }

    fn by_number(&self, kind: &str, number: usize) -> Option<ItemId> {
        let number = i128::try_from(number).ok()?;
        self.kinds.get(kind)?.by_index.get(&number).copied()
    }

    /// Returns the slot of a part of an item, a new one where it has none.
    pub(crate) fn slot_of(&mut self, id: ItemId, channel: Channel, part: Option<i128>) -> SlotId {
        let item = &mut self[id];
        let number = *item.slot_numbers.entry((channel, part)).or_insert(item.slots.len());
        if number == item.slots.len() {
            let mut is_shown = true;
            if channel.item() == "reasoning" {
                // A summary and raw reasoning say the same: what came first is shown.
                is_shown = *item.channel.get_or_insert(channel) == channel;
            }
            let (said, initial) = (RawText::default(), RawText::default());
            let (part, start, cited) = (None, 0, 0);
            item.slots.push(Slot { channel, is_shown, said, initial, part, start, cited });
        }
        SlotId { item: id, number }
    }

    /// Returns the slot of a part of an item that has one.
    pub(crate) fn known_slot(
        &self,
        id: ItemId,
        channel: Channel,
        part: Option<i128>,
    ) -> Option<SlotId> {
        let number = self[id].slot_numbers.get(&(channel, part)).copied()?;
        Some(SlotId { item: id, number })
    }

    pub(crate) fn slot(&mut self, id: SlotId) -> Option<&mut Slot> {
        self[id.item].slots.get_mut(id.number)
    }
}

impl Index<ItemId> for ItemTable {
    type Output = Item;

    fn index(&self, id: ItemId) -> &Item {
        self.items.get(id.0).unwrap_or(&self.no_item)
    }
}

impl IndexMut<ItemId> for ItemTable {
    fn index_mut(&mut self, id: ItemId) -> &mut Item {
        self.items.get_mut(id.0).unwrap_or(&mut self.no_item)
    }
}

fn text_of<'a>(body: &'a RawObject, name: &str) -> Text<'a> {
    body.get(name).text().unwrap_or_else(|| "".into())
}

/// Returns what `whole` has beyond `seen`, None if it does not begin with it.
///
/// Halves of a character that came one by one in `seen` are one character in `whole`.
pub(crate) fn rest_of(seen: Text<'_>, whole: Text<'_>) -> Option<RawText> {
    if let (Some(seen), Some(whole)) = (seen.whole(), whole.whole()) {
        return whole.strip_prefix(seen).map(RawText::from);
    }
    if whole.starts_with(seen) {
        return Some(whole.after(seen.chars()));
    }
    let (units, due) = (units_of(seen), units_of(whole));
    let rest = due.strip_prefix(units.as_slice())?;
    let points = char::decode_utf16(rest.iter().copied())
        .map(|point| point.map_or_else(|half| half.unpaired_surrogate().into(), u32::from));
    Some(RawText::of_points(points.collect()))
}

fn units_of(text: Text<'_>) -> Vec<u16> {
    let mut units = Vec::new();
    for point in text.points() {
        match (u16::try_from(point), char::from_u32(point)) {
            (Ok(unit), _) => units.push(unit),
            (_, Some(char)) => units.extend_from_slice(char.encode_utf16(&mut [0; 2])),
            _ => {}
        }
    }
    units
}

/// Returns the member that says the arguments of an item which is a call of the caller's.
pub(crate) fn arguments_of(kind: &str) -> Option<&'static str> {
    RESPONSES_CALLS.iter().find(|(each, _)| *each == kind).map(|(_, member)| *member)
}

impl Item {
    /// Returns the member that says the arguments of this call.
    pub(crate) fn arguments(&self) -> &'static str {
        let server = || server_arguments_of(&self.kind);
        arguments_of(&self.kind).or_else(server).unwrap_or("arguments")
    }

    /// Tells whether its arguments come as code.
    pub(crate) fn is_code(&self) -> bool {
        self.arguments() == "code"
    }
}

pub(crate) fn note_server_call(writer: &mut DeltaWriter, actual: &str) {
    let message = "The provider executes this tool itself; it is not a tool call of the message";
    writer.log.note("adapter/server-tool-call", message, "/item/type", None, Some(actual));
}

pub(crate) fn note_no_part(writer: &mut DeltaWriter, place: &str, kind: &Raw) {
    let message = "The contract has no part for this content; it is kept beside the message";
    let actual = kind.clip();
    writer.log.note("adapter/unsupported-content", message, place, None, Some(&actual));
}

pub(crate) fn note_order(writer: &mut DeltaWriter, message: &str, place: &str, actual: &Raw) {
    let actual = actual.clip();
    writer.log.note("adapter/block-order", message, place, None, Some(&actual));
}

pub(crate) fn note_text_mismatch(
    writer: &mut DeltaWriter,
    message: &str,
    place: &str,
    seen: Text<'_>,
    whole: Text<'_>,
) {
    let (seen, whole) = (Raw::from(seen).clip(), Raw::from(whole).clip());
    writer.log.note("adapter/text-mismatch", message, place, Some(&seen), Some(&whole));
}
