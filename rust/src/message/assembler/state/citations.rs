//! What a stream says of the sources of its text.
//!
//! These deltas have been checked whole: they are what the schema says.

use crate::contract::current::message::TextCitationDeltaPayload;
use crate::errors::{Error, Finding};
use crate::json::Value;
use crate::message::assembler::checks::refusal;
use crate::message::assembler::slots::Slot;
use crate::message::assembler::state::StreamState;

impl StreamState {
    pub(super) fn on_citation(
        &mut self,
        given: &TextCitationDeltaPayload,
        payload: Value,
        seq: u64,
    ) -> Result<(), Error> {
        let is_text = |slot: &Slot| matches!(slot, Slot::Text(text) if !text.thinking);
        let place = match given.part_index {
            None => self.text_part,
            Some(index) => usize::try_from(index).ok(),
        };
        let place = place.filter(|place| self.slots.get(*place).is_some_and(is_text));
        let Some(place) = place else {
            let message = "There is no such text part";
            let actual = given.part_index.map_or("none".to_owned(), |index| index.to_string());
            let at = if given.part_index.is_none() { "/payload" } else { "/payload/partIndex" };
            let finding = Finding::error("stream/unknown-text-part", at, message);
            let finding = finding.expected("a text part that has begun").actual(actual);
            return Err(refusal(finding, Some(seq)));
        };
        let size = self.size_without(payload, &["partIndex"], seq)?;
        if let Some(Slot::Text(text)) = self.slots.get_mut(place) {
            text.citations.push(given.citation.clone());
        }
        self.payload_left -= size;
        Ok(())
    }
}
