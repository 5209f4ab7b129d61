//! Anthropic Messages: the contract's messages and configuration → a request body.
//!
//! - System prompt and system messages are `system` blocks. A system message behind others moves
//!   there (`encode/moved-system`): models before the newest take none among the messages.
//! - Messages of one side in a row become one; tool results stand first in the user's, all results of
//!   parallel calls in one. What is left empty is left out.
//! - Reasoning goes back with its signature, at its place, and not without; redacted thinking, server
//!   tools with their results and whatever else the provider had stands where it stood.
//! - Images, PDF and text go inline, by URL or uploaded, from users and tools; not from assistants.
//! - The provider needs `max_tokens`: without one it is 4,096, which every model takes, beyond the
//!   thinking budget if there is one (`encode/default-max-tokens`).
//! - `cacheConfig` marks the last tool, the last system block and the last block of the last message.
//!
//! Source: <https://docs.anthropic.com/en/api/messages>

use serde_json::{Value, json};

use super::anthropic_content::AnthropicContent;
use super::blocks::{self, Draft};
use super::call_ids::{Form, is_plain};
use super::encoder::{Encoder, Work};
use super::turns::{AssistantPiece, Forms, Turn};
use super::values::{Json, join, says_something};
use crate::fields::{Fields, object, put};

const DEFAULT_MAX_TOKENS: i64 = 4096;

pub(crate) struct AnthropicMessages;

impl Encoder for AnthropicMessages {
    fn forms(&self) -> Forms {
        Forms { call_id: Form::new(is_plain, 64), tool_name: Form::new(is_plain, 128) }
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
