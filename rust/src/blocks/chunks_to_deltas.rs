//! Chunks of a streaming response to deltas.

use std::collections::BTreeMap;

use crate::json::Value;

use crate::blocks::chunk_state::{ChunkState, End};
use crate::blocks::lanes::{Lane, LaneId, Lanes};
use crate::contract::current::blocks::{
    ContentBlockDeltaChunk, ErrorChunk, StreamChunk, TokenUsage, ToolUseChunk, tags as chunk_tags,
};
use crate::contract::current::message::{
    DoneDelta, DoneDeltaPayload, ErrorDelta, ErrorDeltaPayload, MessageDelta, StartDelta,
    StartDeltaPayload, TextDelta, TextDeltaPayload, ToolCallArgsDelta, ToolCallArgsDeltaPayload,
    ToolCallEndDelta, ToolCallEndDeltaPayload, ToolCallStartDelta, ToolCallStartDeltaPayload,
    UsageDelta, UsageSummary, tags,
};
use crate::convert::losses::{Loss, LossLog};
use crate::errors::Error;
use crate::message::assembler::limits::Limits;
use crate::tables::losses::CHUNK_LOSSES;

const UNKNOWN: &str = "unknown";
const MAX: u64 = (1 << 53) - 1;

/// What chunks cannot say; what is not given is invented, or left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunksToDeltasOptions {
    /// The model that answers.
    pub model_id: Option<String>,
    /// The provider's id of the request.
    pub request_id: Option<String>,
    /// The message that the deltas are of.
    pub message_id: Option<String>,
    /// The turn that the message belongs to.
    pub turn_id: Option<String>,
    /// Upper bounds of the stream.
    pub limits: Limits,
}

/// Adds a delta to what comes out.
macro_rules! delta {
    ($this:ident, $kind:ident, $delta:ident, $payload:expr) => {{
        let payload = $payload;
        let made = $delta {
            run_id: $this.run_id.clone(),
            message_id: $this.options.message_id.clone(),
            turn_id: $this.options.turn_id.clone(),
            seq: $this.seq,
            kind: tags::$kind,
            payload,
            timestamp: ($this.clock)(),
            provider_raw: None,
        };
        $this.out.push(MessageDelta::$kind(made));
        $this.seq += 1;
    }};
}

/// A `tool_use` with the text of its arguments.
struct Call {
    id: String,
    name: String,
    arguments: String,
}

/// The text block that was written last.
struct LastText {
    lane: LaneId,
    at: u64,
}

/// Turns the chunks of one response into deltas.
///
/// `seq` counts from 0, and a clock gives each delta's timestamp (RFC 3339). An assembler with the
/// same limits takes every stream that comes out, closed or not; a stream that is cut ends in an
/// `error` delta with `truncated_stream`. [`losses`](Self::losses) says what was lost, invented or
/// moved; a pointer's first step is the 0-based number of the chunk.
///
/// ```
/// use partwire::blocks::{ChunksToDeltas, ChunksToDeltasOptions};
/// use partwire::types::blocks::StreamChunk;
///
/// # fn main() -> Result<(), partwire::Error> {
/// let now = || "2026-01-02T03:04:05Z".to_owned();
/// let mut converter = ChunksToDeltas::new("run", now, ChunksToDeltasOptions::default())?;
/// let chunk = partwire::read::<StreamChunk>(br#"{"type":"error","message":"Overloaded"}"#)?;
/// let kinds: Vec<String> = converter.feed(&chunk)?.iter().map(|each| each.tag().into()).collect();
/// assert_eq!(kinds, ["start", "error"]);
/// # Ok(())
/// # }
/// ```
pub struct ChunksToDeltas {
    run_id: String,
    clock: Box<dyn FnMut() -> String + Send>,
    options: ChunksToDeltasOptions,
    state: ChunkState,
    log: LossLog,
    seq: u64,
    out: Vec<MessageDelta>,
    lanes: Lanes<Call>,
    /// The blocks that are open, by index: in the order of their start.
    open: BTreeMap<u64, LaneId>,
    /// In the content, of the block that begins next.
    place: u64,
    /// The block written last, if it is text.
    last_text: Option<LastText>,
}

impl ChunksToDeltas {
    /// Returns a converter; fails with [`Error::Usage`] for an id that no delta can have, and a
    /// limit that is not a count.
    pub fn new(
        run_id: &str,
        clock: impl FnMut() -> String + Send + 'static,
        options: ChunksToDeltasOptions,
    ) -> Result<Self, Error> {
        let state = ChunkState::new(options.limits)?;
        let ids = [
            ("run_id", Some(run_id)),
            ("model_id", options.model_id.as_deref()),
            ("request_id", options.request_id.as_deref()),
            ("message_id", options.message_id.as_deref()),
            ("turn_id", options.turn_id.as_deref()),
        ];
        for (name, id) in ids {
            id.map_or(Ok(()), |id| check_id(name, id, options.limits.id_chars))?;
        }
        Ok(Self {
            run_id: run_id.to_owned(),
            clock: Box::new(clock),
            options,
            state,
            log: LossLog::new(CHUNK_LOSSES),
            seq: 0,
            out: Vec::new(),
            lanes: Lanes::new(),
            open: BTreeMap::new(),
            place: 0,
            last_text: None,
        })
    }

    /// What chunks say and deltas cannot, and the other way round; in order, at most 100 of a code.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.log.losses
    }

    /// How many more losses of a code there were than [`losses`](Self::losses) holds.
    #[must_use]
    pub fn left_out(&self) -> &BTreeMap<&'static str, usize> {
        &self.log.left_out
    }

    /// Whether `done` or `error` has come out.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.state.last.is_some()
    }

    /// Returns the deltas of the next chunk.
    ///
    /// Fails as [`ChunkCollector::feed`](crate::blocks::collect::ChunkCollector::feed); nothing has changed
    /// then, and the next chunk may be fed.
    pub fn feed(&mut self, chunk: &StreamChunk) -> Result<Vec<MessageDelta>, Error> {
        let number = self.state.take(chunk)?;
        self.begin_stream();
        match chunk {
            StreamChunk::ContentBlockStart(chunk) => {
                let lane = self.lanes.add(Lane::text(number, chunk.index));
                self.open.insert(chunk.index, lane);
            }
            StreamChunk::ContentBlockDelta(chunk) => self.on_delta(chunk, number),
            StreamChunk::ContentBlockStop(chunk) => self.on_stop(chunk.index),
            StreamChunk::ToolUse(chunk) => self.on_tool_use(chunk, number),
            StreamChunk::MessageStop(chunk) => self.on_message_stop(&chunk.usage, number),
            StreamChunk::Error(chunk) => self.on_error(chunk, number),
            StreamChunk::Unknown(_) => self.log.note("unknown-chunk", format!("/{number}")),
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Reports members that reading left out of the chunk that was fed last.
    ///
    /// `pointers` lead into the chunk ([`unknown_members`](crate::reading::read::unknown_members)): the type holds
    /// no trace of them.
    pub fn note_unknown_members(&mut self, pointers: &[String]) {
        self.log.note_unknown_members(self.state.count.saturating_sub(1), pointers);
    }

    /// Says that no more chunks come; returns the last deltas of a stream that is cut.
    pub fn close(&mut self) -> Vec<MessageDelta> {
        if self.ended() {
            return Vec::new();
        }
        self.begin_stream();
        self.flush();
        let message = "The stream stopped before message_stop".to_owned();
        let error = ErrorChunk { r#type: chunk_tags::Error, message: message.clone() };
        self.state.last = Some(End::Error(error));
        self.log.note("truncated", format!("/{}", self.state.count));
        self.error("truncated_stream", message, true);
        std::mem::take(&mut self.out)
    }

    // --- one method per type --------------------------------------------------------------------

    fn on_delta(&mut self, chunk: &ContentBlockDeltaChunk, number: u64) {
        let Some(id) = self.open.get(&chunk.index).copied() else {
            return; // the state lets none pass
        };
        if chunk.delta.is_empty() {
            self.log.note("empty-delta", format!("/{number}"));
        } else if self.lanes.is_front(id) {
            self.text(id, chunk.delta.clone());
        } else if let Some(lane) = self.lanes.get_mut(id) {
            if lane.held.is_empty() {
                self.log.note("held-back", format!("/{number}"));
            }
            lane.held.push_str(&chunk.delta);
        }
    }

    fn on_stop(&mut self, index: u64) {
        let Some(id) = self.open.remove(&index) else {
            return; // the state lets none pass
        };
        if let Some(lane) = self.lanes.get_mut(id) {
            lane.open = false;
        }
        if self.lanes.is_front(id) {
            self.check_empty(id);
            self.advance();
        }
    }

    fn on_tool_use(&mut self, chunk: &ToolUseChunk, number: u64) {
        let call = Call {
            id: chunk.tool_use_id.clone(),
            name: chunk.tool_name.clone(),
            arguments: std::mem::take(&mut self.state.arguments.text),
        };
        let id = self.lanes.add(Lane::item(number, Some(call)));
        if self.lanes.is_front(id) {
            self.write(id);
            self.advance();
        } else {
            self.log.note("held-back", format!("/{number}"));
        }
    }

    fn on_message_stop(&mut self, usage: &TokenUsage, number: u64) {
        let total_tokens = usage.total_tokens.unwrap_or_else(|| {
            self.log.note("no-total-tokens", format!("/{number}/usage"));
            usage.input_tokens.saturating_add(usage.output_tokens).min(MAX)
        });
        let payload = UsageSummary {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            total_tokens,
            reasoning_tokens: None,
            cache_read_tokens: None,
            cache_write_tokens: None,
            cost: None,
        };
        delta!(self, Usage, UsageDelta, payload);
        self.log.note("no-finish-reason", format!("/{number}"));
        let payload =
            DoneDeltaPayload { finish_reason: UNKNOWN.into(), provider_finish_reason: None };
        delta!(self, Done, DoneDelta, payload);
    }

    fn on_error(&mut self, chunk: &ErrorChunk, number: u64) {
        self.flush();
        if let Some(LastText { lane, at }) = self.last_text {
            if !self.open.values().any(|open| *open == lane) {
                self.log.note("block-end", format!("/{at}"));
            }
        }
        self.log.note("no-error-code", format!("/{number}"));
        self.error(UNKNOWN, chunk.message.clone(), false);
    }

    // --- blocks ---------------------------------------------------------------------------------

    fn advance(&mut self) {
        while let Some(id) = self.lanes.advance() {
            self.write(id);
        }
    }

    /// Writes what a block that has become the front holds.
    fn write(&mut self, id: LaneId) {
        let Some(lane) = self.lanes.get_mut(id) else {
            return;
        };
        if let Some(call) = lane.item.take() {
            self.call(call);
            return;
        }
        let (is_open, held) = (lane.open, std::mem::take(&mut lane.held));
        if !held.is_empty() {
            self.text(id, held);
        }
        if !is_open {
            self.check_empty(id);
        }
    }

    fn check_empty(&mut self, id: LaneId) {
        if let Some(lane) = self.lanes.get_mut(id).filter(|lane| !lane.begun) {
            self.log.note("empty-block", format!("/{}", lane.at));
        }
    }

    /// Writes all that waits: the stream has failed, and what arrived is not lost.
    fn flush(&mut self) {
        for id in self.lanes.rest() {
            self.write(id);
        }
        let open: Vec<LaneId> = self.open.values().copied().collect();
        for id in open {
            self.check_empty(id);
        }
    }

    fn text(&mut self, id: LaneId, text_delta: String) {
        if let Some(lane) = self.lanes.get_mut(id).filter(|lane| !lane.begun) {
            lane.begun = true;
            let at = lane.at;
            if self.last_text.is_some() {
                self.log.note("block-boundary", format!("/{at}"));
            }
            if lane.index != self.place {
                self.log.note("block-index", format!("/{at}/index"));
            }
            self.place += 1;
            self.last_text = Some(LastText { lane: id, at });
        }
        delta!(self, Text, TextDelta, TextDeltaPayload { text_delta, opaque: None });
    }

    fn call(&mut self, call: Call) {
        let Call { id: tool_call_id, name: tool_name, arguments: args_text_delta } = call;
        self.place += 1;
        self.last_text = None;
        let id = tool_call_id.clone();
        let payload = ToolCallStartDeltaPayload { tool_call_id: id, tool_name, opaque: None };
        delta!(self, ToolCallStart, ToolCallStartDelta, payload);
        let id = tool_call_id.clone();
        let payload = ToolCallArgsDeltaPayload { tool_call_id: id, args_text_delta, opaque: None };
        delta!(self, ToolCallArgs, ToolCallArgsDelta, payload);
        let payload = ToolCallEndDeltaPayload { tool_call_id, opaque: None };
        delta!(self, ToolCallEnd, ToolCallEndDelta, payload);
    }

    fn error(&mut self, code: &str, message: String, retryable: bool) {
        let (message, retryable) = (Some(message), Some(retryable));
        let payload = ErrorDeltaPayload { error_code: code.into(), message, retryable };
        delta!(self, Error, ErrorDelta, payload);
    }

    fn begin_stream(&mut self) {
        if self.seq > 0 {
            return;
        }
        let mut named = |id: Option<String>, code: &str| {
            id.unwrap_or_else(|| {
                self.log.note(code, "");
                UNKNOWN.to_owned()
            })
        };
        let model_id = named(self.options.model_id.clone(), "no-model-id");
        let request_id = named(self.options.request_id.clone(), "no-request-id");
        delta!(
            self,
            Start,
            StartDelta,
            StartDeltaPayload { model_id, request_id, author: None, format: None }
        );
    }
}

fn check_id(name: &str, id: &str, most: u64) -> Result<(), Error> {
    if !id.is_empty() && id.chars().count() as u64 <= most {
        return Ok(());
    }
    let expected = format!("a string of well-formed Unicode, 1 to {most} characters");
    Err(Error::argument(&format!("{name} is wrong"), &expected, &Value::from(id)))
}
