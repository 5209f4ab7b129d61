//! OpenAI Responses: the contract's messages and configuration → a request body.
//!
//! For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:
//!
//! - The whole conversation is `input`: nothing depends on what the provider stores, unless the
//!   configuration says `previous_response_id` and the caller gives what is new alone.
//! - System prompt and system messages are messages of the role `system`; `instructions`, which some
//!   vendors refuse, is the configuration's to give.
//! - Items that the provider made go back as they came: reasoning, encrypted or not, built-in tools,
//!   messages and calls under their ids. Reasoning is known to the provider by its id where responses
//!   are stored; with `"store": false` ask for `"include": ["reasoning.encrypted_content"]`, which
//!   models without reasoning refuse.
//! - A tool's failure begins with `Error: `, since the format has no mark for it.
//! - Of media, images and documents go whose type OpenAI publishes; a `file_ref` goes as any file but
//!   audio and video.
//! - Functions are strict only where the tool says so: the provider's default is otherwise.
//! - There are no stop sequences; `cacheConfig` has nothing to mark: prompts are cached without it.
//!
//! Source: <https://platform.openai.com/docs/api-reference/responses/create>

use serde_json::{Value, json};

use super::call_ids::{Form, is_plain};
use super::encoder::{Encoder, Work};
use super::openai_chat::with_properties;
use super::responses_input::{output_of, said_content};
use super::responses_output::ResponsesOutput;
use super::turns::{Forms, ToolResult, Turn};
use super::values::{Json, join};
use crate::fields::{Fields, object, put};

const MAX_TEMPERATURE: f64 = 2.0;

pub(crate) struct OpenAiResponses;

impl Encoder for OpenAiResponses {
    fn forms(&self) -> Forms {
        Forms { call_id: Form::new(|_| true, 64), tool_name: Form::new(is_plain, 64) }
    }

    fn body(&self, work: &Work) -> Json {
        let model = work.request.model_id.clone();
        let body = object([("model", model.into()), ("input", input(work).into())]);
        join(join(body, tools(work)), sampling(work))
    }

    fn defaults(&self, _: &Work) -> Json {
        object([("stream", true.into())])
    }
}

fn input(work: &Work) -> Vec<Value> {
    let is_stored = work.request.extensions.get("store") != Some(&Value::Bool(false));
    let mut output = ResponsesOutput::new(work.notes, is_stored);
    let system = work.request.system.iter();
    let mut items: Vec<Value> =
        system.map(|(text, _)| json!({"role": "system", "content": text})).collect();
    for turn in work.turns {
        let (made, pointer) = match turn {
            Turn::Tool(results) => {
                items.extend(results.iter().map(|result| result_item(result, work, &output)));
                continue;
            }
            Turn::Assistant(turn) => (output.items(turn), &turn.pointer),
            Turn::System(said) | Turn::User(said) => {
                let role = if matches!(turn, Turn::System(_)) { "system" } else { "user" };
                let content = said_content(&said.pieces, work.notes);
                let item = content.map(|content| json!({"role": role, "content": content}));
                (item.into_iter().collect(), &said.pointer)
            }
        };
        if made.is_empty() {
            work.notes.empty_message(pointer);
        }
        items.extend(made);
    }
    items
}

fn result_item(result: &ToolResult, work: &Work, output: &ResponsesOutput) -> Value {
    let is_custom = output.custom.contains(&result.call_id);
    let kind = if is_custom { "custom_tool_call_output" } else { "function_call_output" };
    let said = output_of(result, work.notes);
    let mut item = json!({"type": kind, "call_id": result.call_id, "output": said});
    if let Some(caller) = output.callers.get(&result.call_id) {
        put(&mut item, "caller", caller.clone());
    }
    item
}

fn tools(work: &Work) -> Json {
    let (mut members, mut tools, mut names) = (Json::new(), Vec::new(), Vec::new());
    for (_, spec, schema) in work.tools() {
        let mut tool = json!({
            "type": "function",
            "name": spec.text("name"),
            "parameters": with_properties(schema),
            "strict": spec.flag("strict"),
        });
        if let Some(description) = spec.get("description") {
            put(&mut tool, "description", description.clone());
        }
        names.push(spec.text("name"));
        tools.push(tool);
    }
    if !tools.is_empty() {
        members.insert("tools".to_owned(), tools.into());
    }
    if let Some(choice) = work.request.choice.as_ref().filter(|_| work.choice_holds(&names)) {
        let function = json!({"type": "function", "name": choice.tool_name});
        let said = if choice.mode == "tool" { function } else { json!(choice.mode) };
        members.insert("tool_choice".to_owned(), said);
    }
    members
}

fn sampling(work: &Work) -> Json {
    let members = work.sampling("max_output_tokens", "top_p", MAX_TEMPERATURE);
    work.stops_that(|_| false, "no stop sequences");
    members
}
