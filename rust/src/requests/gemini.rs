//! Gemini: the contract's messages and configuration → a body of `streamGenerateContent`.
//!
//! The body is that of the REST API; `model`, which the REST API has in its path, stands beside.
//!
//! - System prompt and system messages are `systemInstruction`. A system message behind others moves
//!   there (`encode/moved-system`).
//! - Assistants' messages in a row become one. Results are one content, in the order of their calls.
//! - Thought signatures stand in the part that they came in, parts of the provider's own where they
//!   stood. Reasoning goes back with the state that it came with; that of others is left out.
//! - A call goes back with the provider's id, and without one where the provider gave none.
//! - Images, files and media of the model go back as it has them: inline, or by URI.
//! - A result is `output`, or `error` where it failed; an object stands for itself.
//! - `cacheConfig` has nothing to mark: prompts are cached without it, or as `cachedContent`.
//!
//! Source: <https://ai.google.dev/api/generate-content>

use serde_json::{Value, json};

use super::call_ids::Form;
use super::encoder::{Encoder, Work};
use super::gemini_content::GeminiContent;
use super::inputs::Choice;
use super::turns::{AssistantPiece, Forms, Turn, UserPiece};
use super::values::{Json, join};
use crate::fields::{Fields, object, put};

const MAX_STOPS: usize = 5;
const MAX_TEMPERATURE: f64 = 2.0;

pub(crate) struct Gemini;

impl Encoder for Gemini {
    fn forms(&self) -> Forms {
        let takes = |char: char| char.is_ascii_alphanumeric() || "_.:-".contains(char);
        let begins = |char: char| char.is_ascii_alphabetic() || char == '_';
        let call_id = Form::new(|char| char.is_ascii_graphic(), 512);
        Forms { call_id, tool_name: Form { takes, begins, chars: 128 } }
    }

    fn body(&self, work: &Work) -> Json {
        let (system, contents) = contents(work);
        let model = work.request.model_id.clone();
        let mut body = object([("model", model.into()), ("contents", contents.into())]);
        if !system.is_empty() {
            body.insert("systemInstruction".to_owned(), json!({"parts": system}));
        }
        let mut body = join(body, tools(work));
        let generation = generation(work);
        if !generation.is_empty() {
            body.insert("generationConfig".to_owned(), generation.into());
        }
        body
    }

    /// Returns the continuation token, where the last answer is to go on.
    fn defaults(&self, work: &Work) -> Json {
        let mut found = Json::new();
        for (number, turn) in work.turns.iter().enumerate() {
            let Turn::Assistant(turn) = turn else { continue };
            for piece in &turn.pieces {
                let AssistantPiece::State(item) = piece else { continue };
                if item.kind != "continuationToken" {
                    continue;
                }
                if number + 1 != work.turns.len() {
                    work.notes.response_only(&item.pointer, &item.kind);
                } else if item.data.is_string() {
                    found.insert(item.kind.clone(), item.data.clone());
                } else {
                    work.notes.malformed(&item.pointer, "a token as text", &item.data);
                }
            }
        }
        found
    }
}

// --- contents -----------------------------------------------------------------------------------

fn contents(work: &Work) -> (Vec<Value>, Vec<Value>) {
    let mut content = GeminiContent::new(work.notes);
    let prompt = work.request.system.iter();
    let mut system: Vec<Value> = prompt.map(|(text, _)| json!({"text": text})).collect();
    let mut contents: Vec<Value> = Vec::new();
    for turn in work.turns {
        let (role, parts, pointer) = match turn {
            Turn::System(said) => {
                if said.pieces.is_empty() {
                    work.notes.empty_message(&said.pointer);
                } else if !contents.is_empty() {
                    work.notes.moved_system(&said.pointer);
                }
                system.extend(said.pieces.iter().filter_map(|piece| match piece {
                    UserPiece::Text(text) => Some(json!({"text": text.text})),
                    UserPiece::Media(_) => None,
                }));
                continue;
            }
            Turn::User(said) => ("user", content.user(&said.pieces), Some(&said.pointer)),
            Turn::Assistant(turn) => ("model", content.assistant(turn), Some(&turn.pointer)),
            Turn::Tool(results) => {
                let parts = results.iter().map(|result| content.result(result)).collect();
                ("user", parts, None)
            }
        };
        add(&mut contents, role, parts, || {
            if let Some(at) = pointer {
                work.notes.empty_message(at);
            }
        });
    }
    (system, contents)
}

fn add(contents: &mut Vec<Value>, role: &str, parts: Vec<Value>, note_empty: impl Fn()) {
    if parts.is_empty() {
        return note_empty();
    }
    let last = contents.last_mut().filter(|last| role == "model" && last.text("role") == role);
    match last.and_then(|last| last.get_mut("parts")).and_then(Value::as_array_mut) {
        Some(known) => known.extend(parts),
        None => contents.push(json!({"role": role, "parts": parts})),
    }
}

// --- tools and configuration --------------------------------------------------------------------

fn tools(work: &Work) -> Json {
    let (mut members, mut declarations, mut names) = (Json::new(), Vec::new(), Vec::new());
    for (place, spec, schema) in work.tools() {
        let mut made = json!({"name": spec.text("name"), "parametersJsonSchema": schema});
        if let Some(description) = spec.get("description") {
            put(&mut made, "description", description.clone());
        }
        if spec.flag("strict") {
            let expected = "a tool that need not be strict";
            work.notes.unsupported_config(&format!("{place}/strict"), expected, &json!(true));
        }
        names.push(spec.text("name"));
        declarations.push(made);
    }
    if !declarations.is_empty() {
        members.insert("tools".to_owned(), json!([{"functionDeclarations": declarations}]));
    }
    if let Some(choice) = work.request.choice.as_ref().filter(|_| work.choice_holds(&names)) {
        let config = json!({"functionCallingConfig": calling_config(choice)});
        members.insert("toolConfig".to_owned(), config);
    }
    members
}

fn calling_config(choice: &Choice) -> Value {
    match choice.mode.as_str() {
        "tool" => json!({"mode": "ANY", "allowedFunctionNames": [choice.tool_name]}),
        "required" => json!({"mode": "ANY"}),
        "none" => json!({"mode": "NONE"}),
        _ => json!({"mode": "AUTO"}),
    }
}

fn generation(work: &Work) -> Json {
    let mut members = work.sampling("maxOutputTokens", "topP", MAX_TEMPERATURE);
    let stops = work.stop_sequences(MAX_STOPS);
    if !stops.is_empty() {
        members.insert("stopSequences".to_owned(), stops.into());
    }
    members
}
