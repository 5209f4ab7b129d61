//! Anthropic Messages: the contract's messages and configuration → a request body.
//!
//! - System prompt and system messages are `system` blocks. A system message behind others moves
//!   there (`encode/moved-system`): models before the newest take none among the messages.
//! - Messages of one side in a row become one; tool results are first in the user's, all results of
//!   parallel calls in one. What is left empty is left out.
//! - Reasoning goes back with its signature, at its place, and not without; redacted thinking, server
//!   tools with their results and whatever else the provider had stays at its place.
//! - Images, PDF and text go inline, by URL or uploaded, from users and tools; not from assistants.
//! - The provider needs `max_tokens`: without one it is 4,096, which every model takes, beyond the
//!   thinking budget if there is one (`encode/default-max-tokens`).
//! - `cacheConfig` marks the last tool, the last system block and the last block of the last message.
//!
//! Source: <https://docs.anthropic.com/en/api/messages>

use std::collections::HashSet;

use crate::json::{Value, json};

use crate::json::fields::{Fields, object, put};
use crate::json::json_text::json_text;
use crate::providers::request_core::blocks;
use crate::providers::request_core::blocks::{Block, BlockContent, Draft, note_dangling, waiting};
use crate::providers::request_core::call_ids::{Form, is_plain};
use crate::providers::request_core::calls_and_results::object_arguments;
use crate::providers::request_core::encoder::{Encoder, Work};
use crate::providers::request_core::media::Media;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::turns::{
    AssistantPiece, Call, Forms, MediaKind, MediaPiece, ResultContent, Said, ToolResult, Turn,
    UserPiece, words_of,
};
use crate::providers::request_core::values::{
    Json, is_file_id, join, says_anything, says_something, worded,
};
use crate::tables::provider_names::{
    ANTHROPIC_RESPONSE_ONLY as RESPONSE_ONLY, ANTHROPIC_SERVER_CALLS as SERVER_CALLS,
};

const DEFAULT_MAX_TOKENS: i64 = 4096;

pub(crate) struct AnthropicMessages;

impl Encoder for AnthropicMessages {
    fn forms(&self) -> Forms {
        let (call_id, tool_name) = (Form::new(is_plain, 64), Form::new(is_plain, 128));
        Forms { apart: true, blank: false, ..Forms::new(call_id, tool_name) }
    }

    fn body(&self, work: &Work) -> Json {
        let content = AnthropicContent { notes: work.notes };
        let (system, drafts) = blocks::messages(work, &content);
        let messages = drafts.into_iter().map(Draft::into_message).collect();
        let model = work.request.model_id.clone();
        let mut body = object([("model", model.into()), ("messages", messages)]);
        if !system.is_empty() {
            body.insert("system".to_owned(), system.into());
        }
        let mut body = join(body, tools(work));
        if work.request.cache {
            mark(&mut body);
        }
        join(body, sampling(work))
    }

    /// Returns `stream`, `container` where it is due, and `max_tokens` without a limit.
    fn defaults(&self, work: &Work) -> Json {
        let mut defaults = join(object([("stream", true.into())]), container(work));
        let given = &work.request.extensions;
        if work.request.max_tokens.is_none() && !given.contains_key("max_tokens") {
            let budget = given.at("thinking").at("budget_tokens").as_i64().unwrap_or(0);
            let tokens = budget.saturating_add(DEFAULT_MAX_TOKENS);
            defaults.insert("max_tokens".to_owned(), tokens.into());
            work.notes.add_with(
                "encode/default-max-tokens",
                "The provider needs a limit for the answer, and the configuration has none",
                "/config",
                "maxTokens",
                tokens.to_string(),
            );
        }
        defaults
    }
}

fn tools(work: &Work) -> Json {
    let (mut members, mut tools, mut names) = (Json::new(), Vec::new(), Vec::new());
    for (_, spec, schema) in work.tools() {
        let mut tool = json!({"name": spec.text("name"), "input_schema": schema});
        for name in ["description", "strict"] {
            if let Some(value) = spec.get(name) {
                put(&mut tool, name, value.clone());
            }
        }
        names.push(spec.text("name"));
        tools.push(tool);
    }
    if !tools.is_empty() {
        members.insert("tools".to_owned(), tools.into());
    }
    if let Some(choice) = work.request.choice.as_ref().filter(|_| work.choice_holds(&names)) {
        let said = match choice.mode.as_str() {
            "tool" => json!({"type": "tool", "name": choice.tool_name}),
            "required" => json!({"type": "any"}),
            mode => json!({"type": mode}),
        };
        members.insert("tool_choice".to_owned(), said);
    }
    members
}

fn sampling(work: &Work) -> Json {
    let mut members = work.sampling("max_tokens", "top_p", 1.0);
    let stops = work.stops_that(says_something, "more than white space");
    if !stops.is_empty() {
        members.insert("stop_sequences".to_owned(), json!(stops));
    }
    members
}

/// Returns the container of the last answer, where that answer goes on.
///
/// One that is not asked for may have expired, and then the request would be refused.
fn container(work: &Work) -> Json {
    let mut found = Json::new();
    let is_end = |turn: &Turn| matches!(turn, Turn::System(_) | Turn::Tool(_));
    let goes_on = work.turns.iter().rposition(|turn| !is_end(turn));
    for (number, turn) in work.turns.iter().enumerate() {
        let Turn::Assistant(turn) = turn else { continue };
        for piece in &turn.pieces {
            let AssistantPiece::State(item) = piece else { continue };
            if item.kind != "container" {
                continue;
            }
            let id = item.data.at("id");
            if !id.is_string() {
                work.notes.malformed(&item.pointer, "a container with an id", &item.data);
            } else if goes_on == Some(number) {
                found.insert("container".to_owned(), id.clone());
            } else {
                work.notes.response_only(&item.pointer, "container");
            }
        }
    }
    found
}

/// Marks the last tool, the last system block and the last block for the prompt cache.
fn mark(body: &mut Json) {
    let set = |list: Option<&mut Value>| {
        if let Some(block) = list.and_then(Value::as_array_mut).and_then(|list| list.last_mut()) {
            put(block, "cache_control", json!({"type": "ephemeral"}));
        }
    };
    for name in ["tools", "system"] {
        set(body.get_mut(name));
    }
    // Reasoning, which cannot be marked, is never the last block.
    let messages = body.get_mut("messages").and_then(Value::as_array_mut);
    let last = messages.and_then(|messages| messages.last_mut());
    set(last.and_then(|message| message.get_mut("content")));
}

// -------------------------------------------------------------------------------------------------
// Content blocks of Anthropic Messages requests, from the pieces of turns.

const PDF: &str = "application/pdf";
const EXPECTED: &str =
    "JPEG, PNG, GIF, WebP, PDF or text, inline or uploaded; images and PDF by URL too";
const WHITE_SPACE: &str = "The provider takes no text of white space alone";
/// A member of a response's citations that a request's do not have.
const CITATION_EXTRA: &str = "file_id";

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
                    } else if let Some(words) = words_of(piece, EXPECTED, self.notes) {
                        blocks.extend(self.text(&words));
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
            citation.remove(CITATION_EXTRA);
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
    fn leave_out_dangling(&self, drafts: &mut [Draft]) {
        let waiting = waiting(drafts);
        let bodies = drafts.iter().flat_map(|draft| &draft.blocks).map(|block| &block.body);
        let answered: HashSet<String> =
            bodies.filter(|body| is_server_result(body)).map(answered_id).collect();
        let mut called = HashSet::new();
        for (number, draft) in drafts.iter_mut().enumerate() {
            let waits = Some(number) == waiting;
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
