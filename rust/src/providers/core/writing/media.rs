//! Media: pieces of bytes as Base64, and the words that are said in it.

use crate::contract::current::message::{
    MediaDataDeltaPayload, MediaEndDeltaPayload, MediaSource, MediaStartDeltaPayload, UrlSource,
};
use crate::json::base64;
use crate::json::raw::Raw;
use crate::json::raw_text::Text;
use crate::providers::core::writer::{DeltaWriter, Writing};
use crate::providers::core::writing::whole_parts::{Items, item};

/// Of media whose type nobody says.
const BYTES: &str = "application/octet-stream";

/// Media that has been announced: a handle, which stays good once the media has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenMedia {
    pub(crate) number: usize,
}

/// What a writer keeps of media; it begins, as a part, with its first bytes.
pub(crate) struct Media {
    /// The provider's id until it begins, then its own.
    pub id: Option<String>,
    pub mime_type: String,
    pub name: Option<String>,
    /// The index of its part, once it has begun.
    pub part: Option<i64>,
    /// What has been said in it, and is not written yet.
    pub words: String,
    pub half: Option<u32>,
    /// What the provider wants back with it: kind and data of each item.
    pub kept: Vec<(String, Raw)>,
    pub ended: bool,
}

/// Returns Base64 as the contract writes it: the same bytes, bits beyond them zero.
///
/// None for what is not Base64 of the standard alphabet, padded, without line breaks.
pub(crate) fn whole_base64(value: &Raw) -> Option<String> {
    base64::decode(value.str()?).map(|data| base64::encode(&data))
}

impl DeltaWriter {
    /// Announces media; its part begins with its first bytes.
    ///
    /// Its id is the provider's, else `media_<request>_<ordinal>`.
    pub(crate) fn open_media(
        &mut self,
        id: Option<Text<'_>>,
        mime_type: Option<Text<'_>>,
        name: Option<Text<'_>>,
    ) -> OpenMedia {
        let said = |text: Option<Text<'_>>| {
            text.map(|text| text.well_formed().into_owned()).filter(|text| !text.is_empty())
        };
        self.media.push(Media {
            id: id.and_then(Text::whole).map(str::to_owned),
            mime_type: said(mime_type).unwrap_or_else(|| BYTES.to_owned()),
            name: said(name),
            part: None,
            words: String::new(),
            half: None,
            kept: Vec::new(),
            ended: false,
        });
        OpenMedia { number: self.media.len() - 1 }
    }

    /// Appends `data_delta`, Base64 by itself, or puts `data` in place of all bytes before; null is
    /// neither.
    ///
    /// Returns false where one of them is not Base64: the words are taken then all the same. What
    /// comes when the media has ended is not written.
    pub(crate) fn media_data<'t>(
        &mut self,
        media: OpenMedia,
        data_delta: &Raw,
        data: &Raw,
        transcript: impl Into<Text<'t>>,
    ) -> bool {
        self.collecting(&mut |_| {}).media_data(media, data_delta, data, transcript)
    }

    /// Ends media; `url` is where it is to be had, in place of bytes.
    ///
    /// Returns false where neither has come: nothing has been written of it then, and `opaque` is
    /// not kept.
    pub(crate) fn end_media(
        &mut self,
        media: OpenMedia,
        mime_type: Option<Text<'_>>,
        url: Option<Text<'_>>,
        opaque: Items<'_>,
    ) -> bool {
        self.collecting(&mut |_| {}).end_media(media, mime_type, url, opaque)
    }

    /// The index of the part of media that has begun.
    pub(crate) fn part_of(&self, media: OpenMedia) -> Option<i64> {
        self.media.get(media.number).and_then(|media| media.part)
    }

    /// Keeps provider state that belongs to open media.
    pub(crate) fn keep_with_media(&mut self, media: OpenMedia, kind: &str, data: &Raw) {
        if let Some(media) = self.media.get_mut(media.number) {
            media.kept.push((kind.to_owned(), data.clone()));
        }
    }

    /// Lets go of what has been kept with open media so far.
    pub(crate) fn forget_with_media(&mut self, media: OpenMedia) {
        if let Some(media) = self.media.get_mut(media.number) {
            media.kept.clear();
        }
    }
}

impl Writing<'_> {
    /// See [`DeltaWriter::media_data`].
    pub(crate) fn media_data<'t>(
        &mut self,
        media: OpenMedia,
        data_delta: &Raw,
        data: &Raw,
        transcript: impl Into<Text<'t>>,
    ) -> bool {
        let (delta, whole) = (whole_base64(data_delta), whole_base64(data));
        let is_sound =
            (data_delta.is_null() || delta.is_some()) && (data.is_null() || whole.is_some());
        let number = media.number;
        let Some(open) = self.writer.media.get_mut(number).filter(|media| !media.ended) else {
            return false;
        };
        let transcript = transcript.into();
        if !transcript.is_empty() {
            let mut half = open.half.take();
            let more = self.writer.whole(transcript, &mut half);
            if let Some(open) = self.writer.media.get_mut(number) {
                open.half = half;
                open.words.push_str(&more);
            }
        }
        let bytes = |given: Option<String>| given.filter(|data| !data.is_empty());
        let (data_delta, data) = (bytes(delta), bytes(whole));
        let has_bytes = data_delta.is_some() || data.is_some();
        let part = self.writer.part_of(media);
        let said = self.writer.media.get(number).is_some_and(|media| !media.words.is_empty());
        if !has_bytes && (part.is_none() || !said) {
            return is_sound;
        }
        if part.is_none() {
            self.begin_media(media);
        }
        let Some(open) = self.writer.media.get_mut(number) else { return false };
        let words = std::mem::take(&mut open.words);
        let payload = MediaDataDeltaPayload {
            media_id: open.id.clone().unwrap_or_default(),
            data,
            data_delta,
            transcript_delta: (!words.is_empty()).then_some(words),
        };
        self.writer.maker.media_data(payload);
        is_sound
    }

    fn begin_media(&mut self, media: OpenMedia) {
        self.break_part();
        let writer = &mut *self.writer;
        writer.new_part();
        writer.wrote.media = true;
        let Some(open) = writer.media.get_mut(media.number) else { return };
        let own = open.id.take();
        let own = own.as_deref().map(Text::from);
        let (id, _) = writer.media_ids.take_as("media", own, &writer.request_id);
        open.id = Some(id.clone());
        open.part = Some(writer.part);
        let (mime_type, name) = (open.mime_type.clone(), open.name.clone());
        writer.maker.media_start(MediaStartDeltaPayload {
            media_id: id,
            mime_type,
            name,
            opaque: None,
        });
    }

    /// See [`DeltaWriter::end_media`].
    pub(crate) fn end_media(
        &mut self,
        media: OpenMedia,
        mime_type: Option<Text<'_>>,
        url: Option<Text<'_>>,
        opaque: Items<'_>,
    ) -> bool {
        let number = media.number;
        let url = url.filter(|url| !url.is_empty()).map(|url| url.well_formed().into_owned());
        match self.writer.media.get(number) {
            None => return false,
            Some(open) if open.ended => return open.part.is_some(),
            Some(open) if open.part.is_none() && url.is_some() => self.begin_media(media),
            Some(_) => {}
        }
        let Some(open) = self.writer.media.get_mut(number) else { return false };
        if open.half.take().is_some() {
            open.words.push('\u{fffd}');
            self.writer.lone();
        }
        let (part, nothing) = (self.writer.part_of(media), Raw::default());
        if part.is_some() {
            self.media_data(media, &nothing, &nothing, ""); // words that are not written yet
        }
        let writer = &mut *self.writer;
        let Some(open) = writer.media.get_mut(number) else { return false };
        open.ended = true;
        let Some(part) = part else { return false };
        let said = mime_type.map(|said| said.well_formed().into_owned());
        let mime_type = said.filter(|said| !said.is_empty() && *said != open.mime_type);
        let media_id = open.id.clone().unwrap_or_default();
        for (kind, data) in std::mem::take(&mut open.kept) {
            writer.state.keep(item(&kind, &data, part));
        }
        for (kind, data) in opaque {
            writer.state.keep(item(kind, data, part));
        }
        let opaque = writer.state.of_part(part, None);
        let source = url.map(|url| MediaSource::Url(UrlSource::new(url)));
        let payload =
            MediaEndDeltaPayload { media_id, mime_type, source, size_bytes: None, opaque };
        writer.maker.media_end(payload);
        true
    }

    /// Ends all media that is open; what is kept with media that never began is kept here.
    pub(crate) fn end_all_media(&mut self) {
        for number in 0..self.writer.media.len() {
            let is_open = self.writer.media.get(number).is_some_and(|media| !media.ended);
            if !is_open || self.end_media(OpenMedia { number }, None, None, &[]) {
                continue;
            }
            let kept =
                self.writer.media.get_mut(number).map(|media| std::mem::take(&mut media.kept));
            for (kind, data) in kept.unwrap_or_default() {
                self.writer.keep(&kind, &data, None);
            }
        }
    }
}
