//! Factories for the six parts.
//!
//! Each checks the part; times are milliseconds since the epoch.

use crate::contract::current::session::{
    FilePart, FilePartSource, Part, ReasoningPart, ReasoningTime, StepFinishPart,
    StepFinishPartReason, StepStartPart, TextPart, TextTime, TokenStats, ToolPart, ToolState, tags,
};
use crate::contract::types::Map;
use crate::errors::Error;
use crate::reading::read::to_value;

/// What every part has: its id, and the session and message that it belongs to.
pub trait PartBase {
    /// The id of the part; unique within its message.
    fn id(&self) -> &str;
    /// The session that the part belongs to.
    fn session_id(&self) -> &str;
    /// The message that the part belongs to.
    fn message_id(&self) -> &str;
}

macro_rules! part_base {
    ($($part:ty),+) => {$(
        impl PartBase for $part {
            fn id(&self) -> &str {
                &self.id
            }

            fn session_id(&self) -> &str {
                &self.session_id
            }

            fn message_id(&self) -> &str {
                &self.message_id
            }
        }
    )+};
}

part_base!(TextPart, ReasoningPart, ToolPart, StepStartPart, StepFinishPart, FilePart);

/// Whose part it is, and what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartIds<'a> {
    /// The id of the part.
    pub id: &'a str,
    /// The session that it belongs to: a UUID.
    pub session_id: &'a str,
    /// The message that it belongs to: a UUID.
    pub message_id: &'a str,
}

/// What a text part may say beside its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextOptions {
    /// Whether nobody wrote the text.
    pub synthetic: Option<bool>,
    /// Whether the model does not get the text.
    pub ignored: Option<bool>,
    /// From when to when it was written.
    pub time: Option<TextTime>,
    /// What else is known of it.
    pub metadata: Option<Map>,
}

/// Returns a text part; fails with [`Error::Part`], as all factories do.
pub fn create_text_part(
    ids: PartIds<'_>,
    text: &str,
    options: TextOptions,
) -> Result<TextPart, Error> {
    let TextOptions { synthetic, ignored, time, metadata } = options;
    checked(TextPart {
        id: ids.id.to_owned(),
        session_id: ids.session_id.to_owned(),
        message_id: ids.message_id.to_owned(),
        r#type: tags::Text,
        text: text.to_owned(),
        synthetic,
        ignored,
        time,
        metadata,
    })
}

/// Returns a reasoning part.
pub fn create_reasoning_part(
    ids: PartIds<'_>,
    text: &str,
    time: ReasoningTime,
    metadata: Option<Map>,
) -> Result<ReasoningPart, Error> {
    checked(ReasoningPart {
        id: ids.id.to_owned(),
        session_id: ids.session_id.to_owned(),
        message_id: ids.message_id.to_owned(),
        r#type: tags::Reasoning,
        text: text.to_owned(),
        metadata,
        time,
    })
}

/// Returns a tool part for the call `call_id` of `tool`.
pub fn create_tool_part(
    ids: PartIds<'_>,
    call_id: &str,
    tool: &str,
    state: ToolState,
    metadata: Option<Map>,
) -> Result<ToolPart, Error> {
    checked(ToolPart {
        id: ids.id.to_owned(),
        session_id: ids.session_id.to_owned(),
        message_id: ids.message_id.to_owned(),
        r#type: tags::Tool,
        call_id: call_id.to_owned(),
        tool: tool.to_owned(),
        state,
        metadata,
    })
}

/// Returns the part that begins a step.
pub fn create_step_start_part(
    ids: PartIds<'_>,
    snapshot: Option<String>,
) -> Result<StepStartPart, Error> {
    checked(StepStartPart {
        id: ids.id.to_owned(),
        session_id: ids.session_id.to_owned(),
        message_id: ids.message_id.to_owned(),
        r#type: tags::StepStart,
        snapshot,
    })
}

/// Returns the part that ends a step; `cost` is in US dollars.
pub fn create_step_finish_part(
    ids: PartIds<'_>,
    reason: StepFinishPartReason,
    cost: f64,
    tokens: TokenStats,
    snapshot: Option<String>,
) -> Result<StepFinishPart, Error> {
    checked(StepFinishPart {
        id: ids.id.to_owned(),
        session_id: ids.session_id.to_owned(),
        message_id: ids.message_id.to_owned(),
        r#type: tags::StepFinish,
        reason,
        snapshot,
        cost,
        tokens,
    })
}

/// Returns a file part.
pub fn create_file_part(
    ids: PartIds<'_>,
    mime: &str,
    url: &str,
    filename: Option<String>,
    source: Option<FilePartSource>,
) -> Result<FilePart, Error> {
    checked(FilePart {
        id: ids.id.to_owned(),
        session_id: ids.session_id.to_owned(),
        message_id: ids.message_id.to_owned(),
        r#type: tags::File,
        mime: mime.to_owned(),
        filename,
        url: url.to_owned(),
        source,
    })
}

fn checked<P: Clone + Into<Part>>(part: P) -> Result<P, Error> {
    match to_value(&part.clone().into()) {
        Ok(_) => Ok(part),
        Err(Error::Write(found)) => Err(Error::Part(found)),
        Err(error) => Err(error),
    }
}
