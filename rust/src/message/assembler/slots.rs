//! The places of a message in the making: one per part, in arrival order.

use crate::json::Value;

use crate::contract::current::message::{
    MessagePart, Opaque, TextPart, TextPayload, ThinkingPart, ThinkingPayload, ToolCallPart,
    ToolCallPayload, tags,
};
use crate::contract::types::Map;
use crate::errors::Error;
use crate::message::assembler::arguments::ParseError;
use crate::message::assembler::checks::{check_name, limit_exceeded};
use crate::message::assembler::limits::Limits;
use crate::message::assembler::partial_json::PartialJson;
use crate::tables::limits::VALUE_BYTES;

/// One part of a message in the making.
pub(crate) enum Slot {
    Text(TextSlot),
    Call(Box<CallSlot>),
}

/// A text or thinking part.
pub(crate) struct TextSlot {
    pub thinking: bool,
    pub text: String,
    pub opaque: Option<Packed>,
}

impl TextSlot {
    /// Returns a new part.
    pub(crate) fn part(&self) -> MessagePart {
        let (text, opaque) = (self.text.clone(), opaque_of(self.opaque.as_ref()));
        if self.thinking {
            let payload = ThinkingPayload { text, opaque };
            return MessagePart::Thinking(ThinkingPart { kind: tags::Thinking, payload });
        }
        MessagePart::Text(TextPart {
            kind: tags::Text,
            payload: TextPayload { text, opaque, citations: None, format: None },
        })
    }
}

/// A tool call; open until it is closed.
pub(crate) struct CallSlot {
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
        let make = || Box::new(Preview { parser: PartialJson::new(max_depth), fed: 0 });
        let preview = self.preview.get_or_insert_with(make);
        preview.parser.feed(self.text.get(preview.fed..).unwrap_or(""));
        preview.fed = self.text.len();
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
        MessagePart::ToolCall(ToolCallPart { kind: tags::ToolCall, payload })
    }
}

fn opaque_of(packed: Option<&Packed>) -> Option<Opaque> {
    packed.map(|packed| packed.opaque.clone())
}

/// One tool call of the stream, open or closed.
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
// What a provider wants back with a part: checked, counted and kept.

const POINTER: &str = "/payload/opaque";
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
    let mut size = opaque.provider.len() as u64 + 2 * VALUE_BYTES;
    let data = Value::Object(opaque.data.clone());
    let mut level = vec![&data];
    let mut depth = 1;
    while !level.is_empty() {
        if depth > limits.opaque_depth {
            return Err(limit_exceeded("opaque_depth", limits.opaque_depth, seq, POINTER));
        }
        let mut below = Vec::new();
        for container in level {
            size += size_inside(container, &mut below);
            if size > left {
                return Err(limit_exceeded("opaque_bytes", limits.opaque_bytes, seq, POINTER));
            }
        }
        level = below;
        depth += 1;
    }
    Ok(Packed { opaque: opaque.clone(), size })
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
