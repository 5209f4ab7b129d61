//! Tool calls of a Cohere message: begun, continued and ended by their index.

use std::borrow::Cow;

use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_text::RawText;
use crate::providers::cohere::blocks::CohereBlocks;
use crate::providers::core::ordered::Ordered;
use crate::providers::core::writer::{DeltaWriter, OpenCall};

const PLACE: &str = "/delta/message/tool_calls";

/// One call that has begun; it starts for the reader once its name is known.
struct Call {
    provider_id: RawText,
    open: Option<OpenCall>,
    /// Arguments that came before the name.
    held: Vec<RawText>,
}

/// The tool calls of one message.
pub(crate) struct CohereCalls {
    open: Ordered<Call>,
    last_index: i128,
}

impl Default for CohereCalls {
    fn default() -> Self {
        Self { open: Ordered::default(), last_index: -1 }
    }
}

impl CohereCalls {
    /// How many are open.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// Tells whether the call with this index is open.
    pub(crate) fn has(&self, index: i128) -> bool {
        self.open.has(index)
    }

    /// Reads one `tool-call-start`, or a call of a whole message, at `place`. The `blocks` end
    /// before it.
    ///
    /// Its arguments are empty in a stream and whole in a message.
    pub(crate) fn start(
        &mut self,
        writer: &mut DeltaWriter,
        blocks: &mut CohereBlocks,
        index: &Raw,
        entry: &Raw,
        place: &str,
    ) {
        let index = index_or(writer, index, self.last_index.saturating_add(1));
        let Some(entry) = object(writer, entry, place) else { return };
        if self.open.has(index) {
            // Some servers give every call the index 0: what begins is always another call.
            note_order(writer, "A tool call begins on the index of one that is open", index);
            self.end_at(writer, index);
        }
        self.last_index = index;
        let provider_id = writer.log.string(entry.get("id"), &format!("{place}/id")).into();
        let mut call = Call { provider_id, open: None, held: Vec::new() };
        call.read(writer, blocks, entry, place);
        self.open.add(index, call);
    }

    /// Reads a `tool-call-start` of a stream.
    pub(crate) fn begin(
        &mut self,
        writer: &mut DeltaWriter,
        blocks: &mut CohereBlocks,
        index: &Raw,
        entry: &Raw,
    ) {
        self.start(writer, blocks, index, entry, PLACE);
    }

    /// Reads one `tool-call-delta`.
    pub(crate) fn piece(
        &mut self,
        writer: &mut DeltaWriter,
        blocks: &mut CohereBlocks,
        index: &Raw,
        entry: &Raw,
    ) {
        let index = index_or(writer, index, self.last_index);
        let Some(entry) = object(writer, entry, PLACE) else { return };
        if let Some(call) = self.open.get_mut(index) {
            return call.read(writer, blocks, entry, PLACE);
        }
        note_order(writer, "A piece belongs to a tool call that is not open", index);
        writer.keep("unknown", &entry.clone().into(), None);
    }

    /// Reads one `tool-call-end`.
    pub(crate) fn end(&mut self, writer: &mut DeltaWriter, index: &Raw) {
        let index = index_or(writer, index, self.last_index);
        self.end_at(writer, index);
    }

    pub(crate) fn end_at(&mut self, writer: &mut DeltaWriter, index: i128) {
        match self.open.remove(index) {
            None => note_order(writer, "A tool call ends that is not open", index),
            Some(Call { open: Some(open), .. }) => writer.end_call(open),
            Some(call) => call.leave_out(writer),
        }
    }

    /// Says which open calls never got a name; the others are the writer's to end.
    pub(crate) fn finish(&mut self, writer: &mut DeltaWriter) {
        for call in self.open.drain().filter(|call| call.open.is_none()) {
            call.leave_out(writer);
        }
    }
}

impl Call {
    fn read(
        &mut self,
        writer: &mut DeltaWriter,
        blocks: &mut CohereBlocks,
        entry: &RawObject,
        place: &str,
    ) {
        let function = entry.get("function");
        let Raw::Object(function) = function else {
            return writer.log.invalid(&format!("{place}/function"), "an object", function);
        };
        let name = function.get("name");
        if name.says_something() && self.open.is_none() {
            let name = writer.log.string(name, &format!("{place}/function/name"));
            if !name.is_empty() {
                blocks.close_all(writer);
                let id = Some(self.provider_id.as_text()).filter(|id| !id.is_empty());
                let open = writer.open_call(id, name);
                self.held.drain(..).for_each(|held| writer.args(open, &held));
                self.open = Some(open);
            }
        }
        let arguments = match function.get("arguments") {
            Raw::Null => return,
            Raw::Text(text) => Cow::Borrowed(text),
            other => {
                let place = format!("{place}/function/arguments");
                writer.log.invalid(&place, "a string", other);
                Cow::Owned(as_json_text(other).into())
            }
        };
        match self.open {
            Some(open) => writer.args(open, arguments.as_text()),
            None => self.held.push(arguments.into_owned()),
        }
    }

    fn leave_out(self, writer: &mut DeltaWriter) {
        let id = Raw::Text(self.provider_id);
        writer.log.note(
            "adapter/unnamed-tool-call",
            "A tool call without a name cannot be called; it is left out of the message",
            &format!("{PLACE}/function/name"),
            Some("the tool's name"),
            Some(&id.clip()),
        );
        let mut arguments = RawText::default();
        self.held.iter().for_each(|held| arguments.push(held.as_text()));
        let data: RawObject = [("id", id), ("arguments", arguments.into())].into_iter().collect();
        writer.keep("unnamed_tool_call", &data.into(), None);
    }
}

fn index_or(writer: &mut DeltaWriter, index: &Raw, other: i128) -> i128 {
    index.int().unwrap_or_else(|| {
        writer.log.invalid("/index", "the call's number", index);
        other
    })
}

/// Returns the call that an event is about; whole messages have them in an array.
fn object<'a>(writer: &mut DeltaWriter, entry: &'a Raw, place: &str) -> Option<&'a RawObject> {
    if let Raw::Object(members) = entry {
        return Some(members);
    }
    writer.log.invalid(place, "an object", entry);
    match entry.array() {
        Some([Raw::Object(members)]) => Some(members),
        _ => None,
    }
}

fn note_order(writer: &mut DeltaWriter, message: &str, index: i128) {
    let actual = index.to_string();
    writer.log.note("adapter/block-order", message, "/index", None, Some(&actual));
}
