//! What a dialect does: raw events in, calls of the writer out.

use crate::errors::clip_text;
use crate::json::base64;
use crate::json::raw::{Raw, RawObject};
use crate::json::raw_reader::decode_event;
use crate::providers::core::errors::{ProviderError, error_code, read_error, retryable};
use crate::providers::core::sniff::dialect_of;
use crate::providers::core::writer::DeltaWriter;

/// Spellings of a provider → the contract's finish reasons.
pub(crate) type Reasons = &'static [(&'static str, &'static str)];

/// What the adapter of one stream shares with its dialect.
///
/// The findings are in [`DeltaWriter::log`], the provider's state in [`DeltaWriter::state`].
pub(crate) struct Stream {
    /// Writes the deltas.
    pub writer: DeltaWriter,
    /// The provider's own finish reason.
    pub finish_reason: Option<String>,
    /// The provider's own error.
    pub error: Option<ProviderError>,
}

/// What one dialect makes of its events; one value for one stream.
///
/// The first three are asked for, the others have a meaning for most formats. What is called as
/// `dialect.…(stream, …)` below the line is for the dialects themselves and nobody fills it in.
pub(crate) trait Dialect: Send {
    /// The name in the registry.
    fn name(&self) -> &'static str;

    /// Writes the deltas of one event; nothing has ended the stream yet.
    fn read(&mut self, stream: &mut Stream, event: &RawObject);

    /// Writes the last delta: the input has ended.
    fn finish(&mut self, stream: &mut Stream);

    /// Reads `[DONE]`.
    fn done_mark(&mut self, _stream: &mut Stream) {}

    /// Writes what is held back, before the last delta.
    fn flush(&mut self, _stream: &mut Stream) {}

    /// Keeps what goes with a part that is about to end: see [`DeltaWriter::collecting`].
    fn collect(&mut self, _writer: &mut DeltaWriter) {}

    /// Tells whether the content is known to be whole, so that a torn event costs nothing.
    fn is_whole(&self, _stream: &Stream) -> bool {
        false
    }

    /// Tells whether the provider itself sends this after the end.
    fn may_follow(&mut self, _stream: &mut Stream, _event: &RawObject) -> bool {
        false
    }

    /// Returns the event, completed by the framing's `name` for it where the dialect has one:
    /// mostly [`typed`].
    fn with_hint(&self, event: RawObject, _name: &str) -> RawObject {
        event
    }

    // --- for the dialects ------------------------------------------------------------------------

    /// Ends the stream as failed, once what is held back is written.
    fn end_with(&mut self, stream: &mut Stream, code: &str, message: Option<&str>) {
        self.flush(stream);
        self.fail(stream, code, message, None);
    }

    /// Ends the stream as failed.
    fn fail(
        &mut self,
        stream: &mut Stream,
        code: &str,
        message: Option<&str>,
        may_retry: Option<bool>,
    ) {
        let may_retry = may_retry.or_else(|| retryable(code)).unwrap_or(false);
        let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
        stream.writer.collecting(&mut collect).fail(code, message, may_retry);
    }

    /// Ends the stream with the provider's error.
    fn fail_with(&mut self, stream: &mut Stream, value: &Raw) {
        let error = read_error(value);
        let said = error.message.as_ref().or(error.code.as_ref()).or(error.kind.as_ref()).cloned();
        let code = error_code(&error);
        stream.error = Some(error);
        self.end_with(stream, code, said.as_deref());
    }

    /// Ends the stream at a second message: what the first one said cannot be taken back.
    fn refuse_second(&mut self, stream: &mut Stream, place: &str, first: &Raw, other: &Raw) {
        let message = "A second message begins inside the first one's stream";
        let (first, other) = (first.clip(), other.clip());
        let log = &mut stream.writer.log;
        log.note("adapter/spliced-message", message, place, Some(&first), Some(&other));
        let message = "A second message began inside the first one";
        self.end_with(stream, "provider_internal", Some(message));
    }

    /// Ends the stream as complete, by its finish reason, which is `key` in the table. An end marker
    /// that has no message before it, and no reason with it, is what a torn stream has left.
    fn end_with_reason(
        &mut self,
        stream: &mut Stream,
        table: Reasons,
        key: &str,
        place: &str,
        has_begun: bool,
    ) {
        let said = stream.finish_reason.clone();
        if said.is_none() && !has_begun && stream.is_empty() {
            return self.end_of_nothing(stream);
        }
        let known = stream.known_reason(table, key, said.as_deref(), place);
        stream.writer.done(known, said.as_deref());
    }

    fn end_of_nothing(&mut self, stream: &mut Stream) {
        self.truncated(stream, "any message");
    }

    /// Ends a stream that stopped before what `expected` says.
    fn truncated(&mut self, stream: &mut Stream, expected: &str) {
        let message = format!("The stream stopped before {expected}");
        self.end_with(stream, "truncated_stream", Some(&message));
    }

    /// Tells whether a first event is another dialect's; if so, the stream has ended.
    fn is_other_dialect(&mut self, stream: &mut Stream, event: &RawObject) -> bool {
        match dialect_of(event) {
            Some((other, place)) if other != self.name() => {
                self.wrong_dialect(stream, other, &place);
                true
            }
            _ => false,
        }
    }

    /// Ends a stream that speaks another dialect.
    fn wrong_dialect(&mut self, stream: &mut Stream, other: &str, place: &str) {
        let message = format!("The stream speaks {other}, not {}", self.name());
        let log = &mut stream.writer.log;
        log.note("adapter/wrong-dialect", &message, place, Some(self.name()), Some(other));
        self.end_with(stream, "unknown", Some(&message));
    }

    /// Reads the event that a Bedrock `chunk` carries, as its Python client gives it.
    fn read_chunk(&mut self, stream: &mut Stream, event: &RawObject) {
        match chunk_event(event) {
            Some(Raw::Object(inner)) => self.read(stream, &inner),
            _ => stream.writer.log.invalid(
                "/chunk/bytes",
                "an event as JSON in Base64",
                event.get("chunk"),
            ),
        }
    }
}

impl Stream {
    /// Tells whether nothing has come that a message or the next request would hold.
    pub(crate) fn is_empty(&self) -> bool {
        !self.writer.wrote.any() && self.writer.state.items.is_empty()
    }

    /// Notes what comes behind the end, and is passed over.
    pub(crate) fn note_after_end(&mut self) {
        let message = "The stream goes on after its end; what follows is passed over";
        let expected = Some("the end of the input");
        self.writer.log.note("adapter/after-end", message, "", expected, None);
    }

    /// Notes an event of a type that the dialect does not have.
    pub(crate) fn unknown_type(&mut self, kind: &Raw) {
        let actual = kind.clip();
        let message = "The event's type is not known; it is passed over";
        let expected = Some("an event of the dialect");
        self.writer.log.note("adapter/unknown-event", message, "/type", expected, Some(&actual));
    }

    /// Returns the contract's finish reason for `key`; where the table has none, unknown, and says
    /// so of what the provider `said`.
    pub(crate) fn known_reason(
        &mut self,
        table: Reasons,
        key: &str,
        said: Option<&str>,
        place: &str,
    ) -> &'static str {
        if let Some(said) = said {
            return self.reason_of(table, key, &clip_text(said), place);
        }
        let message = "No finish reason came; it counts as unknown";
        let log = &mut self.writer.log;
        log.note("adapter/unknown-finish-reason", message, place, Some("a finish reason"), None);
        "unknown"
    }

    /// Returns the contract's finish reason for `key`; `actual` is what was said, clipped.
    pub(crate) fn reason_of(
        &mut self,
        table: Reasons,
        key: &str,
        actual: &str,
        place: &str,
    ) -> &'static str {
        if let Some((_, known)) = table.iter().find(|(each, _)| *each == key) {
            return known;
        }
        let names: Vec<&str> = table.iter().map(|(each, _)| *each).collect();
        self.writer.log.note(
            "adapter/unknown-finish-reason",
            "The finish reason is not known; it counts as unknown",
            place,
            Some(&names.join(", ")),
            Some(actual),
        );
        "unknown"
    }
}

/// Returns an event with `name` as its type where it has none.
pub(crate) fn typed(event: RawObject, name: &str) -> RawObject {
    if event.has("type") { event } else { event.led_by("type", name.into()) }
}

/// Returns the text of the event in `{"bytes": …}`, Base64; None if there is none.
pub(crate) fn chunk_text(payload: &Raw) -> Option<String> {
    let data = payload.object()?.get("bytes").str().and_then(base64::decode)?;
    String::from_utf8(data).ok()
}

/// Returns the JSON value that `{"chunk": {"bytes": …}}` carries.
pub(crate) fn chunk_event(event: &RawObject) -> Option<Raw> {
    decode_event(&chunk_text(event.get("chunk"))?)
}
