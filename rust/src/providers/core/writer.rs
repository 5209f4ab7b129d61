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
//!   with no call and no media open.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::contract::current::message::{
    ApprovalRequest, ApprovalRequestDelta, Author, DoneDelta, DoneDeltaPayload, ErrorDelta,
    ErrorDeltaPayload, MediaDataDelta, MediaDataDeltaPayload, MediaEndDelta, MediaEndDeltaPayload,
    MediaStartDelta, MediaStartDeltaPayload, MessageDelta, Opaque, ServerToolCallArgsDelta,
    ServerToolCallEndDelta, ServerToolCallStartDelta, ServerToolResult, ServerToolResultDelta,
    StartDelta, StartDeltaPayload, TextCitationDelta, TextCitationDeltaPayload, TextDelta,
    TextDeltaPayload, TextFormat, ThinkingDelta, ThinkingDeltaPayload, ToolCallArgsDelta,
    ToolCallArgsDeltaPayload, ToolCallEndDelta, ToolCallEndDeltaPayload, ToolCallStartDelta,
    ToolCallStartDeltaPayload, UsageDelta, UsageSummary, WarningDelta, WarningDeltaPayload, tags,
};
use crate::contract::types::Map;
use crate::json::raw::{Raw, storable};
use crate::json::raw_text::{Text, whole_of};
use crate::providers::core::findings::FindingLog;
use crate::providers::core::ids::{CallIds, WaitingCalls, cut};
use crate::providers::core::kept_state::{KeptState, OpaqueItem};
use crate::providers::core::media::Media;
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
#[allow(clippy::struct_excessive_bools)] // a set of kinds
pub(crate) struct Wrote {
    pub text: bool,
    pub thinking: bool,
    pub tool_call: bool,
    pub server_tool_call: bool,
    pub server_tool_result: bool,
    pub approval_request: bool,
    pub media: bool,
}

impl Wrote {
    /// Tells whether there is any part.
    pub(crate) fn any(self) -> bool {
        self != Self::default()
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
    /// Whether the provider runs the tool itself.
    pub server: bool,
}

/// What the caller says of a stream beside its ids.
pub(crate) struct Words {
    /// False where the deltas of v0.2 are wanted: nothing that v0.2 does not know may be written.
    pub says_new: bool,
    pub author: Option<Author>,
    pub format: Option<TextFormat>,
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
    /// Whether what is new in v0.3 may be written.
    pub says_new: bool,
    author: Option<Author>,
    format: Option<TextFormat>,
    /// Indexes of text parts.
    pub(crate) text_parts: Vec<i64>,
    /// Ids of all calls, by part, and their parts.
    pub(crate) ids: BTreeMap<i64, String>,
    pub(crate) parts: HashMap<String, i64>,
    /// Server calls without a result.
    pub(crate) waiting: WaitingCalls,
    pub(crate) answered: HashSet<String>,
    pub(crate) approvals: HashSet<String>,
    pub(crate) media_ids: CallIds,
    /// In the order of their announcement.
    pub(crate) media: Vec<Media>,
    pub(crate) warned: HashSet<(String, Option<String>, Option<String>)>,
    /// Once the stream has started.
    pub(crate) to_warn: Vec<WarningDeltaPayload>,
}

impl DeltaWriter {
    pub(crate) fn new(
        maker: DeltaMaker,
        call_ids: CallIds,
        state: KeptState,
        words: Words,
    ) -> Self {
        let media_ids = CallIds::new(&maker.ids.run_id, HashSet::new());
        Self {
            says_new: words.says_new,
            author: words.author,
            format: words.format,
            text_parts: Vec::new(),
            ids: BTreeMap::new(),
            parts: HashMap::new(),
            waiting: WaitingCalls::default(),
            answered: HashSet::new(),
            approvals: HashSet::new(),
            media_ids,
            media: Vec::new(),
            warned: HashSet::new(),
            to_warn: Vec::new(),
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
        let payload = StartDeltaPayload {
            model_id: named(&self.model_id),
            request_id: named(&self.request_id),
            author: self.author.take(),
            format: self.format.take(),
        };
        self.maker.start(payload);
        for warning in std::mem::take(&mut self.to_warn) {
            self.maker.warning(warning);
        }
    }

    /// Says that the provider repeats the form that JSON was asked for in; the caller's wins.
    pub(crate) fn say_format(&mut self, name: Option<Text<'_>>) {
        if self.says_new && self.format.is_none() {
            let name = name.filter(|name| !name.is_empty());
            let name = name.map(|name| cut(&name.well_formed(), MAX_ID_CHARS).to_owned());
            self.format = Some(TextFormat { name, schema_ref: None });
        }
    }

    /// Notes that a call has got an id that is not the provider's.
    pub(crate) fn note_minted(&mut self, own: Option<Text<'_>>) {
        let actual = own.map_or_else(|| "no id".to_owned(), |own| Raw::from(own).clip());
        self.log.note(
            "adapter/minted-id",
            "The tool call has no id of its own that the run has not used; it got a new one",
            "",
            Some("an id that is unique in the run"),
            Some(&actual),
        );
    }

    /// Notes the id of the call that has just begun.
    pub(crate) fn note_id(&mut self, id: &str) {
        self.ids.insert(self.part, id.to_owned());
        self.parts.insert(id.to_owned(), self.part);
    }

    /// Begins a part that is not text.
    pub(crate) fn new_part(&mut self) {
        self.part += 1;
        self.chars = 0;
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
        writer.new_part();
        match kind {
            Kind::Text => {
                writer.wrote.text = true;
                writer.text_parts.push(writer.part);
            }
            Kind::Thinking => writer.wrote.thinking = true,
        }
    }

    /// Ends what is being written, before a part of another kind begins.
    pub(crate) fn break_part(&mut self) {
        self.writer.start();
        self.drop_half();
        self.leave();
        self.writer.report_usage();
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
    pub(crate) fn drop_half(&mut self) {
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
        self.break_part();
        let writer = &mut *self.writer;
        let (id, is_own) = writer.call_ids.take(provider_id, &writer.request_id);
        if !is_own {
            let own = provider_id.map(|own| own.well_formed().into_owned());
            writer.note_minted(provider_id);
            writer.state.provider_ids.insert(id.clone(), own);
        }
        writer.new_part();
        writer.wrote.tool_call = true;
        writer.maker.call_start(id.clone(), name.into().well_formed().into_owned());
        writer.note_id(&id);
        writer.open.insert(writer.part, Call { id, half: None, server: false });
        OpenCall { part: writer.part }
    }

    /// Appends argument text to an open call; a part of text around it stays open.
    pub(crate) fn args<'t>(&mut self, call: OpenCall, text: impl Into<Text<'t>>) {
        let writer = &mut *self.writer;
        let Some(mut open) = writer.open.remove(&call.part) else { return };
        let text = writer.whole(text.into(), &mut open.half);
        let (id, server) = (open.id.clone(), open.server);
        writer.open.insert(call.part, open);
        if !text.is_empty() {
            self.writer.maker.args(id, text, server);
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
        let Some(Call { id, server, .. }) = self.writer.open.remove(&call.part) else { return };
        let state = &mut self.writer.state;
        let opaque = if last {
            state.rest(call.part, Some(&id), &BTreeSet::new())
        } else {
            state.of_part(call.part, Some(&id))
        };
        self.writer.maker.call_end(id, opaque, server);
    }

    /// Closes what is open and ends the stream as complete; `said` is the provider's reason.
    pub(crate) fn done(&mut self, finish_reason: &str, said: Option<&str>) {
        self.writer.start();
        self.end_all_media();
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

    /// Ends the stream as failed. Open calls and media stay open: nothing may take them for
    /// complete.
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
            let media = writer.media.iter().filter(|media| !media.ended);
            let media = media.filter_map(|media| media.part);
            let left_out: BTreeSet<i64> = writer.open.keys().copied().chain(media).collect();
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

    pub(crate) fn start(&mut self, payload: StartDeltaPayload) {
        make!(self, StartDelta, Start, payload);
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

    pub(crate) fn server_call_start(&mut self, tool_call_id: String, tool_name: String) {
        let payload = ToolCallStartDeltaPayload { tool_call_id, tool_name, opaque: None };
        make!(self, ServerToolCallStartDelta, ServerToolCallStart, payload);
    }

    pub(crate) fn args(&mut self, tool_call_id: String, args_text_delta: String, server: bool) {
        let payload = ToolCallArgsDeltaPayload { tool_call_id, args_text_delta, opaque: None };
        if server {
            make!(self, ServerToolCallArgsDelta, ServerToolCallArgs, payload);
        } else {
            make!(self, ToolCallArgsDelta, ToolCallArgs, payload);
        }
    }

    pub(crate) fn call_end(&mut self, tool_call_id: String, opaque: Option<Opaque>, server: bool) {
        let payload = ToolCallEndDeltaPayload { tool_call_id, opaque };
        if server {
            make!(self, ServerToolCallEndDelta, ServerToolCallEnd, payload);
        } else {
            make!(self, ToolCallEndDelta, ToolCallEnd, payload);
        }
    }

    pub(crate) fn server_result(&mut self, payload: ServerToolResult) {
        make!(self, ServerToolResultDelta, ServerToolResult, payload);
    }

    pub(crate) fn approval_request(&mut self, payload: ApprovalRequest) {
        make!(self, ApprovalRequestDelta, ApprovalRequest, payload);
    }

    pub(crate) fn text_citation(&mut self, payload: TextCitationDeltaPayload) {
        make!(self, TextCitationDelta, TextCitation, payload);
    }

    pub(crate) fn media_start(&mut self, payload: MediaStartDeltaPayload) {
        make!(self, MediaStartDelta, MediaStart, payload);
    }

    pub(crate) fn media_data(&mut self, payload: MediaDataDeltaPayload) {
        make!(self, MediaDataDelta, MediaData, payload);
    }

    pub(crate) fn media_end(&mut self, payload: MediaEndDeltaPayload) {
        make!(self, MediaEndDelta, MediaEnd, payload);
    }

    pub(crate) fn warning(&mut self, payload: WarningDeltaPayload) {
        make!(self, WarningDelta, Warning, payload);
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
