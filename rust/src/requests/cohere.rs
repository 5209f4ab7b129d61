//! Cohere Chat v2: the contract's messages and configuration → a request body.
//!
//! - System prompt and system messages are messages of the role `system`, one per text of the prompt.
//! - The tool plan goes back as `tool_plan`, citations as `citations`, thinking of Cohere's own as the
//!   blocks of content that it came in. Reasoning of others is left out.
//! - Images of users go inline or by URL; no other media goes.
//! - One message per tool result. An object is its JSON text, text a block; a failed tool's text
//!   begins with `Error: `, since the format has no mark for it.
//! - `topP` is `p`. A tool choice is `REQUIRED` or `NONE`, for all tools at once, and so is
//!   `strict_tools`: one tool of several cannot be asked for.
//! - `cacheConfig` has nothing to mark: prompts are cached without it.
//!
//! Source: <https://docs.cohere.com/v2/reference/chat-stream>

use serde_json::{Value, json};

use super::call_ids::{Form, is_plain};
use super::cohere_messages::{assistant_message, result_message, spoken_message};
use super::encoder::{Encoder, Work};
use super::openai_chat::with_properties;
use super::turns::{Forms, Turn};
use super::values::{Json, join};
use crate::fields::{Fields, object, put};

const MAX_STOPS: usize = 5;
const LEAST_TOP_P: f64 = 0.01;
const MOST_TOP_P: f64 = 0.99;

pub(crate) struct Cohere;

impl Encoder for Cohere {
    fn forms(&self) -> Forms {
        // Nothing is published about names and ids but that they are text; these are what others
        // take.
        Forms { call_id: Form::new(|_| true, 512), tool_name: Form::new(is_plain, 256) }
    }

    fn body(&self, work: &Work) -> Json {
        let model = work.request.model_id.clone();
        let body = object([("model", model.into()), ("messages", messages(work).into())]);
        join(join(body, tools(work)), sampling(work))
    }

    fn defaults(&self, _: &Work) -> Json {
        object([("stream", true.into())])
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
            Turn::System(said) => (spoken_message("system", said, work.notes), &said.pointer),
            Turn::User(said) => (spoken_message("user", said, work.notes), &said.pointer),
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
    let mut strict = Vec::new();
    for (_, spec, schema) in work.tools() {
        let mut function =
            json!({"name": spec.text("name"), "parameters": with_properties(schema)});
        if let Some(description) = spec.get("description") {
            put(&mut function, "description", description.clone());
        }
        names.push(spec.text("name"));
        tools.push(json!({"type": "function", "function": function}));
        strict.push(spec.flag("strict"));
    }
    if !tools.is_empty() {
        members.insert("tools".to_owned(), tools.into());
    }
    if strict.contains(&true) {
        if strict.contains(&false) {
            refuse_strict(work);
        } else {
            members.insert("strict_tools".to_owned(), true.into());
        }
    }
    if let Some(choice) = choice_of(work, &names) {
        members.insert("tool_choice".to_owned(), choice.into());
    }
    members
}

fn refuse_strict(work: &Work) {
    for (number, spec) in work.request.tools.iter().enumerate() {
        if spec.flag("strict") {
            let place = format!("/toolSpecs/{number}/strict");
            work.notes.unsupported_config(&place, "the same for all tools", &json!(true));
        }
    }
}

fn choice_of(work: &Work, names: &[&str]) -> Option<&'static str> {
    let choice = work.request.choice.as_ref().filter(|choice| choice.mode != "auto")?;
    if !work.choice_holds(names) {
        return None;
    }
    if choice.mode == "none" {
        return Some("NONE");
    }
    let is_sole =
        names == [choice.tool_name.as_str()] && !work.request.extensions.contains_key("tools");
    if choice.mode == "required" || is_sole {
        return Some("REQUIRED");
    }
    let expected = "auto, required, none, or the only tool there is";
    work.notes.unsupported_config(&choice.pointer, expected, &json!(choice.tool_name));
    None
}

fn sampling(work: &Work) -> Json {
    let request = work.request;
    let mut members = Json::new();
    if let Some(given) = &request.max_tokens {
        members.insert("max_tokens".to_owned(), given.clone());
    }
    members.extend(work.temperature(1.0));
    if let Some(given) = &request.top_p {
        if given.as_f64().is_some_and(|given| (LEAST_TOP_P..=MOST_TOP_P).contains(&given)) {
            members.insert("p".to_owned(), given.clone());
        } else {
            let expected = format!("from {LEAST_TOP_P} to {MOST_TOP_P}");
            work.notes.unsupported_config("/config/topP", &expected, given);
        }
    }
    let stops = work.stop_sequences(MAX_STOPS);
    if !stops.is_empty() {
        members.insert("stop_sequences".to_owned(), stops.into());
    }
    members
}
