//! How parts and calls are written: when one ends, and what goes with its end.

use std::collections::BTreeSet;

use crate::error::clip_text;
use crate::providers::call_ids::{MAX_ID_CHARS, cut};
use crate::providers::delta_writer::{Call, Collect, DeltaWriter, Kind, OpenCall};
use crate::providers::raw_text::Text;

/// A [`DeltaWriter`] that has something to collect before a part is ended.
pub(crate) struct Writing<'a> {
    pub(super) writer: &'a mut DeltaWriter,
    pub(super) collect: Collect<'a>,
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

    /// Starts a tool call; its id is the provider's, or a minted one where that cannot stand.
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
