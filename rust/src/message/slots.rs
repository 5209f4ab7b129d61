//! The places of a message in the making: one per part, in arrival order.

use crate::message::arguments::ParseError;
use crate::message::opaque::Packed;
use crate::message::partial_json::PartialJson;
use crate::types::Map;
use crate::v0_2::message::{
    MessagePart, Opaque, TextPart, TextPayload, ThinkingPart, ThinkingPayload, ToolCallPart,
    ToolCallPayload, tags,
};

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
        MessagePart::Text(TextPart { kind: tags::Text, payload: TextPayload { text, opaque } })
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
