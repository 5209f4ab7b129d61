//! Sound and images of an answer.

use crate::json::raw::{Raw, RawObject};
use crate::json::raw_text::Text;
use crate::providers::core::citations::web_address;
use crate::providers::core::writer::DeltaWriter;
use crate::providers::core::writing::media::OpenMedia;
use crate::providers::openai_chat::citations::Annotations;

const PLACE: &str = "/choices/0/delta";

/// Writes the sound of an answer, which comes in pieces, and its images, which come whole.
#[derive(Default)]
pub(crate) struct ChatMedia {
    sound: Option<OpenMedia>,
    /// Of the sound: its id, and how long the vendor has it.
    said: RawObject,
}

impl ChatMedia {
    /// Reads a piece of sound; returns false where it is none.
    pub(crate) fn sound(
        &mut self,
        writer: &mut DeltaWriter,
        annotations: &mut Annotations,
        audio: &Raw,
    ) -> bool {
        let Some(members) = audio.object() else { return false };
        let own = members.get("id");
        let known = self.said.get("id");
        if own.says_something() && known.says_something() && known != own {
            self.finish(writer);
            self.sound = None;
        }
        if self.sound.is_none() {
            self.said = RawObject::default();
        }
        let id = own.some_text();
        let media = *self.sound.get_or_insert_with(|| writer.open_media(id, None, None));
        for name in ["id", "expires_at"] {
            if members.get(name).says_something() {
                self.said.set(name, members.get(name).clone());
            }
        }
        let transcript = members.get("transcript");
        let words = writer.log.string(transcript, &format!("{PLACE}/audio/transcript"));
        let nothing = Raw::default();
        let data = Some(members.get("data")).filter(|data| data.says_something());
        let data = data.unwrap_or(&nothing);
        let mut collect = |writer: &mut DeltaWriter| annotations.write(writer);
        if !writer.collecting(&mut collect).media_data(media, data, &nothing, words) {
            writer.log.invalid(&format!("{PLACE}/audio/data"), "bytes as Base64", data);
        }
        if writer.part_of(media).is_none() {
            writer.keep_with_media(media, "audio", audio);
        } else {
            writer.forget_with_media(media); // all of it is with the bytes
            writer.log.unknown_type(&format!("{PLACE}/audio"));
        }
        true
    }

    /// Ends the sound: what the vendor wants back is its id.
    pub(crate) fn finish(&self, writer: &mut DeltaWriter) {
        let Some(media) = self.sound else { return };
        if writer.part_of(media).is_none() {
            writer.log.note(
                "adapter/unsupported-content",
                "The contract has no part for sound without bytes; it is kept beside the message",
                &format!("{PLACE}/audio"),
                None,
                Some(&Raw::from("audio").clip()),
            );
        } else if self.said.has("id") {
            writer.keep_with_media(media, "audio", &self.said.clone().into());
        }
    }
}

/// Reads an image; returns false where it is none that can be shown.
pub(crate) fn read_image(
    writer: &mut DeltaWriter,
    annotations: &mut Annotations,
    image: &Raw,
) -> bool {
    let inner = image.object().map_or(&Raw::Null, |image| image.get("image_url"));
    let url = inner.object().map_or(inner, |inner| inner.get("url"));
    let Some(text) = url.text() else { return false };
    let text = text.well_formed();
    let (head, address) = (data_head(&text), web_address(url));
    let mime_type = head.map(|(mime_type, _)| mime_type.trim().to_lowercase());
    let media = writer.open_media(None, mime_type.as_ref().map(Text::from), None);
    let mut collect = |writer: &mut DeltaWriter| annotations.write(writer);
    if let Some((_, data)) = head {
        writer.collecting(&mut collect).media_data(media, &Raw::Null, &data.into(), "");
    } else if address.is_some() {
        writer.log.unknown_type(&format!("{PLACE}/images"));
    }
    writer.collecting(&mut collect).end_media(media, None, address.as_ref().map(Text::from), &[])
}

/// Returns the media type of a `data:` URL with bytes in Base64, and these.
fn data_head(url: &str) -> Option<(&str, &str)> {
    let rest = url.get(5..).filter(|_| url.is_char_boundary(5))?;
    let is_data = url.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("data:"));
    let (head, data) = rest.split_once(',')?;
    let (mime_type, parameters) = head.split_once(';')?;
    let last = parameters.rsplit(';').next()?;
    let is_base64 = last.eq_ignore_ascii_case("base64");
    (is_data && is_base64 && !mime_type.is_empty()).then_some((mime_type, data))
}
