//! AWS event streams (`application/vnd.amazon.eventstream`): bytes in any cut → messages.
//!
//! A message is one frame: its length, the length of its headers, a checksum of these eight bytes,
//! headers, payload, and a checksum of all before. Both checksums are CRC-32.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::errors::{Error, Finding, clip_text};
use crate::providers::framing::feeder::{Decode, Feeder};
use crate::tables::limits::MAX_HEADER_BYTES;

const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;
const OVERHEAD: usize = PRELUDE + CHECKSUM;
// A stream has a handful of different headers; those that are long are read every time.
const MOST_KNOWN: usize = 64;
const LONGEST_KNOWN: usize = 1024;

/// One message: its headers in order, and its payload, not decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct EventStreamMessage {
    /// The headers; equal ones are shared by the messages of a stream.
    pub headers: Arc<EventStreamHeaders>,
    /// The body.
    pub payload: Vec<u8>,
    /// The byte of the stream, from 0, at which the frame begins.
    pub offset: usize,
    /// False if the stream ended inside the frame: then nothing of it is known.
    pub terminated: bool,
}

/// Cuts bytes into frames; an unfinished one is kept.
#[derive(Debug)]
pub struct Frames {
    /// What is unfinished.
    buffer: Vec<u8>,
    /// Bytes that the buffer has to hold before it can be read on.
    need: usize,
    /// Of the first byte of what is unfinished, in the stream.
    offset: usize,
    limit: usize,
    known: HashMap<Vec<u8>, Arc<EventStreamHeaders>>,
}

/// Decodes frames.
///
/// A frame is given out once both of its checksums fit, and never before: nothing of a damaged or
/// unfinished frame is used. After damage no later frame can be distinguished from noise, so it is
/// an error, `framing/checksum-mismatch` or `framing/invalid-frame`, which names the byte of the
/// stream. A frame that the end of the stream cuts off is given as a message that is not
/// terminated, with nothing in it.
pub type EventStreamDecoder = Feeder<Frames>;

impl EventStreamDecoder {
    /// Returns a decoder of frames of at most `max_event_bytes`, which is looked at before any of
    /// a frame is kept; beyond it: `framing/event-too-large`.
    pub fn new(max_event_bytes: usize) -> Result<Self, Error> {
        let frames = Frames {
            buffer: Vec::new(),
            need: PRELUDE,
            offset: 0,
            limit: max_event_bytes,
            known: HashMap::new(),
        };
        Self::of(frames, max_event_bytes, "max_event_bytes")
    }
}

impl Decode for Frames {
    type Event = EventStreamMessage;

    fn take(
        &mut self,
        mut chunk: &[u8],
        messages: &mut Vec<EventStreamMessage>,
    ) -> Result<(), Error> {
        while !self.buffer.is_empty() {
            let missing = self.need.saturating_sub(self.buffer.len()).min(chunk.len());
            let (now, rest) = chunk.split_at(missing);
            self.buffer.extend_from_slice(now);
            chunk = rest;
            if self.buffer.len() < self.need {
                return Ok(());
            }
            if self.need == PRELUDE {
                self.need = self.frame_size(&self.buffer)?;
                continue;
            }
            let frame = std::mem::take(&mut self.buffer);
            self.need = PRELUDE;
            messages.push(self.message(&frame)?);
        }
        while chunk.len() >= PRELUDE {
            let size = self.frame_size(chunk)?;
            let Some((frame, rest)) = chunk.split_at_checked(size) else {
                self.need = size;
                break;
            };
            messages.push(self.message(frame)?);
            chunk = rest;
        }
        self.buffer.extend_from_slice(chunk);
        Ok(())
    }

    fn end(&mut self, messages: &mut Vec<EventStreamMessage>) -> Result<(), Error> {
        if !self.buffer.is_empty() {
            let (headers, payload) = (Arc::default(), Vec::new());
            let (offset, terminated) = (self.offset, false);
            messages.push(EventStreamMessage { headers, payload, offset, terminated });
        }
        Ok(())
    }

    fn drop_rest(&mut self) {
        self.buffer = Vec::new();
    }
}

impl Frames {
    /// Returns the size of the frame that `data` begins with.
    fn frame_size(&self, data: &[u8]) -> Result<usize, Error> {
        let (size, headers, due) = (word(data, 0), word(data, 4), word(data, 8));
        let found = crc32fast::hash(data.get(..8).unwrap_or_default());
        if found != due {
            return Err(self.bad_checksum("prelude", due, found));
        }
        let (size, headers) = (as_size(size), as_size(headers));
        if headers > MAX_HEADER_BYTES {
            let due = format!("at most {MAX_HEADER_BYTES} bytes");
            return Err(self.invalid("has too many headers", due, headers.to_string()));
        }
        let least = headers + OVERHEAD;
        if size < least {
            let due = format!("{least} bytes or more");
            return Err(self.invalid("is shorter than its parts", due, size.to_string()));
        }
        if size > self.limit {
            let message =
                format!("The frame at byte {} is larger than max_event_bytes", self.offset);
            let (due, found) = (format!("at most {} bytes", self.limit), format!("{size} bytes"));
            return Err(refused("framing/event-too-large", &message, due, found));
        }
        Ok(size)
    }

    /// Returns the message of a frame that is whole and whose prelude is sound.
    fn message(&mut self, frame: &[u8]) -> Result<EventStreamMessage, Error> {
        let (sealed, seal) = frame.split_at(frame.len().saturating_sub(CHECKSUM));
        let (due, found) = (word(seal, 0), crc32fast::hash(sealed));
        if found != due {
            return Err(self.bad_checksum("message", due, found));
        }
        let body = sealed.get(PRELUDE..).unwrap_or_default();
        let (raw, payload) = body.split_at(as_size(word(frame, 4)).min(body.len()));
        let headers = self.headers(raw)?;
        let offset = self.offset;
        self.offset += frame.len();
        Ok(EventStreamMessage { headers, payload: payload.to_vec(), offset, terminated: true })
    }

    fn headers(&mut self, raw: &[u8]) -> Result<Arc<EventStreamHeaders>, Error> {
        if let Some(known) = self.known.get(raw) {
            return Ok(Arc::clone(known));
        }
        let headers = Arc::new(read_headers(raw, self.offset)?);
        if self.known.len() < MOST_KNOWN && raw.len() < LONGEST_KNOWN {
            self.known.insert(raw.to_vec(), Arc::clone(&headers));
        }
        Ok(headers)
    }

    fn invalid(&self, what: &str, expected: String, actual: String) -> Error {
        invalid_frame(self.offset, what, expected, actual)
    }

    fn bad_checksum(&self, of: &str, due: u32, found: u32) -> Error {
        let at = self.offset;
        let message =
            format!("The frame at byte {at} is damaged: the checksum of its {of} differs");
        let (due, found) = (format!("CRC-32 {due:08x}"), format!("CRC-32 {found:08x}"));
        refused("framing/checksum-mismatch", &message, due, found)
    }
}

pub(crate) fn invalid_frame(
    offset: usize,
    what: &str,
    expected: impl Into<String>,
    actual: impl Into<String>,
) -> Error {
    let message = format!("The frame at byte {offset} {what}");
    refused("framing/invalid-frame", &message, expected, actual)
}

pub(crate) fn refused(
    rule: &str,
    message: &str,
    expected: impl Into<String>,
    actual: impl Into<String>,
) -> Error {
    Error::Framing(vec![Finding::error(rule, "", message).expected(expected).actual(actual)])
}

fn as_size(word: u32) -> usize {
    usize::try_from(word).unwrap_or(usize::MAX)
}

fn word(data: &[u8], at: usize) -> u32 {
    let bytes = data.get(at..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

// -------------------------------------------------------------------------------------------------
// The headers of one message of an AWS event stream.

/// The value of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderValue {
    /// True or false.
    Bool(bool),
    /// A byte, short, integer or long, or a timestamp: milliseconds since the epoch.
    Integer(i64),
    /// A byte array, or the 16 bytes of a UUID.
    Bytes(Vec<u8>),
    /// A string.
    Text(String),
}

/// Headers by name, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventStreamHeaders(Vec<(String, HeaderValue)>);

impl EventStreamHeaders {
    /// Returns the value of a header.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&HeaderValue> {
        self.0.iter().find(|(each, _)| each == name).map(|(_, value)| value)
    }

    /// Returns all headers in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &HeaderValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

/// Reads the headers of the frame that begins at byte `offset` of the stream.
pub(crate) fn read_headers(raw: &[u8], offset: usize) -> Result<EventStreamHeaders, Error> {
    let mut reader = Reader { rest: raw, offset };
    let mut headers = Vec::new();
    let mut names = HashSet::new();
    while let Some((&length, rest)) = reader.rest.split_first() {
        reader.rest = rest;
        let name = reader.text(usize::from(length))?;
        if !names.insert(name.clone()) {
            let what = "has a header twice";
            return Err(invalid_frame(offset, what, "each name once", clip_text(&name)));
        }
        headers.push((name, reader.value()?));
    }
    Ok(EventStreamHeaders(headers))
}

struct Reader<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Result<HeaderValue, Error> {
        let [kind] = self.array()?;
        Ok(match kind {
            0 => HeaderValue::Bool(true),
            1 => HeaderValue::Bool(false),
            2 => HeaderValue::Integer(i8::from_be_bytes(self.array()?).into()),
            3 => HeaderValue::Integer(i16::from_be_bytes(self.array()?).into()),
            4 => HeaderValue::Integer(i32::from_be_bytes(self.array()?).into()),
            5 | 8 => HeaderValue::Integer(i64::from_be_bytes(self.array()?)),
            6 => {
                let length = u16::from_be_bytes(self.array()?);
                HeaderValue::Bytes(self.slice(length.into())?.to_vec())
            }
            7 => {
                let length = u16::from_be_bytes(self.array()?);
                HeaderValue::Text(self.text(length.into())?)
            }
            9 => HeaderValue::Bytes(self.array::<16>()?.to_vec()),
            _ => {
                let (what, due) = ("has a header of no known type", "a type from 0 to 9");
                return Err(invalid_frame(self.offset, what, due, kind.to_string()));
            }
        })
    }

    fn text(&mut self, length: usize) -> Result<String, Error> {
        let data = self.slice(length)?;
        std::str::from_utf8(data).map(str::to_owned).map_err(|cause| {
            let message = format!("A header of the frame at byte {} is not UTF-8", self.offset);
            not_utf8(&message, data, cause.valid_up_to())
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let data = self.slice(N)?;
        // A slice of N bytes is an array of N.
        Ok(data.first_chunk().copied().unwrap_or([0; N]))
    }

    fn slice(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let Some((data, rest)) = self.rest.split_at_checked(length) else {
            let (what, found) = ("has a header that its end cuts off", self.rest.len());
            let (due, found) = (format!("{length} bytes"), found.to_string());
            return Err(invalid_frame(self.offset, what, due, found));
        };
        self.rest = rest;
        Ok(data)
    }
}

/// Returns the error for bytes that are not UTF-8; `at` is the first of them.
pub(crate) fn not_utf8(message: &str, data: &[u8], at: usize) -> Error {
    let byte = data.get(at).copied().unwrap_or(0);
    refused("framing/invalid-utf8", message, "UTF-8", format!("0x{byte:02x}"))
}
