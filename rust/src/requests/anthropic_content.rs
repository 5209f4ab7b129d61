//! Content blocks of Anthropic Messages requests, from the pieces of turns.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::blocks::{Block, BlockContent, Draft, note_dangling};
use super::calls_and_results::object_arguments;
use super::media::Media;
use super::notes::Notes;
use super::state::Item;
use super::turns::{Call, MediaKind, MediaPiece, ResultContent, Said, ToolResult, UserPiece};
use super::values::{is_file_id, join, json_text, says_anything, says_something, worded};
use crate::fields::{Fields, object, put};

const PDF: &str = "application/pdf";
const EXPECTED: &str =
    "JPEG, PNG, GIF, WebP, PDF or text, inline or uploaded; images and PDF by URL too";
const WHITE_SPACE: &str = "The provider takes no text of white space alone";
/// What a response says about itself: no block, and nothing that a request takes.
const RESPONSE_ONLY: [&str; 6] =
    ["stop_sequence", "stop_details", "container", "citation", "tool_use", "unknown"];
/// A member of a response's citations that a request's do not have.
const CITATION_EXTRA: &str = "file_id";
const SERVER_CALLS: [&str; 2] = ["server_tool_use", "mcp_tool_use"];

/// Writes blocks of Anthropic Messages.
pub(crate) struct AnthropicContent<'a> {
    pub notes: &'a Notes,
}

impl BlockContent for AnthropicContent<'_> {
    fn notes(&self) -> &Notes {
        self.notes
    }

    fn text(&self, said: &Said) -> Option<Block> {
        if says_something(&said.text) {
            return Some(Block::new(json!({"type": "text", "text": said.text}), &said.pointer));
        }
        self.note_blank(&said.pointer, WHITE_SPACE);
        None
    }

    fn user(&self, pieces: &[UserPiece]) -> Vec<Block> {
        let mut blocks = Vec::new();
        for piece in pieces {
            match piece {
                UserPiece::Text(said) => blocks.extend(self.text(said)),
                UserPiece::Media(piece) => {
                    if let Some(body) = media_block(piece) {
                        blocks.push(Block::new(body, &piece.pointer));
                    } else {
                        let said = piece.media.said();
                        self.notes.unsupported_part(&piece.pointer, EXPECTED, said);
                    }
                }
            }
        }
        blocks
    }

    fn result(&self, result: &ToolResult) -> Block {
        let mut body = json!({"type": "tool_result", "tool_use_id": result.call_id});
        let mut content = match &result.content {
            ResultContent::Text(text) if !text.is_empty() && !says_something(text) => {
                self.note_blank(&result.pointer, WHITE_SPACE);
                json!("")
            }
            ResultContent::Text(text) => json!(text),
            ResultContent::Object(members) => json_text(&members.clone().into()).into(),
            ResultContent::Pieces(pieces) => {
                self.user(pieces).into_iter().map(|block| block.body).collect()
            }
        };
        let is_empty = |content: &Value| !says_anything(Some(content));
        if is_empty(&content) && result.is_error {
            self.note_blank(&result.pointer, "A failure without text is sent as \"Error\"");
            content = json!("Error");
        }
        if !is_empty(&content) {
            put(&mut body, "content", content);
        }
        if result.is_error {
            put(&mut body, "is_error", true);
        }
        Block::new(body, &result.pointer)
    }

    fn cited(&self, said: &Said) -> Option<Block> {
        let mut citations = self.citations(said);
        for citation in citations.iter_mut().filter_map(Value::as_object_mut) {
            citation.shift_remove(CITATION_EXTRA);
        }
        let mut block = self.text(said)?;
        if !citations.is_empty() {
            put(&mut block.body, "citations", citations);
        }
        Some(block)
    }

    fn thinking(&self, text: &str, signature: &str) -> Value {
        json!({"type": "thinking", "thinking": text, "signature": signature})
    }

    fn call(&self, call: &Call) -> Value {
        let input = object_arguments(call, self.notes);
        let mut body = object([
            ("type", "tool_use".into()),
            ("id", json!(call.call_id)),
            ("name", json!(call.name)),
            ("input", input.into()),
        ]);
        for item in &call.state {
            match &item.data {
                Value::Object(data) if item.kind == "call" => body = join(data.clone(), body),
                _ => self.notes.response_only(&item.pointer, &item.kind),
            }
        }
        body.into()
    }

    fn state(&self, item: &Item) -> Option<Block> {
        let Item { kind, data, pointer, .. } = item;
        if kind == "signature" {
            return self.reasoning("", item).map(|body| Block::new(body, pointer));
        }
        if RESPONSE_ONLY.contains(&kind.as_str()) {
            if kind != "container" {
                self.notes.response_only(pointer, kind);
            }
        } else if !data.is_object() || data.at("type").as_str() != Some(kind) {
            self.notes.malformed(pointer, &format!("a block of the type {kind}"), data);
        } else if let Some(input) = data.get("input").filter(|input| !input.is_object()) {
            self.notes.malformed(pointer, "an input as an object", input);
        } else {
            return Some(Block::new(data.clone(), pointer));
        }
        None
    }

    /// Leaves out server tools' calls without a result, and results without a call.
    ///
    /// A call may wait in the last answer: it was paused, or waits for tools of ours.
    fn leave_out_dangling(&self, drafts: &mut [Draft]) {
        let last = drafts.iter().rposition(|draft| draft.role == "assistant");
        let behind = last.and_then(|last| drafts.get(last + 1));
        let is_open = behind.is_none_or(|draft| !draft.results.is_empty());
        let bodies = drafts.iter().flat_map(|draft| &draft.blocks).map(|block| &block.body);
        let answered: HashSet<String> =
            bodies.filter(|body| is_server_result(body)).map(answered_id).collect();
        let mut called = HashSet::new();
        for (number, draft) in drafts.iter_mut().enumerate() {
            let waits = is_open && Some(number) == last;
            draft.blocks.retain(|Block { body, pointer }| {
                let kind = body.text("type");
                let is_due = if SERVER_CALLS.contains(&kind) {
                    let call_id = worded(body.get("id"));
                    let is_due = waits || answered.contains(&call_id);
                    called.insert(call_id);
                    is_due
                } else {
                    !is_server_result(body) || called.contains(&answered_id(body))
                };
                if !is_due {
                    note_dangling(self.notes, pointer, kind);
                }
                is_due
            });
        }
    }

    fn is_thinking(&self, body: &Value) -> bool {
        ["thinking", "redacted_thinking"].contains(&body.text("type"))
    }
}

impl AnthropicContent<'_> {
    fn note_blank(&self, pointer: &str, message: &str) {
        self.notes.add("encode/empty-text", message, pointer);
    }
}

fn is_server_result(body: &Value) -> bool {
    let kind = body.text("type");
    kind.ends_with("_tool_result") && kind != "tool_result"
}

fn answered_id(body: &Value) -> String {
    worded(body.get("tool_use_id"))
}

fn media_block(piece: &MediaPiece) -> Option<Value> {
    let media = &piece.media;
    match piece.kind {
        MediaKind::Image => image_block(media),
        MediaKind::Attachment if media.is_odd_image() => None,
        MediaKind::File | MediaKind::Attachment => file_block(media),
    }
}

fn uploaded(media: &Media) -> Option<Value> {
    let path = media.path().filter(|path| is_file_id(path, "file_"))?;
    Some(json!({"type": "file", "file_id": path}))
}

fn image_block(media: &Media) -> Option<Value> {
    let source = match (media.data(), media.url()) {
        (Some(data), _) if media.is_known_image() => {
            json!({"type": "base64", "media_type": media.mime_type, "data": data})
        }
        (_, Some(url)) if media.is_image() => json!({"type": "url", "url": url}),
        _ => uploaded(media)?,
    };
    Some(json!({"type": "image", "source": source}))
}

fn file_block(media: &Media) -> Option<Value> {
    if media.is_image() {
        return image_block(media);
    }
    let source = match (media.data(), media.url()) {
        (Some(data), _) if media.mime_type == PDF => {
            json!({"type": "base64", "media_type": PDF, "data": data})
        }
        (Some(_), _) if media.mime_type.starts_with("text/") => {
            json!({"type": "text", "media_type": "text/plain", "data": media.text()?})
        }
        (_, Some(url)) if media.mime_type == PDF || media.mime_type.is_empty() => {
            json!({"type": "url", "url": url})
        }
        _ => uploaded(media)?,
    };
    let mut block = json!({"type": "document", "source": source});
    if !media.name.is_empty() {
        put(&mut block, "title", media.name.as_str());
    }
    Some(block)
}
