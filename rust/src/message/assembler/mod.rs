//! Deltas in, message out: the assembler of one stream.

pub(crate) mod arguments;
pub(crate) mod checks;
pub(crate) mod limits;
pub(crate) mod partial_json;
pub(crate) mod slots;
pub(crate) mod snapshot;
mod state;

use crate::json::Value;

use crate::contract::current::message::{
    ErrorDeltaPayload, Incomplete, IncompleteEnding, Message, MessageDelta, MessageMeta,
    UsageSummary,
};
use crate::errors::{Error, Finding, StreamFailed, clip_text};
use crate::message::assembler::checks::{Status, refusal};
use crate::message::assembler::limits::Limits;
use crate::message::assembler::slots::{CallSlot, Slot, ToolCallBuffer};
use crate::message::assembler::snapshot::{OpenCall, OpenMedia, PartialValue, Progress, Snapshot};
use crate::message::assembler::state::StreamState;

/// Why a message will not be finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Somebody has stopped it.
    Cancelled,
    /// No more came.
    Truncated,
}

/// Assembles one stream of deltas into one message: idle, started, then done or error.
///
/// No clock, no network, no log. A refused delta is an error and changes nothing. `providerRaw` is
/// never looked at or kept.
pub struct MessageAssembler {
    state: StreamState,
    cut: bool,
}

impl Default for MessageAssembler {
    fn default() -> Self {
        Self::new()
    }
}

impl MessageAssembler {
    /// Returns an assembler of any run, with the limits that the contract recommends.
    #[must_use]
    pub fn new() -> Self {
        Self { state: StreamState::new(Limits::default(), None), cut: false }
    }

    /// Returns an assembler of one run, if there is one, with other limits.
    ///
    /// Fails with [`Error::Usage`] for a limit that is not a count, and a run id that no delta can
    /// have.
    pub fn with(run_id: Option<String>, limits: Limits) -> Result<Self, Error> {
        let limits = limits.checked()?;
        if let Some(id) = &run_id {
            let most = limits.id_chars;
            if id.is_empty() || id.chars().count() as u64 > most {
                let expected = format!("a string of 1 to {most} characters");
                return Err(Error::argument(
                    "run_id is wrong",
                    &expected,
                    &Value::from(id.as_str()),
                ));
            }
        }
        Ok(Self { state: StreamState::new(limits, run_id), cut: false })
    }

    /// The given run id, else the start delta's; None before that.
    #[must_use]
    pub fn run_id(&self) -> Option<&str> {
        self.state.run_id()
    }

    /// The start delta's `messageId`.
    #[must_use]
    pub fn message_id(&self) -> Option<&str> {
        self.state.start.as_ref()?.message_id.as_deref()
    }

    /// The start delta's `turnId`.
    #[must_use]
    pub fn turn_id(&self) -> Option<&str> {
        self.state.start.as_ref()?.turn_id.as_deref()
    }

    /// How far the stream has come.
    #[must_use]
    pub fn status(&self) -> Status {
        self.state.status
    }

    /// The last consumed delta's `seq`.
    #[must_use]
    pub fn last_seq(&self) -> Option<u64> {
        self.state.last_seq
    }

    /// All calls of the caller's tools in the order of their start, open and closed.
    ///
    /// Those of tools that the provider runs are nobody else's to run: see
    /// [`progress`](Self::progress).
    pub fn tool_calls(&self) -> impl Iterator<Item = ToolCallBuffer<'_>> {
        self.state.slots.iter().filter_map(|slot| match slot {
            Slot::Call(call) if !call.server => Some(ToolCallBuffer {
                tool_call_id: &call.id,
                tool_name: &call.name,
                raw_args_text: &call.text,
                closed: call.closed.is_some(),
            }),
            _ => None,
        })
    }

    /// Usage as far as it is known: per field the last value that was reported.
    #[must_use]
    pub fn usage(&self) -> Option<&UsageSummary> {
        self.state.usage.as_ref()
    }

    /// The error delta's payload.
    #[must_use]
    pub fn error(&self) -> Option<&ErrorDeltaPayload> {
        self.state.error.as_ref()
    }

    /// Warnings: one `stream/unknown-delta-kind` for each unknown kind.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.state.findings.iter().map(|(_, finding)| finding)
    }

    /// Takes the next delta.
    ///
    /// Fails with [`Error::Stream`] and one of the rules `stream/…`; the state is then as it was,
    /// and the next delta may be consumed.
    pub fn consume(&mut self, delta: &MessageDelta) -> Result<(), Error> {
        self.state.consume(delta)
    }

    /// Goes back to idle with everything cleared; a given run id stays.
    pub fn reset(&mut self) {
        let run_id = self.state.given_run_id.take();
        self.state = StreamState::new(self.state.limits, run_id);
        self.cut = false;
    }

    /// Returns the message so far; fails with `stream/not-started` in idle.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, Error> {
        let state = &self.state;
        if let Some(start) = &state.start {
            return Ok(Snapshot { state, start });
        }
        let message = "There is nothing to show before start";
        Err(refusal(Finding::error("stream/not-started", "", message), None))
    }

    /// Returns a snapshot with open calls and media, partial values and usage; fails as
    /// [`snapshot`](Self::snapshot).
    ///
    /// Arguments and values are looked at as far as they came since the last progress.
    pub fn progress(&mut self) -> Result<Progress<'_>, Error> {
        let depth = usize::try_from(self.state.limits.arguments_depth).unwrap_or(usize::MAX);
        let open: Vec<usize> = self.state.open.iter().copied().collect();
        for place in &open {
            if let Some(call) = self.state.call_at_mut(*place) {
                call.look(depth);
            }
        }
        let is_json = self.state.start.as_ref().is_some_and(|start| start.format.is_some());
        for slot in self.state.slots.iter_mut().filter(|_| is_json) {
            match slot {
                Slot::Text(text) if !text.thinking => text.look(depth),
                _ => {}
            }
        }
        let snapshot = self.snapshot()?;
        let calls = open.iter().filter_map(|place| self.state.call_at(*place).map(OpenCall));
        let media = self.state.open_media.iter();
        let media = media.filter_map(|place| self.state.media_at(*place).map(OpenMedia));
        let values = self.state.slots.iter().enumerate().filter_map(|(at, slot)| match slot {
            Slot::Text(text) if !text.thinking => Some(PartialValue { part_index: at, text }),
            _ => None,
        });
        Ok(Progress {
            snapshot,
            open_calls: calls.collect(),
            open_media: media.collect(),
            partial_values: values.filter(|_| is_json).collect(),
            usage: self.usage(),
        })
    }

    /// Returns the finished message, a new one at every call; only in done.
    ///
    /// Fails with [`Error::Stream`] `stream/not-done` before that, and [`Error::Failed`] in error.
    pub fn build_final_message(&self) -> Result<Message, Error> {
        if self.state.status == Status::Done {
            return self.message();
        }
        let Some(error) = self.state.error.clone() else {
            let finding = Finding::error("stream/not-done", "", "The stream is not finished")
                .expected("the status done")
                .actual(self.status_name());
            return Err(refusal(finding, None));
        };
        let code = clip_text(error.error_code.as_str());
        let message = format!("The stream ended with the error {code}");
        let finding = Finding::error("stream/failed", "", &message).actual(code);
        let partial = self.build_partial(None)?;
        Err(Error::Failed(Box::new(StreamFailed { finding, error, partial })))
    }

    /// Returns what arrived of a message that will not be finished, marked in its `meta`.
    ///
    /// Open tool calls and media are left out and named in `meta.incomplete`. In error the ending is
    /// `error`; in started it is `truncated` after [`close`](Self::close), else `cancelled`,
    /// unless `ending` says otherwise. Fails with `stream/not-started`, `stream/already-done`.
    pub fn build_partial(&self, ending: Option<Ending>) -> Result<Message, Error> {
        if self.state.status == Status::Done {
            let finding = Finding::error("stream/already-done", "", "The message is finished")
                .expected("build_final_message()")
                .actual("build_partial()");
            return Err(refusal(finding, None));
        }
        let is_cut = ending.map_or(self.cut, |ending| ending == Ending::Truncated);
        let ending = match (self.state.status, is_cut) {
            (Status::Error, _) => IncompleteEnding::Error,
            (_, true) => IncompleteEnding::Truncated,
            (_, false) => IncompleteEnding::Cancelled,
        };
        let mut message = self.message()?;
        let open = self.state.open.iter().filter_map(|place| self.state.call_at(*place));
        let open_tool_call_ids = open.map(|call| call.id.clone()).collect();
        let media = self.state.open_media.iter().filter_map(|place| self.state.media_at(*place));
        let media: Vec<String> = media.map(|media| media.id.clone()).collect();
        let open_media_ids = (!media.is_empty()).then_some(media);
        let meta = message.meta.get_or_insert_with(MessageMeta::default);
        meta.incomplete = Some(Incomplete { ending, open_tool_call_ids, open_media_ids });
        Ok(message)
    }

    /// Says that no more deltas come; nothing happens after done or error.
    ///
    /// Fails with `stream/truncated` otherwise: a cut stream is never a finished message.
    pub fn close(&mut self) -> Result<(), Error> {
        if matches!(self.state.status, Status::Done | Status::Error) {
            return Ok(());
        }
        self.cut = true;
        let seen = self.state.last_seq;
        let message = "The stream stops without done or error";
        let finding = Finding::error("stream/truncated", "", message)
            .expected("done or error")
            .actual(seen.map_or("nothing".to_owned(), |seq| format!("the end after seq {seq}")));
        Err(refusal(finding, None))
    }

    /// Returns a tool call of the stream.
    pub(crate) fn call(&self, id: &str) -> Option<&CallSlot> {
        self.state.call_at(*self.state.calls.get(id)?)
    }

    fn message(&self) -> Result<Message, Error> {
        let state = &self.state;
        let mut message = self.snapshot()?.to_message();
        let meta = message.meta.get_or_insert_with(MessageMeta::default);
        meta.finish_reason.clone_from(&state.finish_reason);
        meta.completed_at.clone_from(&state.end_at);
        meta.usage.clone_from(&state.usage);
        if let Some(reason) = &state.provider_reason {
            let name = "providerFinishReason".to_owned();
            meta.extra.insert(name, Value::from(reason.as_str()));
        }
        Ok(message)
    }

    fn status_name(&self) -> &'static str {
        match self.state.status {
            Status::Idle => "idle",
            Status::Started => "started",
            Status::Done => "done",
            Status::Error => "error",
        }
    }
}
