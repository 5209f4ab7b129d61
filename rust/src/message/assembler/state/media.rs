//! Media that comes in pieces.
//!
//! These deltas have been checked whole: they are what the schema says.

use crate::contract::current::message::{
    MediaDataDeltaPayload, MediaEndDeltaPayload, MediaSource, MediaStartDeltaPayload,
};
use crate::errors::{Error, Finding, clip_text};
use crate::json::{Value, base64};
use crate::message::assembler::checks::{check_id, limit_exceeded, media_refusal, refusal, used};
use crate::message::assembler::slots::{MediaSlot, Slot};
use crate::message::assembler::state::StreamState;

impl StreamState {
    /// Returns the media at a place.
    pub(crate) fn media_at(&self, place: usize) -> Option<&MediaSlot> {
        match self.slots.get(place) {
            Some(Slot::Media(media)) => Some(media),
            _ => None,
        }
    }

    fn media_at_mut(&mut self, place: usize) -> Option<&mut MediaSlot> {
        match self.slots.get_mut(place) {
            Some(Slot::Media(media)) => Some(media),
            _ => None,
        }
    }

    pub(super) fn on_media_start(
        &mut self,
        given: &MediaStartDeltaPayload,
        payload: Value,
        seq: u64,
    ) -> Result<(), Error> {
        let id = &given.media_id;
        check_id("/payload/mediaId", id, seq, self.limits.id_chars)?;
        if self.media.contains_key(id) {
            let rule = "stream/duplicate-media";
            return Err(used(rule, "media", "/payload/mediaId", id, seq));
        }
        self.check_room(seq)?;
        let size = self.size_without(payload, &["opaque"], seq)?;
        let packed = self.packed(given.opaque.as_ref(), None, seq)?;
        self.payload_left -= size;
        let place = self.slots.len();
        self.slots.push(Slot::Media(Box::new(MediaSlot {
            id: id.clone(),
            mime_type: given.mime_type.clone(),
            name: given.name.clone(),
            data: Vec::new(),
            transcript: String::new(),
            opaque: None,
            held: 0,
            closed: None,
        })));
        self.media.insert(id.clone(), place);
        self.open_media.insert(place);
        self.keep_opaque(place, packed);
        Ok(())
    }

    pub(super) fn on_media_data(
        &mut self,
        given: &MediaDataDeltaPayload,
        seq: u64,
    ) -> Result<(), Error> {
        let place = self.open_media_of(&given.media_id, seq)?;
        let said = given.transcript_delta.as_deref().unwrap_or("");
        let size = self.text_size(said, seq)?;
        let media = self.media_at(place);
        let (before, bytes) = media.map_or((0, 0), |media| (media.held, media.data.len()));
        let bytes = given.data.as_deref().map_or(bytes, base64::decoded_length);
        let bytes = bytes + given.data_delta.as_deref().map_or(0, base64::decoded_length);
        self.hold(place, before, bytes.div_ceil(3) as u64 * 4, seq)?;
        self.text_left -= size;
        if let Some(media) = self.media_at_mut(place) {
            // Both were found to be Base64.
            if let Some(data) = &given.data {
                media.data = base64::decode(data).unwrap_or_default();
            }
            if let Some(piece) = &given.data_delta {
                media.data.extend(base64::decode(piece).unwrap_or_default());
            }
            media.transcript.push_str(said);
        }
        Ok(())
    }

    pub(super) fn on_media_end(
        &mut self,
        given: &MediaEndDeltaPayload,
        payload: Value,
        seq: u64,
    ) -> Result<(), Error> {
        let place = self.open_media_of(&given.media_id, seq)?;
        let media = self.media_at(place);
        if given.source.is_none() && media.is_none_or(|media| media.data.is_empty()) {
            let message = "The media has neither bytes nor a source";
            let finding = Finding::error("stream/empty-media", "/payload", message)
                .expected("bytes before the end, or a source")
                .actual(clip_text(&given.media_id));
            return Err(refusal(finding, Some(seq)));
        }
        let before = media.map_or(0, |media| media.held);
        // Opaque data and bytes have separate limits.
        let (held, apart) = match &given.source {
            None => (before, &["opaque"][..]),
            Some(MediaSource::Inline(inline)) => {
                (inline.data.len() as u64, &["opaque", "source"][..])
            }
            Some(_) => (0, &["opaque"][..]),
        };
        let size = self.size_without(payload, apart, seq)?;
        let packed = self.packed(given.opaque.as_ref(), Some(place), seq)?;
        self.hold(place, before, held, seq)?;
        self.payload_left -= size;
        if let Some(media) = self.media_at_mut(place) {
            media.end(given, seq);
        }
        self.open_media.remove(&place);
        self.keep_opaque(place, packed);
        Ok(())
    }

    /// Lets media hold so much Base64, if there is room for it.
    fn hold(&mut self, place: usize, before: u64, held: u64, seq: u64) -> Result<(), Error> {
        let left = self.media_left + before;
        if held > left {
            return Err(limit_exceeded("media_bytes", self.limits.media_bytes, seq, ""));
        }
        self.media_left = left - held;
        if let Some(media) = self.media_at_mut(place) {
            media.held = held;
        }
        Ok(())
    }

    /// Returns where the open media stands.
    fn open_media_of(&self, id: &str, seq: u64) -> Result<usize, Error> {
        let known = self.media.get(id).copied();
        known.filter(|place| self.open_media.contains(place)).ok_or_else(|| {
            let ended = known.and_then(|place| self.media_at(place)?.closed.as_ref());
            media_refusal(id, ended.map(|ended| ended.seq), seq)
        })
    }
}
