//! Bedrock Converse: the contract's messages and configuration → a request body.
//!
//! The body is the JSON of the HTTP request, Base64 where it has bytes, and `modelId`, which stands
//! in the URL.
//!
//! - System prompt and system messages are `system` blocks. A system message behind others moves
//!   there (`encode/moved-system`).
//! - Messages of one side in a row become one; tool results stand first in the user's, all results of
//!   parallel calls in one. What is left empty is left out.
//! - Reasoning goes back with its signature, at its place, and not without; redacted reasoning, server
//!   tools with their results and whatever else the provider had stands where it stood. Text goes
//!   back with its citations.
//! - The format has no tool choice `none`: without calls in the messages the tools are left out, else
//!   the choice is (`encode/unsupported-config`). It takes calls and results only beside tools: where
//!   no tool is given, the called ones are declared by name (`encode/stand-in-tool`).
//! - Images, files and media go inline or from S3 (`s3://`): the provider fetches nothing else.
//! - `cacheConfig` sets cache points behind the tools, the system prompt and the last message.
//!
//! Source: <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>

use serde_json::{Value, json};

use super::bedrock_content::BedrockContent;
use super::blocks::{self, Draft};
use super::call_ids::{Form, is_plain};
use super::encoder::{Encoder, Work, note_conflict};
use super::notes::Notes;
use super::turns::Forms;
use super::values::{Json, is_same};
use crate::fields::{Fields, object, put};
use crate::providers::cut;

pub(crate) struct BedrockConverse;

impl Encoder for BedrockConverse {
    fn forms(&self) -> Forms {
        let takes = |char: char| is_plain(char) || char == '.' || char == ':';
        Forms { call_id: Form::new(takes, 64), tool_name: Form::new(is_plain, 64) }
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
