//! The parts that a builder makes itself.

use crate::error::Error;
use crate::session::builder::{Kept, WithPartsBuilder};
use crate::session::parts::{
    PartIds, TextOptions, create_file_part, create_reasoning_part, create_step_finish_part,
    create_step_start_part, create_text_part, create_tool_part,
};
use crate::session::wire_of;
use crate::types::Map;
use crate::v0_2::session::{
    FilePart, FilePartSource, Part, ReasoningPart, ReasoningTime, StepFinishPart,
    StepFinishPartReason, StepStartPart, TextPart, TokenStats, ToolPart, ToolState,
};

impl WithPartsBuilder {
    /// Adds a text part and returns it; fails with [`Error::Part`], as all that make parts do.
    pub fn add_text(&mut self, text: &str, options: TextOptions) -> Result<TextPart, Error> {
        self.made(|ids| create_text_part(ids, text, options))
    }

    /// Adds a reasoning part.
    pub fn add_reasoning(
        &mut self,
        text: &str,
        time: ReasoningTime,
        metadata: Option<Map>,
    ) -> Result<ReasoningPart, Error> {
        self.made(|ids| create_reasoning_part(ids, text, time, metadata))
    }

    /// Adds the begin of a step.
    pub fn add_step_start(&mut self, snapshot: Option<String>) -> Result<StepStartPart, Error> {
        self.made(|ids| create_step_start_part(ids, snapshot))
    }

    /// Adds a tool call; fails as [`add`](Self::add) for an id that another call has.
    pub fn add_tool(
        &mut self,
        call_id: &str,
        tool: &str,
        state: ToolState,
        metadata: Option<Map>,
    ) -> Result<ToolPart, Error> {
        self.made(|ids| create_tool_part(ids, call_id, tool, state, metadata))
    }

    /// Adds the end of a step; `cost` in US dollars.
    pub fn add_step_finish(
        &mut self,
        reason: StepFinishPartReason,
        cost: f64,
        tokens: TokenStats,
        snapshot: Option<String>,
    ) -> Result<StepFinishPart, Error> {
        self.made(|ids| create_step_finish_part(ids, reason, cost, tokens, snapshot))
    }

    /// Adds a file.
    pub fn add_file(
        &mut self,
        mime: &str,
        url: &str,
        filename: Option<String>,
        source: Option<FilePartSource>,
    ) -> Result<FilePart, Error> {
        self.made(|ids| create_file_part(ids, mime, url, filename, source))
    }

    fn made<P: Clone + Into<Part>>(
        &mut self,
        make: impl FnOnce(PartIds<'_>) -> Result<P, Error>,
    ) -> Result<P, Error> {
        let id = (self.make_id)();
        let (session_id, message_id) = (self.session_id(), self.message_id());
        let part = make(PartIds { id: &id, session_id, message_id })?;
        self.append(Kept { document: wire_of(&part.clone().into())?, is_valid: true })?;
        Ok(part)
    }
}
