//! State that vendors of the chat dialect want back: reasoning, refusals, audio, extra content.
//!
//! No vendor takes the members of another: what goes back is what the message itself came with,
//! under the names that it came with.

use crate::json::{Value, json};

use crate::json::fields::{Fields, put};
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::turns::{
    AssistantPiece, AssistantTurn, Call, MediaPiece, Said,
};
use crate::providers::request_core::values::{Json, push_text, says_anything, worded};

/// Members of a message that hold reasoning as one text.
const TEXT_MEMBERS: [&str; 2] = ["reasoning_content", "reasoning"];

/// The state of one assistant's message; noted is what goes back to nobody.
pub(crate) struct ChatState<'a> {
    notes: &'a Notes,
    members: Json,
    reasoning: Option<String>,
    blocks: Vec<Value>,
    /// The member that holds the reasoning of this vendor.
    member: Option<&'a Value>,
}

impl<'a> ChatState<'a> {
    pub(crate) fn new(turn: &'a AssistantTurn, notes: &'a Notes) -> Self {
        let member = turn.pieces.iter().find_map(|piece| match piece {
            AssistantPiece::State(item) if item.kind == "reasoning_member" => Some(&item.data),
            _ => None,
        });
        Self { notes, members: Json::new(), reasoning: None, blocks: Vec::new(), member }
    }

    /// Returns the members of the message, once all of its pieces have been read.
    pub(crate) fn into_members(mut self) -> Json {
        if let Some(reasoning) = self.reasoning {
            self.members.insert(worded(self.member), reasoning.into());
        }
        if !self.blocks.is_empty() {
            self.members.insert("thinking_blocks".to_owned(), self.blocks.into());
        }
        self.members
    }

    /// Takes reasoning; returns it where the vendor has it among the parts of the content.
    pub(crate) fn thinking(&mut self, said: &Said) -> Vec<Value> {
        let member = self.member.and_then(Value::as_str);
        let (mut signature, mut parts) = (None, Vec::new());
        for item in &said.state {
            if item.kind == "signature" && member == Some("content") {
                signature = Some(&item.data).filter(|data| !data.is_null());
            } else {
                parts.extend(self.between(item));
            }
        }
        match member {
            Some(name) if TEXT_MEMBERS.contains(&name) => {
                self.reasoning.get_or_insert_default().push_str(&said.text);
            }
            Some("content") => {
                let thinking = json!([{"type": "text", "text": said.text}]);
                let mut part = json!({"type": "thinking", "thinking": thinking});
                if let Some(signature) = signature {
                    put(&mut part, "signature", signature.clone());
                }
                parts.push(part);
            }
            Some("reasoning_details") => {}
            _ => self.notes.thinking_left_out(
                "Reasoning goes back only to the vendor that it came from; it is left out",
                &said.pointer,
            ),
        }
        parts
    }

    /// Takes state that belongs to the message; returns what is a part of its content.
    pub(crate) fn between(&mut self, item: &Item) -> Option<Value> {
        let Item { kind, data, pointer, .. } = item;
        match (kind.as_str(), data) {
            ("reasoning_member", data) => {
                let name = data.as_str().unwrap_or("");
                if !TEXT_MEMBERS.contains(&name) && name != "content" && name != "reasoning_details"
                {
                    self.notes.malformed(pointer, "the name of a member", data);
                }
            }
            ("reasoning_details", Value::Array(details)) => {
                let known = self.members.get_or_insert_with(kind.as_str(), || json!([]));
                if let Value::Array(known) = known {
                    known.extend(details.iter().cloned());
                }
            }
            ("thinking_blocks", Value::Array(blocks)) => self.take_blocks(blocks, pointer),
            ("content_part", Value::Object(part)) if part.at("type").is_string() => {
                return Some(data.clone());
            }
            ("audio", Value::Object(audio)) => {
                if let Value::String(id) = audio.at("id") {
                    self.members.insert(kind.clone(), json!({"id": id}));
                }
            }
            ("extra_content" | "reasoning_signature", data) => {
                self.members.insert(kind.clone(), data.clone());
            }
            ("reasoning_details" | "thinking_blocks" | "content_part" | "audio", data) => {
                let expected = format!("{kind} as the vendor sends it");
                self.notes.malformed(pointer, &expected, data);
            }
            _ => self.notes.response_only(pointer, kind),
        }
        None
    }

    /// Takes sound, which goes back by its id, one in a message; tells whether it does.
    pub(crate) fn sound(&mut self, piece: &MediaPiece) -> bool {
        if self.members.contains_key("audio") {
            return false;
        }
        for item in &piece.state {
            self.between(item);
        }
        self.members.contains_key("audio")
    }

    /// Joins the pieces in which LiteLLM streams thinking blocks: a signature ends one.
    fn take_blocks(&mut self, blocks: &[Value], pointer: &str) {
        for block in blocks {
            if !block.is_object() {
                self.notes.malformed(pointer, "blocks as objects", block);
                continue;
            }
            let is_open = |last: &&mut Value| {
                last.text("type") == "thinking" && !says_anything(last.get("signature"))
            };
            let is_piece = block.text("type") == "thinking";
            let Some(last) = self.blocks.last_mut().filter(|_| is_piece).filter(is_open) else {
                self.blocks.push(block.clone());
                continue;
            };
            for name in ["thinking", "signature"] {
                if let Value::String(more) = block.at(name) {
                    if !last.at(name).is_string() {
                        let said = Some(last.at(name)).filter(|said| says_anything(Some(said)));
                        let said = said.map(|said| worded(Some(said))).unwrap_or_default();
                        put(last, name, said);
                    }
                    push_text(last, name, more);
                }
            }
        }
    }

    /// Returns the members of a call beside those that the contract has.
    pub(crate) fn of_call(&self, call: &Call) -> Json {
        let mut members = Json::new();
        for item in &call.state {
            if item.kind == "extra_content" {
                members.insert(item.kind.clone(), item.data.clone());
            } else {
                self.notes.response_only(&item.pointer, &item.kind);
            }
        }
        members
    }
}
