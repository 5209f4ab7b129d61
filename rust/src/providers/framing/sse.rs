//! Server-sent events: bytes in any cut → events, by the rules of the HTML standard.
//!
//! Lines end with CR, LF or CRLF and with nothing else: U+2028, U+2029, U+0085, VT and FF are data.
//! One leading byte order mark is dropped. Where the standard repairs or drops silently, this
//! decoder reports:
//!
//! - Bytes that are not UTF-8 are `framing/invalid-utf8`, not U+FFFD: replaced characters inside
//!   tool arguments still parse, and would be executed. A character that the end of the stream cut
//!   off is a cut, not a wrong encoding: it is left out of an event that is marked unterminated.
//! - An event that no blank line ends is given by `close` as not terminated. Recordings and relays
//!   do drop the last line; whether the stream was complete is for the adapter to say, by the
//!   provider's own end marker.
//! - Text that begins like JSON where a field is due: the standard drops it line by line, and
//!   servers write their errors so. It is given to those who ask for it: [`SseDecoder::with_bare`].

use memchr::memchr2;

use crate::errors::{Error, Finding};
use crate::providers::framing::feeder::{Decode, Feeder, Start, too_large};

const MAX_RETRY_MS: u64 = (1 << 53) - 1;
const BOM_BYTES: usize = 3;
/// The last is a comment's.
const FIELDS: [&str; 5] = ["data", "event", "id", "retry", ""];

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseEvent {
    /// Its type, `message` where the stream names none; for most providers it only repeats what
    /// `data` says. `""` for text that is bare: see [`SseDecoder::with_bare`].
    pub event: String,
    /// The text of the data lines, joined by LF.
    pub data: String,
    /// The last event id at this place, `""` before the first.
    pub id: String,
    /// The reconnection time in milliseconds if this event set one.
    pub retry: Option<u64>,
    /// The 1-based line of its first field.
    pub line: usize,
    /// False if the stream ended inside the event: `data` may be cut anywhere, and may be empty.
    pub terminated: bool,
}

/// Reads events; an unfinished line, and an unfinished event, are kept.
#[derive(Debug)]
pub struct Events {
    start: Start,
    buffer: Vec<u8>,
    line: usize,
    limit: usize,
    /// Of the first byte of the unfinished line, in the stream.
    offset: usize,
    after_cr: bool,
    id: String,
    last_id: String,
    reconnection_ms: Option<u64>,
    pending: Pending,
    takes_bare: bool,
    bare: String,
    /// On which `bare` begins.
    bare_line: usize,
}

/// The event that is being read.
#[derive(Debug, Default)]
struct Pending {
    event: String,
    data: Option<String>,
    retry: Option<u64>,
    /// Line of the first field, 0 between events.
    first: usize,
}

/// Decodes one event stream.
pub type SseDecoder = Feeder<Events>;

impl SseDecoder {
    /// Returns a decoder. `max_event_bytes` bounds an event's data: its UTF-8 bytes, lines joined by
    /// one LF, as they are given out; field names and line ends do not count. Any other line may be
    /// as long. Beyond it: `framing/event-too-large`.
    pub fn new(max_event_bytes: usize) -> Result<Self, Error> {
        Self::reading(max_event_bytes, false)
    }

    /// Returns a decoder that also gives the lines from one that begins with `{` or `[` up to the
    /// next field or comment: in their place, as an event whose name is `""`. Blank ones are left
    /// out.
    pub fn with_bare(max_event_bytes: usize) -> Result<Self, Error> {
        Self::reading(max_event_bytes, true)
    }

    fn reading(max_event_bytes: usize, takes_bare: bool) -> Result<Self, Error> {
        let events = Events {
            start: Start::default(),
            buffer: Vec::new(),
            line: 1,
            limit: max_event_bytes,
            offset: 0,
            after_cr: false,
            id: String::new(),
            last_id: String::new(),
            reconnection_ms: None,
            pending: Pending::default(),
            takes_bare,
            bare: String::new(),
            bare_line: 0,
        };
        Self::of(events, max_event_bytes, "max_event_bytes")
    }

    /// The id to resume from: that of the last event or blank line, `""` if none came.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        &self.inner().last_id
    }

    /// The last `retry` of the stream in milliseconds, also of a block without data.
    #[must_use]
    pub fn reconnection_ms(&self) -> Option<u64> {
        self.inner().reconnection_ms
    }

    /// How many whole lines have come, comments and blank ones included: it grows with keep-alives,
    /// too, which yield no event.
    #[must_use]
    pub fn lines_read(&self) -> usize {
        self.inner().line - 1
    }
}

impl Events {
    fn read(&mut self, mut chunk: &[u8], events: &mut Vec<SseEvent>) -> Result<(), Error> {
        while let Some(at) = memchr2(b'\n', b'\r', chunk) {
            let (line, end) = chunk.split_at(at);
            let is_crlf = end.starts_with(b"\r\n");
            let ends = if is_crlf { 2 } else { 1 };
            chunk = end.get(ends..).unwrap_or_default();
            let size = self.buffer.len() + at + ends;
            if self.buffer.is_empty() {
                self.read_bytes(line, events)?;
            } else {
                let mut whole = std::mem::take(&mut self.buffer);
                whole.extend_from_slice(line);
                self.read_bytes(&whole, events)?;
                whole.clear();
                self.buffer = whole;
            }
            self.offset += size;
        }
        if !chunk.is_empty() {
            self.check_unfinished(chunk)?;
            self.buffer.extend_from_slice(chunk);
        }
        Ok(())
    }

    fn read_bytes(&mut self, line: &[u8], events: &mut Vec<SseEvent>) -> Result<(), Error> {
        match std::str::from_utf8(line) {
            Ok(text) => self.read_line(text, events),
            Err(cause) => {
                // A line beyond the limit is refused before its end, and so its bytes, is seen.
                self.check_size(line, line.len())?;
                Err(self.bad_byte(line, cause.valid_up_to()))
            }
        }
    }

    fn read_line(&mut self, line: &str, events: &mut Vec<SseEvent>) -> Result<(), Error> {
        if line.is_empty() {
            self.last_id.clone_from(&self.id);
            events.extend(self.event(true));
            self.line += 1;
            return Ok(());
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        if FIELDS.contains(&name) {
            events.extend(self.end_bare(true));
        } else if self.is_bare(line) {
            self.add_bare(line)?;
        }
        if name == "data" {
            self.add_data(value)?;
        } else {
            self.check_total(line.len())?;
        }
        if !name.is_empty() {
            if self.pending.first == 0 {
                self.pending.first = self.line;
            }
            self.set_field(name, value);
        }
        self.line += 1;
        Ok(())
    }

    fn set_field(&mut self, name: &str, value: &str) {
        match name {
            "event" => value.clone_into(&mut self.pending.event),
            "id" if !value.contains('\0') => value.clone_into(&mut self.id),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                // Of digits that pass what JSON peers count to, nothing is taken.
                let count = value.parse().ok().filter(|count| *count <= MAX_RETRY_MS);
                self.pending.retry = count.or(self.pending.retry);
                self.reconnection_ms = count.or(self.reconnection_ms);
            }
            _ => {}
        }
    }

    fn is_bare(&self, line: &str) -> bool {
        let begins = || line.trim_start_matches([' ', '\t']).starts_with(['{', '[']);
        self.takes_bare && (!self.bare.is_empty() || begins())
    }

    fn add_bare(&mut self, line: &str) -> Result<(), Error> {
        let joined = if self.bare.is_empty() { 0 } else { self.bare.len() + 1 };
        self.check_total(joined + line.len())?;
        if joined == 0 {
            self.bare_line = self.line;
        } else {
            self.bare.push('\n');
        }
        self.bare.push_str(line);
        Ok(())
    }

    /// Returns the text that is bare, if there is any.
    fn end_bare(&mut self, terminated: bool) -> Option<SseEvent> {
        if self.bare.is_empty() {
            return None;
        }
        let (data, id) = (std::mem::take(&mut self.bare), self.id.clone());
        let (event, retry, line) = (String::new(), None, self.bare_line);
        Some(SseEvent { event, data, id, retry, line, terminated })
    }

    fn add_data(&mut self, value: &str) -> Result<(), Error> {
        self.check_total(self.joined_size() + value.len())?;
        match &mut self.pending.data {
            None => self.pending.data = Some(value.to_owned()),
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
        }
        Ok(())
    }

    /// Returns how much of the limit the data takes that another line is joined to.
    fn joined_size(&self) -> usize {
        self.pending.data.as_ref().map_or(0, |data| data.len() + 1)
    }

    /// Returns the event that is being read, if it has data, and begins another.
    fn event(&mut self, terminated: bool) -> Option<SseEvent> {
        let Pending { mut event, data, retry, first } = std::mem::take(&mut self.pending);
        let data = data?;
        if event.is_empty() {
            "message".clone_into(&mut event);
        }
        Some(SseEvent { event, data, id: self.id.clone(), retry, line: first, terminated })
    }

    fn check_unfinished(&self, tail: &[u8]) -> Result<(), Error> {
        let size = self.buffer.len() + tail.len();
        if size + self.joined_size() < self.limit {
            return Ok(());
        }
        let head: Vec<u8> = self.buffer.iter().chain(tail).take(6).copied().collect();
        self.check_size(&head, size)
    }

    /// Refuses a line of `size` bytes that begins with `head`, if it is beyond the limit.
    fn check_size(&self, head: &[u8], size: usize) -> Result<(), Error> {
        if let Some(value) = head.strip_prefix(b"data:") {
            let space = usize::from(value.first() == Some(&b' '));
            return self.check_total(self.joined_size() + size - 5 - space);
        }
        // It may become a data line.
        if size <= 4 && b"data".starts_with(head) { Ok(()) } else { self.check_total(size) }
    }

    fn check_total(&self, size: usize) -> Result<(), Error> {
        if size <= self.limit {
            return Ok(());
        }
        let message = "The event, or a line of it, is larger than max_event_bytes";
        Err(too_large("framing/event-too-large", message, self.limit, self.line))
    }

    fn bad_byte(&self, line: &[u8], at: usize) -> Error {
        let message = format!("Byte {} of the stream is not UTF-8", self.offset + at);
        let mut finding = Finding::error("framing/invalid-utf8", "", &message).expected("UTF-8");
        finding.actual = line.get(at).map(|byte| format!("0x{byte:02x}"));
        finding.line = Some(self.line);
        Error::Framing(vec![finding])
    }
}

impl Decode for Events {
    type Event = SseEvent;

    fn take(&mut self, mut chunk: &[u8], events: &mut Vec<SseEvent>) -> Result<(), Error> {
        if chunk.is_empty() {
            return Ok(());
        }
        if self.after_cr {
            if let Some(rest) = chunk.strip_prefix(b"\n") {
                self.offset += 1; // the second half of a CRLF
                chunk = rest;
            }
        }
        self.after_cr = chunk.last() == Some(&b'\r');
        let Some((text, has_mark)) = self.start.text(chunk) else { return Ok(()) };
        if has_mark {
            self.offset = BOM_BYTES;
        }
        self.read(&text, events)
    }

    fn end(&mut self, events: &mut Vec<SseEvent>) -> Result<(), Error> {
        let mut line = std::mem::take(&mut self.start.held);
        if !line.is_empty() {
            self.check_unfinished(&line)?; // what may have become a byte order mark
        }
        line.append(&mut self.buffer);
        let text = match std::str::from_utf8(&line) {
            Ok(text) => text,
            Err(cause) if cause.error_len().is_none() => {
                let whole = line.get(..cause.valid_up_to()).unwrap_or_default();
                std::str::from_utf8(whole).unwrap_or("")
            }
            Err(cause) => return Err(self.bad_byte(&line, cause.valid_up_to())),
        };
        // Else a field name that the end cut off: nobody knows which one.
        if text.contains(':') || (!text.is_empty() && self.is_bare(text)) {
            self.read_line(text, events)?;
        }
        events.extend(self.event(false));
        events.extend(self.end_bare(false));
        Ok(())
    }

    fn drop_rest(&mut self) {
        self.buffer = Vec::new();
        self.pending = Pending::default();
        self.bare = String::new();
    }
}
