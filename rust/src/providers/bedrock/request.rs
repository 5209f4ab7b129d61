//! Bedrock Converse: the contract's messages and configuration → a request body.
//!
//! The body is the JSON of the HTTP request, Base64 where it has bytes, and `modelId`, which is in
//! the URL.
//!
//! - System prompt and system messages are `system` blocks. A system message behind others moves
//!   there (`encode/moved-system`).
//! - Messages of one side in a row become one; tool results are first in the user's, all results of
//!   parallel calls in one. What is left empty is left out.
//! - Reasoning goes back with its signature, at its place, and not without; redacted reasoning, server
//!   tools with their results and whatever else the provider had stays at its place. Text goes
//!   back with its citations.
//! - The format has no tool choice `none`: without calls in the messages the tools are left out, else
//!   the choice is (`encode/unsupported-config`). It takes calls and results only beside tools: where
//!   no tool is given, the called ones are declared by name (`encode/stand-in-tool`).
//! - Images, files and media go inline or from S3 (`s3://`): the provider fetches nothing else.
//! - `cacheConfig` sets cache points behind the tools, the system prompt and the last message.
//!
//! Source: <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::json::{Value, json};

use crate::json::base64::decode as decode_base64;
use crate::json::fields::{Fields, object, put};
use crate::providers::bedrock::media::{document_name, media_form};
use crate::providers::core::ids::cut;
use crate::providers::request_core::blocks;
use crate::providers::request_core::blocks::{Block, BlockContent, Draft, note_dangling, waiting};
use crate::providers::request_core::call_ids::{Form, is_plain};
use crate::providers::request_core::calls_and_results::object_arguments;
use crate::providers::request_core::encoder::{Encoder, Work, note_conflict};
use crate::providers::request_core::media::Media;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::turns::{
    Call, Forms, ResultContent, Said, ToolResult, UserPiece, words_of,
};
use crate::providers::request_core::values::{Json, is_same, says_something};
use crate::tables::provider_names::BEDROCK_RESPONSE_ONLY as RESPONSE_ONLY;

pub(crate) struct BedrockConverse;

impl Encoder for BedrockConverse {
    fn forms(&self) -> Forms {
        let takes = |char: char| is_plain(char) || char == '.' || char == ':';
        Forms {
            apart: true,
            blank: false,
            ..Forms::new(Form::new(takes, 64), Form::new(is_plain, 64))
        }
    }

    fn body(&self, work: &Work) -> Json {
        let content = BedrockContent::new(work.notes);
        let (system, drafts) = blocks::messages(work, &content);
        let called = called(&drafts);
        let messages = drafts.into_iter().map(Draft::into_message).collect();
        let model = work.request.model_id.clone();
        let mut body = object([("modelId", model.into()), ("messages", messages)]);
        if !system.is_empty() {
            body.insert("system".to_owned(), system.into());
        }
        let sampling = sampling(work);
        if !sampling.is_empty() {
            body.insert("inferenceConfig".to_owned(), sampling.into());
        }
        let tools = tool_config(work, &called);
        if !tools.is_empty() {
            body.insert("toolConfig".to_owned(), tools.into());
        }
        if work.request.cache {
            mark(&mut body);
        }
        body
    }

    fn defaults(&self, _: &Work) -> Json {
        Json::new()
    }

    fn joined(&self, ours: &Value, theirs: &Value, place: &str, notes: &Notes) -> Option<Value> {
        match (place, ours, theirs) {
            ("/config/toolConfig/tools", Value::Array(ours), Value::Array(theirs)) => {
                Some(ours.iter().chain(theirs).cloned().collect())
            }
            // One of three members: as objects both would be joined.
            ("/config/toolConfig/toolChoice", ours, theirs) if !is_same(ours, theirs) => {
                note_conflict(ours, theirs, place, notes);
                Some(ours.clone())
            }
            _ => None,
        }
    }
}

/// Sets cache points behind the tools, the system prompt and the last message.
fn mark(body: &mut Json) {
    let set = |list: Option<&mut Value>| {
        if let Some(list) = list.and_then(Value::as_array_mut).filter(|list| !list.is_empty()) {
            list.push(json!({"cachePoint": {"type": "default"}}));
        }
    };
    set(body.get_mut("system"));
    set(body.get_mut("toolConfig").and_then(|config| config.get_mut("tools")));
    let messages = body.get_mut("messages").and_then(Value::as_array_mut);
    let last = messages.and_then(|messages| messages.last_mut());
    set(last.and_then(|message| message.get_mut("content")));
}

// --- tools and configuration --------------------------------------------------------------------

fn tool_config(work: &Work, called: &[(String, String)]) -> Json {
    let (mut tools, mut names) = (Vec::new(), Vec::new());
    for (_, spec, schema) in work.tools() {
        let mut tool = json!({"name": spec.text("name"), "inputSchema": {"json": schema}});
        if !spec.text("description").is_empty() {
            put(&mut tool, "description", spec.text("description"));
        }
        if let Some(strict) = spec.get("strict") {
            put(&mut tool, "strict", strict.clone());
        }
        names.push(spec.text("name"));
        tools.push(json!({"toolSpec": tool}));
    }
    let has_given = has_given_tools(work);
    let mut members = Json::new();
    let holds = |_: &&_| has_given || work.choice_holds(&names);
    if let Some(choice) = work.request.choice.as_ref().filter(holds) {
        let said = match choice.mode.as_str() {
            "none" if called.is_empty() && !has_given => return members,
            "none" => {
                let none = json!("none");
                work.notes.unsupported_config(&choice.pointer, "auto or required", &none);
                None
            }
            "tool" => Some(json!({"tool": {"name": choice.tool_name}})),
            "required" => Some(json!({"any": {}})),
            _ => Some(json!({"auto": {}})),
        };
        members.extend(said.map(|said| ("toolChoice".to_owned(), said)));
    }
    if tools.is_empty() && !has_given {
        tools = stand_ins(work, called);
    }
    if !tools.is_empty() || !members.is_empty() {
        members.insert("tools".to_owned(), tools.into());
    }
    members
}

/// Returns a tool for every one that a call names.
fn stand_ins(work: &Work, called: &[(String, String)]) -> Vec<Value> {
    let mut made = Vec::new();
    for (name, pointer) in called {
        let schema = json!({"json": {"type": "object"}});
        made.push(json!({"toolSpec": {"name": name, "inputSchema": schema}}));
        work.notes.add_with(
            "encode/stand-in-tool",
            "The provider takes calls only beside tools; one without a description is sent",
            pointer,
            "a spec of the called tool",
            cut(name, 80),
        );
    }
    made
}

/// Tells whether an extension of the configuration brings tools: they are the provider's.
fn has_given_tools(work: &Work) -> bool {
    !work.request.extensions.at("toolConfig").list("tools").is_empty()
}

/// Returns the names of called tools, the provider's own left out, and where each is called.
fn called(drafts: &[Draft]) -> Vec<(String, String)> {
    let mut called: Vec<(String, String)> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for block in drafts.iter().flat_map(|draft| &draft.blocks) {
        let Some(call) = block.body.get("toolUse").filter(|call| call.get("type").is_none()) else {
            continue;
        };
        if known.insert(call.text("name")) {
            let pointer = format!("{}/payload/toolName", block.pointer);
            called.push((call.text("name").to_owned(), pointer));
        }
    }
    called
}

fn sampling(work: &Work) -> Json {
    let mut members = work.sampling("maxTokens", "topP", 1.0);
    let stops = work.stops_that(|stop| !stop.is_empty(), "text");
    if !stops.is_empty() {
        members.insert("stopSequences".to_owned(), json!(stops));
    }
    members
}

// -------------------------------------------------------------------------------------------------
// Content blocks of Converse requests, from the pieces of turns.

const EXPECTED: &str = "an image, document, video or audio of a known format, inline or in S3";

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
                    } else if let Some(words) = words_of(piece, EXPECTED, self.notes) {
                        blocks.extend(self.text(&words));
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
        let source = if let Some(data) = media.data().filter(|data| !data.is_empty()) {
            json!({"bytes": data})
        } else {
            json!({"s3Location": {"uri": media.path().filter(|path| is_s3(path))?}})
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
            "text" => "", // it is not an object
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
        let waiting = waiting(drafts);
        let spoken = drafts.iter().filter(|draft| draft.role == "assistant");
        let results = spoken.flat_map(|draft| &draft.blocks);
        let answered: HashSet<String> = results
            .filter_map(|block| block.body.get("toolResult"))
            .map(|result| result.text("toolUseId").to_owned())
            .collect();
        let mut called = HashSet::new();
        for (number, draft) in drafts.iter_mut().enumerate() {
            let waits = Some(number) == waiting;
            draft.blocks.retain(|Block { body, pointer }| {
                let (call, result) = (body.at("toolUse"), body.at("toolResult"));
                let (kind, is_due) = if call.get("type").is_some() {
                    let call_id = call.text("toolUseId");
                    called.insert(call_id.to_owned());
                    ("toolUse", waits || answered.contains(call_id))
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
