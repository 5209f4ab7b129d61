//! Images that a response makes, and its sound.

use crate::json::raw::{Raw, RawObject};
use crate::json::raw_text::Text;
use crate::providers::core::writer::DeltaWriter;
use crate::providers::core::writing::media::OpenMedia;
use crate::providers::openai_responses::content::ResponsesContent;
use crate::providers::openai_responses::items::ItemId;

/// The item of an image.
pub(crate) const IMAGE: &str = "image_generation_call";
/// What is made where nothing is said.
const PNG: &str = "png";
const SOUND: &str = "response.audio.delta";
const WORDS: &str = "response.audio.transcript.delta";

impl ResponsesContent {
    /// Reads an image as far as it is sharp: it takes the place of the one before.
    pub(crate) fn piece_of_image(&mut self, writer: &mut DeltaWriter, event: &RawObject) {
        self.leave(writer);
        let id = self.item_of(writer, IMAGE, event);
        let data = event.get("partial_image_b64");
        self.show(writer, id, event, data, "/partial_image_b64");
    }

    /// Reads an image that is whole; returns false where it has no bytes.
    pub(crate) fn image(&mut self, writer: &mut DeltaWriter, id: ItemId, place: &str) -> bool {
        let mut body = self.table[id].body.clone();
        let data = body.get("result").clone();
        let media = self.show(writer, id, &body, &data, &format!("{place}/result"));
        let mime_type = type_of(&body);
        body.retain(|name, _| *name != *"result");
        let kept = body.into();
        let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
        let mut writing = writer.collecting(&mut collect);
        writing.end_media(media, Some(Text::from(&mime_type)), None, &[(IMAGE, &kept)])
    }

    fn show(
        &mut self,
        writer: &mut DeltaWriter,
        id: ItemId,
        said: &RawObject,
        data: &Raw,
        place: &str,
    ) -> OpenMedia {
        let item = &mut self.table[id];
        let own = Some(item.id.as_text()).filter(|own| !own.is_empty());
        let media = *item
            .media
            .get_or_insert_with(|| writer.open_media(own, Some(Text::from(&type_of(said))), None));
        let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
        let mut writing = writer.collecting(&mut collect);
        if !data.is_null() && !writing.media_data(media, &Raw::Null, data, "") {
            writer.log.invalid(place, "bytes as Base64", data);
        }
        media
    }

    /// Reads a piece of sound, or of what is said in it.
    pub(crate) fn sound(&mut self, writer: &mut DeltaWriter, event: &RawObject, kind: &str) {
        if kind != SOUND && kind != WORDS {
            return; // its end, or that of its words
        }
        let media = *self.sound.get_or_insert_with(|| writer.open_media(None, None, None));
        let delta = event.get("delta");
        let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
        if kind == WORDS {
            let words = writer.log.string(delta, "/delta");
            writer.collecting(&mut collect).media_data(media, &Raw::Null, &Raw::Null, words);
        } else if !writer.collecting(&mut collect).media_data(media, delta, &Raw::Null, "") {
            writer.log.invalid("/delta", "bytes as Base64", delta);
        }
        if writer.part_of(media).is_none() {
            writer.keep_with_media(media, "audio", &event.clone().into());
        } else {
            writer.forget_with_media(media); // its words are with the bytes
            writer.log.unknown_type("/type");
        }
    }

    /// Says what is kept as it came: words of a sound whose bytes never came.
    pub(crate) fn finish_sound(&self, writer: &mut DeltaWriter) {
        if self.sound.is_some_and(|sound| writer.part_of(sound).is_none()) {
            let message =
                "The contract has no part for sound without bytes; it is kept beside the message";
            writer.log.note("adapter/unsupported-content", message, "/type", None, None);
        }
    }
}

fn type_of(said: &RawObject) -> String {
    let name = said.get("output_format").some_text().map(Text::well_formed);
    match name.as_deref().unwrap_or(PNG) {
        "svg" => "image/svg+xml".to_owned(), // its name is not that of its type
        name => format!("image/{name}"),
    }
}
