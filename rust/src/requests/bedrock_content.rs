//! Content blocks of Converse requests, from the pieces of turns.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::bedrock_media::{document_name, media_form};
use super::blocks::{Block, BlockContent, Draft, note_dangling};
use super::calls_and_results::object_arguments;
use super::media::Media;
use super::notes::Notes;
use super::state::Item;
use super::turns::{Call, ResultContent, Said, ToolResult, UserPiece};
use super::values::{decode_base64, says_something};
use crate::fields::{Fields, object, put};

const EXPECTED: &str = "an image, document, video or audio of a known format, inline or in S3";
/// What a response says about itself: no block, and nothing that a request takes.
const RESPONSE_ONLY: [&str; 3] = ["additionalModelResponseFields", "citation", "unknown"];

/// Writes blocks of Converse.
pub(crate) struct BedrockContent<'a> {
    notes: &'a Notes,
    /// Of documents: the provider takes each name once.
    names: RefCell<HashMap<String, usize>>,
}

impl<'a> BedrockContent<'a> {
    pub(crate) fn new(notes: &'a Notes) -> Self {
        Self { notes, names: RefCell::default() }
    }

    fn spoken(&self, pieces: &[UserPiece], is_result: bool) -> Vec<Block> {
        let mut blocks = Vec::new();
        for piece in pieces {
            match piece {
                UserPiece::Text(said) => blocks.extend(self.text(said)),
                UserPiece::Media(piece) => {
                    if let Some(body) = self.media(&piece.media, is_result) {
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

    fn media(&self, media: &Media, is_result: bool) -> Option<Value> {
        let (member, name) = media_form(&media.mime_type)?;
        if is_result && member == "audio" {
            return None;
        }
        let source = match media.data().filter(|data| !data.is_empty()) {
            Some(data) => json!({"bytes": data}),
            None => json!({"s3Location": {"uri": media.path().filter(|path| is_s3(path))?}}),
        };
        let mut body = json!({"format": name, "source": source});
        if member == "document" {
            let name = document_name(&media.name, &mut self.names.borrow_mut());
            put(&mut body, "name", name);
        }
        Some(object([(member, body)]).into())
    }
}

impl BlockContent for BedrockContent<'_> {
    fn notes(&self) -> &Notes {
        self.notes
    }

    fn text(&self, said: &Said) -> Option<Block> {
        if says_something(&said.text) {
            return Some(Block::new(json!({"text": said.text}), &said.pointer));
        }
        let message = "The provider takes no text of white space alone";
        self.notes.add("encode/empty-text", message, &said.pointer);
        None
    }

    fn user(&self, pieces: &[UserPiece]) -> Vec<Block> {
        self.spoken(pieces, false)
    }

    fn result(&self, result: &ToolResult) -> Block {
        let blocks = match &result.content {
            ResultContent::Object(members) => {
                vec![Block::new(json!({"json": members}), &result.pointer)]
            }
            ResultContent::Pieces(pieces) => self.spoken(pieces, true),
            ResultContent::Text(text) if text.is_empty() => Vec::new(),
            ResultContent::Text(text) => {
                self.text(&Said::plain(text, &result.pointer)).into_iter().collect()
            }
        };
        let mut content: Vec<Value> = blocks.into_iter().map(|block| block.body).collect();
        if result.is_error && content.is_empty() {
            let message = "A failure without text is sent as \"Error\"";
            self.notes.add("encode/empty-text", message, &result.pointer);
            content.push(json!({"text": "Error"}));
        }
        let mut body = json!({"toolUseId": result.call_id, "content": content});
        if result.is_error {
            put(&mut body, "status", "error");
        }
        Block::new(json!({"toolResult": body}), &result.pointer)
    }

    fn cited(&self, said: &Said) -> Option<Block> {
        let citations = self.citations(said);
        let block = self.text(said)?;
        if citations.is_empty() {
            return Some(block);
        }
        let cited = json!({"content": [block.body], "citations": citations});
        Some(Block::new(json!({"citationsContent": cited}), &block.pointer))
    }

    fn thinking(&self, text: &str, signature: &str) -> Value {
        json!({"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}})
    }

    fn call(&self, call: &Call) -> Value {
        for item in &call.state {
            self.notes.response_only(&item.pointer, &item.kind);
        }
        let input = object_arguments(call, self.notes);
        json!({"toolUse": {"toolUseId": call.call_id, "name": call.name, "input": input}})
    }

    fn state(&self, item: &Item) -> Option<Block> {
        let Item { kind, data, pointer, .. } = item;
        if kind == "signature" {
            return self.reasoning("", item).map(|body| Block::new(body, pointer));
        }
        if RESPONSE_ONLY.contains(&kind.as_str()) {
            self.notes.response_only(pointer, kind);
            return None;
        }
        let member = match kind.as_str() {
            "redactedContent" => "reasoningContent",
            "text" => "", // it is no object
            kind => kind,
        };
        let body = data.as_object().filter(|data| data.len() == 1).map(|data| data.at(member));
        let wrong = match body.filter(|body| body.is_object()) {
            Some(body) => wrong_in(kind, body),
            None => Some("an object"),
        };
        if let Some(wrong) = wrong {
            self.notes.malformed(pointer, &format!("a block {kind}: {wrong}"), data);
            return None;
        }
        Some(Block::new(data.clone(), pointer))
    }

    fn leave_out_dangling(&self, drafts: &mut [Draft]) {
        let spoken = drafts.iter().filter(|draft| draft.role == "assistant");
        let results = spoken.flat_map(|draft| &draft.blocks);
        let answered: HashSet<String> = results
            .filter_map(|block| block.body.get("toolResult"))
            .map(|result| result.text("toolUseId").to_owned())
            .collect();
        let mut called = HashSet::new();
        for draft in drafts {
            draft.blocks.retain(|Block { body, pointer }| {
                let (call, result) = (body.at("toolUse"), body.at("toolResult"));
                let (kind, is_due) = if call.get("type").is_some() {
                    let call_id = call.text("toolUseId");
                    called.insert(call_id.to_owned());
                    ("toolUse", answered.contains(call_id))
                } else {
                    let is_due = result.is_null() || called.contains(result.text("toolUseId"));
                    ("toolResult", is_due)
                };
                if !is_due {
                    note_dangling(self.notes, pointer, kind);
                }
                is_due
            });
        }
    }

    fn is_thinking(&self, body: &Value) -> bool {
        body.get("reasoningContent").is_some()
    }
}

/// Returns what a kept block would have to be, None if it can go back.
fn wrong_in(kind: &str, body: &Value) -> Option<&'static str> {
    let is_block = kind == "toolUse" || kind == "toolResult";
    let rules = [
        (kind != "redactedContent" || is_base64(body.text(kind)), "Base64"),
        (kind != "image" || body.at("source").is_object(), "its source"),
        (!is_block || body.at("toolUseId").is_string(), "its toolUseId"),
        (kind != "toolUse" || !body.text("name").is_empty(), "its name"),
        (kind != "toolUse" || body.text("type") == "server_tool_use", "a server tool's"),
        (kind != "toolUse" || body.at("input").is_object(), "an input as an object"),
        (kind != "toolResult" || body.at("content").is_array(), "its content"),
    ];
    rules.into_iter().find(|(is_right, _)| !is_right).map(|(_, wrong)| wrong)
}

fn is_base64(text: &str) -> bool {
    !text.is_empty() && decode_base64(text).is_some()
}

/// Tells whether a path leads to S3: a bucket of 3 to 63 characters, and a key.
fn is_s3(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("s3://") else { return false };
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    let ends = |byte: Option<u8>| {
        byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let takes = |byte: u8| ends(Some(byte)) || byte == b'.' || byte == b'-';
    (3..=63).contains(&bucket.len())
        && bucket.bytes().all(takes)
        && ends(bucket.bytes().next())
        && ends(bucket.bytes().last())
        && !key.contains('\n')
}
