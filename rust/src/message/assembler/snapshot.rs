//! What can be read from an assembler while its stream runs.

use crate::json::fields::put;
use crate::json::{Value, json};

use crate::contract::current::message::{
    Author, Message, MessageMeta, MessagePart, Role, ToolCallParseError, ToolCallParseErrorError,
    UsageSummary,
};
use crate::contract::types::Map;
use crate::message::assembler::arguments::ParseError;
use crate::message::assembler::slots::{CallSlot, MediaSlot, Slot, TextSlot};
use crate::message::assembler::state::{StreamStart, StreamState};

/// A message in the making: text, thinking and what has ended; no usage, no open calls or media.
///
/// It borrows the assembler: taking one costs nothing, and no delta can come while it is held.
/// [`to_message`](Self::to_message) gives a message to keep.
#[derive(Clone, Copy)]
pub struct Snapshot<'a> {
    pub(crate) state: &'a StreamState,
    pub(crate) start: &'a StreamStart,
}

impl<'a> Snapshot<'a> {
    /// The run of the stream.
    #[must_use]
    pub fn run_id(&self) -> &'a str {
        &self.start.run_id
    }

    /// The start delta's `messageId`.
    #[must_use]
    pub fn message_id(&self) -> Option<&'a str> {
        self.start.message_id.as_deref()
    }

    /// The start delta's `turnId`.
    #[must_use]
    pub fn turn_id(&self) -> Option<&'a str> {
        self.start.turn_id.as_deref()
    }

    /// The start delta's `author`.
    #[must_use]
    pub fn author(&self) -> Option<&'a Author> {
        self.start.author.as_ref()
    }

    /// The start delta's timestamp.
    #[must_use]
    pub fn timestamp(&self) -> &'a str {
        &self.start.timestamp
    }

    /// The parts in arrival order, each made when it is asked for.
    pub fn parts(&self) -> impl Iterator<Item = MessagePart> + 'a {
        let format = self.start.format.as_ref();
        self.state.slots.iter().filter_map(move |slot| match slot {
            Slot::Text(text) => Some(text.part(format)),
            Slot::Call(call) => call.closed.as_ref().map(|closed| call.part(closed)),
            Slot::Media(media) => media.closed.as_ref().map(|ended| media.part(ended)),
            Slot::Whole(part) => Some(MessagePart::clone(part)),
        })
    }

    /// Returns the snapshot as a message of its own.
    #[must_use]
    pub fn to_message(&self) -> Message {
        let errors: Vec<ToolCallParseError> = self.errors().collect();
        let mut meta = MessageMeta {
            model_id: Some(self.start.model_id.clone()),
            request_id: Some(self.start.request_id.clone()),
            tool_call_parse_errors: (!errors.is_empty()).then_some(errors),
            ..MessageMeta::default()
        };
        if !self.state.warnings.is_empty() {
            let warnings = Value::Array(self.state.warnings.clone());
            meta.extra.insert("warnings".to_owned(), warnings);
        }
        Message {
            run_id: self.start.run_id.clone(),
            message_id: self.start.message_id.clone(),
            turn_id: self.start.turn_id.clone(),
            role: Role::Assistant,
            author: self.start.author.clone(),
            parts: self.parts().collect(),
            timestamp: self.start.timestamp.clone(),
            meta: Some(meta),
        }
    }

    fn errors(&self) -> impl Iterator<Item = ToolCallParseError> + 'a {
        self.state.slots.iter().filter_map(|slot| match slot {
            Slot::Call(call) => {
                let error = match call.closed.as_ref()?.error? {
                    ParseError::InvalidJson => ToolCallParseErrorError::InvalidJson,
                    ParseError::NotAnObject => ToolCallParseErrorError::NotAnObject,
                };
                Some(ToolCallParseError { tool_call_id: call.id.clone(), error })
            }
            _ => None,
        })
    }
}

/// A tool call that is not closed yet: for display, never for execution.
#[derive(Clone, Copy)]
pub struct OpenCall<'a>(pub(crate) &'a CallSlot);

impl<'a> OpenCall<'a> {
    /// The id of the call.
    #[must_use]
    pub fn tool_call_id(&self) -> &'a str {
        &self.0.id
    }

    /// The name of the tool.
    #[must_use]
    pub fn tool_name(&self) -> &'a str {
        &self.0.name
    }

    /// The argument text so far.
    #[must_use]
    pub fn raw_args_text(&self) -> &'a str {
        &self.0.text
    }

    /// What is certain of the arguments so far; see [`PartialJson`](crate::message::assembler::partial_json::PartialJson).
    #[must_use]
    pub fn partial_arguments(&self) -> Option<&'a Map> {
        self.0.preview.as_ref().map(|preview| preview.parser.value())
    }

    /// Whether the provider runs it.
    #[must_use]
    pub fn is_server(&self) -> bool {
        self.0.server
    }
}

/// Media that has not ended yet.
#[derive(Clone, Copy)]
pub struct OpenMedia<'a>(pub(crate) &'a MediaSlot);

impl<'a> OpenMedia<'a> {
    /// The id of the media.
    #[must_use]
    pub fn media_id(&self) -> &'a str {
        &self.0.id
    }

    /// Its type, as the start said it.
    #[must_use]
    pub fn mime_type(&self) -> &'a str {
        &self.0.mime_type
    }

    /// What is said in it, as far as it has come.
    #[must_use]
    pub fn transcript(&self) -> &'a str {
        &self.0.transcript
    }

    /// The bytes so far.
    #[must_use]
    pub fn data(&self) -> &'a [u8] {
        &self.0.data
    }

    fn to_value(self) -> Value {
        json!({
            "mediaId": self.media_id(),
            "mimeType": self.mime_type(),
            "transcript": self.transcript(),
            "data": self.0.base64(),
        })
    }
}

/// A text part of a stream whose request asked for JSON: for display, never to rely on.
#[derive(Clone, Copy)]
pub struct PartialValue<'a> {
    /// Where the part stands among those that have begun.
    pub part_index: usize,
    pub(crate) text: &'a TextSlot,
}

impl<'a> PartialValue<'a> {
    /// What is certain of the JSON value so far; None while nothing is, and for good once the text
    /// is not the beginning of one.
    #[must_use]
    pub fn partial_value(&self) -> Option<&'a Value> {
        self.text.preview.as_ref()?.parser.any_value()
    }

    fn to_value(self) -> Value {
        let mut made = json!({ "partIndex": self.part_index });
        if let Some(value) = self.partial_value() {
            put(&mut made, "partialValue", value.clone());
        }
        made
    }
}

/// A snapshot with what it leaves out, for user interfaces.
pub struct Progress<'a> {
    /// The message so far.
    pub snapshot: Snapshot<'a>,
    /// Open calls in the order of their start.
    pub open_calls: Vec<OpenCall<'a>>,
    /// Open media in the order of its start.
    pub open_media: Vec<OpenMedia<'a>>,
    /// The text parts in their order, where the request asked for JSON.
    pub partial_values: Vec<PartialValue<'a>>,
    /// Usage as far as it is known.
    pub usage: Option<&'a UsageSummary>,
}

impl Progress<'_> {
    /// Returns open calls and media, values and usage as a JSON value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let calls = self.open_calls.iter().map(|call| {
            let mut made = json!({
                "toolCallId": call.tool_call_id(),
                "toolName": call.tool_name(),
                "rawArgsText": call.raw_args_text(),
                "partialArguments": call.partial_arguments(),
            });
            if call.is_server() {
                put(&mut made, "isServer", true);
            }
            made
        });
        let mut made = json!({ "openCalls": calls.collect::<Vec<_>>() });
        if !self.open_media.is_empty() {
            let media: Value = self.open_media.iter().copied().map(OpenMedia::to_value).collect();
            put(&mut made, "openMedia", media);
        }
        if !self.partial_values.is_empty() {
            let values: Value =
                self.partial_values.iter().copied().map(PartialValue::to_value).collect();
            put(&mut made, "partialValues", values);
        }
        if let Some(usage) = self.usage {
            put(&mut made, "usage", crate::json::to_value(usage).unwrap_or_default());
        }
        made
    }
}
