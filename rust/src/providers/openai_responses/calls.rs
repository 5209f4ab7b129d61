//! Tool calls of a response: functions and custom tools of the caller's.

use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_reader::decode_event;
use crate::json::raw_text::{RawText, Text};
use crate::providers::core::writer::{DeltaWriter, OpenCall};
use crate::providers::openai_responses::content::ResponsesContent;
use crate::providers::openai_responses::items::{
    ItemId, note_order, note_server_call, note_text_mismatch, rest_of,
};
use crate::tables::provider_names::RESPONSES_XAI_TOOLS as XAI_TOOLS;

const XAI_PREFIX: &str = "xs_call";
const MISMATCH: &str = "The whole arguments are not what their deltas said; the deltas stand";

impl ResponsesContent {
    /// Reads the tools of a response: a custom tool of the caller's is none of the provider's.
    pub(crate) fn declare(&mut self, tools: &Raw) {
        for tool in tools.array().unwrap_or_default().iter().filter_map(Raw::object) {
            match tool.get("type").str() {
                Some("custom") => {
                    if let Raw::Text(name) = tool.get("name") {
                        self.declared.insert(name.clone());
                    }
                }
                Some("namespace") => self.declare(tool.get("tools")),
                Some("x_search") => self.searches_x = true,
                _ => {}
            }
        }
    }

    /// Starts the call if its name and id are known; else it waits for the end of the item.
    pub(crate) fn begin_call(&mut self, writer: &mut DeltaWriter, id: ItemId) {
        self.open_call(writer, id, false);
        let item = &mut self.table[id];
        if let Raw::Text(initial) = item.body.get(item.arguments()) {
            item.initial = initial.clone();
        }
    }

    /// Reads a delta of a call's arguments, or all of them.
    pub(crate) fn piece_of_call(
        &mut self,
        writer: &mut DeltaWriter,
        event: &RawObject,
        kind: &str,
        is_whole: bool,
    ) {
        let id = self.item_of(writer, kind, event);
        if is_whole {
            self.whole_call(writer, id, event);
            return;
        }
        let delta = event.get("delta");
        let Some(text) = delta.text() else {
            writer.log.invalid("/delta", "a string", delta);
            return;
        };
        self.table[id].is_settled = false;
        // Arguments that an item begins with come before its deltas; an empty object, or what the
        // first delta says again, only holds their place.
        let initial = std::mem::take(&mut self.table[id].initial);
        if initial.as_text() != text && !is_empty_object(&initial) {
            self.write_args(writer, id, initial.as_text());
        }
        self.write_args(writer, id, text);
    }

    /// Reads an event with all arguments; newer ones say the name as well.
    fn whole_call(&mut self, writer: &mut DeltaWriter, id: ItemId, event: &RawObject) {
        let name = event.get("name");
        if name.text().is_some() && !self.table[id].body.get("name").says_something() {
            self.table[id].body.set("name", name.clone());
            self.open_call(writer, id, false);
        }
        let member = self.table[id].arguments();
        self.table[id].is_settled = true;
        self.settle_args(writer, id, event.get(member), &format!("/{member}"));
    }

    /// Reads a whole item, maybe not for the first time; its call ends with its arguments.
    pub(crate) fn call_done(
        &mut self,
        writer: &mut DeltaWriter,
        id: ItemId,
        body: &RawObject,
        place: &str,
    ) {
        self.open_call(writer, id, true);
        let item = &self.table[id];
        let Some(call) = item.call.filter(|_| !item.has_ended) else { return };
        for (member, due) in [("call_id", &item.call_id), ("name", &item.name)] {
            let given = body.get(member);
            if given.says_something() && given.text() != Some(due.as_text()) {
                note_mismatch(writer, &format!("{place}/{member}"), due, given);
            }
        }
        let member = item.arguments();
        self.table[id].is_settled = true;
        self.settle_args(writer, id, body.get(member), &format!("{place}/{member}"));
        let item = &self.table[id];
        // Some relays close an item after its first delta: arguments that are cut may go on.
        let is_text = item.kind != "function_call" || item.said.is_empty();
        if is_text || decode_event(&item.said.as_text().well_formed()).is_some() {
            self.keep_body(writer, id, call);
            self.write_with(writer, |writing| writing.end_call(call));
            self.table[id].has_ended = true;
        }
    }

    /// Reads the end of the stream; keeps what the provider wants back with the call.
    pub(crate) fn finish_call(&mut self, writer: &mut DeltaWriter, id: ItemId) {
        self.open_call(writer, id, true);
        let item = &self.table[id];
        if let Some(call) = item.call {
            if item.is_final && !item.has_ended {
                self.keep_body(writer, id, call);
            }
        } else if !item.is_server {
            writer.log.note(
                "adapter/unnamed-tool-call",
                "A tool call without a name cannot be called; it is left out of the message",
                "/item/name",
                Some("the tool's name"),
                Some(&item.body.get("name").clip()),
            );
            let mut data = item.body.clone();
            data.set(item.arguments(), item.said.clone().into());
            writer.keep("unnamed_tool_call", &data.into(), None);
        }
    }

    fn keep_body(&mut self, writer: &mut DeltaWriter, id: ItemId, call: OpenCall) {
        self.collect(writer);
        let item = &self.table[id];
        writer.keep_with(call, &item.kind, &item.body.clone().into());
    }

    fn open_call(&mut self, writer: &mut DeltaWriter, id: ItemId, is_final: bool) {
        let item = &self.table[id];
        if item.call.is_some() || item.is_server {
            return;
        }
        let name = RawText::from(writer.log.string(item.body.get("name"), "/item/name"));
        let call_id = RawText::from(writer.log.string(item.body.get("call_id"), "/item/call_id"));
        let is_custom = item.kind == "custom_tool_call";
        if is_custom && self.is_server_tool(&name, &call_id) {
            let kind = Raw::from(item.kind.as_str());
            let named = if name.is_empty() { kind } else { Raw::Text(name) };
            self.table[id].is_server = true;
            note_server_call(writer, &named.clip());
        } else if !name.is_empty() && (is_final || !call_id.is_empty()) {
            self.start_call(writer, id, name, call_id);
        }
    }

    fn start_call(
        &mut self,
        writer: &mut DeltaWriter,
        id: ItemId,
        name: RawText,
        call_id: RawText,
    ) {
        self.leave(writer);
        let own = Some(call_id.as_text()).filter(|own| !own.is_empty());
        let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
        let call = writer.collecting(&mut collect).open_call(own, name.as_text());
        let item = &mut self.table[id];
        item.call = Some(call);
        item.name = name;
        item.call_id = call_id;
        if item.kind == "custom_tool_call" {
            writer.log.note(
                "adapter/unsupported-content",
                "The input of a custom tool is text, not JSON; it stands as raw arguments",
                "/item/input",
                None,
                None,
            );
        }
        if !item.said.is_empty() {
            writer.args(call, item.said.as_text());
        }
    }

    fn is_server_tool(&self, name: &RawText, call_id: &RawText) -> bool {
        if self.declared.contains(name) {
            return false;
        }
        // Beside searches it looks at images and videos, under names that no page lists.
        self.searches_x
            || XAI_TOOLS.iter().any(|tool| name == *tool)
            || call_id.as_text().starts_with(XAI_PREFIX.into())
    }

    /// Writes what all arguments have beyond the deltas.
    fn settle_args(&mut self, writer: &mut DeltaWriter, id: ItemId, whole: &Raw, place: &str) {
        let spelled;
        let whole = if let Some(text) = whole.text() {
            text
        } else {
            if whole.is_null() {
                return;
            }
            writer.log.invalid(place, "text in a string", whole);
            spelled = as_json_text(whole);
            Text::from(&spelled)
        };
        let item = &mut self.table[id];
        if whole.is_empty() || item.has_ended || item.is_server {
            return;
        }
        match rest_of(item.said.as_text(), whole) {
            Some(rest) => self.write_args(writer, id, rest.as_text()),
            None if !item.has_mismatch => {
                item.has_mismatch = true;
                note_text_mismatch(writer, MISMATCH, place, item.said.as_text(), whole);
            }
            None => {}
        }
    }

    fn write_args(&mut self, writer: &mut DeltaWriter, id: ItemId, text: Text<'_>) {
        let item = &mut self.table[id];
        if item.is_server || text.is_empty() {
            return;
        }
        if item.has_ended {
            let message = "Arguments come for a call that has ended; they are lost";
            note_order(writer, message, "/output_index", &item.index);
            return;
        }
        item.said.push(text);
        if let Some(call) = item.call {
            self.leave(writer);
            self.write_with(writer, |writing| writing.args(call, text));
        }
    }
}

/// Tells whether text is an empty object.
fn is_empty_object(text: &RawText) -> bool {
    let is_space = |char: char| char.is_whitespace() || ('\x1c'..='\x1f').contains(&char);
    text.as_text().whole().is_some_and(|text| text.trim_matches(is_space) == "{}")
}

fn note_mismatch(writer: &mut DeltaWriter, place: &str, expected: &RawText, actual: &Raw) {
    let (expected, actual) = (Raw::Text(expected.clone()).clip(), actual.clip());
    writer.log.note(
        "adapter/tool-call-mismatch",
        "The whole call does not have the id or name that it began with; the first one counts",
        place,
        Some(&expected),
        Some(&actual),
    );
}
