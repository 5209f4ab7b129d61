//! The places of a message in the making: one per part, in arrival order.

use crate::json::Value;

use crate::contract::current::message::{
    Citation, InlineSource, MediaEndDeltaPayload, MediaPart, MediaPayload, MediaSource,
    MessagePart, Opaque, ServerToolCallPart, TextFormat, TextPart, TextPayload, ThinkingPart,
    ThinkingPayload, ToolCallPart, ToolCallPayload, tags,
};
use crate::contract::types::Map;
use crate::errors::Error;
use crate::json::base64;
use crate::message::assembler::arguments::ParseError;
use crate::message::assembler::checks::{check_name, limit_exceeded};
use crate::message::assembler::limits::Limits;
use crate::message::assembler::partial_json::PartialJson;
use crate::tables::limits::VALUE_BYTES;

/// One part of a message in the making.
pub(crate) enum Slot {
    Text(TextSlot),
    Call(Box<CallSlot>),
    Media(Box<MediaSlot>),
    /// A part that came whole.
    Whole(Box<MessagePart>),
}

/// A text or thinking part.
pub(crate) struct TextSlot {
    pub thinking: bool,
    pub text: String,
    pub opaque: Option<Packed>,
    pub citations: Vec<Citation>,
    /// What is certain of the JSON value that the text is, as far as somebody has looked.
    pub preview: Option<Box<Preview>>,
}

impl TextSlot {
    /// Returns a part that begins.
    pub(crate) fn new(thinking: bool) -> Self {
        let (text, citations) = (String::new(), Vec::new());
        Self { thinking, text, opaque: None, citations, preview: None }
    }

    /// Lets the preview take the text as far as it has come.
    pub(crate) fn look(&mut self, max_depth: usize) {
        look(&mut self.preview, &self.text, || PartialJson::of_any_value(max_depth));
    }

    /// Returns a new part; `format` is that of the stream.
    pub(crate) fn part(&self, format: Option<&TextFormat>) -> MessagePart {
        let (text, opaque) = (self.text.clone(), opaque_of(self.opaque.as_ref()));
        if self.thinking {
            let payload = ThinkingPayload { text, opaque };
            return MessagePart::Thinking(ThinkingPart { kind: tags::Thinking, payload });
        }
        MessagePart::Text(TextPart {
            kind: tags::Text,
            payload: TextPayload {
                text,
                opaque,
                citations: (!self.citations.is_empty()).then(|| self.citations.clone()),
                format: format.cloned(),
            },
        })
    }
}

/// A tool call; open until it is closed.
pub(crate) struct CallSlot {
    /// Whether the provider runs it.
    pub server: bool,
    pub id: String,
    pub name: String,
    pub text: String,
    pub opaque: Option<Packed>,
    pub closed: Option<Closed>,
    /// What is certain of the arguments, as far as somebody has looked.
    pub preview: Option<Box<Preview>>,
}

/// What the end of a call has brought.
pub(crate) struct Closed {
    pub seq: u64,
    pub value: Map,
    pub keep_text: bool,
    pub error: Option<ParseError>,
}

/// The incremental parser of one open call, and how much of the text it was fed.
pub(crate) struct Preview {
    pub parser: PartialJson,
    pub fed: usize,
}

impl CallSlot {
    /// Lets the preview take the text as far as it has come.
    pub(crate) fn look(&mut self, max_depth: usize) {
        look(&mut self.preview, &self.text, || PartialJson::new(max_depth));
    }

    /// Returns a new part of a closed call.
    pub(crate) fn part(&self, closed: &Closed) -> MessagePart {
        let payload = ToolCallPayload {
            tool_call_id: self.id.clone(),
            tool_name: self.name.clone(),
            arguments: closed.value.clone(),
            raw_args_text: closed.keep_text.then(|| self.text.clone()),
            opaque: opaque_of(self.opaque.as_ref()),
        };
        if self.server {
            return ServerToolCallPart { kind: tags::ServerToolCall, payload }.into();
        }
        ToolCallPart { kind: tags::ToolCall, payload }.into()
    }
}

fn look(preview: &mut Option<Box<Preview>>, text: &str, parser: impl FnOnce() -> PartialJson) {
    let preview = preview.get_or_insert_with(|| Box::new(Preview { parser: parser(), fed: 0 }));
    preview.parser.feed(text.get(preview.fed..).unwrap_or(""));
    preview.fed = text.len();
}

/// Media; open until it is closed.
pub(crate) struct MediaSlot {
    pub id: String,
    pub mime_type: String,
    pub name: Option<String>,
    /// The bytes so far.
    pub data: Vec<u8>,
    /// What is said in it, as far as it has come.
    pub transcript: String,
    pub opaque: Option<Packed>,
    /// How much Base64 is held.
    pub held: u64,
    pub closed: Option<EndedMedia>,
}

/// What the end of media has brought.
pub(crate) struct EndedMedia {
    pub seq: u64,
    pub source: MediaSource,
    pub size_bytes: Option<u64>,
}

impl MediaSlot {
    /// Returns the bytes so far as Base64.
    pub(crate) fn base64(&self) -> String {
        base64::encode(&self.data)
    }

    /// Ends the media; without a source the bytes are it.
    pub(crate) fn end(&mut self, given: &MediaEndDeltaPayload, seq: u64) {
        let source = given.source.clone();
        let source = source.unwrap_or_else(|| InlineSource::new(self.base64()).into());
        self.data = Vec::new();
        if let Some(mime_type) = &given.mime_type {
            self.mime_type.clone_from(mime_type);
        }
        self.closed = Some(EndedMedia { seq, source, size_bytes: given.size_bytes });
    }

    /// Returns a new part of media that has ended.
    pub(crate) fn part(&self, ended: &EndedMedia) -> MessagePart {
        let payload = MediaPayload {
            mime_type: self.mime_type.clone(),
            source: ended.source.clone(),
            name: self.name.clone(),
            size_bytes: ended.size_bytes,
            sha256: None,
            transcript: (!self.transcript.is_empty()).then(|| self.transcript.clone()),
            opaque: opaque_of(self.opaque.as_ref()),
        };
        MediaPart { kind: tags::Media, payload }.into()
    }
}

fn opaque_of(packed: Option<&Packed>) -> Option<Opaque> {
    packed.map(|packed| packed.opaque.clone())
}

/// One call of the caller's tools, open or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolCallBuffer<'a> {
    /// The id of the call.
    pub tool_call_id: &'a str,
    /// The name of the tool.
    pub tool_name: &'a str,
    /// The argument text so far.
    pub raw_args_text: &'a str,
    /// Whether its `tool_call_end` has come.
    pub closed: bool,
}

// -------------------------------------------------------------------------------------------------
// What a provider wants back with a part: checked, counted and kept. What comes whole counts alike.

/// An opaque member as it is kept, and what it counts.
pub(crate) struct Packed {
    pub opaque: Opaque,
    pub size: u64,
}

/// Returns `opaque` as it is kept; `left` is how much may still come.
///
/// Its size is that of its strings and names in UTF-8, and 8 bytes for each value: the same in
/// every language, however it writes numbers.
pub(crate) fn pack(opaque: &Opaque, left: u64, limits: &Limits, seq: u64) -> Result<Packed, Error> {
    check_name("/payload/opaque/provider", &opaque.provider, seq)?;
    let size = opaque.provider.len() as u64 + 2 * VALUE_BYTES;
    let data = Value::Object(opaque.data.clone());
    let most = Most {
        bytes: ("opaque_bytes", limits.opaque_bytes),
        depth: ("opaque_depth", limits.opaque_depth),
        pointer: "/payload/opaque",
    };
    let size = measured(&data, size, left, &most, seq)?;
    Ok(Packed { opaque: opaque.clone(), size })
}

/// Returns what a payload that comes whole counts; `left` is how much may still come.
pub(crate) fn payload_size(
    payload: &Value,
    left: u64,
    limits: &Limits,
    seq: u64,
) -> Result<u64, Error> {
    let most = Most {
        bytes: ("payload_bytes", limits.payload_bytes),
        depth: ("payload_depth", limits.payload_depth),
        pointer: "/payload",
    };
    measured(payload, VALUE_BYTES, left, &most, seq)
}

/// What is counted against which limits, and where it is.
struct Most {
    bytes: (&'static str, u64),
    depth: (&'static str, u64),
    pointer: &'static str,
}

/// Returns `size` and what is in a container, counted level by level.
fn measured(
    container: &Value,
    mut size: u64,
    left: u64,
    most: &Most,
    seq: u64,
) -> Result<u64, Error> {
    let mut level = vec![container];
    let mut depth = 1;
    while !level.is_empty() {
        if depth > most.depth.1 {
            return Err(limit_exceeded(most.depth.0, most.depth.1, seq, most.pointer));
        }
        let mut below = Vec::new();
        for container in level {
            size += size_inside(container, &mut below);
            if size > left {
                return Err(limit_exceeded(most.bytes.0, most.bytes.1, seq, most.pointer));
            }
        }
        level = below;
        depth += 1;
    }
    Ok(size)
}

/// Returns the bytes of what stands right in a container; adds what is nested to `below`.
fn size_inside<'a>(container: &'a Value, below: &mut Vec<&'a Value>) -> u64 {
    let mut count = |member: &'a Value| {
        let text = match member {
            Value::String(text) => text.len() as u64,
            Value::Array(_) | Value::Object(_) => {
                below.push(member);
                0
            }
            _ => 0,
        };
        text + VALUE_BYTES
    };
    match container {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| name.len() as u64 + count(member)).sum()
        }
        _ => 0,
    }
}
