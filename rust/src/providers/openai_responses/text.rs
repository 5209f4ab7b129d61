//! The texts of a response's items: pieces, and wholes that say what the pieces did not.

use crate::json::raw::{Raw, RawObject};
use crate::json::raw_text::{RawText, Text};
use crate::providers::core::writer::{DeltaWriter, Kind};
use crate::providers::openai_responses::content::ResponsesContent;
use crate::providers::openai_responses::items::{
    Channel, Item, ItemId, SlotId, note_no_part, note_text_mismatch, rest_of,
};

const MISMATCH: &str = "The whole text is not what its deltas said; the deltas stand";

impl ResponsesContent {
    /// Writes what a whole item says beyond its deltas.
    pub(crate) fn settle_text(
        &mut self,
        writer: &mut DeltaWriter,
        id: ItemId,
        body: &RawObject,
        place: &str,
    ) {
        let parts = parts_of(writer, &self.table[id], body, place);
        let mut whole = RawText::default();
        for (_, _, text) in &parts {
            whole.push(*text);
        }
        let seen = self.table[id].text();
        let rest = self.rest(writer, id, &seen, whole.as_text(), place);
        let points: Vec<u32> = rest.as_text().points().collect();
        let mut left = points.as_slice();
        let mut pieces = Vec::new();
        for (channel, number, text) in parts.into_iter().rev() {
            let (before, piece) = left.split_at(left.len().saturating_sub(text.chars()));
            if !piece.is_empty() {
                pieces.push((channel, number, RawText::of_points(piece.to_vec())));
            }
            left = before;
        }
        for (channel, number, piece) in pieces.into_iter().rev() {
            let slot = self.table.slot_of(id, channel, Some(number));
            self.write(writer, slot, piece.as_text());
        }
        if self.table[id].kind == "message" && writer.says_new {
            self.settle_citations(writer, id, body.get("content"));
        }
    }

    /// Reads one delta of text.
    pub(crate) fn text(&mut self, writer: &mut DeltaWriter, event: &RawObject, channel: Channel) {
        let mut delta = event.get("delta");
        if let Some(inner) = delta.object() {
            delta = inner.get("text");
        }
        let Some(text) = delta.text() else {
            writer.log.invalid("/delta", "a string", delta);
            return;
        };
        if text.is_empty() {
            return;
        }
        let known = slot_key(event, channel).and_then(|key| self.slots.get(&key));
        let slot = known.copied().unwrap_or_else(|| self.slot(writer, event, channel));
        let initial = self.table.slot(slot).map(|slot| std::mem::take(&mut slot.initial));
        let initial = initial.unwrap_or_default();
        if !initial.is_empty() && initial.as_text() != text {
            self.write(writer, slot, initial.as_text());
        }
        self.write(writer, slot, text);
    }

    /// Reads a part that begins or is whole; `plain` is what a part of type text is.
    pub(crate) fn part(
        &mut self,
        writer: &mut DeltaWriter,
        event: &RawObject,
        plain: Channel,
        starts: bool,
    ) {
        let part = event.get("part");
        match (part.object(), Channel::of(part, plain)) {
            (Some(members), Some(channel)) => {
                self.text_of(writer, event, channel, members.get(channel.whole()), starts);
            }
            (Some(members), None) => note_no_part(writer, "/part/type", members.get("type")),
            (None, _) => writer.log.invalid("/part", "an object", part),
        }
    }

    /// Reads the text of a part that is whole, or that a part begins with.
    pub(crate) fn text_of(
        &mut self,
        writer: &mut DeltaWriter,
        event: &RawObject,
        channel: Channel,
        given: &Raw,
        starts: bool,
    ) {
        let place = format!("/{}", channel.whole());
        let Some(text) = given.text() else {
            if !given.is_null() {
                writer.log.invalid(&place, "a string", given);
            }
            return;
        };
        let (index, id) = (event.get("output_index"), event.get("item_id"));
        let item = self.table.find(channel.item(), index, id);
        if text.is_empty() || item.is_some_and(|item| self.table[item].is_final) {
            return;
        }
        let slot = self.slot(writer, event, channel);
        let Some(part) = self.table.slot(slot) else { return };
        if starts {
            if part.said.is_empty() {
                part.initial = text.into();
            }
            return;
        }
        part.initial = RawText::default();
        let said = part.said.clone();
        let rest = self.rest(writer, slot.item, &said, text, &place);
        if !rest.is_empty() {
            self.write(writer, slot, rest.as_text());
        }
    }

    fn slot(&mut self, writer: &mut DeltaWriter, event: &RawObject, channel: Channel) -> SlotId {
        let item = self.item_of(writer, channel.item(), event);
        let slot = self.table.slot_of(item, channel, event.get(channel.place()).int());
        if let Some(key) = slot_key(event, channel).filter(|_| !self.table[item].is_final) {
            self.slots.insert(key, slot);
        }
        slot
    }

    /// Returns what a whole text has beyond its deltas; what has been written stays.
    fn rest(
        &mut self,
        writer: &mut DeltaWriter,
        id: ItemId,
        seen: &RawText,
        whole: Text<'_>,
        place: &str,
    ) -> RawText {
        if whole.is_empty() {
            return RawText::default();
        }
        let rest = rest_of(seen.as_text(), whole);
        if rest.is_none() && !std::mem::replace(&mut self.table[id].has_mismatch, true) {
            note_text_mismatch(writer, MISMATCH, place, seen.as_text(), whole);
        }
        rest.unwrap_or_default()
    }

    fn write(&mut self, writer: &mut DeltaWriter, id: SlotId, text: Text<'_>) {
        let Some(slot) = self.table.slot(id) else { return };
        slot.said.push(text);
        let channel = slot.channel;
        if !slot.is_shown {
            return;
        }
        if self.current != Some(id) {
            self.enter(writer, id, channel);
        }
        self.write_with(writer, |writing| match channel.item() {
            "message" => writing.text(text),
            _ => writing.thinking(text),
        });
    }

    /// Turns to another slot; notes where the text of its item begins.
    fn enter(&mut self, writer: &mut DeltaWriter, id: SlotId, channel: Channel) {
        self.leave(writer);
        self.current = Some(id);
        self.refused |= channel == Channel::Refusal;
        let kind = if channel.item() == "message" { Kind::Text } else { Kind::Thinking };
        let joins = writer.kind == Some(kind);
        let (part, start) = if joins { (writer.part, writer.chars) } else { (writer.part + 1, 0) };
        if let Some(slot) = self.table.slot(id).filter(|slot| slot.part.is_none()) {
            (slot.part, slot.start) = (Some(part), start);
        }
        let item = &mut self.table[id.item];
        if item.part.is_none() {
            (item.part, item.start, item.end) = (Some(part), start, start);
        }
    }

    /// Ends the text that was written last.
    pub(crate) fn leave(&mut self, writer: &DeltaWriter) {
        self.note_end(writer);
        self.current = None;
    }

    /// Notes where the text that was written last ends.
    pub(crate) fn note_end(&mut self, writer: &DeltaWriter) {
        if let Some(current) = self.current {
            let item = &mut self.table[current.item];
            if item.part == Some(writer.part) {
                item.end = writer.chars;
            }
        }
    }
}

fn slot_key(event: &RawObject, channel: Channel) -> Option<(Channel, i128, i128)> {
    Some((channel, event.get("output_index").int()?, event.get(channel.place()).int()?))
}

/// A text of a whole item: its channel, the number of its part, and what it says.
type Part<'a> = (Channel, i128, Text<'a>);

/// Returns the texts of a whole item.
fn parts_of<'a>(
    writer: &mut DeltaWriter,
    item: &Item,
    body: &'a RawObject,
    place: &str,
) -> Vec<Part<'a>> {
    let mut texts =
        |name: &str, plain| texts_of(writer, body.get(name), plain, &format!("{place}/{name}"));
    if item.kind == "message" {
        return texts("content", Channel::Text);
    }
    let summary = texts("summary", Channel::Summary);
    let raw = texts("content", Channel::Reasoning);
    let has_summary = summary.iter().any(|(_, _, text)| !text.is_empty());
    let is_summary = item.channel.map_or(has_summary, |channel| channel == Channel::Summary);
    if is_summary { summary } else { raw }
}

fn texts_of<'a>(
    writer: &mut DeltaWriter,
    parts: &'a Raw,
    plain: Channel,
    place: &str,
) -> Vec<Part<'a>> {
    if let Some(text) = parts.text() {
        return vec![(plain, 0, text)];
    }
    let Some(given) = parts.array() else {
        if !parts.is_null() {
            writer.log.invalid(place, "an array", parts);
        }
        return Vec::new();
    };
    let mut texts = Vec::new();
    for (number, part) in (0..).zip(given) {
        let place = format!("{place}/{number}");
        let Some(members) = part.object() else {
            writer.log.invalid(&place, "an object", part);
            continue;
        };
        let channel = Channel::of(part, plain);
        let given = channel.map(|channel| members.get(channel.whole()));
        match (channel, given.and_then(Raw::text)) {
            (Some(channel), Some(text)) if channel.item() == plain.item() => {
                texts.push((channel, number, text));
            }
            _ if given.is_none_or(|given| !given.is_null()) => {
                note_no_part(writer, &place, members.get("type"));
            }
            _ => {}
        }
    }
    texts
}
