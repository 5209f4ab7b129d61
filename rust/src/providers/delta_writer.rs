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

use std::collections::BTreeMap;

use crate::providers::call_ids::{CallIds, MAX_ID_CHARS, cut};
use crate::providers::delta_maker::DeltaMaker;
use crate::providers::findings::FindingLog;
use crate::providers::kept_state::{KeptState, OpaqueItem};
use crate::providers::raw::{Raw, storable};
use crate::providers::raw_text::{Text, whole_of};
use crate::providers::writing::Writing;
use crate::v0_2::message::{MessageDelta, Opaque, UsageSummary};

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
pub(super) struct Call {
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
    pub(super) maker: DeltaMaker,
    pub(super) call_ids: CallIds,
    pub(super) open: BTreeMap<i64, Call>,
    /// Half a character of text or thinking; deltas of calls may come between it and the other.
    pub(super) half: Option<u32>,
    pub(super) half_kind: Kind,
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

    pub(super) fn report_usage(&mut self) {
        if let (true, Some(usage)) = (self.usage_due, &self.usage) {
            self.usage_due = false;
            self.maker.usage(usage.clone());
        }
    }

    /// Keeps provider state that belongs to this place.
    ///
    /// `start` is the character of the current part from which on it belongs; without it, the item
    /// stands between what has been written and what comes next.
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
    pub(super) fn seal(&mut self, opaque: Option<Opaque>) {
        if let (Some(kind), Some(opaque)) = (self.kind.take(), opaque) {
            self.maker.seal(kind, opaque);
        }
    }

    pub(super) fn put(&mut self, kind: Kind, text: String) {
        self.chars += text.chars().count();
        self.maker.text(kind, text);
    }

    pub(super) fn lone(&mut self) {
        self.log.note(
            "adapter/lone-surrogate",
            "Half a character came without its other half and became U+FFFD",
            "",
            Some("well-formed Unicode"),
            None,
        );
    }

    /// Returns text without halves, and sets aside the half at its end that may yet be joined.
    pub(super) fn whole(&mut self, text: Text<'_>, half: &mut Option<u32>) -> String {
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
