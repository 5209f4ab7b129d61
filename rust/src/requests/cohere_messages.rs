//! Messages of Cohere Chat v2 requests, from turns.

use serde_json::{Value, json};

use super::calls_and_results::{arguments_text, result_texts};
use super::media::Media;
use super::notes::Notes;
use super::state::Item;
use super::turns::{
    AssistantPiece, AssistantTurn, Call, ResultContent, Said, Spoken, ToolResult, UserPiece,
};
use super::values::push_text;
use crate::fields::{Fields, put};

const EXPECTED: &str = "text, or a JPEG, PNG, GIF or WebP image by URL or inline";

/// Returns a message of a user or the system, None where nothing of it can be sent.
pub(crate) fn spoken_message(role: &str, said: &Spoken, notes: &Notes) -> Option<Value> {
    let mut parts = Vec::new();
    for piece in &said.pieces {
        match piece {
            UserPiece::Text(said) => parts.push(json!({"type": "text", "text": said.text})),
            UserPiece::Media(piece) => match image_url(&piece.media) {
                Some(url) => parts.push(json!({"type": "image_url", "image_url": {"url": url}})),
                None => notes.unsupported_part(&piece.pointer, EXPECTED, piece.media.said()),
            },
        }
    }
    let content = match parts.as_slice() {
        [] => return None,
        [part] if part.text("type") == "text" => part.at("text").clone(),
        _ => parts.into(),
    };
    Some(json!({"role": role, "content": content}))
}

/// Returns the URL of an image, None for what is none or is not to be had by URL.
fn image_url(media: &Media) -> Option<String> {
    let url = media.data_url().or_else(|| media.url().map(str::to_owned));
    url.filter(|_| media.is_known_image())
}

/// Returns the message of a result.
pub(crate) fn result_message(result: &ToolResult, notes: &Notes) -> Value {
    let mut texts = result_texts(result, notes);
    if texts.is_empty() {
        texts.push(String::new());
    }
    let content = match texts.first_mut() {
        Some(text) if matches!(result.content, ResultContent::Object(_)) && !result.is_error => {
            json!(text)
        }
        first => {
            if let Some(first) = first.filter(|_| result.is_error) {
                first.insert_str(0, "Error: ");
            }
            texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
        }
    };
    json!({"role": "tool", "tool_call_id": result.call_id, "content": content})
}

/// Returns an assistant's message, None where nothing of it can be sent.
pub(crate) fn assistant_message(turn: &AssistantTurn, notes: &Notes) -> Option<Value> {
    let mut draft = Draft {
        notes,
        content: Vec::new(),
        calls: Vec::new(),
        plan: String::new(),
        citations: Vec::new(),
        joins: false,
    };
    for piece in &turn.pieces {
        draft.take(piece);
    }
    if draft.content.is_empty() && draft.calls.is_empty() {
        return None;
    }
    let mut message = json!({"role": "assistant"});
    for (name, list) in [("content", draft.content), ("tool_calls", draft.calls)] {
        if !list.is_empty() {
            put(&mut message, name, list);
        }
    }
    if !draft.plan.is_empty() {
        put(&mut message, "tool_plan", draft.plan);
    }
    if !draft.citations.is_empty() {
        put(&mut message, "citations", draft.citations);
    }
    Some(message)
}

/// An assistant's message that is being written.
struct Draft<'a> {
    notes: &'a Notes,
    content: Vec<Value>,
    calls: Vec<Value>,
    plan: String,
    citations: Vec<Value>,
    /// Whether text that comes next goes on with the last block.
    joins: bool,
}

impl Draft<'_> {
    fn take(&mut self, piece: &AssistantPiece) {
        match piece {
            AssistantPiece::State(item) => return self.keep(item),
            AssistantPiece::Media(piece) => {
                self.notes.assistant_media(&piece.pointer, piece.media.said());
            }
            AssistantPiece::Text(said) => self.text(said),
            AssistantPiece::Thinking(said) => self.thinking(said),
            AssistantPiece::Call(call) => {
                call.state.iter().for_each(|item| self.keep(item));
                self.calls.push(call_of(call));
            }
        }
        self.joins = matches!(piece, AssistantPiece::Text(_));
    }

    fn text(&mut self, said: &Said) {
        said.state.iter().for_each(|item| self.keep(item));
        let begins = !self.joins || said.state.iter().any(|item| item.kind == "text");
        match self.content.last_mut() {
            Some(last) if !begins => push_text(last, "text", &said.text),
            _ => self.content.push(json!({"type": "text", "text": said.text})),
        }
    }

    fn thinking(&mut self, said: &Said) {
        said.state.iter().for_each(|item| self.keep(item));
        if said.state.iter().any(|item| item.kind == "thinking") {
            self.content.push(json!({"type": "thinking", "thinking": said.text}));
        } else {
            self.notes.thinking_left_out(
                "Reasoning goes back only to the vendor that it came from; it is left out",
                &said.pointer,
            );
        }
    }

    /// Takes what the provider's state adds to a message beside its content and calls.
    fn keep(&mut self, item: &Item) {
        let Item { kind, data, pointer, .. } = item;
        match (kind.as_str(), data) {
            ("citation", Value::Object(_)) => self.citations.push(data.clone()),
            ("tool_plan", Value::String(plan)) => self.plan.push_str(plan),
            ("citation" | "tool_plan", _) => {
                self.notes.malformed(pointer, &format!("a {kind} as Cohere sends it"), data);
            }
            ("text" | "thinking", _) => {}
            _ => self.notes.response_only(pointer, kind),
        }
    }
}

fn call_of(call: &Call) -> Value {
    let function = json!({"name": call.name, "arguments": arguments_text(call)});
    json!({"id": call.call_id, "type": "function", "function": function})
}
