//! What can be read from an assembler while its stream runs.

use crate::json::{Value, json};

use crate::contract::current::message::{
    Message, MessageMeta, MessagePart, Role, ToolCallParseError, ToolCallParseErrorError,
    UsageSummary,
};
use crate::contract::types::Map;
use crate::message::assembler::arguments::ParseError;
use crate::message::assembler::slots::{CallSlot, Slot};
use crate::message::assembler::state::{StreamStart, StreamState};

/// A message in the making: text, thinking and closed tool calls; no usage, no open calls.
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

    /// The start delta's timestamp.
    #[must_use]
    pub fn timestamp(&self) -> &'a str {
        &self.start.timestamp
    }

    /// The parts in arrival order, each made when it is asked for.
    pub fn parts(&self) -> impl Iterator<Item = MessagePart> + 'a {
        self.state.slots.iter().filter_map(|slot| match slot {
            Slot::Text(text) => Some(text.part()),
            Slot::Call(call) => call.closed.as_ref().map(|closed| call.part(closed)),
        })
    }

    /// Returns the snapshot as a message of its own.
    #[must_use]
    pub fn to_message(&self) -> Message {
        let errors: Vec<ToolCallParseError> = self.errors().collect();
        let meta = MessageMeta {
            model_id: Some(self.start.model_id.clone()),
            request_id: Some(self.start.request_id.clone()),
            tool_call_parse_errors: (!errors.is_empty()).then_some(errors),
            ..MessageMeta::default()
        };
        Message {
            run_id: self.start.run_id.clone(),
            message_id: self.start.message_id.clone(),
            turn_id: self.start.turn_id.clone(),
            role: Role::Assistant,
            author: None,
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
            Slot::Text(_) => None,
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
}

/// A snapshot with what it leaves out, for user interfaces.
pub struct Progress<'a> {
    /// The message so far.
    pub snapshot: Snapshot<'a>,
    /// Open calls in the order of their start.
    pub open_calls: Vec<OpenCall<'a>>,
    /// Usage as far as it is known.
    pub usage: Option<&'a UsageSummary>,
}

impl Progress<'_> {
    /// Returns open calls and usage as a JSON value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let calls = self.open_calls.iter().map(|call| {
            json!({
                "toolCallId": call.tool_call_id(),
                "toolName": call.tool_name(),
                "rawArgsText": call.raw_args_text(),
                "partialArguments": call.partial_arguments(),
            })
        });
        let mut made = json!({ "openCalls": calls.collect::<Vec<_>>() });
        if let (Some(usage), Value::Object(members)) = (self.usage, &mut made) {
            members.insert("usage".to_owned(), crate::json::to_value(usage).unwrap_or_default());
        }
        made
    }
}
