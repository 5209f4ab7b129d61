//! The writing half of every adapter: deltas that keep the contract, whatever the provider sent.
//!
//! What holds for every stream that comes out of here:
//!
//! - The first delta is `start`, exactly one `done` or `error` is the last, `seq` counts from 0
//!   without a gap.
//! - No text, thinking or argument delta is empty, but for one that ends its part and carries what
//!   the provider wants back with it; none holds half a character: the two halves of a surrogate
//!   pair are joined, also across deltas; a half whose other half never comes becomes U+FFFD, with
//!   a finding.
//! - A tool call has a name, an id that the run has not used, one start and one end; `done` comes
//!   with no call open.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::current::message::{
    DoneDelta, DoneDeltaPayload, ErrorDelta, ErrorDeltaPayload, MessageDelta, Opaque, StartDelta,
    StartDeltaPayload, TextDelta, TextDeltaPayload, ThinkingDelta, ThinkingDeltaPayload,
    ToolCallArgsDelta, ToolCallArgsDeltaPayload, ToolCallEndDelta, ToolCallEndDeltaPayload,
    ToolCallStartDelta, ToolCallStartDeltaPayload, UsageDelta, UsageSummary, tags,
};
use crate::contract::types::Map;
use crate::errors::clip_text;
use crate::json::raw::{Raw, storable};
use crate::json::raw_text::{Text, whole_of};
use crate::providers::core::findings::FindingLog;
use crate::providers::core::ids::{CallIds, cut};
use crate::providers::core::kept_state::{KeptState, OpaqueItem};
use crate::tables::limits::MAX_ID_CHARS;

/// Model id and request id of a stream whose provider names none.
const UNKNOWN: &str = "unknown";

/// Kinds of parts that hold text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Thinking,
}

/// Which kinds of parts there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wrote {
    pub text: bool,
    pub thinking: bool,
    pub tool_call: bool,
}

impl Wrote {
    /// Tells whether there is any part.
    pub(crate) fn any(self) -> bool {
        self.text || self.thinking || self.tool_call
    }
}

/// A tool call that has started: a handle, which stays good once the call has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenCall {
    /// The index of its part.
    pub part: i64,
}

/// What a writer keeps of a call until it ends.
pub(crate) struct Call {
    pub id: String,
    pub half: Option<u32>,
}

/// Keeps what goes with a part, before the part is ended.
pub(crate) type Collect<'a> = &'a mut dyn FnMut(&mut DeltaWriter);

/// Appends deltas to what [`take`](Self::take) gives. Part positions (`part`, `chars`) follow the
/// assembler's rule: text, or thinking, joins the last part if that is of its kind and nothing has
/// ended it.
pub(crate) struct DeltaWriter {
    /// What was found.
    pub log: FindingLog,
    /// What the provider wants back.
    pub state: KeptState,
    pub model_id: String,
    pub request_id: String,
    /// `done` or `error` has been written.
    pub ended: bool,
    /// Of the part that is being written; None after a call and before all.
    pub kind: Option<Kind>,
    /// Index of the part that is being written.
    pub part: i64,
    /// Characters of text in it.
    pub chars: usize,
    pub wrote: Wrote,
    pub(crate) maker: DeltaMaker,
    pub(crate) call_ids: CallIds,
    pub(crate) open: BTreeMap<i64, Call>,
    /// Half a character of text or thinking; deltas of calls may come between it and the other.
    pub(crate) half: Option<u32>,
    pub(crate) half_kind: Kind,
    usage: Option<UsageSummary>,
    usage_due: bool,
}

impl DeltaWriter {
    pub(crate) fn new(maker: DeltaMaker, call_ids: CallIds, state: KeptState) -> Self {
        Self {
            log: FindingLog::default(),
            state,
            model_id: String::new(),
            request_id: String::new(),
            ended: false,
            kind: None,
            part: -1,
            chars: 0,
            wrote: Wrote::default(),
            maker,
            call_ids,
            open: BTreeMap::new(),
            half: None,
            half_kind: Kind::Text,
            usage: None,
            usage_due: false,
        }
    }

    /// Returns the deltas since the last call.
    pub(crate) fn take(&mut self) -> Vec<MessageDelta> {
        self.maker.take()
    }

    /// The deltas since the last call of [`take`](Self::take).
    pub(crate) fn made(&mut self) -> &mut [MessageDelta] {
        &mut self.maker.out
    }

    /// Takes the stream's names as far as they are given; starts once both are known, and says so.
    pub(crate) fn identify(&mut self, model_id: &Raw, request_id: &Raw) -> bool {
        for (own, given) in [(&mut self.model_id, model_id), (&mut self.request_id, request_id)] {
            if let (true, Some(given)) = (own.is_empty(), given.some_text()) {
                cut(&given.well_formed(), MAX_ID_CHARS).clone_into(own);
            }
        }
        let both = !self.model_id.is_empty() && !self.request_id.is_empty();
        if both {
            self.start();
        }
        both
    }

    /// Writes `start`, once; what the provider has not named by now is `unknown`.
    pub(crate) fn start(&mut self) {
        if self.maker.begun() {
            return;
        }
        let named = |own: &str| if own.is_empty() { UNKNOWN.to_owned() } else { own.to_owned() };
        self.maker.start(named(&self.model_id), named(&self.request_id));
    }

    /// Returns the writer with `collect` called before a part is ended, for what goes with it.
    pub(crate) fn collecting<'a>(&'a mut self, collect: Collect<'a>) -> Writing<'a> {
        Writing { writer: self, collect }
    }

    /// Closes what is open and ends the stream as complete; `said` is the provider's reason.
    pub(crate) fn done(&mut self, finish_reason: &str, said: Option<&str>) {
        self.collecting(&mut |_| {}).done(finish_reason, said);
    }

    /// Appends text of the answer.
    pub(crate) fn text<'t>(&mut self, text: impl Into<Text<'t>>) {
        self.collecting(&mut |_| {}).text(text);
    }

    /// Appends text of the reasoning.
    pub(crate) fn thinking<'t>(&mut self, text: impl Into<Text<'t>>) {
        self.collecting(&mut |_| {}).thinking(text);
    }

    /// Starts a tool call; see [`Writing::open_call`].
    pub(crate) fn open_call<'t>(
        &mut self,
        provider_id: Option<Text<'_>>,
        name: impl Into<Text<'t>>,
    ) -> OpenCall {
        self.collecting(&mut |_| {}).open_call(provider_id, name)
    }

    /// Appends argument text to an open call; a part of text around it stays open.
    pub(crate) fn args<'t>(&mut self, call: OpenCall, text: impl Into<Text<'t>>) {
        self.collecting(&mut |_| {}).args(call, text);
    }

    /// Ends an open call.
    pub(crate) fn end_call(&mut self, call: OpenCall) {
        self.collecting(&mut |_| {}).end_call(call);
    }

    /// How many calls are open.
    pub(crate) fn open_calls(&self) -> usize {
        self.open.len()
    }

    /// Reports usage so far; nothing is written if it has not changed.
    ///
    /// Inside a part of text it waits for the part's end: some vendors report at every piece of
    /// text, and every other delta would be one of usage.
    pub(crate) fn usage(&mut self, usage: UsageSummary) {
        if self.usage.as_ref() == Some(&usage) {
            return;
        }
        if usage.total_tokens < usage.input_tokens + usage.output_tokens {
            self.log.usage("a total below its sum");
        }
        let falls = self.usage.as_ref().is_some_and(|before| {
            usage.input_tokens < before.input_tokens
                || usage.output_tokens < before.output_tokens
                || usage.total_tokens < before.total_tokens
        });
        if falls {
            self.log.usage("a figure below an earlier one");
        }
        self.usage = Some(usage);
        self.usage_due = true;
        if self.kind.is_none() {
            self.start();
            self.report_usage();
        }
    }

    pub(crate) fn report_usage(&mut self) {
        if let (true, Some(usage)) = (self.usage_due, &self.usage) {
            self.usage_due = false;
            self.maker.usage(usage.clone());
        }
    }

    /// Keeps provider state that belongs to this place.
    ///
    /// `start` is the character of the current part from which on it belongs; without it, the item
    /// is between what has been written and what comes next.
    pub(crate) fn keep(&mut self, kind: &str, data: &Raw, start: Option<usize>) {
        let inside = start.is_some() || self.kind.is_some();
        let (part, at) = if inside { (self.part, self.chars) } else { (self.part + 1, 0) };
        let (start, end) = (Some(start.unwrap_or(at)), Some(at));
        self.state.keep(OpaqueItem {
            kind: kind.to_owned(),
            data: storable(data),
            part,
            start,
            end,
        });
    }

    /// Keeps provider state that belongs to a tool call, open or ended.
    pub(crate) fn keep_with(&mut self, call: OpenCall, kind: &str, data: &Raw) {
        let (kind, data) = (kind.to_owned(), storable(data));
        self.state.keep(OpaqueItem { kind, data, part: call.part, start: None, end: None });
    }

    /// Ends the part that is open with what the provider wants back with it.
    pub(crate) fn seal(&mut self, opaque: Option<Opaque>) {
        if let (Some(kind), Some(opaque)) = (self.kind.take(), opaque) {
            self.maker.seal(kind, opaque);
        }
    }

    pub(crate) fn put(&mut self, kind: Kind, text: String) {
        self.chars += text.chars().count();
        self.maker.text(kind, text);
    }

    pub(crate) fn lone(&mut self) {
        self.log.note(
            "adapter/lone-surrogate",
            "Half a character came without its other half and became U+FFFD",
            "",
            Some("well-formed Unicode"),
            None,
        );
    }

    /// Returns text without halves, and sets aside the half at its end that may yet be joined.
    pub(crate) fn whole(&mut self, text: Text<'_>, half: &mut Option<u32>) -> String {
        if let (None, Some(text)) = (&half, text.whole()) {
            return text.to_owned();
        }
        let mut points: Vec<u32> = half.take().into_iter().chain(text.points()).collect();
        if points.last().is_some_and(|last| (0xd800..0xdc00).contains(last)) {
            *half = points.pop();
        }
        let (text, lone) = whole_of(&points);
        if lone {
            self.lone();
        }
        text
    }
}

// -------------------------------------------------------------------------------------------------
// How parts and calls are written: when one ends, and what goes with its end.

/// A [`DeltaWriter`] that has something to collect before a part is ended.
pub(crate) struct Writing<'a> {
    pub(crate) writer: &'a mut DeltaWriter,
    pub(crate) collect: Collect<'a>,
}

impl Writing<'_> {
    /// Appends text of the answer.
    pub(crate) fn text<'t>(&mut self, text: impl Into<Text<'t>>) {
        self.write(Kind::Text, text.into());
    }

    /// Appends text of the reasoning.
    pub(crate) fn thinking<'t>(&mut self, text: impl Into<Text<'t>>) {
        self.write(Kind::Thinking, text.into());
    }

    fn write(&mut self, kind: Kind, text: Text<'_>) {
        // An empty delta neither makes a part nor parts two others.
        if self.writer.kind != Some(kind) && !text.is_empty() {
            self.begin(kind);
        }
        let mut half = self.writer.half.take();
        let text = self.writer.whole(text, &mut half);
        self.writer.half = half;
        if !text.is_empty() {
            self.writer.put(kind, text);
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.writer.start();
        if self.writer.half.is_some() && self.writer.half_kind != kind {
            self.drop_half();
        }
        self.leave();
        let writer = &mut *self.writer;
        writer.report_usage();
        writer.kind = Some(kind);
        writer.half_kind = kind;
        writer.part += 1;
        writer.chars = 0;
        match kind {
            Kind::Text => writer.wrote.text = true,
            Kind::Thinking => writer.wrote.thinking = true,
        }
    }

    /// Ends the text, or thinking, that is being written.
    fn leave(&mut self) {
        if self.writer.kind.is_none() {
            return;
        }
        (self.collect)(self.writer);
        let opaque = self.writer.state.of_part(self.writer.part, None);
        self.writer.seal(opaque);
    }

    /// Gives up waiting for the other half of a character of text, or of thinking.
    fn drop_half(&mut self) {
        if self.writer.half.take().is_some() {
            self.writer.lone();
            self.write(self.writer.half_kind, "\u{fffd}".into());
        }
    }

    /// Starts a tool call; its id is the provider's, or a minted one where that cannot be kept.
    ///
    /// [`KeptState::provider_ids`] maps a minted id to the provider's own.
    pub(crate) fn open_call<'t>(
        &mut self,
        provider_id: Option<Text<'_>>,
        name: impl Into<Text<'t>>,
    ) -> OpenCall {
        self.writer.start();
        self.drop_half();
        self.leave();
        let writer = &mut *self.writer;
        writer.report_usage();
        let (id, is_own) = writer.call_ids.take(provider_id, &writer.request_id);
        if !is_own {
            let own = provider_id.map(|own| own.well_formed().into_owned());
            let actual = own.as_deref().map_or_else(|| "no id".to_owned(), clip_text);
            writer.state.provider_ids.insert(id.clone(), own);
            writer.log.note(
                "adapter/minted-id",
                "The tool call has no id of its own that the run has not used; it got a new one",
                "",
                Some("an id that is unique in the run"),
                Some(&actual),
            );
        }
        writer.part += 1;
        writer.chars = 0;
        writer.wrote.tool_call = true;
        writer.maker.call_start(id.clone(), name.into().well_formed().into_owned());
        writer.open.insert(writer.part, Call { id, half: None });
        OpenCall { part: writer.part }
    }

    /// Appends argument text to an open call; a part of text around it stays open.
    pub(crate) fn args<'t>(&mut self, call: OpenCall, text: impl Into<Text<'t>>) {
        let writer = &mut *self.writer;
        let Some(mut open) = writer.open.remove(&call.part) else { return };
        let text = writer.whole(text.into(), &mut open.half);
        let id = open.id.clone();
        writer.open.insert(call.part, open);
        if !text.is_empty() {
            self.writer.maker.args(id, text);
        }
    }

    /// Ends an open call.
    pub(crate) fn end_call(&mut self, call: OpenCall) {
        self.end(call, false);
    }

    /// Ends an open call; the `last` one of all carries what no other delta can.
    fn end(&mut self, call: OpenCall, last: bool) {
        let half = self.writer.open.get_mut(&call.part).and_then(|open| open.half.take());
        if half.is_some() {
            self.writer.lone();
            self.args(call, "\u{fffd}");
        }
        (self.collect)(self.writer);
        let Some(Call { id, .. }) = self.writer.open.remove(&call.part) else { return };
        let state = &mut self.writer.state;
        let opaque = if last {
            state.rest(call.part, Some(&id), &BTreeSet::new())
        } else {
            state.of_part(call.part, Some(&id))
        };
        self.writer.maker.call_end(id, opaque);
    }

    /// Closes what is open and ends the stream as complete; `said` is the provider's reason.
    pub(crate) fn done(&mut self, finish_reason: &str, said: Option<&str>) {
        self.writer.start();
        let open: Vec<i64> = self.writer.open.keys().copied().collect();
        for part in &open {
            // Text that is still open is ended behind the calls, and carries the rest.
            let last = open.last() == Some(part) && self.writer.kind.is_none();
            self.end(OpenCall { part: *part }, last);
        }
        self.end_parts();
        let said = said.filter(|said| !said.is_empty());
        let said = said.map(|said| cut(said, MAX_ID_CHARS).to_owned());
        self.writer.maker.done(finish_reason, said);
        self.writer.ended = true;
    }

    /// Ends the stream as failed. Open calls stay open: nothing may take them for complete.
    pub(crate) fn fail(&mut self, code: &str, message: Option<&str>, retryable: bool) {
        self.writer.start();
        self.end_parts();
        self.writer.maker.error(code, message.map(str::to_owned), retryable);
        self.writer.ended = true;
    }

    /// Ends the last part; whatever the provider wants back has its place in a delta now.
    fn end_parts(&mut self) {
        self.drop_half();
        (self.collect)(self.writer);
        let writer = &mut *self.writer;
        if writer.kind.is_none() && writer.state.is_due() {
            // The last part is a tool call, or there is none: an empty part carries the rest.
            writer.kind = Some(Kind::Thinking);
            writer.part += 1;
            writer.chars = 0;
        }
        if writer.kind.is_some() {
            let left_out: BTreeSet<i64> = writer.open.keys().copied().collect();
            let due = writer.state.is_due();
            let opaque = due.then(|| writer.state.rest(writer.part, None, &left_out)).flatten();
            writer.seal(opaque);
        }
        writer.report_usage();
    }
}

// -------------------------------------------------------------------------------------------------
// The deltas themselves: what every one of them says, and when it was made.

/// Gives the timestamp of each delta: RFC 3339, in UTC.
pub type Clock = Box<dyn FnMut() -> String + Send>;

/// The ids that a caller gives to a stream.
#[allow(clippy::struct_field_names)] // ids are what they are
pub(crate) struct Ids {
    pub run_id: String,
    pub message_id: Option<String>,
    pub turn_id: Option<String>,
}

/// Makes the deltas of one stream, numbered and dated.
pub(crate) struct DeltaMaker {
    out: Vec<MessageDelta>,
    ids: Ids,
    clock: Clock,
    /// The instant of a delta that was made for the sake of the one that follows.
    again: Option<String>,
    seq: u64,
}

macro_rules! make {
    ($maker:ident, $delta:ident, $tag:ident, $payload:expr) => {{
        let delta = $delta {
            run_id: $maker.ids.run_id.clone(),
            message_id: $maker.ids.message_id.clone(),
            turn_id: $maker.ids.turn_id.clone(),
            seq: $maker.seq,
            kind: tags::$tag,
            payload: $payload,
            timestamp: $maker.now(),
            provider_raw: None,
        };
        $maker.seq += 1;
        $maker.out.push(MessageDelta::$tag(delta));
    }};
}

impl DeltaMaker {
    pub(crate) fn new(ids: Ids, clock: Clock) -> Self {
        Self { out: Vec::new(), ids, clock, again: None, seq: 0 }
    }

    /// Returns the deltas since the last call.
    pub(crate) fn take(&mut self) -> Vec<MessageDelta> {
        std::mem::take(&mut self.out)
    }

    /// Tells whether there has been a delta.
    pub(crate) fn begun(&self) -> bool {
        self.seq > 0
    }

    fn now(&mut self) -> String {
        self.again.take().unwrap_or_else(|| (self.clock)())
    }

    pub(crate) fn start(&mut self, model_id: String, request_id: String) {
        make!(
            self,
            StartDelta,
            Start,
            StartDeltaPayload { model_id, request_id, author: None, format: None }
        );
    }

    pub(crate) fn text(&mut self, kind: Kind, text_delta: String) {
        self.text_with(kind, text_delta, None);
    }

    /// Ends a part; at the same instant as the next delta, which it was made for.
    pub(crate) fn seal(&mut self, kind: Kind, opaque: Opaque) {
        let now = self.now();
        self.again = Some(now.clone());
        self.text_with(kind, String::new(), Some(opaque));
        self.again = Some(now);
    }

    fn text_with(&mut self, kind: Kind, text_delta: String, opaque: Option<Opaque>) {
        match kind {
            Kind::Text => make!(self, TextDelta, Text, TextDeltaPayload { text_delta, opaque }),
            Kind::Thinking => {
                make!(self, ThinkingDelta, Thinking, ThinkingDeltaPayload { text_delta, opaque });
            }
        }
    }

    pub(crate) fn call_start(&mut self, tool_call_id: String, tool_name: String) {
        let payload = ToolCallStartDeltaPayload { tool_call_id, tool_name, opaque: None };
        make!(self, ToolCallStartDelta, ToolCallStart, payload);
    }

    pub(crate) fn args(&mut self, tool_call_id: String, args_text_delta: String) {
        let payload = ToolCallArgsDeltaPayload { tool_call_id, args_text_delta, opaque: None };
        make!(self, ToolCallArgsDelta, ToolCallArgs, payload);
    }

    pub(crate) fn call_end(&mut self, tool_call_id: String, opaque: Option<Opaque>) {
        let payload = ToolCallEndDeltaPayload { tool_call_id, opaque };
        make!(self, ToolCallEndDelta, ToolCallEnd, payload);
    }

    pub(crate) fn usage(&mut self, usage: UsageSummary) {
        make!(self, UsageDelta, Usage, usage);
    }

    pub(crate) fn done(&mut self, finish_reason: &str, provider_finish_reason: Option<String>) {
        let finish_reason = finish_reason.into();
        make!(self, DoneDelta, Done, DoneDeltaPayload { finish_reason, provider_finish_reason });
    }

    pub(crate) fn error(&mut self, code: &str, message: Option<String>, retryable: bool) {
        let (error_code, retryable) = (code.into(), Some(retryable));
        let payload = ErrorDeltaPayload { error_code, message, retryable };
        make!(self, ErrorDelta, Error, payload);
    }
}

/// Sets the raw events that a delta carries.
pub(crate) fn set_raw(delta: &mut MessageDelta, raw: Map) {
    let place = match delta {
        MessageDelta::Start(delta) => &mut delta.provider_raw,
        MessageDelta::Text(delta) => &mut delta.provider_raw,
        MessageDelta::Thinking(delta) => &mut delta.provider_raw,
        MessageDelta::ToolCallStart(delta) => &mut delta.provider_raw,
        MessageDelta::ToolCallArgs(delta) => &mut delta.provider_raw,
        MessageDelta::ToolCallEnd(delta) => &mut delta.provider_raw,
        MessageDelta::TextCitation(delta) => &mut delta.provider_raw,
        MessageDelta::ServerToolCallStart(delta) => &mut delta.provider_raw,
        MessageDelta::ServerToolCallArgs(delta) => &mut delta.provider_raw,
        MessageDelta::ServerToolCallEnd(delta) => &mut delta.provider_raw,
        MessageDelta::ServerToolResult(delta) => &mut delta.provider_raw,
        MessageDelta::ApprovalRequest(delta) => &mut delta.provider_raw,
        MessageDelta::MediaStart(delta) => &mut delta.provider_raw,
        MessageDelta::MediaData(delta) => &mut delta.provider_raw,
        MessageDelta::MediaEnd(delta) => &mut delta.provider_raw,
        MessageDelta::Warning(delta) => &mut delta.provider_raw,
        MessageDelta::Usage(delta) => &mut delta.provider_raw,
        MessageDelta::Done(delta) => &mut delta.provider_raw,
        MessageDelta::Error(delta) => &mut delta.provider_raw,
        MessageDelta::Unknown(_) => return,
    };
    *place = Some(raw);
}
