//! Calls of tools: their ids, arguments and ends.

use std::collections::BTreeSet;

use crate::json::raw::{Raw, storable};
use crate::json::raw_text::Text;
use crate::providers::core::ids::cut;
use crate::providers::core::kept_state::OpaqueItem;
use crate::providers::core::writer::{Call, DeltaWriter, OpenCall, Writing};
use crate::tables::limits::MAX_ID_CHARS;

impl DeltaWriter {
    /// Notes that a call has got an id that is not the provider's.
    pub(crate) fn note_minted(&mut self, own: Option<Text<'_>>) {
        let actual = own.map_or_else(|| "no id".to_owned(), |own| Raw::from(own).clip());
        self.log.note(
            "adapter/minted-id",
            "The tool call has no id, or one that the run has used; it got a new one",
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

    /// Keeps provider state that belongs to a tool call, open or ended.
    pub(crate) fn keep_with(&mut self, call: OpenCall, kind: &str, data: &Raw) {
        let (kind, data) = (kind.to_owned(), storable(data));
        self.state.keep(OpaqueItem { kind, data, part: call.part, start: None, end: None });
    }

    /// Starts a call of a tool that the provider runs; see [`Writing::open_server_call`].
    pub(crate) fn open_server_call<'t>(
        &mut self,
        provider_id: Option<Text<'_>>,
        name: impl Into<Text<'t>>,
    ) -> OpenCall {
        self.collecting(&mut |_| {}).open_server_call(provider_id, name)
    }

    /// The id under which a call has been written, open or ended.
    pub(crate) fn id_of(&self, call: OpenCall) -> &str {
        self.ids.get(&call.part).map_or("", String::as_str)
    }
}

impl Writing<'_> {
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
    pub(crate) fn end(&mut self, call: OpenCall, last: bool) {
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

    /// Starts a call of a tool that the provider runs; its id is the provider's, or minted.
    ///
    /// Its arguments and its end are written as any call's. The provider's own id is in what is
    /// kept with the call.
    pub(crate) fn open_server_call<'t>(
        &mut self,
        provider_id: Option<Text<'_>>,
        name: impl Into<Text<'t>>,
    ) -> OpenCall {
        self.break_part();
        let writer = &mut *self.writer;
        let (id, is_own) = writer.call_ids.take_as("srv", provider_id, &writer.request_id);
        let own = provider_id.map(|own| own.well_formed().into_owned());
        if !is_own {
            writer.note_minted(provider_id);
        }
        writer.new_part();
        writer.wrote.server_tool_call = true;
        writer.maker.server_call_start(id.clone(), name.into().well_formed().into_owned());
        let own = own.filter(|_| !is_own).unwrap_or_default();
        writer.waiting.add(&id, cut(&own, MAX_ID_CHARS));
        writer.note_id(&id);
        writer.open.insert(writer.part, Call { id, half: None, server: true });
        OpenCall { part: writer.part }
    }
}
