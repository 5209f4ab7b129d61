//! Deltas to chunks of a streaming response.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::blocks::lanes::{Lane, LaneId, Lanes};
use crate::contract::current::blocks::{
    ContentBlockDeltaChunk, ContentBlockStartChunk, ContentBlockStopChunk, ErrorChunk,
    MessageStopChunk, StreamChunk, TokenUsage, ToolUseChunk, tags,
};
use crate::contract::current::message::{
    DoneDeltaPayload, ErrorDeltaPayload, MessageDelta, StartDeltaPayload, UsageSummary,
};
use crate::convert::losses::{Loss, LossLog};
use crate::errors::{Error, Finding, clip};
use crate::message::assembler::MessageAssembler;
use crate::message::assembler::checks::{Status, invalid_delta, refusal};
use crate::message::assembler::limits::Limits;
use crate::reading::read::to_value;
use crate::tables::losses::DELTA_LOSSES;

/// The text that is being written.
enum Run {
    Text(LaneId),
    Thinking,
}

/// Turns the deltas of one stream into chunks.
///
/// The text parts and tool calls of the message, in their order, become blocks and `tool_use`
/// chunks; `index` is a block's place among both. A stream that is cut ends in an `error` chunk.
/// [`losses`](Self::losses) says what was lost, invented or moved; a pointer's first step is the
/// 0-based number of the delta.
pub struct DeltasToChunks {
    /// Holds the rules of a delta stream.
    assembler: MessageAssembler,
    log: LossLog,
    count: u64,
    closed: bool,
    out: Vec<StreamChunk>,
    lanes: Lanes<ToolUseChunk>,
    /// The calls that are open.
    calls: HashMap<String, LaneId>,
    run: Option<Run>,
    /// In the content, of the block that begins next.
    place: u64,
    /// Pointer of the last usage.
    usage_at: String,
    /// Pointers of the last figure of each kind that chunks do not distinguish, in order.
    counts_at: Vec<(&'static str, String)>,
    /// Codes of what every delta says again.
    once: BTreeSet<&'static str>,
}

impl Default for DeltasToChunks {
    fn default() -> Self {
        Self::new()
    }
}

impl DeltasToChunks {
    /// Returns a converter of any run, with the limits that the contract recommends.
    #[must_use]
    pub fn new() -> Self {
        Self::of(MessageAssembler::new())
    }

    /// Returns a converter of one run, if there is one, with other limits; fails as
    /// [`MessageAssembler::with`].
    pub fn with(run_id: Option<String>, limits: Limits) -> Result<Self, Error> {
        MessageAssembler::with(run_id, limits).map(Self::of)
    }

    fn of(assembler: MessageAssembler) -> Self {
        Self {
            assembler,
            log: LossLog::new(DELTA_LOSSES),
            count: 0,
            closed: false,
            out: Vec::new(),
            lanes: Lanes::new(),
            calls: HashMap::new(),
            run: None,
            place: 0,
            usage_at: String::new(),
            counts_at: Vec::new(),
            once: BTreeSet::new(),
        }
    }

    /// What deltas say and chunks cannot, and the other way round; in order, at most 100 of a code.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.log.losses
    }

    /// How many more losses of a code there were than [`losses`](Self::losses) holds.
    #[must_use]
    pub fn left_out(&self) -> &BTreeMap<&'static str, usize> {
        &self.log.left_out
    }

    /// Whether `message_stop` or `error` has come out.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.closed || matches!(self.assembler.status(), Status::Done | Status::Error)
    }

    /// Returns the chunks of the next delta.
    ///
    /// Fails as [`MessageAssembler::consume`]; nothing has changed then, and the next delta may be
    /// fed.
    pub fn feed(&mut self, delta: &MessageDelta) -> Result<Vec<StreamChunk>, Error> {
        let number = self.count;
        self.count += 1;
        check(delta)?;
        if self.closed {
            let message = "The stream is closed";
            return Err(refusal(Finding::error("stream/after-terminal", "/kind", message), None));
        }
        self.assembler.consume(delta)?;
        self.note_members(delta, number);
        match delta {
            MessageDelta::Start(delta) => self.on_start(&delta.payload, number),
            MessageDelta::Text(delta) => {
                self.text(&delta.payload.text_delta, number);
                if delta.payload.opaque.is_some() {
                    self.end_run(); // the state ends its part
                }
            }
            MessageDelta::Thinking(delta) => {
                let payload = &delta.payload;
                self.on_thinking(&payload.text_delta, payload.opaque.is_some(), number);
            }
            MessageDelta::ToolCallStart(delta) => {
                self.end_run();
                let lane = self.lanes.add(Lane::item(number, None));
                self.calls.insert(delta.payload.tool_call_id.clone(), lane);
            }
            MessageDelta::ToolCallArgs(_) => {} // the assembler keeps them
            MessageDelta::ToolCallEnd(delta) => {
                self.on_call_end(&delta.payload.tool_call_id, number);
            }
            MessageDelta::Usage(delta) => self.on_usage(&delta.payload, number),
            MessageDelta::Done(delta) => self.on_done(&delta.payload, number),
            MessageDelta::Error(delta) => self.on_error(&delta.payload, number),
            MessageDelta::ServerToolCallStart(_) | MessageDelta::ServerToolResult(_) => {
                self.end_run(); // it makes a part
                self.log.note("server-tool", format!("/{number}"));
            }
            MessageDelta::ServerToolCallArgs(_) | MessageDelta::ServerToolCallEnd(_) => {
                self.log.note("server-tool", format!("/{number}"));
            }
            MessageDelta::ApprovalRequest(_) => {
                self.end_run();
                self.log.note("approval", format!("/{number}"));
            }
            MessageDelta::MediaStart(_) => {
                self.end_run();
                self.log.note("media", format!("/{number}"));
            }
            MessageDelta::MediaData(_) | MessageDelta::MediaEnd(_) => {
                self.log.note("media", format!("/{number}"));
            }
            MessageDelta::TextCitation(_) => self.log.note("citation", format!("/{number}")),
            MessageDelta::Warning(_) => self.log.note("warning", format!("/{number}")),
            MessageDelta::Unknown(_) => self.log.note("unknown-delta", format!("/{number}")),
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Reports members that reading left out of the delta that was fed last.
    ///
    /// `pointers` lead into the delta ([`unknown_members`](crate::reading::read::unknown_members)): the type holds
    /// no trace of them.
    pub fn note_unknown_members(&mut self, pointers: &[String]) {
        self.log.note_unknown_members(self.count.saturating_sub(1), pointers);
    }

    /// Says that no more deltas come; returns the last chunks of a stream that is cut.
    pub fn close(&mut self) -> Vec<StreamChunk> {
        if self.ended() {
            return Vec::new();
        }
        self.closed = true;
        self.flush();
        self.note_usage();
        self.log.note("truncated", format!("/{}", self.count));
        self.error("The stream stopped before done or error".to_owned());
        std::mem::take(&mut self.out)
    }

    fn on_start(&mut self, start: &StartDeltaPayload, number: u64) {
        self.log.note("run-id", format!("/{number}/runId"));
        self.log.note("timestamp", format!("/{number}/timestamp"));
        if start.author.is_some() {
            self.log.note("author", format!("/{number}/payload/author"));
        }
        if start.format.is_some() {
            self.log.note("text-format", format!("/{number}/payload/format"));
        }
        if is_named(&start.model_id) {
            self.log.note("model-id", format!("/{number}/payload/modelId"));
        }
        if is_named(&start.request_id) {
            self.log.note("request-id", format!("/{number}/payload/requestId"));
        }
    }

    fn text(&mut self, text: &str, number: u64) {
        if text.is_empty() {
            return;
        }
        let id = if let Some(Run::Text(id)) = self.run {
            id
        } else {
            self.end_run();
            let id = self.lanes.add(Lane::text(number, 0));
            self.run = Some(Run::Text(id));
            if self.lanes.is_front(id) {
                self.write(id);
            }
            id
        };
        let is_front = self.lanes.is_front(id);
        let Some(lane) = self.lanes.get_mut(id) else {
            return; // a run that is open has a lane
        };
        if is_front {
            let index = lane.index;
            self.delta(index, text.to_owned());
            return;
        }
        if lane.held.is_empty() {
            self.log.note("held-back", format!("/{number}"));
        }
        lane.held.push_str(text);
    }

    fn on_thinking(&mut self, text: &str, has_opaque: bool, number: u64) {
        if !text.is_empty() && !matches!(self.run, Some(Run::Thinking)) {
            self.end_run();
            self.run = Some(Run::Thinking);
            self.log.note("thinking", format!("/{number}"));
        }
        if has_opaque {
            self.end_run();
        }
    }

    fn on_call_end(&mut self, call_id: &str, number: u64) {
        let Some(id) = self.calls.remove(call_id) else {
            return; // the assembler lets none pass
        };
        let Some(lane) = self.lanes.get_mut(id) else {
            return;
        };
        let Some((call, is_parsed)) = tool_use(&self.assembler, call_id) else {
            return;
        };
        lane.open = false;
        lane.item = Some(call);
        if !is_parsed {
            self.log.note("arguments-text", format!("/{}", lane.at));
        }
        if self.lanes.is_front(id) {
            self.write(id);
            self.advance();
        } else {
            self.log.note("held-back", format!("/{number}"));
        }
    }

    fn on_usage(&mut self, usage: &UsageSummary, number: u64) {
        self.usage_at = format!("/{number}/payload");
        let counts = [
            ("reasoningTokens", usage.reasoning_tokens),
            ("cacheReadTokens", usage.cache_read_tokens),
            ("cacheWriteTokens", usage.cache_write_tokens),
        ];
        for (name, count) in counts {
            if count.is_some() {
                // To be behind those that came before.
                self.counts_at.retain(|(each, _)| *each != name);
                self.counts_at.push((name, format!("{}/{name}", self.usage_at)));
            }
        }
    }

    fn on_done(&mut self, done: &DoneDeltaPayload, number: u64) {
        self.end_run();
        let mut tokens = TokenUsage { input_tokens: 0, output_tokens: 0, total_tokens: None };
        if let Some(usage) = self.assembler.usage() {
            if usage.cost.is_some() {
                self.log.note("cost", format!("{}/cost", self.usage_at));
            }
            for (_, place) in &self.counts_at {
                self.log.note("token-counts", place.as_str());
            }
            tokens = TokenUsage {
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                total_tokens: Some(usage.total_tokens),
            };
        } else {
            self.log.note("no-usage", format!("/{number}"));
        }
        let place = format!("/{number}/payload");
        if is_named(done.finish_reason.as_str()) {
            self.log.note("finish-reason", format!("{place}/finishReason"));
        }
        if done.provider_finish_reason.is_some() {
            self.log.note("provider-finish-reason", format!("{place}/providerFinishReason"));
        }
        let chunk = MessageStopChunk { r#type: tags::MessageStop, usage: tokens };
        self.out.push(StreamChunk::MessageStop(chunk));
    }

    fn on_error(&mut self, error: &ErrorDeltaPayload, number: u64) {
        self.flush();
        self.note_usage();
        let code = error.error_code.as_str();
        if is_named(code) || error.retryable == Some(true) {
            self.log.note("error-code", format!("/{number}/payload/errorCode"));
        }
        let message = error.message.clone().unwrap_or_else(|| {
            self.log.note("no-error-message", format!("/{number}/payload"));
            code.to_owned()
        });
        self.error(message);
    }

    // --- blocks ---------------------------------------------------------------------------------

    /// Lets the next text begin a new block, as the assembler lets it begin a new part.
    fn end_run(&mut self) {
        let Some(Run::Text(id)) = self.run.take() else {
            return;
        };
        let Some(lane) = self.lanes.get_mut(id) else {
            return;
        };
        lane.open = false;
        let index = lane.index;
        if self.lanes.is_front(id) {
            self.stop(index);
            self.advance();
        }
    }

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
        if !lane.is_text {
            if let Some(call) = lane.item.take() {
                self.place += 1;
                self.out.push(StreamChunk::ToolUse(call));
            }
            return;
        }
        let index = self.place;
        lane.index = index;
        let (is_open, held) = (lane.open, std::mem::take(&mut lane.held));
        self.place += 1;
        let start = ContentBlockStartChunk { r#type: tags::ContentBlockStart, index };
        self.out.push(StreamChunk::ContentBlockStart(start));
        if !held.is_empty() {
            self.delta(index, held);
        }
        if !is_open {
            self.stop(index);
        }
    }

    fn delta(&mut self, index: u64, delta: String) {
        let chunk = ContentBlockDeltaChunk { r#type: tags::ContentBlockDelta, index, delta };
        self.out.push(StreamChunk::ContentBlockDelta(chunk));
    }

    fn stop(&mut self, index: u64) {
        let chunk = ContentBlockStopChunk { r#type: tags::ContentBlockStop, index };
        self.out.push(StreamChunk::ContentBlockStop(chunk));
    }

    fn error(&mut self, message: String) {
        self.out.push(StreamChunk::Error(ErrorChunk { r#type: tags::Error, message }));
    }

    /// Writes all that waits: the stream has failed, and what arrived is not lost.
    fn flush(&mut self) {
        let open: BTreeSet<LaneId> = self.calls.values().copied().collect();
        for id in open {
            if let Some(lane) = self.lanes.get_mut(id) {
                self.log.note("open-tool-call", format!("/{}", lane.at));
            }
        }
        for id in self.lanes.rest() {
            self.write(id);
        }
    }

    fn note_usage(&mut self) {
        if self.assembler.usage().is_some() {
            self.log.note("usage", self.usage_at.as_str());
        }
    }

    /// Notes what any delta may say beside its kind; what all of them say again, once.
    fn note_members(&mut self, delta: &MessageDelta, number: u64) {
        for (code, member) in beside(delta) {
            if code == "opaque" || self.once.insert(code) {
                self.log.note(code, format!("/{number}/{member}"));
            }
        }
    }
}

// -------------------------------------------------------------------------------------------------
// What a delta says beside what its kind is for, and what no chunk can be made of.

/// Tells whether an id, a code or a reason says anything.
pub(crate) fn is_named(text: &str) -> bool {
    !matches!(text, "" | "unknown")
}

/// Returns the chunk of a call that has just ended, and whether its arguments were an object.
pub(crate) fn tool_use(
    assembler: &MessageAssembler,
    call_id: &str,
) -> Option<(ToolUseChunk, bool)> {
    let call = assembler.call(call_id)?;
    let closed = call.closed.as_ref()?;
    let chunk = ToolUseChunk {
        r#type: tags::ToolUse,
        tool_name: call.name.clone(),
        tool_use_id: call.id.clone(),
        parameters: closed.value.clone(),
    };
    Some((chunk, closed.error.is_none()))
}

/// Returns the code and place of each member that a delta has beside those of its kind.
pub(crate) fn beside(delta: &MessageDelta) -> Vec<(&'static str, &'static str)> {
    macro_rules! members {
        ($delta:ident, $opaque:expr) => {
            [
                ($delta.message_id.is_some(), "message-id", "messageId"),
                ($delta.turn_id.is_some(), "turn-id", "turnId"),
                ($delta.provider_raw.is_some(), "provider-raw", "providerRaw"),
                ($opaque, "opaque", "payload/opaque"),
            ]
        };
    }
    let members = match delta {
        MessageDelta::Start(delta) => members!(delta, false),
        MessageDelta::Text(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::Thinking(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::ToolCallStart(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::ToolCallArgs(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::ToolCallEnd(delta) => members!(delta, delta.payload.opaque.is_some()),
        MessageDelta::TextCitation(delta) => members!(delta, false),
        MessageDelta::ServerToolCallStart(delta) => members!(delta, false),
        MessageDelta::ServerToolCallArgs(delta) => members!(delta, false),
        MessageDelta::ServerToolCallEnd(delta) => members!(delta, false),
        MessageDelta::ServerToolResult(delta) => members!(delta, false),
        MessageDelta::ApprovalRequest(delta) => members!(delta, false),
        MessageDelta::MediaStart(delta) => members!(delta, false),
        MessageDelta::MediaData(delta) => members!(delta, false),
        MessageDelta::MediaEnd(delta) => members!(delta, false),
        MessageDelta::Warning(delta) => members!(delta, false),
        MessageDelta::Usage(delta) => members!(delta, false),
        MessageDelta::Done(delta) => members!(delta, false),
        MessageDelta::Error(delta) => members!(delta, false),
        MessageDelta::Unknown(_) => return Vec::new(),
    };
    members.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, code, at)| (code, at)).collect()
}

/// Refuses what the assembler lets pass, since it is checked when the message is written.
pub(crate) fn check(delta: &MessageDelta) -> Result<(), Error> {
    let seq = match delta {
        MessageDelta::Usage(delta) => delta.seq,
        MessageDelta::Error(delta) => delta.seq,
        _ => return Ok(()),
    };
    let Err(error) = to_value(delta) else {
        return Ok(());
    };
    let first = error.findings().first();
    let (pointer, message) = first.map_or(("", ""), |first| (&first.pointer, &first.message));
    let actual = crate::json::to_value(delta).map_or_else(|_| String::new(), |value| clip(&value));
    Err(invalid_delta(pointer, message, actual, Some(seq)))
}
