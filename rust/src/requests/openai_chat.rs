//! Chat completions: the contract's messages and configuration → a request body.
//!
//! For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:
//!
//! - System prompt and system messages are messages of the role `system`, which every vendor takes
//!   and OpenAI reads as `developer` where a model wants that.
//! - One message per tool result; a failed tool's text begins with `Error: `, since the format has
//!   no mark for it. Argument text is what the model wrote where that is kept, else the arguments as
//!   JSON.
//! - `maxTokens` is `max_completion_tokens`: `max_tokens` is out of date, and refused by reasoning
//!   models. For a vendor that knows only the old name, give `max_tokens` as a member of the
//!   configuration in place of `maxTokens`.
//! - `stream_options` asks for usage; a vendor that does not know it wants another value from the
//!   configuration.
//! - Reasoning, and what vendors keep with it, goes back as the message's own vendor sent it;
//!   reasoning of others is left out. A refusal goes back as `refusal`.
//! - Of media, images, WAV, MP3 and PDF go, which is all that OpenAI reads; a `file_ref`, whose type
//!   other vendors may know, goes as any file but audio and video.
//! - `cacheConfig` has nothing to mark: prompts are cached without it.
//!
//! Source: <https://platform.openai.com/docs/api-reference/chat/create>

use serde_json::{Value, json};

use super::call_ids::{Form, is_plain};
use super::chat_messages::{assistant_message, result_message, user_content};
use super::encoder::{Encoder, Work};
use super::turns::{Forms, Turn};
use super::values::{Json, join};
use crate::fields::{Fields, object, put};

const MAX_STOPS: usize = 4;
const MAX_TEMPERATURE: f64 = 2.0;

pub(crate) struct OpenAiChat;

impl Encoder for OpenAiChat {
    fn forms(&self) -> Forms {
        Forms { call_id: Form::new(|_| true, 40), tool_name: Form::new(is_plain, 64) }
    }

    fn body(&self, work: &Work) -> Json {
        let model = work.request.model_id.clone();
        let body = object([("model", model.into()), ("messages", messages(work).into())]);
        join(join(body, tools(work)), sampling(work))
    }

    fn defaults(&self, _: &Work) -> Json {
        object([("stream", true.into()), ("stream_options", json!({"include_usage": true}))])
    }
}

fn messages(work: &Work) -> Vec<Value> {
    let system = work.request.system.iter();
    let mut messages: Vec<Value> =
        system.map(|(text, _)| json!({"role": "system", "content": text})).collect();
    for turn in work.turns {
        let (made, pointer) = match turn {
            Turn::Tool(results) => {
                messages.extend(results.iter().map(|each| result_message(each, work.notes)));
                continue;
            }
            Turn::Assistant(turn) => (assistant_message(turn, work.notes), &turn.pointer),
            Turn::System(said) | Turn::User(said) => {
                let role = if matches!(turn, Turn::System(_)) { "system" } else { "user" };
                let content = user_content(&said.pieces, work.notes);
                (content.map(|content| json!({"role": role, "content": content})), &said.pointer)
            }
        };
        match made {
            Some(message) => messages.push(message),
            None => work.notes.empty_message(pointer),
        }
    }
    messages
}

fn tools(work: &Work) -> Json {
    let (mut members, mut tools, mut names) = (Json::new(), Vec::new(), Vec::new());
    for (_, spec, schema) in work.tools() {
        let mut function =
            json!({"name": spec.text("name"), "parameters": with_properties(schema)});
        for name in ["description", "strict"] {
            if let Some(value) = spec.get(name) {
                put(&mut function, name, value.clone());
            }
        }
        names.push(spec.text("name"));
        tools.push(json!({"type": "function", "function": function}));
    }
    if !tools.is_empty() {
        members.insert("tools".to_owned(), tools.into());
    }
    if let Some(choice) = work.request.choice.as_ref().filter(|_| work.choice_holds(&names)) {
        let function = json!({"type": "function", "function": {"name": choice.tool_name}});
        let said = if choice.mode == "tool" { function } else { json!(choice.mode) };
        members.insert("tool_choice".to_owned(), said);
    }
    members
}

/// Returns a schema that names its properties, which some vendors want even where there are none.
pub(crate) fn with_properties(schema: Json) -> Json {
    join(object([("properties", json!({}))]), schema)
}

fn sampling(work: &Work) -> Json {
    let mut members = work.sampling("max_completion_tokens", "top_p", MAX_TEMPERATURE);
    let stops = work.stop_sequences(MAX_STOPS);
    if !stops.is_empty() {
        members.insert("stop".to_owned(), stops.into());
    }
    members
}
