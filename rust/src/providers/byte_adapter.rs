//! Bytes of a response → deltas: the framing, the JSON of each event, and the adapter.
//!
//! A response may come as server-sent events, as an AWS event stream, as one array of events, as
//! JSON Lines (a recording), or, where something went wrong or streaming is not to be had, as one
//! JSON body, on one line or on many. Google's servers, and some proxies, write such a body in the
//! midst of server-sent events: an error that the standard takes for a field without a meaning.

use crate::contract::current::message::MessageDelta;
use crate::errors::{Error, Finding};
use crate::json::raw_reader::decode_event;
use crate::json::raw_text::is_space;
use crate::providers::bedrock::frames::read_frame;
use crate::providers::core::adapter::ProviderAdapter;
use crate::providers::framing::eventstream::{EventStreamDecoder, EventStreamMessage};
use crate::providers::framing::json_array::JsonArrayDecoder;
use crate::providers::framing::json_lines::{JsonLinesDecoder, RawLine};
use crate::providers::framing::sse::{SseDecoder, SseEvent};
use crate::tables::limits::{DEFAULT_LIMIT_BYTES, MAX_HEAD_BYTES};

const BOM: &[u8] = b"\xef\xbb\xbf";
/// How the events of a response are laid out in its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// Looks at the first byte: `{` begins JSON, `[` an array, a byte below 9 (which begins no
    /// text) the length of an AWS frame, all else server-sent events.
    #[default]
    Auto,
    /// Server-sent events.
    Sse,
    /// JSON Lines, or one JSON body.
    JsonLines,
    /// One array of events.
    JsonArray,
    /// An AWS event stream.
    EventStream,
}

enum Decoder {
    Sse(SseDecoder),
    Lines(JsonLinesDecoder),
    Array(JsonArrayDecoder),
    Frames(EventStreamDecoder),
}

/// Feeds an adapter from bytes, in any cut; the deltas do not depend on it.
///
/// Bytes that cannot be read on (no UTF-8, a damaged frame, an event beyond the limit) end the
/// stream as an `error` delta, the framing's finding in [`ProviderAdapter::findings`].
pub struct ByteAdapter {
    adapter: ProviderAdapter,
    limit: usize,
    decoder: Option<Decoder>,
    /// White space, or a part of a byte order mark.
    head: Vec<u8>,
    /// Lines of what may be one body on many lines.
    body: Option<Vec<String>>,
    body_chars: usize,
    lines: usize,
    failed: bool,
}

impl ByteAdapter {
    /// Returns a reader that finds out the framing, with a limit of 64 MiB for an event.
    #[must_use]
    pub fn new(adapter: ProviderAdapter) -> Self {
        Self {
            adapter,
            limit: DEFAULT_LIMIT_BYTES,
            decoder: None,
            head: Vec::new(),
            body: None,
            body_chars: 0,
            lines: 0,
            failed: false,
        }
    }

    /// Returns a reader of a framing, of events of at most `max_event_bytes`.
    ///
    /// Fails with [`Error::Usage`] for a limit of 0.
    pub fn with(
        adapter: ProviderAdapter,
        framing: Framing,
        max_event_bytes: usize,
    ) -> Result<Self, Error> {
        let mut made = Self { limit: max_event_bytes, ..Self::new(adapter) };
        // Refuses the limit at once, whatever the framing will be.
        made.choose(framing)?;
        if framing == Framing::Auto {
            made.decoder = None;
        }
        Ok(made)
    }

    /// The adapter, with what it has found so far.
    #[must_use]
    pub fn adapter(&self) -> &ProviderAdapter {
        &self.adapter
    }

    /// Returns the adapter.
    #[must_use]
    pub fn into_adapter(self) -> ProviderAdapter {
        self.adapter
    }

    /// Returns the deltas that `chunk` completes.
    pub fn feed(&mut self, chunk: &[u8]) -> Vec<MessageDelta> {
        if self.decoder.is_some() {
            self.read(Some(chunk));
            return self.adapter.take();
        }
        self.head.extend_from_slice(chunk);
        let Some(framing) = sniff(&self.head) else { return Vec::new() };
        let head = std::mem::take(&mut self.head);
        match self.choose(framing) {
            Ok(()) => self.read(Some(&head)),
            Err(error) => self.fail(&error),
        }
        self.adapter.take()
    }

    /// Says that the input has ended; returns the last deltas.
    pub fn close(&mut self) -> Vec<MessageDelta> {
        self.read(None);
        if let Some(body) = self.body.take() {
            self.read_body(&body);
        }
        let mut deltas = self.adapter.take();
        deltas.extend(self.adapter.close());
        deltas
    }

    fn choose(&mut self, framing: Framing) -> Result<(), Error> {
        self.decoder = Some(match framing {
            Framing::JsonLines => Decoder::Lines(JsonLinesDecoder::new(self.limit)?),
            Framing::JsonArray => Decoder::Array(JsonArrayDecoder::new(self.limit)?),
            Framing::EventStream => Decoder::Frames(EventStreamDecoder::new(self.limit)?),
            Framing::Auto | Framing::Sse => Decoder::Sse(SseDecoder::with_bare(self.limit)?),
        });
        Ok(())
    }

    /// Reads a chunk, or with None what the end of the input leaves.
    fn read(&mut self, chunk: Option<&[u8]>) {
        if self.failed {
            return;
        }
        match &mut self.decoder {
            Some(Decoder::Sse(decoder)) => {
                let events = decoder.read(chunk);
                let error = decoder.error();
                self.read_all(events, error, |it, event| it.read_sse(&event));
            }
            Some(Decoder::Lines(decoder)) => {
                let events = decoder.read(chunk);
                let error = decoder.error();
                self.read_all(events, error, |it, line| it.read_line(&line, true));
            }
            Some(Decoder::Array(decoder)) => {
                let events = decoder.read(chunk);
                let error = decoder.error();
                self.read_all(events, error, |it, line| it.read_line(&line, false));
            }
            Some(Decoder::Frames(decoder)) => {
                let events = decoder.read(chunk);
                let error = decoder.error();
                self.read_all(events, error, |it, message| it.read_frame(&message));
            }
            None => {}
        }
    }

    fn read_all<E>(
        &mut self,
        events: Result<Vec<E>, Error>,
        error: Option<Error>,
        read: impl Fn(&mut Self, E),
    ) {
        match events {
            Ok(events) => {
                for event in events {
                    read(self, event);
                }
                if let Some(error) = error {
                    self.fail(&error);
                }
            }
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &Error) {
        match error.findings().first() {
            Some(finding) if !self.failed => {
                self.failed = true;
                self.body = None;
                self.adapter.read_failure(finding.clone());
            }
            _ => {}
        }
    }

    fn fail_with(&mut self, finding: Finding) {
        self.fail(&Error::Framing(vec![finding]));
    }

    fn read_sse(&mut self, event: &SseEvent) {
        match event.event.as_str() {
            "" => self.adapter.read_bare(&event.data),
            "message" => self.adapter.read_text(&event.data, ""),
            name => self.adapter.read_text(&event.data, name),
        }
    }

    fn read_frame(&mut self, message: &EventStreamMessage) {
        if self.failed {
            return;
        }
        if let Err(error) = read_frame(&mut self.adapter, message) {
            self.fail(&error);
        }
    }

    // --- JSON without event framing --------------------------------------------------------------

    fn read_line(&mut self, line: &RawLine, may_be_body: bool) {
        if self.failed {
            return;
        }
        let text = match std::str::from_utf8(&line.data) {
            Ok(text) => text,
            Err(cause) => {
                let good = line.data.get(..cause.valid_up_to()).unwrap_or_default();
                // A character that the end of the input cuts off is a cut, not a wrong encoding.
                if line.terminated || cause.error_len().is_some() {
                    return self.fail_with(invalid_utf8(line, cause.valid_up_to()));
                }
                std::str::from_utf8(good).unwrap_or("")
            }
        };
        self.lines += 1;
        if self.lines == 1 && may_be_body && begins_body(text) {
            self.body = Some(Vec::new());
        }
        let Some(body) = &mut self.body else { return self.adapter.read_text(text, "") };
        body.push(text.to_owned());
        self.body_chars += text.chars().count() + 1;
        if self.body_chars <= self.limit {
            return;
        }
        let message = "The JSON body is larger than max_event_bytes";
        let finding = Finding::error("framing/event-too-large", "", message);
        let finding = finding.expected(format!("at most {} bytes", self.limit));
        self.fail_with(finding.actual(format!("more than {} bytes", self.limit)));
    }

    /// Reads one JSON value on many lines; if it is not one, lines of which the first is broken.
    fn read_body(&mut self, lines: &[String]) {
        let whole = lines.join("\n");
        if decode_event(&whole).is_some() {
            return self.adapter.read_text(&whole, "");
        }
        for line in lines {
            self.adapter.read_text(line, "");
        }
    }
}

/// Tells whether the first line may be the first of one JSON value on many lines.
fn begins_body(text: &str) -> bool {
    text.trim_start_matches(is_space).starts_with(['{', '[']) && decode_event(text).is_none()
}

fn invalid_utf8(line: &RawLine, at: usize) -> Finding {
    let message = format!("Byte {at} of the line is not UTF-8");
    let mut finding = Finding::error("framing/invalid-utf8", "", &message).expected("UTF-8");
    finding.actual = line.data.get(at).map(|byte| format!("0x{byte:02x}"));
    finding.line = Some(line.number);
    finding
}

/// Returns the framing of a response that begins with `head`, None if that is too short.
fn sniff(head: &[u8]) -> Option<Framing> {
    if head.len() < BOM.len() && BOM.starts_with(head) {
        return None;
    }
    if head.first().is_some_and(|byte| *byte < 0x09) {
        return Some(Framing::EventStream);
    }
    let text = head.get(..MAX_HEAD_BYTES).unwrap_or(head);
    let text = text.strip_prefix(BOM).unwrap_or(text);
    match text.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
        Some(b'{') => Some(Framing::JsonLines),
        Some(b'[') => Some(Framing::JsonArray),
        Some(_) => Some(Framing::Sse),
        None => (head.len() >= MAX_HEAD_BYTES).then_some(Framing::Sse),
    }
}
