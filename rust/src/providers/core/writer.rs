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
    Author, MessageDelta, TextFormat, UsageSummary, WarningDeltaPayload,
};
use crate::providers::core::findings::FindingLog;
use crate::providers::core::ids::{CallIds, WaitingCalls, cut};
use crate::providers::core::kept_state::KeptState;
use crate::providers::core::writing::deltas::DeltaMaker;
use crate::providers::core::writing::media::Media;
use crate::tables::limits::MAX_ID_CHARS;

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
    pub(crate) usage: Option<UsageSummary>,
    pub(crate) usage_due: bool,
    /// Whether what is new in v0.3 may be written.
    pub says_new: bool,
    pub(crate) author: Option<Author>,
    pub(crate) format: Option<TextFormat>,
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

    /// Returns the writer with `collect` called before a part is ended, for what goes with it.
    pub(crate) fn collecting<'a>(&'a mut self, collect: Collect<'a>) -> Writing<'a> {
        Writing { writer: self, collect }
    }

    /// Closes what is open and ends the stream as complete; `said` is the provider's reason.
    pub(crate) fn done(&mut self, finish_reason: &str, said: Option<&str>) {
        self.collecting(&mut |_| {}).done(finish_reason, said);
    }
}

/// A [`DeltaWriter`] that has something to collect before a part is ended.
pub(crate) struct Writing<'a> {
    pub(crate) writer: &'a mut DeltaWriter,
    pub(crate) collect: Collect<'a>,
}

impl Writing<'_> {
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
