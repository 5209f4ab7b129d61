//! The state of one stream, and every rule that its deltas have to keep.

use std::collections::{BTreeSet, HashMap};

use crate::contract::current::message::{
    DoneDelta, ErrorDelta, ErrorDeltaPayload, FinishReason, MessageDelta, Opaque, StartDelta,
    ToolCallArgsDeltaPayload, ToolCallEndDeltaPayload, ToolCallStartDeltaPayload, UsageSummary,
};
use crate::contract::types::Unknown;
use crate::errors::{Error, Finding, clip_text};
use crate::message::assembler::arguments::parse_arguments;
use crate::message::assembler::checks::{
    Expected, Status, call_refusal, check_head, check_id, check_length, check_name,
    check_timestamp, check_usage, head_of, limit_exceeded, refusal, unknown_kind,
};
use crate::message::assembler::limits::Limits;
use crate::message::assembler::slots::{CallSlot, Closed, Packed, Slot, TextSlot, pack};
use crate::tables::limits::MAX_UNKNOWN;

/// What the start delta said.
pub(crate) struct StreamStart {
    pub run_id: String,
    pub timestamp: String,
    pub model_id: String,
    pub request_id: String,
    pub message_id: Option<String>,
    pub turn_id: Option<String>,
}

/// The fields of a stream, changed by deltas only, and by none that breaks a rule.
pub(crate) struct StreamState {
    pub limits: Limits,
    pub given_run_id: Option<String>,
    pub status: Status,
    pub last_seq: Option<u64>,
    pub start: Option<StreamStart>,
    pub finish_reason: Option<FinishReason>,
    pub provider_reason: Option<String>,
    pub end_at: Option<String>,
    pub usage: Option<UsageSummary>,
    pub error: Option<ErrorDeltaPayload>,
    pub findings: Vec<(String, Finding)>,
    pub slots: Vec<Slot>,
    /// Tool calls by id: where they stand.
    pub calls: HashMap<String, usize>,
    /// Where the open calls stand, in the order of their start.
    pub open: BTreeSet<usize>,
    text_left: u64,
    opaque_left: u64,
}

impl StreamState {
    pub(crate) fn new(limits: Limits, given_run_id: Option<String>) -> Self {
        Self {
            limits,
            given_run_id,
            status: Status::Idle,
            last_seq: None,
            start: None,
            finish_reason: None,
            provider_reason: None,
            end_at: None,
            usage: None,
            error: None,
            findings: Vec::new(),
            slots: Vec::new(),
            calls: HashMap::new(),
            open: BTreeSet::new(),
            text_left: limits.text_bytes,
            opaque_left: limits.opaque_bytes,
        }
    }

    pub(crate) fn run_id(&self) -> Option<&str> {
        self.given_run_id.as_deref().or(self.start.as_ref().map(|start| start.run_id.as_str()))
    }

    pub(crate) fn consume(&mut self, delta: &MessageDelta) -> Result<(), Error> {
        let head = head_of(delta)?;
        let ids = self.start.as_ref();
        let expected = Expected {
            status: self.status,
            run_id: self.run_id(),
            last_seq: self.last_seq,
            message_id: ids.and_then(|start| start.message_id.as_deref()),
            turn_id: ids.and_then(|start| start.turn_id.as_deref()),
        };
        let (seq, status) = check_head(&head, &expected)?;
        match delta {
            MessageDelta::Text(delta) => {
                self.on_text(false, &delta.payload.text_delta, delta.payload.opaque.as_ref(), seq)?;
            }
            MessageDelta::Thinking(delta) => {
                self.on_text(true, &delta.payload.text_delta, delta.payload.opaque.as_ref(), seq)?;
            }
            MessageDelta::ToolCallArgs(delta) => self.on_args(&delta.payload, seq)?,
            MessageDelta::ToolCallStart(delta) => self.on_call_start(&delta.payload, seq)?,
            MessageDelta::ToolCallEnd(delta) => self.on_call_end(&delta.payload, seq)?,
            MessageDelta::Start(delta) => self.on_start(delta, seq)?,
            MessageDelta::Usage(delta) => self.on_usage(&delta.payload, seq)?,
            MessageDelta::Done(delta) => self.on_done(delta, seq)?,
            MessageDelta::Error(delta) => self.on_error(delta, seq)?,
            MessageDelta::Unknown(unknown) => self.on_unknown(unknown),
            _ => {}
        }
        self.status = status;
        self.last_seq = Some(seq);
        Ok(())
    }

    /// Returns the call at a place; calls and open hold places of calls alone.
    pub(crate) fn call_at(&self, place: usize) -> Option<&CallSlot> {
        match self.slots.get(place) {
            Some(Slot::Call(call)) => Some(call),
            _ => None,
        }
    }

    pub(crate) fn call_at_mut(&mut self, place: usize) -> Option<&mut CallSlot> {
        match self.slots.get_mut(place) {
            Some(Slot::Call(call)) => Some(call),
            _ => None,
        }
    }

    // --- one method per kind: check all, then change --------------------------------------------

    fn on_start(&mut self, delta: &StartDelta, seq: u64) -> Result<(), Error> {
        let most = self.limits.id_chars;
        let payload = &delta.payload;
        check_id("/runId", &delta.run_id, seq, most)?;
        check_length("/payload/modelId", &payload.model_id, seq, most)?;
        check_length("/payload/requestId", &payload.request_id, seq, most)?;
        for (pointer, id) in [("/messageId", &delta.message_id), ("/turnId", &delta.turn_id)] {
            id.as_deref().map_or(Ok(()), |id| check_id(pointer, id, seq, most))?;
        }
        check_timestamp(&delta.timestamp, seq)?;
        self.start = Some(StreamStart {
            run_id: delta.run_id.clone(),
            timestamp: delta.timestamp.clone(),
            model_id: payload.model_id.clone(),
            request_id: payload.request_id.clone(),
            message_id: delta.message_id.clone(),
            turn_id: delta.turn_id.clone(),
        });
        Ok(())
    }

    fn on_text(
        &mut self,
        thinking: bool,
        text: &str,
        opaque: Option<&Opaque>,
        seq: u64,
    ) -> Result<(), Error> {
        if text.is_empty() && opaque.is_none() {
            return Ok(());
        }
        let place = self.last_text(thinking);
        if place.is_none() && self.slots.len() as u64 >= self.limits.parts {
            return Err(limit_exceeded("parts", self.limits.parts, seq, ""));
        }
        let packed = self.packed(opaque, None, seq)?;
        let size = text.len() as u64;
        if size > self.text_left {
            return Err(limit_exceeded("text_bytes", self.limits.text_bytes, seq, ""));
        }
        self.text_left -= size;
        let place = place.unwrap_or(self.slots.len());
        if place == self.slots.len() {
            self.slots.push(Slot::Text(TextSlot { thinking, text: String::new(), opaque: None }));
        }
        if let Some(Slot::Text(slot)) = self.slots.get_mut(place) {
            slot.text.push_str(text);
            if let Some(packed) = packed {
                self.opaque_left -= packed.size;
                slot.opaque = Some(packed);
            }
        }
        Ok(())
    }

    /// Returns the last part if text can join it: it is of this kind, and no opaque data has
    /// ended it.
    fn last_text(&self, thinking: bool) -> Option<usize> {
        match self.slots.last() {
            Some(Slot::Text(slot)) if slot.thinking == thinking && slot.opaque.is_none() => {
                Some(self.slots.len() - 1)
            }
            _ => None,
        }
    }

    /// Returns opaque data that takes the place of that of a call, as it is kept.
    fn packed(
        &self,
        opaque: Option<&Opaque>,
        call: Option<usize>,
        seq: u64,
    ) -> Result<Option<Packed>, Error> {
        let Some(opaque) = opaque else {
            return Ok(None);
        };
        let before = call.and_then(|place| self.call_at(place)?.opaque.as_ref());
        let left = self.opaque_left + before.map_or(0, |packed| packed.size);
        pack(opaque, left, &self.limits, seq).map(Some)
    }

    fn on_call_start(&mut self, given: &ToolCallStartDeltaPayload, seq: u64) -> Result<(), Error> {
        let limits = self.limits;
        let id = &given.tool_call_id;
        check_id("/payload/toolCallId", id, seq, limits.id_chars)?;
        check_name("/payload/toolName", &given.tool_name, seq)?;
        if self.calls.contains_key(id) {
            let message = "The tool call id has been used already";
            let pointer = "/payload/toolCallId";
            let finding = Finding::error("stream/duplicate-tool-call", pointer, message)
                .expected("an id of its own")
                .actual(clip_text(id));
            return Err(refusal(finding, Some(seq)));
        }
        if self.calls.len() as u64 >= limits.tool_calls {
            return Err(limit_exceeded("tool_calls", limits.tool_calls, seq, ""));
        }
        if self.slots.len() as u64 >= limits.parts {
            return Err(limit_exceeded("parts", limits.parts, seq, ""));
        }
        let packed = self.packed(given.opaque.as_ref(), None, seq)?;
        let place = self.slots.len();
        self.slots.push(Slot::Call(Box::new(CallSlot {
            id: id.clone(),
            name: given.tool_name.clone(),
            text: String::new(),
            opaque: None,
            closed: None,
            preview: None,
        })));
        self.calls.insert(id.clone(), place);
        self.open.insert(place);
        self.keep_opaque(place, packed);
        Ok(())
    }

    fn on_args(&mut self, given: &ToolCallArgsDeltaPayload, seq: u64) -> Result<(), Error> {
        let place = self.open_call(&given.tool_call_id, seq)?;
        let packed = self.packed(given.opaque.as_ref(), Some(place), seq)?;
        let most = self.limits.arguments_bytes;
        if let Some(call) = self.call_at_mut(place) {
            if call.text.len() as u64 + given.args_text_delta.len() as u64 > most {
                return Err(limit_exceeded("arguments_bytes", most, seq, ""));
            }
            call.text.push_str(&given.args_text_delta);
        }
        self.keep_opaque(place, packed);
        Ok(())
    }

    fn on_call_end(&mut self, given: &ToolCallEndDeltaPayload, seq: u64) -> Result<(), Error> {
        let place = self.open_call(&given.tool_call_id, seq)?;
        let packed = self.packed(given.opaque.as_ref(), Some(place), seq)?;
        let most = self.limits.arguments_depth;
        let depth = usize::try_from(most).unwrap_or(usize::MAX);
        if let Some(call) = self.call_at_mut(place) {
            let Some(parsed) = parse_arguments(&call.text, depth) else {
                return Err(limit_exceeded("arguments_depth", most, seq, ""));
            };
            let (value, keep_text, error) = (parsed.value, parsed.keep_text, parsed.error);
            call.closed = Some(Closed { seq, value, keep_text, error });
            call.preview = None;
        }
        self.open.remove(&place);
        self.keep_opaque(place, packed);
        Ok(())
    }

    fn on_usage(&mut self, given: &UsageSummary, seq: u64) -> Result<(), Error> {
        check_usage(given, seq)?;
        let mut latest = given.clone();
        if let Some(before) = &self.usage {
            latest.cost = latest.cost.or(before.cost);
            latest.reasoning_tokens = latest.reasoning_tokens.or(before.reasoning_tokens);
            latest.cache_read_tokens = latest.cache_read_tokens.or(before.cache_read_tokens);
            latest.cache_write_tokens = latest.cache_write_tokens.or(before.cache_write_tokens);
        }
        self.usage = Some(latest);
        Ok(())
    }

    fn on_done(&mut self, delta: &DoneDelta, seq: u64) -> Result<(), Error> {
        if let Some(first) = self.open.first().and_then(|place| self.call_at(*place)) {
            let message = format!("{} tool call(s) are still open", self.open.len());
            let finding = Finding::error("stream/tool-call-open", "", &message)
                .expected("tool_call_end for each")
                .actual(format!("open: {}", clip_text(&first.id)));
            return Err(refusal(finding, Some(seq)));
        }
        let payload = &delta.payload;
        check_name("/payload/finishReason", payload.finish_reason.as_str(), seq)?;
        if let Some(reason) = &payload.provider_finish_reason {
            check_name("/payload/providerFinishReason", reason, seq)?;
        }
        self.end(&delta.timestamp, seq)?;
        self.finish_reason = Some(payload.finish_reason.clone());
        self.provider_reason.clone_from(&payload.provider_finish_reason);
        Ok(())
    }

    fn on_error(&mut self, delta: &ErrorDelta, seq: u64) -> Result<(), Error> {
        check_name("/payload/errorCode", delta.payload.error_code.as_str(), seq)?;
        self.end(&delta.timestamp, seq)?;
        self.error = Some(delta.payload.clone());
        Ok(())
    }

    fn on_unknown(&mut self, unknown: &Unknown) {
        let tag = unknown.tag();
        if self.findings.len() < MAX_UNKNOWN && !self.findings.iter().any(|(known, _)| known == tag)
        {
            self.findings.push((tag.to_owned(), unknown_kind(tag)));
        }
    }

    fn end(&mut self, timestamp: &str, seq: u64) -> Result<(), Error> {
        check_timestamp(timestamp, seq)?;
        self.end_at = Some(timestamp.to_owned());
        Ok(())
    }

    fn keep_opaque(&mut self, place: usize, packed: Option<Packed>) {
        if let Some(packed) = packed {
            let mut left = self.opaque_left.saturating_sub(packed.size);
            if let Some(call) = self.call_at_mut(place) {
                left = left.saturating_add(call.opaque.as_ref().map_or(0, |before| before.size));
                call.opaque = Some(packed);
            }
            self.opaque_left = left;
        }
    }

    /// Returns where the open call stands.
    fn open_call(&self, id: &str, seq: u64) -> Result<usize, Error> {
        let known = self.calls.get(id).copied();
        let is_open =
            |place: &usize| self.call_at(*place).is_some_and(|call| call.closed.is_none());
        if let Some(place) = known.filter(is_open) {
            return Ok(place);
        }
        let closed = known.and_then(|place| Some(self.call_at(place)?.closed.as_ref()?.seq));
        let open = self.open.first().and_then(|place| self.call_at(*place));
        Err(call_refusal(id, closed, open.map(|call| call.id.as_str()), seq))
    }
}
