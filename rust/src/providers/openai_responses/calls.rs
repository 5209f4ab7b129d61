//! Tool calls of a response: functions and custom tools of the caller's, and the provider's own.
//!
//! A call that the provider runs ends with its item, which holds its result as well, unless that is
//! an item by itself. Code comes in pieces: it is the one member of the arguments.

use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_reader::decode_event;
use crate::json::raw_text::{RawText, Text};
use crate::providers::core::writer::{DeltaWriter, OpenCall};
use crate::providers::openai_responses::content::ResponsesContent;
use crate::providers::openai_responses::items::{
    Item, ItemId, note_order, note_server_call, note_text_mismatch, rest_of,
};
use crate::providers::openai_responses::server_items::{
    APPROVAL, arguments_text, bare_name, name_of_tool, output_kind, result_of, server_arguments_of,
};
use crate::tables::provider_names::RESPONSES_XAI_TOOLS as XAI_TOOLS;

const XAI_PREFIX: &str = "xs_call";
const CODE_BEGINS: &str = "{\"code\":\"";
const CODE_ENDS: &str = "\"}";
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
        let is_plain = server_arguments_of(&item.kind).is_none() || item.is_code();
        let whole = if is_plain { body.get(member) } else { &arguments_text(&item.kind, body) };
        self.table[id].is_settled = true;
        self.settle_args(writer, id, whole, &format!("{place}/{member}"));
        let item = &self.table[id];
        if item.is_server {
            return self.end_server_call(writer, id, call);
        }
        // Some relays close an item after its first delta: arguments that are cut may go on.
        let is_text = item.kind != "function_call" || item.said.is_empty();
        if is_text || decode_event(&item.said.as_text().well_formed()).is_some() {
            self.keep_body(writer, id, call);
            self.write_with(writer, |writing| writing.end_call(call));
            self.table[id].has_ended = true;
        }
    }

    fn end_server_call(&mut self, writer: &mut DeltaWriter, id: ItemId, call: OpenCall) {
        self.leave(writer);
        let item = &mut self.table[id];
        item.has_ended = true;
        item.is_made = true;
        if item.is_code() && (item.is_sent || item.body.get("code").text().is_some()) {
            let begins = if item.is_sent { "" } else { CODE_BEGINS };
            writer.args(call, format!("{begins}{CODE_ENDS}").as_str());
        }
        let (kind, body) = (item.kind.clone(), Raw::from(item.body.clone()));
        if kind == APPROVAL {
            self.asks = true;
            self.collect(writer);
            self.write_with(writer, |writing| writing.end_call(call));
            let own = self.table[id].call_id.clone();
            let minted = writer.id_of(call).to_owned();
            let approval = if own.is_empty() { Text::from(&minted) } else { own.as_text() };
            let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
            let mut writing = writer.collecting(&mut collect);
            writing.approval_request(approval, call, None, &[(APPROVAL, &body)]);
            return;
        }
        self.keep_body(writer, id, call);
        self.write_with(writer, |writing| writing.end_call(call));
        let call_id = writer.id_of(call).to_owned();
        if let Some(output) = output_kind(&kind) {
            self.waiting.entry(output).or_default().push_back(call_id);
            return;
        }
        let result = result_of(&kind, &self.table[id].body);
        let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
        writer.collecting(&mut collect).server_result(Some(Text::from(&call_id)), result, &[]);
    }

    /// Writes the result that is an item by itself; returns false where it answers no call.
    pub(crate) fn server_output(&mut self, writer: &mut DeltaWriter, id: ItemId) -> bool {
        let item = &self.table[id];
        let (kind, body) = (item.kind.clone(), Raw::from(item.body.clone()));
        let mut own = RawText::from(item.body.get("call_id").some_text().unwrap_or("".into()));
        let waiting = self.waiting.get_mut(kind.as_str());
        if own.is_empty() {
            let first = waiting.as_ref().and_then(|waiting| waiting.front());
            own = first.map_or_else(|| item.id.clone(), |first| first.as_str().into());
        }
        if let Some(waiting) = waiting {
            waiting.retain(|id| own != *id.as_str());
        }
        let result = result_of(&kind, &item.body);
        let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
        let mut writing = writer.collecting(&mut collect);
        !own.is_empty() && writing.server_result(Some(own.as_text()), result, &[(&kind, &body)])
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
        if item.call.is_some() || is_silent(writer, item) {
            return;
        }
        let mut name = RawText::from(writer.log.string(item.body.get("name"), "/item/name"));
        let mut call_id =
            RawText::from(writer.log.string(item.body.get("call_id"), "/item/call_id"));
        let is_custom = item.kind == "custom_tool_call";
        if is_custom && self.is_server_tool(&name, &call_id) {
            self.table[id].is_server = true;
            if is_silent(writer, &self.table[id]) {
                let kind = Raw::from(self.table[id].kind.as_str());
                let named = if name.is_empty() { kind } else { Raw::Text(name) };
                return note_server_call(writer, &named.clip());
            }
        }
        let item = &self.table[id];
        if item.is_server {
            if server_arguments_of(&item.kind).is_some() {
                let named = name_of_tool(&item.kind, &item.body);
                name = named.text().unwrap_or("".into()).into();
            }
            if name.is_empty() && is_final {
                name = bare_name(&item.kind).into();
            }
            if call_id.is_empty() {
                call_id = item.id.clone();
            }
        }
        if !name.is_empty() && (is_final || !call_id.is_empty()) {
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
        let is_server = self.table[id].is_server;
        let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
        let mut writing = writer.collecting(&mut collect);
        let call = if is_server {
            writing.open_server_call(own, name.as_text())
        } else {
            writing.open_call(own, name.as_text())
        };
        let item = &mut self.table[id];
        item.call = Some(call);
        item.name = name;
        item.call_id = call_id;
        if item.kind == "custom_tool_call" && !is_server {
            writer.log.note(
                "adapter/unsupported-content",
                "The input of a custom tool is text, not JSON; it stands as raw arguments",
                "/item/input",
                None,
                None,
            );
        }
        if !item.said.is_empty() {
            let said = item.said.clone();
            self.send_args(writer, id, call, said.as_text());
        }
    }

    fn send_args(&mut self, writer: &mut DeltaWriter, id: ItemId, call: OpenCall, text: Text<'_>) {
        let item = &mut self.table[id];
        let code;
        let text = if item.is_code() {
            code = escaped(if item.is_sent { "" } else { CODE_BEGINS }, text);
            code.as_text()
        } else {
            text
        };
        item.is_sent = true;
        self.write_with(writer, |writing| writing.args(call, text));
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
        if whole.is_empty() || item.has_ended || is_silent(writer, item) {
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
        if text.is_empty() || is_silent(writer, item) {
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
            self.send_args(writer, id, call, text);
        }
    }
}

/// Tells whether nothing is written of a call: the provider's own, which v0.2 lacks.
fn is_silent(writer: &DeltaWriter, item: &Item) -> bool {
    item.is_server && !writer.says_new
}

/// Returns `text` behind `head` as it is inside of a JSON string; halves of characters stay.
fn escaped(head: &str, text: Text<'_>) -> RawText {
    let mut points: Vec<u32> = head.chars().map(u32::from).collect();
    for point in text.points() {
        let short = match point {
            0x08 => "\\b",
            0x09 => "\\t",
            0x0a => "\\n",
            0x0c => "\\f",
            0x0d => "\\r",
            0x22 => "\\\"",
            0x5c => "\\\\",
            _ => "",
        };
        if !short.is_empty() {
            points.extend(short.chars().map(u32::from));
        } else if point < 0x20 {
            points.extend(format!("\\u{point:04x}").chars().map(u32::from));
        } else {
            points.push(point);
        }
    }
    RawText::of_points(points)
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
