//! Citations of `OpenAI` Responses.

use crate::contract::current::message::Citation;
use crate::json::raw::{Raw, RawObject};
use crate::providers::core::citations::{annotation_source, citation, place_of};
use crate::providers::core::writer::DeltaWriter;
use crate::providers::openai_responses::content::ResponsesContent;
use crate::providers::openai_responses::items::{Channel, ItemId, SlotId};

const POINTS: [&str; 2] = ["file_citation", "file_path"];

impl ResponsesContent {
    /// Reads an annotation that comes by itself; the whole item says it again.
    pub(crate) fn annotation(&mut self, writer: &mut DeltaWriter, event: &RawObject) {
        let (index, id) = (event.get("output_index"), event.get("item_id"));
        let Some(item) = self.table.find("message", index, id) else { return };
        if let Some(slot) = self.text_slot(item, event.get("content_index").int()) {
            self.cite(writer, slot, event.get("annotation"));
        }
    }

    /// Reads the annotations of a whole message.
    pub(crate) fn settle_citations(&mut self, writer: &mut DeltaWriter, id: ItemId, parts: &Raw) {
        for (number, part) in (0..).zip(parts.array().unwrap_or_default()) {
            let given = part.object().and_then(|part| part.get("annotations").array());
            let slot = self.text_slot(id, Some(number));
            let (Some(given), Some(slot)) = (given, slot) else { continue };
            let cited = self.table.slot(slot).map_or(0, |slot| slot.cited);
            for annotation in given.iter().skip(cited) {
                self.cite(writer, slot, annotation);
            }
        }
    }

    /// Returns the slot of a content part that has text.
    fn text_slot(&mut self, id: ItemId, part: Option<i128>) -> Option<SlotId> {
        let slot = self.table.known_slot(id, Channel::Text, part)?;
        self.table.slot(slot)?.part.map(|_| slot)
    }

    fn cite(&mut self, writer: &mut DeltaWriter, slot: SlotId, annotation: &Raw) {
        let Some(slot) = self.table.slot(slot) else { return };
        slot.cited += 1;
        if let Some(citation) = citation_of(annotation, slot.start) {
            writer.cite(citation, &[], slot.part);
        }
    }
}

/// Returns the contract's citation, None for what is none.
///
/// `begin` is the character of the part where the text begins in which the provider counts.
fn citation_of(annotation: &Raw, begin: usize) -> Option<Citation> {
    let annotation = annotation.object()?;
    let kind = annotation.get("type").str()?;
    let source = annotation_source(kind, annotation)?;
    let is_point = POINTS.contains(&kind);
    let names = if is_point { ["index"; 2] } else { ["start_index", "end_index"] };
    let [start, end] = names.map(|name| place_of(annotation.get(name)));
    let places = start.zip(end).map(|(start, end)| (begin + start, begin + end));
    Some(citation(source, places, None))
}
