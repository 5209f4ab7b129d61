//! What a choice says: reasoning, text, refusals and tool calls, by delta or as a message.

use crate::json::raw::{Raw, RawObject};
use crate::json::raw_text::{RawText, Text};
use crate::providers::core::writer::{DeltaWriter, Kind, Wrote};
use crate::providers::openai_chat::calls::ChatCalls;
use crate::providers::openai_chat::media::{ChatMedia, read_image};
use crate::providers::openai_chat::server_tools::ChatServerTools;

// Kept for the way back, or for readers of v0.2: no part, and nothing that a reader misses.
const STATE: [&str; 4] = ["annotations", "extra_content", "thinking_blocks", "reasoning_signature"];
const NO_PART: [&str; 2] = ["audio", "images"];
const SERVER_TOOLS: &str = "executed_tools";
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];
const OF_CALLS: [&str; 3] = ["role", "tool_calls", "function_call"];
const DELTA: &str = "/choices/0/delta";

/// Writes the content of choice 0.
#[derive(Default)]
pub(crate) struct ChatContent {
    pub calls: ChatCalls,
    /// The model has refused.
    pub refused: bool,
    /// Text that came by message, by member.
    so_far: Option<RawObject>,
    details: ReasoningDetails,
    /// The member that the reasoning came in.
    reasoning_member: Option<&'static str>,
    /// Part and character where the refusal begins.
    refusal: Option<(i64, usize)>,
    media: ChatMedia,
    server_tools: ChatServerTools,
}

impl ChatContent {
    // --- deltas ----------------------------------------------------------------------------------

    /// Reads a delta, or a whole message, whose members have the same names.
    pub(crate) fn read_delta(&mut self, writer: &mut DeltaWriter, delta: &RawObject) {
        let mut others =
            delta.iter().filter(|(name, _)| OF_CALLS.iter().all(|each| **name != **each));
        if self.calls.is_waiting() && others.any(|(_, value)| value.says_something()) {
            self.calls.settle(writer);
        }
        let is_read = self.read_reasoning(writer, delta);
        let details = delta.get("reasoning_details");
        if details.says_something() {
            self.read_details(writer, details, is_read);
        }
        match delta.get("content") {
            Raw::Text(text) => self.say(writer, text.as_text()),
            Raw::Null => {}
            other => self.read_parts(writer, other),
        }
        if delta.get("refusal").says_something() {
            self.read_refusal(writer, delta.get("refusal"));
        }
        if delta.get("tool_calls").says_something() {
            self.calls.read(writer, delta.get("tool_calls"));
        }
        if delta.get("function_call").says_something() {
            self.calls.read_legacy(writer, delta.get("function_call"));
        }
        for (name, value) in delta.iter().filter(|(_, value)| value.says_something()) {
            self.read_extra(writer, name.as_text(), value);
        }
    }

    fn read_extra(&mut self, writer: &mut DeltaWriter, name: Text<'_>, value: &Raw) {
        let Some(name) = name.whole() else { return };
        let left = if writer.says_new { self.left_of(writer, name, value) } else { value.clone() };
        if left.says_something() {
            keep_extra(writer, name, &left);
        }
    }

    /// Reads what v0.3 has a place for; returns what is left of it.
    fn left_of(&mut self, writer: &mut DeltaWriter, name: &str, value: &Raw) -> Raw {
        let annotations = &mut self.calls.annotations;
        let is_read = match (name, value) {
            ("annotations", value) => {
                annotations.add(value);
                true
            }
            ("images", Raw::Array(images)) => {
                let mut left = images.clone();
                left.retain(|image| !read_image(writer, annotations, image));
                return Raw::Array(left);
            }
            ("audio", audio) => self.media.sound(writer, annotations, audio),
            (SERVER_TOOLS, tools) => {
                return Raw::Array(self.server_tools.read(writer, annotations, tools));
            }
            _ => false,
        };
        if is_read { Raw::Null } else { value.clone() }
    }

    /// Writes the reasoning, once; says whether there was any.
    fn read_reasoning(&mut self, writer: &mut DeltaWriter, delta: &RawObject) -> bool {
        for name in REASONING {
            match delta.get(name) {
                Raw::Text(text) if !text.is_empty() => {
                    self.think(writer, text.as_text(), name);
                    return true;
                }
                other if other.says_something() => {
                    writer.log.invalid(&format!("{DELTA}/{name}"), "a string", other);
                }
                _ => {}
            }
        }
        false
    }

    /// Appends text of the answer.
    pub(crate) fn say(&mut self, writer: &mut DeltaWriter, text: Text<'_>) {
        let annotations = &mut self.calls.annotations;
        let mut collect = |writer: &mut DeltaWriter| annotations.write(writer);
        writer.collecting(&mut collect).text(text);
    }

    fn think(&mut self, writer: &mut DeltaWriter, text: Text<'_>, member: &'static str) {
        let annotations = &mut self.calls.annotations;
        let mut collect = |writer: &mut DeltaWriter| annotations.write(writer);
        writer.collecting(&mut collect).thinking(text);
        if self.reasoning_member.is_none() && !text.is_empty() {
            self.reasoning_member = Some(member);
        }
    }

    /// Reads OpenRouter's `reasoning_details`; `is_read`: their text has been written.
    fn read_details(&mut self, writer: &mut DeltaWriter, details: &Raw, is_read: bool) {
        let place = format!("{DELTA}/reasoning_details");
        let Raw::Array(details) = details else {
            return writer.log.invalid(&place, "an array", details);
        };
        for (number, detail) in details.iter().enumerate() {
            let Raw::Object(detail) = detail else {
                writer.log.invalid(&format!("{place}/{number}"), "an object", detail);
                continue;
            };
            let own = detail.get("text");
            let text = if own.says_something() { own } else { detail.get("summary") };
            if let (false, Some(text)) = (is_read, text.text()) {
                self.think(writer, text, "reasoning_details");
            }
            self.details.add(detail);
        }
    }

    // --- content parts ---------------------------------------------------------------------------

    /// Reads content that is not a string: a list of parts, as Mistral sends it.
    fn read_parts(&mut self, writer: &mut DeltaWriter, content: &Raw) {
        let Raw::Array(parts) = content else {
            return writer.log.invalid(&format!("{DELTA}/content"), "a string", content);
        };
        for (number, part) in parts.iter().enumerate() {
            let place = format!("{DELTA}/content/{number}");
            match part {
                Raw::Text(text) => self.say(writer, text.as_text()),
                Raw::Object(members) => self.read_part(writer, part, members, &place),
                other => writer.log.invalid(&place, "an object", other),
            }
        }
    }

    fn read_part(
        &mut self,
        writer: &mut DeltaWriter,
        part: &Raw,
        members: &RawObject,
        place: &str,
    ) {
        let kind = members.get("type");
        match (kind.str(), members.get("text")) {
            (Some("text"), Raw::Text(text)) => self.say(writer, text.as_text()),
            (Some("thinking"), _) => self.read_thinking(writer, members, place),
            (Some("refusal"), _) => self.read_refusal(writer, members.get("refusal")),
            _ => {
                writer.keep("content_part", part, None);
                note_no_part(writer, place, kind);
            }
        }
    }

    fn read_thinking(&mut self, writer: &mut DeltaWriter, part: &RawObject, place: &str) {
        let thinking = part.get("thinking");
        for piece in thinking.array().unwrap_or(std::slice::from_ref(thinking)) {
            let text = piece.object().map_or(piece, |members| members.get("text"));
            if let Some(text) = text.text() {
                self.think(writer, text, "content");
            } else if !piece.is_null() {
                let expected = "text, or parts of type text";
                writer.log.invalid(&format!("{place}/thinking"), expected, piece);
            }
        }
        let signature = part.get("signature");
        if signature.says_something() {
            let is_inside = writer.kind == Some(Kind::Thinking);
            writer.keep("signature", signature, is_inside.then_some(0));
        }
    }

    fn read_refusal(&mut self, writer: &mut DeltaWriter, refusal: &Raw) {
        let Some(text) = refusal.text() else {
            return writer.log.invalid(&format!("{DELTA}/refusal"), "a string", refusal);
        };
        if !text.is_empty() && !self.refused {
            self.refused = true;
            let is_text = writer.kind == Some(Kind::Text);
            let next = (writer.part + 1, 0);
            self.refusal = Some(if is_text { (writer.part, writer.chars) } else { next });
        }
        self.say(writer, text);
    }

    /// Keeps what the vendor wants back of the answer as a whole, at its end.
    pub(crate) fn keep_state(&mut self, writer: &mut DeltaWriter) {
        self.calls.annotations.finish(writer);
        self.media.finish(writer);
        if let Some((part, start)) = self.refusal {
            let is_here = writer.kind == Some(Kind::Text) && writer.part == part;
            if is_here && writer.chars > start {
                writer.keep("refusal", &Raw::Bool(true), Some(start));
            }
        }
        if let Some(member) = self.reasoning_member {
            writer.keep("reasoning_member", &member.into(), None);
        }
        let details = self.details.whole();
        if !details.is_empty() {
            writer.keep("reasoning_details", &Raw::Array(details), None);
        }
    }

    // --- messages --------------------------------------------------------------------------------

    /// Reads a whole message, or the message so far, where a delta is due.
    pub(crate) fn read_message(&mut self, writer: &mut DeltaWriter, message: &Raw) {
        self.calls.settle(writer);
        let Raw::Object(members) = message else {
            return writer.log.invalid("/choices/0/message", "an object", message);
        };
        if self.so_far.is_some() {
            return self.read_growth(writer, members);
        }
        if writer.wrote.any() {
            // Some vendors close with the whole message: what has been written is passed over.
            let (mut new, wrote) = (members.clone(), writer.wrote);
            new.retain(|name, _| !is_written(name, wrote));
            return self.read_delta(writer, &new);
        }
        writer.log.note(
            "adapter/whole-body",
            "The message came whole, not as a stream",
            "/choices/0/message",
            None,
            None,
        );
        self.read_delta(writer, members);
        let mut texts = members.clone();
        texts.retain(|_, value| value.text().is_some());
        self.so_far = Some(texts);
    }

    /// Writes what a message has more than the one before it.
    fn read_growth(&mut self, writer: &mut DeltaWriter, message: &RawObject) {
        let so_far = self.so_far.get_or_insert_default();
        for name in ["reasoning_content", "reasoning", "content"] {
            let Some(text) = message.get(name).text() else { continue };
            let before = so_far.get(name).text().unwrap_or(Text::from(""));
            if text == before {
                continue;
            }
            if !text.starts_with(before) {
                let place = format!("/choices/0/message/{name}");
                writer.log.invalid(&place, "the text so far, and more", message.get(name));
                continue;
            }
            let more = text.after(before.chars());
            so_far.set(name, text.into());
            let annotations = &mut self.calls.annotations;
            let mut collect = |writer: &mut DeltaWriter| annotations.write(writer);
            let mut writing = writer.collecting(&mut collect);
            if name == "content" { writing.text(&more) } else { writing.thinking(&more) }
        }
        let calls = message.get("tool_calls");
        if calls.says_something() && !writer.wrote.tool_call {
            self.calls.read(writer, calls);
        }
    }
}

/// Tells whether the message holds parts of the kind that is written for a member.
fn is_written(name: &RawText, wrote: Wrote) -> bool {
    match name.as_text().whole() {
        Some("content" | "refusal") => wrote.text,
        Some("reasoning" | "reasoning_content" | "reasoning_details") => wrote.thinking,
        Some("tool_calls" | "function_call") => wrote.tool_call,
        Some("executed_tools") => wrote.server_tool_call,
        Some("audio" | "images") => wrote.media,
        _ => false,
    }
}

fn keep_extra(writer: &mut DeltaWriter, name: &str, value: &Raw) {
    if name == SERVER_TOOLS {
        note_server_tools(writer, value);
    } else if STATE.contains(&name) {
        writer.keep(name, value, None);
    } else if NO_PART.contains(&name) {
        writer.keep(name, value, None);
        note_no_part(writer, &format!("{DELTA}/{name}"), &name.into());
    }
}

fn note_server_tools(writer: &mut DeltaWriter, tools: &Raw) {
    for tool in tools.array().unwrap_or(std::slice::from_ref(tools)) {
        writer.keep("executed_tool", tool, None);
        let name = tool.object().map_or(tool, |members| members.get("type"));
        writer.log.note(
            "adapter/server-tool-call",
            "The provider executes this tool itself; it is not a tool call of the message",
            &format!("{DELTA}/executed_tools"),
            None,
            Some(&name.clip()),
        );
    }
}

fn note_no_part(writer: &mut DeltaWriter, place: &str, kind: &Raw) {
    writer.log.note(
        "adapter/unsupported-content",
        "The contract has no part for this content; it is kept beside the message",
        place,
        None,
        Some(&kind.clip()),
    );
}

// -------------------------------------------------------------------------------------------------
// OpenRouter's `reasoning_details`: sent in pieces, wanted back as the whole that they make.

const TEXTS: [&str; 3] = ["text", "summary", "signature"];

/// One detail: its members as the last piece has them, texts joined.
#[derive(Default)]
struct Detail {
    members: RawObject,
    /// By name, as they came first.
    texts: Vec<(&'static str, RawText)>,
}

impl Detail {
    fn add(&mut self, piece: &RawObject) {
        for (name, value) in piece.iter() {
            let known = TEXTS.into_iter().find(|each| *name == **each);
            if let (Some(known), Some(more)) = (known, value.text()) {
                let at = self.texts.iter().position(|(each, _)| *each == known);
                let at = at.unwrap_or_else(|| {
                    self.texts.push((known, RawText::default()));
                    self.texts.len() - 1
                });
                if let Some((_, text)) = self.texts.get_mut(at) {
                    text.push(more);
                }
            } else if !value.is_null() || !self.members.iter().any(|(each, _)| each == name) {
                self.members.set(name.clone(), value.clone());
            }
        }
    }

    /// Tells whether `piece` continues this detail: of its type and number, not signed yet.
    ///
    /// Encrypted details come whole.
    fn goes_on_with(&self, piece: &RawObject) -> bool {
        if piece.get("type") != self.members.get("type") || piece.has("data") {
            return false;
        }
        let (ours, theirs) = (self.members.get("index"), piece.get("index"));
        if ours != theirs && !ours.is_null() && !theirs.is_null() {
            return false;
        }
        let is_signed =
            self.texts.iter().any(|(name, text)| *name == "signature" && !text.is_empty());
        let says_more = || ["text", "summary"].iter().any(|name| piece.get(name).says_something());
        !(is_signed && says_more())
    }

    fn whole(&self) -> Raw {
        let mut whole = self.members.clone();
        for (name, text) in &self.texts {
            whole.set(*name, text.clone().into());
        }
        whole.into()
    }
}

/// The details of one answer.
#[derive(Default)]
pub(crate) struct ReasoningDetails {
    details: Vec<Detail>,
}

impl ReasoningDetails {
    /// Takes a piece; it goes on with the last detail, or begins another.
    pub(crate) fn add(&mut self, piece: &RawObject) {
        if let Some(last) = self.details.last_mut().filter(|last| last.goes_on_with(piece)) {
            return last.add(piece);
        }
        let mut detail = Detail::default();
        detail.add(piece);
        self.details.push(detail);
    }

    /// Returns the details as the provider sends them where it does not stream.
    pub(crate) fn whole(&self) -> Vec<Raw> {
        self.details.iter().map(Detail::whole).collect()
    }
}
