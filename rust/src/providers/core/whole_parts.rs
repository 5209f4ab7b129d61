//! What is written beside text and calls: server tools, approvals, citations, media, warnings.
//!
//! A citation has a text part, a result of a server tool is the first of its call, an approval
//! request has a call that has ended, media has bytes. What cannot be written is not, and who asked
//! for it is told so by false.

use crate::contract::current::message::{
    ApprovalRequest, Citation, MediaDataDeltaPayload, MediaEndDeltaPayload, MediaSource,
    MediaStartDeltaPayload, Opaque, ServerToolResult, StructuredValue, TextCitationDeltaPayload,
    ToolResultContent, UrlSource, WarningDeltaPayload,
};
use crate::json::Value;
use crate::json::raw::{Raw, storable};
use crate::json::raw_text::Text;
use crate::providers::core::ids::cut;
use crate::providers::core::kept_state::OpaqueItem;
use crate::providers::core::media::{Media, OpenMedia, whole_base64};
use crate::providers::core::writer::{Call, DeltaWriter, Kind, OpenCall, Writing};
use crate::tables::limits::MAX_ID_CHARS;

/// Of media whose type nobody says.
const BYTES: &str = "application/octet-stream";

/// What the provider wants back with one thing: kind and data of each item.
pub(crate) type Items<'a> = &'a [(&'a str, &'a Raw)];

/// The result of a server tool.
#[derive(Default)]
pub(crate) struct ServerResult {
    pub is_error: bool,
    pub content: String,
    pub outcome: Option<String>,
    /// Any JSON value; null is none.
    pub structured: Value,
}

impl DeltaWriter {
    /// Starts a call of a tool that the provider runs; see [`Writing::open_server_call`].
    pub(crate) fn open_server_call<'t>(
        &mut self,
        provider_id: Option<Text<'_>>,
        name: impl Into<Text<'t>>,
    ) -> OpenCall {
        self.collecting(&mut |_| {}).open_server_call(provider_id, name)
    }

    /// Writes the result of a server tool; see [`Writing::server_result`].
    pub(crate) fn server_result(
        &mut self,
        call_id: Option<Text<'_>>,
        result: ServerResult,
        opaque: Items<'_>,
    ) -> bool {
        self.collecting(&mut |_| {}).server_result(call_id, result, opaque)
    }

    /// Writes a half character of text that is held back, for who counts its characters now.
    pub(crate) fn flush_half(&mut self) {
        if self.half_kind == Kind::Text {
            self.collecting(&mut |_| {}).drop_half();
        }
    }

    /// The id under which a call has been written, open or ended.
    pub(crate) fn id_of(&self, call: OpenCall) -> &str {
        self.ids.get(&call.part).map_or("", String::as_str)
    }

    /// Writes a citation for the last text part, or for `part`.
    ///
    /// Places that contradict each other, and empty members, are left out. `opaque` is the
    /// provider's own, where its requests take it back: `&[("citation", event)]`. Returns false,
    /// with nothing written, without such a text part, and for a source without a kind.
    pub(crate) fn cite(
        &mut self,
        mut citation: Citation,
        opaque: Items<'_>,
        part: Option<i64>,
    ) -> bool {
        let Some(last) = self.text_parts.last().copied() else { return false };
        let at = part.unwrap_or(last);
        let source = &mut citation.source;
        if self.text_parts.binary_search(&at).is_err() || source.kind.as_str().is_empty() {
            return false;
        }
        let members = [&mut source.url, &mut source.title, &mut source.id];
        for member in members.into_iter().chain([&mut citation.quoted_text]) {
            member.take_if(|said| said.is_empty());
        }
        source.locator.take_if(|locator| locator.unit.as_str().is_empty());
        if !matches!((citation.start, citation.end), (Some(start), Some(end)) if start <= end) {
            (citation.start, citation.end) = (None, None);
        }
        self.flush_half();
        let items: Vec<_> = opaque.iter().map(|(kind, data)| item(kind, data, at)).collect();
        citation.opaque = (!items.is_empty()).then(|| self.state.carry(items));
        let part_index = (at != last).then(|| u64::try_from(at).unwrap_or(0));
        self.maker.text_citation(TextCitationDeltaPayload { citation, part_index });
        true
    }

    /// Writes a warning of the provider, each once; without a code it is `other`.
    ///
    /// One that comes before the stream's names are known waits for the start.
    pub(crate) fn warn(&mut self, code: &Raw, message: &Raw, place: &Raw) {
        let text = |value: &Raw| value.text().map(|text| text.well_formed().into_owned());
        let code = text(code).filter(|code| !code.is_empty());
        let payload = WarningDeltaPayload {
            code: code.as_deref().unwrap_or("other").into(),
            message: text(message),
            place: text(place).filter(|place| !place.is_empty()),
        };
        let key =
            (payload.code.as_str().to_owned(), payload.message.clone(), payload.place.clone());
        if !self.warned.insert(key) {
            return;
        }
        if self.maker.begun() {
            self.maker.warning(payload);
        } else {
            self.to_warn.push(payload);
        }
    }

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

    /// Returns items and what else is due, as the part that has just begun carries them.
    fn carried(&mut self, items: Items<'_>) -> Option<Opaque> {
        for (kind, data) in items {
            self.state.keep(item(kind, data, self.part));
        }
        self.state.of_part(self.part, None)
    }

    /// Returns the id of the call that a result answers, None where it answers none.
    pub(crate) fn answers(&mut self, call_id: Option<Text<'_>>) -> Option<String> {
        let id = call_id.map(Text::well_formed).unwrap_or_default();
        let id = cut(&id, MAX_ID_CHARS);
        let waiting = self.waiting.find(id);
        if waiting.is_some() || id.is_empty() {
            return waiting.map(str::to_owned);
        }
        let is_taken = self.answered.contains(id) || self.parts.contains_key(id);
        (!is_taken).then(|| id.to_owned())
    }
}

fn item(kind: &str, data: &Raw, part: i64) -> OpaqueItem {
    OpaqueItem { kind: kind.to_owned(), data: storable(data), part, start: None, end: None }
}

impl Writing<'_> {
    /// Starts a call of a tool that the provider runs; its id is the provider's, or minted.
    ///
    /// Its arguments and its end are written as any call's. The provider's own id is in what is
    /// kept with the call.
    pub(crate) fn open_server_call<'t>(
        &mut self,
        provider_id: Option<Text<'_>>,
        name: impl Into<Text<'t>>,
    ) -> OpenCall {
        self.break_part();
        let writer = &mut *self.writer;
        let (id, is_own) = writer.call_ids.take_as("srv", provider_id, &writer.request_id);
        let own = provider_id.map(|own| own.well_formed().into_owned());
        if !is_own {
            writer.note_minted(provider_id);
        }
        writer.new_part();
        writer.wrote.server_tool_call = true;
        writer.maker.server_call_start(id.clone(), name.into().well_formed().into_owned());
        let own = own.filter(|_| !is_own).unwrap_or_default();
        writer.waiting.add(&id, cut(&own, MAX_ID_CHARS));
        writer.note_id(&id);
        writer.open.insert(writer.part, Call { id, half: None, server: true });
        OpenCall { part: writer.part }
    }

    /// Writes the result of a server tool, whole; its call ends if it is open.
    ///
    /// `call_id` is the call's, or the provider's own for it; it may be of an earlier message.
    /// Without one it is the first call of the stream that has no result. Returns false, with
    /// nothing written, where there is none, where the call has a result already, and where it is a
    /// call of the other kind.
    pub(crate) fn server_result(
        &mut self,
        call_id: Option<Text<'_>>,
        result: ServerResult,
        opaque: Items<'_>,
    ) -> bool {
        let Some(id) = self.writer.answers(call_id) else { return false };
        if let Some(part) = self.writer.parts.get(&id).copied() {
            if self.writer.open.contains_key(&part) {
                self.end_call(OpenCall { part });
            }
        }
        self.break_part();
        let writer = &mut *self.writer;
        writer.waiting.remove(&id);
        writer.answered.insert(id.clone());
        writer.call_ids.retire(&id);
        writer.new_part();
        writer.wrote.server_tool_result = true;
        let payload = ServerToolResult {
            tool_call_id: id,
            is_error: result.is_error,
            content: ToolResultContent::String(result.content),
            outcome: result
                .outcome
                .filter(|said| !said.is_empty())
                .map(|said| said.as_str().into()),
            structured: structured(result.structured),
            opaque: writer.carried(opaque),
        };
        writer.maker.server_result(payload);
        true
    }

    /// Asks for approval of a call of this stream, which ends if it is open.
    ///
    /// Returns false, with nothing written, for an id that is empty or has been used.
    pub(crate) fn approval_request(
        &mut self,
        approval_id: Text<'_>,
        call: OpenCall,
        reason: Option<Text<'_>>,
        opaque: Items<'_>,
    ) -> bool {
        let approval_id = cut(&approval_id.well_formed(), MAX_ID_CHARS).to_owned();
        self.end_call(call);
        let tool_call_id = self.writer.id_of(call).to_owned();
        let is_new = !approval_id.is_empty() && !self.writer.approvals.contains(&approval_id);
        if !is_new || tool_call_id.is_empty() {
            return false;
        }
        self.break_part();
        let writer = &mut *self.writer;
        writer.approvals.insert(approval_id.clone());
        writer.new_part();
        writer.wrote.approval_request = true;
        let reason = reason.map(|reason| reason.well_formed().into_owned());
        let payload = ApprovalRequest {
            approval_id,
            tool_call_id,
            reason: reason.filter(|reason| !reason.is_empty()),
            choices: None,
            requested_at: None,
            opaque: writer.carried(opaque),
        };
        writer.maker.approval_request(payload);
        true
    }

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

fn structured(value: Value) -> Option<StructuredValue> {
    match value {
        Value::Null => None,
        Value::Bool(value) => Some(StructuredValue::Boolean(value)),
        Value::String(text) => Some(StructuredValue::String(text)),
        Value::Array(items) => Some(StructuredValue::Array(items)),
        Value::Object(members) => Some(StructuredValue::Object(members)),
        number @ Value::Number(_) => number.as_f64().map(StructuredValue::Number),
    }
}
