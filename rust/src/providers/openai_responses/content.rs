//! What the output items of a response say: text, reasoning, tool calls, and what is only kept.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::json::raw::{Raw, RawObject, storable};
use crate::json::raw_text::RawText;
use crate::providers::core::kept_state::OpaqueItem;
use crate::providers::core::writer::{DeltaWriter, Writing};
use crate::providers::core::writing::media::OpenMedia;
use crate::providers::openai_responses::items::{
    Channel, Item, ItemId, ItemTable, SlotId, arguments_of, note_no_part, note_order,
    note_server_call,
};
use crate::providers::openai_responses::media::IMAGE;
use crate::providers::openai_responses::server_items::{
    is_bookkeeping, is_server_call, is_server_item, is_server_output,
};
use crate::tables::provider_names::RESPONSES_SEALED as SEALED;

const SEAL: &str = "encrypted_content";

/// Writes the items of one response.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is a separate fact
pub(crate) struct ResponsesContent {
    pub table: ItemTable,
    /// The model has refused.
    pub refused: bool,
    /// The provider keeps the response, so that the ids of its reasoning are enough.
    pub is_stored: bool,
    /// Names of custom tools that the caller declared.
    pub declared: HashSet<RawText>,
    /// xAI's own tool is one of the tools.
    pub searches_x: bool,
    /// Items that are whole, and of which nothing has been kept yet.
    whole: Vec<ItemId>,
    /// Items of which more may come with the whole response.
    held: Vec<ItemId>,
    /// Slots of items that are not done: by channel, number of the item and number of the part.
    pub slots: HashMap<(Channel, i128, i128), SlotId>,
    pub current: Option<SlotId>,
    /// A call waits for approval.
    pub asks: bool,
    /// Calls of the provider's whose output is an item by itself: by its type, ids of calls.
    pub waiting: HashMap<&'static str, VecDeque<String>>,
    /// The sound of the response.
    pub sound: Option<OpenMedia>,
}

impl ResponsesContent {
    /// Tells whether an item has begun.
    pub(crate) fn has_items(&self) -> bool {
        self.table.ids().next().is_some()
    }

    /// Tells whether all items that have begun are done.
    pub(crate) fn is_whole(&self) -> bool {
        self.table.ids().all(|id| self.table[id].is_final)
    }

    /// Tells whether a call is in the middle of its arguments.
    pub(crate) fn has_open_call(&self) -> bool {
        self.table.ids().map(|id| &self.table[id]).any(Item::is_open_call)
    }

    /// Reads an item that begins.
    pub(crate) fn added(&mut self, writer: &mut DeltaWriter, event: &RawObject) {
        let Some((body, kind)) = item_body(writer, event) else { return };
        let index = event.get("output_index");
        let known = self.table.find(&kind, index, body.get("id")).filter(|known| {
            let known = &self.table[*known];
            !known.is_final && !known.id.is_empty() && known.is_again(body)
        });
        let Some(known) = known else {
            self.begin(writer, &kind, index, body.clone());
            return;
        };
        let id = Raw::Text(self.table[known].id.clone());
        note_order(writer, "An item begins twice, or after its first piece", "/item/id", &id);
        let item = &mut self.table[known];
        item.body = std::mem::take(&mut item.body).merged(body);
        if self.takes(writer, known) {
            self.begin_call(writer, known);
        }
    }

    /// Tells whether an item is a call that is reported as one.
    pub(crate) fn takes(&mut self, writer: &DeltaWriter, id: ItemId) -> bool {
        let item = &mut self.table[id];
        if arguments_of(&item.kind).is_some() {
            return true;
        }
        if !item.is_server && writer.says_new {
            item.is_server = is_server_call(&item.kind, &item.body);
        }
        item.is_server
    }

    /// Reads an item that is whole.
    pub(crate) fn done(&mut self, writer: &mut DeltaWriter, event: &RawObject) {
        let Some((body, kind)) = item_body(writer, event) else { return };
        let index = event.get("output_index");
        let known = self.table.find(&kind, index, body.get("id"));
        let (done, open) = known.map_or((None, None), |known| {
            if self.table[known].is_final { (Some(known), None) } else { (None, Some(known)) }
        });
        if done.is_some_and(|done| self.table[done].is_again(body)) {
            return;
        }
        let item = open.unwrap_or_else(|| self.begin(writer, &kind, index, body.clone()));
        self.settle_item(writer, item, body, "/item");
    }

    /// Reads the items of a whole response: all that no event has said before.
    pub(crate) fn output(&mut self, writer: &mut DeltaWriter, items: &Raw, place: &str) {
        let Some(given) = items.array() else {
            if !items.is_null() {
                writer.log.invalid(place, "an array", items);
            }
            return;
        };
        let kind_of =
            |body: &RawObject| body.get("type").text().map(|kind| kind.well_formed().into());
        let bodies = given.iter().filter_map(Raw::object);
        let bodies: Vec<(String, &RawObject)> =
            bodies.filter_map(|body| Some((kind_of(body)?, body))).collect();
        if bodies.len() < given.len() {
            writer.log.invalid(place, "items as objects", items);
        }
        let known = self.table.matched(&bodies);
        for (number, ((kind, body), known)) in bodies.iter().zip(known).enumerate() {
            let index = Raw::Int(i128::try_from(number).unwrap_or(0));
            let item = known.unwrap_or_else(|| self.begin(writer, kind, &index, (*body).clone()));
            self.settle_item(writer, item, body, &format!("{place}/{number}"));
        }
    }

    /// Reads the end of the stream; keeps what the provider wants back, item by item.
    pub(crate) fn finish(&mut self, writer: &mut DeltaWriter) {
        for id in self.table.ids() {
            if self.takes(writer, id) {
                self.finish_call(writer, id);
            }
        }
        self.finish_sound(writer);
        self.collect(writer);
        for id in std::mem::take(&mut self.held) {
            keep(writer, &self.table[id]);
        }
    }

    /// Keeps what the provider wants back of the items that are whole, before their part ends.
    pub(crate) fn collect(&mut self, writer: &mut DeltaWriter) {
        self.note_end(writer); // the slot that is current may be that of the part which begins
        let mut whole = std::mem::take(&mut self.whole);
        whole.sort_unstable();
        for id in whole {
            let item = &self.table[id];
            let is_sealed = SEALED.contains(&item.kind.as_str());
            if is_sealed && !self.is_stored && !item.body.get(SEAL).says_something() {
                self.held.push(id); // some vendors send it at the very end only
            } else {
                keep(writer, item);
            }
        }
    }

    /// Returns the writer, which collects before a part ends.
    pub(crate) fn write_with(
        &mut self,
        writer: &mut DeltaWriter,
        write: impl FnOnce(&mut Writing<'_>),
    ) {
        write(&mut writer.collecting(&mut |writer| self.collect(writer)));
    }

    fn begin(
        &mut self,
        writer: &mut DeltaWriter,
        kind: &str,
        index: &Raw,
        body: RawObject,
    ) -> ItemId {
        let id = self.table.add(kind, index, body);
        let is_open = writer.kind.is_some();
        self.table[id].place =
            if is_open { (writer.part, writer.chars) } else { (writer.part + 1, 0) };
        self.slots.clear(); // its index may have been another item's
        if self.takes(writer, id) {
            self.begin_call(writer, id);
        } else if kind != "message" && kind != "reasoning" && !may_be_part(writer, kind) {
            note_foreign(writer, kind, &self.table[id].body);
        }
        id
    }

    /// Returns the item that an event belongs to; one that has not begun begins.
    pub(crate) fn item_of(
        &mut self,
        writer: &mut DeltaWriter,
        kind: &str,
        event: &RawObject,
    ) -> ItemId {
        let (index, id) = (event.get("output_index"), event.get("item_id"));
        let Some(item) = self.table.find(kind, index, id) else {
            let message = "A piece belongs to an item that has not begun";
            note_order(writer, message, "/item_id", index);
            let body = [("id", id.clone())].into_iter().collect();
            return self.begin(writer, kind, index, body);
        };
        if self.table[item].is_final && !self.takes(writer, item) {
            let message = "A piece belongs to an item that is done";
            note_order(writer, message, "/item_id", index);
        }
        item
    }

    /// Reads a whole item: what it says beyond its deltas, and what is to be kept of it.
    fn settle_item(&mut self, writer: &mut DeltaWriter, id: ItemId, body: &RawObject, place: &str) {
        let item = &mut self.table[id];
        let is_new = !item.is_final;
        let is_callers = arguments_of(&item.kind).is_some();
        let is_text = item.kind == "message" || item.kind == "reasoning";
        if is_new {
            item.body = body.clone();
            item.is_final = true;
            self.slots.clear();
        } else if body.get(SEAL).says_something() && !item.body.get(SEAL).says_something() {
            item.body = body.clone(); // some vendors send it at the very end only
        }
        if self.takes(writer, id) {
            self.call_done(writer, id, body, place);
        } else if is_text {
            self.settle_text(writer, id, body, place);
        } else if is_new && may_be_part(writer, &self.table[id].kind) {
            self.settle_part(writer, id, place);
        }
        let item = &self.table[id];
        if is_new && (!is_callers || item.is_server) && !item.is_made {
            self.whole.push(id); // now that all of its text is written
        }
    }

    fn settle_part(&mut self, writer: &mut DeltaWriter, id: ItemId, place: &str) {
        self.leave(writer);
        let is_image = self.table[id].kind == IMAGE;
        let is_made =
            if is_image { self.image(writer, id, place) } else { self.server_output(writer, id) };
        self.table[id].is_made = is_made;
        if !is_made {
            let item = &self.table[id];
            note_foreign(writer, &item.kind, &item.body);
        }
    }
}

/// Tells whether an item becomes a part once it is whole, if it is as published.
fn may_be_part(writer: &DeltaWriter, kind: &str) -> bool {
    writer.says_new && (kind == IMAGE || is_server_output(kind))
}

/// Returns what an event says about an item, and its kind.
fn item_body<'a>(
    writer: &mut DeltaWriter,
    event: &'a RawObject,
) -> Option<(&'a RawObject, String)> {
    let given = event.get("item");
    let body = given.object();
    let kind = body.and_then(|body| body.get("type").text());
    if let (Some(body), Some(kind)) = (body, kind) {
        return Some((body, kind.well_formed().into_owned()));
    }
    writer.log.invalid("/item", "an item with its type", given);
    None
}

fn keep(writer: &mut DeltaWriter, item: &Item) {
    for kept in kept_items(item) {
        writer.state.keep(kept);
    }
}

/// Notes an item that is not a part of ours; it is kept whole.
fn note_foreign(writer: &mut DeltaWriter, kind: &str, body: &RawObject) {
    if is_bookkeeping(kind) {
        return;
    }
    if is_server_item(kind, body) {
        let name = Some(body.get("name")).filter(|name| name.says_something());
        let actual = name.map_or_else(|| Raw::from(kind).clip(), Raw::clip);
        note_server_call(writer, &actual);
    } else {
        note_no_part(writer, "/item/type", &Raw::from(kind));
    }
}

// -------------------------------------------------------------------------------------------------
// What is kept of a response's items for the next request.

/// Returns what is kept of an item that is whole.
///
/// Reasoning and the items of server-side tools unchanged; a message without its texts, which the
/// parts hold, and without log probabilities: what is left of each of its content parts follows,
/// where there is more to say than that it is text.
pub(crate) fn kept_items(item: &Item) -> Vec<OpaqueItem> {
    let (place, at) = item.place;
    let (part, start, end) = item.part.map_or((place, at, at), |part| (part, item.start, item.end));
    let kept = |kind: &str, data: RawObject, start: usize, end: usize| OpaqueItem {
        kind: kind.to_owned(),
        data: storable(&data.into()),
        part,
        start: Some(start),
        end: Some(end),
    };
    if item.kind != "message" {
        return vec![kept(&item.kind, item.body.clone(), start, end)];
    }
    let mut all = vec![kept("message", without(&item.body, &["content"]), start, end)];
    let contents = item.body.get("content").array().unwrap_or_default();
    let mut at = start;
    for content in contents {
        let channel = Channel::of(content, Channel::Text);
        let Some(members) = content.object() else { continue };
        let text = channel.and_then(|channel| members.get(channel.whole()).text());
        let stop = text.map_or(at, |text| end.min(at + text.chars()));
        let state = match channel {
            Some(_) => without(members, &["text", "refusal", "logprobs"]),
            None => members.clone(),
        };
        if contents.len() > 1 || says_more(&state) {
            all.push(kept("content_part", state, at, stop));
        }
        at = stop;
    }
    all
}

fn without(members: &RawObject, names: &[&str]) -> RawObject {
    let mut left = members.clone();
    left.retain(|name, _| !names.iter().any(|each| name == *each));
    left
}

fn says_more(part: &RawObject) -> bool {
    let is_text = matches!(part.get("type").str(), Some("output_text" | "text"));
    let says = |member: &Raw| member.says_something();
    !is_text || part.iter().any(|(name, member)| name != "type" && says(member))
}
