//! The state of one stream, and every rule that its deltas have to keep.

mod citations;
mod media;
mod whole_parts;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::contract::current::message::{
    Author, DoneDelta, ErrorDelta, ErrorDeltaPayload, FinishReason, MessageDelta, MessagePart,
    Opaque, StartDelta, TextFormat, ToolCallArgsDeltaPayload, ToolCallEndDeltaPayload,
    ToolCallStartDeltaPayload, UsageSummary,
};
use crate::contract::types::{Contract, Unknown};
use crate::errors::{Error, Finding};
use crate::json::Value;
use crate::message::assembler::arguments::parse_arguments;
use crate::message::assembler::checks::{
    Expected, Status, call_refusal, check_head, check_id, check_length, check_name,
    check_timestamp, check_usage, head_of, invalid_delta, limit_exceeded, still_open, unknown_kind,
    used,
};
use crate::message::assembler::limits::Limits;
use crate::message::assembler::slots::{
    CallSlot, Closed, Packed, Slot, TextSlot, pack, payload_size,
};
use crate::reading::read::to_value;
use crate::tables::limits::MAX_UNKNOWN;

/// What the start delta said.
pub(crate) struct StreamStart {
    pub run_id: String,
    pub timestamp: String,
    pub model_id: String,
    pub request_id: String,
    pub message_id: Option<String>,
    pub turn_id: Option<String>,
    pub author: Option<Author>,
    pub format: Option<TextFormat>,
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
    /// Where the last text part stands.
    text_part: Option<usize>,
    /// Media by id: where it stands.
    media: HashMap<String, usize>,
    /// Where the open media stands, in the order of its start.
    pub open_media: BTreeSet<usize>,
    /// The calls of the provider that have their result.
    results: HashSet<String>,
    approvals: HashSet<String>,
    /// The payloads of warnings, each once, and their texts.
    pub warnings: Vec<Value>,
    warned: HashSet<String>,
    text_left: u64,
    opaque_left: u64,
    payload_left: u64,
    media_left: u64,
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
            text_part: None,
            media: HashMap::new(),
            open_media: BTreeSet::new(),
            results: HashSet::new(),
            approvals: HashSet::new(),
            warnings: Vec::new(),
            warned: HashSet::new(),
            text_left: limits.text_bytes,
            opaque_left: limits.opaque_bytes,
            payload_left: limits.payload_bytes,
            media_left: limits.media_bytes,
        }
    }

    pub(crate) fn run_id(&self) -> Option<&str> {
        self.given_run_id.as_deref().or(self.start.as_ref().map(|start| start.run_id.as_str()))
    }

    pub(crate) fn consume(&mut self, delta: &MessageDelta) -> Result<(), Error> {
        let payload = checked_payload(delta)?;
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
            MessageDelta::ToolCallArgs(delta) => self.on_args(false, &delta.payload, seq)?,
            MessageDelta::ToolCallStart(delta) => {
                self.on_call_start(false, &delta.payload, seq)?;
            }
            MessageDelta::ToolCallEnd(delta) => self.on_call_end(false, &delta.payload, seq)?,
            MessageDelta::ServerToolCallArgs(delta) => self.on_args(true, &delta.payload, seq)?,
            MessageDelta::ServerToolCallStart(delta) => {
                self.on_call_start(true, &delta.payload, seq)?;
            }
            MessageDelta::ServerToolCallEnd(delta) => {
                self.on_call_end(true, &delta.payload, seq)?;
            }
            MessageDelta::TextCitation(delta) => {
                self.on_citation(&delta.payload, payload, seq)?;
            }
            MessageDelta::ServerToolResult(delta) => {
                self.on_result(&delta.payload, &payload, seq)?;
            }
            MessageDelta::ApprovalRequest(delta) => {
                self.on_approval(&delta.payload, &payload, seq)?;
            }
            MessageDelta::MediaStart(delta) => {
                self.on_media_start(&delta.payload, payload, seq)?;
            }
            MessageDelta::MediaData(delta) => self.on_media_data(&delta.payload, seq)?,
            MessageDelta::MediaEnd(delta) => {
                self.on_media_end(&delta.payload, payload, seq)?;
            }
            MessageDelta::Warning(_) => self.on_warning(payload, seq)?,
            MessageDelta::Start(delta) => self.on_start(delta, seq)?,
            MessageDelta::Usage(delta) => self.on_usage(&delta.payload, seq)?,
            MessageDelta::Done(delta) => self.on_done(delta, seq)?,
            MessageDelta::Error(delta) => self.on_error(delta, seq)?,
            MessageDelta::Unknown(unknown) => self.on_unknown(unknown),
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
        self.check_names(delta, seq)?;
        check_timestamp(&delta.timestamp, seq)?;
        self.start = Some(StreamStart {
            run_id: delta.run_id.clone(),
            timestamp: delta.timestamp.clone(),
            model_id: payload.model_id.clone(),
            request_id: payload.request_id.clone(),
            message_id: delta.message_id.clone(),
            turn_id: delta.turn_id.clone(),
            author: payload.author.clone(),
            format: payload.format.clone(),
        });
        Ok(())
    }

    /// Looks at the names of the author and of the format.
    fn check_names(&self, delta: &StartDelta, seq: u64) -> Result<(), Error> {
        let (author, format) = (delta.payload.author.as_ref(), delta.payload.format.as_ref());
        let agents = author.and_then(|author| author.agent_path.as_deref()).unwrap_or_default();
        let name = author.and_then(|author| author.name.as_deref());
        let path = agents.iter().enumerate();
        let path = path.map(|(at, name)| (format!("author/agentPath/{at}"), Some(&**name)));
        let form = format.and_then(|format| format.name.as_deref());
        let schema = format.and_then(|format| format.schema_ref.as_deref());
        let names = [("author/name".to_owned(), name)]
            .into_iter()
            .chain(path)
            .chain([("format/name".to_owned(), form), ("format/schemaRef".to_owned(), schema)]);
        for (pointer, name) in names {
            if let Some(name) = name {
                let pointer = format!("/payload/{pointer}");
                check_length(&pointer, name, seq, self.limits.id_chars)?;
            }
        }
        let most = self.limits.agents;
        if agents.len() as u64 > most {
            return Err(limit_exceeded("agents", most, seq, "/payload/author/agentPath"));
        }
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
        if place.is_none() {
            self.check_room(seq)?;
        }
        let packed = self.packed(opaque, None, seq)?;
        let size = self.text_size(text, seq)?;
        self.text_left -= size;
        let place = place.unwrap_or(self.slots.len());
        if place == self.slots.len() {
            self.slots.push(Slot::Text(TextSlot::new(thinking)));
            self.text_part = if thinking { self.text_part } else { Some(place) };
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

    /// Refuses a part more than there may be.
    fn check_room(&self, seq: u64) -> Result<(), Error> {
        if self.slots.len() as u64 >= self.limits.parts {
            return Err(limit_exceeded("parts", self.limits.parts, seq, ""));
        }
        Ok(())
    }

    /// Returns what text counts, if there is room for it.
    fn text_size(&self, text: &str, seq: u64) -> Result<u64, Error> {
        let size = text.len() as u64;
        if size > self.text_left {
            return Err(limit_exceeded("text_bytes", self.limits.text_bytes, seq, ""));
        }
        Ok(size)
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

    /// Returns opaque data that takes the place of that of a part, as it is kept.
    fn packed(
        &self,
        opaque: Option<&Opaque>,
        place: Option<usize>,
        seq: u64,
    ) -> Result<Option<Packed>, Error> {
        let Some(opaque) = opaque else {
            return Ok(None);
        };
        let before = match place.and_then(|place| self.slots.get(place)) {
            Some(Slot::Call(call)) => call.opaque.as_ref(),
            Some(Slot::Media(media)) => media.opaque.as_ref(),
            _ => None,
        };
        let left = self.opaque_left + before.map_or(0, |packed| packed.size);
        pack(opaque, left, &self.limits, seq).map(Some)
    }

    fn on_call_start(
        &mut self,
        server: bool,
        given: &ToolCallStartDeltaPayload,
        seq: u64,
    ) -> Result<(), Error> {
        let limits = self.limits;
        let id = &given.tool_call_id;
        check_id("/payload/toolCallId", id, seq, limits.id_chars)?;
        check_name("/payload/toolName", &given.tool_name, seq)?;
        if self.calls.contains_key(id) {
            let rule = "stream/duplicate-tool-call";
            return Err(used(rule, "tool call", "/payload/toolCallId", id, seq));
        }
        if self.calls.len() as u64 >= limits.tool_calls {
            return Err(limit_exceeded("tool_calls", limits.tool_calls, seq, ""));
        }
        self.check_room(seq)?;
        let packed = self.packed(given.opaque.as_ref(), None, seq)?;
        let place = self.slots.len();
        self.slots.push(Slot::Call(Box::new(CallSlot {
            server,
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

    fn on_args(
        &mut self,
        server: bool,
        given: &ToolCallArgsDeltaPayload,
        seq: u64,
    ) -> Result<(), Error> {
        let place = self.open_call(server, &given.tool_call_id, seq)?;
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

    fn on_call_end(
        &mut self,
        server: bool,
        given: &ToolCallEndDeltaPayload,
        seq: u64,
    ) -> Result<(), Error> {
        let place = self.open_call(server, &given.tool_call_id, seq)?;
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

    /// Refuses a call that is open; one that is not of this stream is fine.
    fn check_ended(&self, id: &str, seq: u64) -> Result<(), Error> {
        let call = self.calls.get(id).and_then(|place| self.call_at(*place));
        if call.is_some_and(|call| call.closed.is_none()) {
            return Err(still_open("call", "The tool call is still open", id, seq));
        }
        Ok(())
    }

    /// Adds a part that came whole.
    fn add_whole(&mut self, part: MessagePart, payload: &Value, seq: u64) -> Result<(), Error> {
        self.check_room(seq)?;
        let size = payload_size(payload, self.payload_left, &self.limits, seq)?;
        self.payload_left -= size;
        self.slots.push(Slot::Whole(Box::new(part)));
        Ok(())
    }

    /// Returns what a payload counts without some of its members.
    fn size_without(&self, mut payload: Value, apart: &[&str], seq: u64) -> Result<u64, Error> {
        if let Value::Object(members) = &mut payload {
            members.retain(|name, _| !apart.contains(&name));
        }
        payload_size(&payload, self.payload_left, &self.limits, seq)
    }

    fn on_warning(&mut self, payload: Value, seq: u64) -> Result<(), Error> {
        let text = payload.to_string();
        if !self.warned.contains(&text) {
            self.payload_left -= payload_size(&payload, self.payload_left, &self.limits, seq)?;
            self.warned.insert(text);
            self.warnings.push(payload);
        }
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
            return Err(still_open("tool call", &message, &first.id, seq));
        }
        if let Some(first) = self.open_media.first().and_then(|place| self.media_at(*place)) {
            return Err(still_open("media", "Media is still open", &first.id, seq));
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
            let kept = match self.slots.get_mut(place) {
                Some(Slot::Call(call)) => &mut call.opaque,
                Some(Slot::Media(media)) => &mut media.opaque,
                _ => return,
            };
            let before = kept.as_ref().map_or(0, |before| before.size);
            self.opaque_left = (self.opaque_left + before).saturating_sub(packed.size);
            *kept = Some(packed);
        }
    }

    /// Returns where the open call stands; a call of the other kind is not known here.
    fn open_call(&self, server: bool, id: &str, seq: u64) -> Result<usize, Error> {
        let is_known = |place: &usize| self.call_at(*place).is_some_and(|it| it.server == server);
        let known = self.calls.get(id).copied().filter(is_known);
        let is_open =
            |place: &usize| self.call_at(*place).is_some_and(|call| call.closed.is_none());
        if let Some(place) = known.filter(is_open) {
            return Ok(place);
        }
        let closed = known.and_then(|place| Some(self.call_at(place)?.closed.as_ref()?.seq));
        let mut open = self.open.iter().filter_map(|place| self.call_at(*place));
        let open = open.find(|call| call.server == server);
        Err(call_refusal(id, closed, open.map(|call| call.id.as_str()), seq))
    }
}

/// Returns the payload of a delta that is checked whole, by its schema, before all else; null for
/// others, whose members are checked one by one.
fn checked_payload(delta: &MessageDelta) -> Result<Value, Error> {
    match delta {
        MessageDelta::TextCitation(delta) => payload_of(&delta.payload, delta.seq),
        MessageDelta::ServerToolResult(delta) => payload_of(&delta.payload, delta.seq),
        MessageDelta::ApprovalRequest(delta) => payload_of(&delta.payload, delta.seq),
        MessageDelta::Warning(delta) => payload_of(&delta.payload, delta.seq),
        MessageDelta::MediaStart(delta) => payload_of(&delta.payload, delta.seq),
        MessageDelta::MediaData(delta) => payload_of(&delta.payload, delta.seq),
        MessageDelta::MediaEnd(delta) => payload_of(&delta.payload, delta.seq),
        MessageDelta::Start(delta) => {
            let payload = &delta.payload;
            if payload.author.is_none() && payload.format.is_none() {
                return Ok(Value::Null);
            }
            payload_of(payload, delta.seq)
        }
        _ => Ok(Value::Null),
    }
}

fn payload_of<T: Contract>(payload: &T, seq: u64) -> Result<Value, Error> {
    to_value(payload).map_err(|error| {
        let found = error.findings().first();
        let pointer = format!("/payload{}", found.map_or("", |found| &found.pointer));
        let said = |text: Option<&Option<String>>| text.cloned().flatten().unwrap_or_default();
        let expected = said(found.map(|found| &found.expected));
        invalid_delta(&pointer, &expected, said(found.map(|found| &found.actual)), Some(seq))
    })
}
