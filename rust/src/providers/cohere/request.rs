//! Cohere Chat v2: the contract's messages and configuration → a request body.
//!
//! - System prompt and system messages are messages of the role `system`, one per text of the prompt.
//! - The tool plan goes back as `tool_plan`, citations as `citations` as they came, thinking of
//!   Cohere's own as the blocks of content that it came in. Reasoning and citations of others are
//!   left out; what others ran is a block of text.
//! - Images of users go inline or by URL; no other media goes, but for what is said in it.
//! - One message per tool result. An object is its JSON text, text a block; a failed tool's text
//!   begins with `Error: `, since the format has no mark for it.
//! - `topP` is `p`. A tool choice is `REQUIRED` or `NONE`, for all tools at once, and so is
//!   `strict_tools`: one tool of several cannot be asked for.
//! - `cacheConfig` has nothing to mark: prompts are cached without it.
//!
//! Source: <https://docs.cohere.com/v2/reference/chat-stream>

use crate::json::{Value, json};

use crate::json::fields::{Fields, object, put};
use crate::providers::request_core::call_ids::{Form, is_plain};
use crate::providers::request_core::calls_and_results::{arguments_text, result_texts};
use crate::providers::request_core::chat::{messages, text_part, with_properties};
use crate::providers::request_core::encoder::{Encoder, Work};
use crate::providers::request_core::media::Media;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::turns::{
    AssistantPiece, AssistantTurn, Call, Forms, ResultContent, Said, Spoken, ToolResult, Turn,
    USER_MEDIA, UserPiece, words_of,
};
use crate::providers::request_core::values::{Json, join, push_text};

const MAX_STOPS: usize = 5;
const LEAST_TOP_P: f64 = 0.01;
const MOST_TOP_P: f64 = 0.99;

pub(crate) struct Cohere;

impl Encoder for Cohere {
    fn forms(&self) -> Forms {
        // Nothing is published about names and ids but that they are text; these are what others
        // take.
        Forms::new(Form::new(|_| true, 512), Form::new(is_plain, 256))
    }

    fn body(&self, work: &Work) -> Json {
        let model = work.request.model_id.clone();
        let messages = messages(work, |turn| turn_messages(turn, work.notes));
        let body = object([("model", model.into()), ("messages", messages.into())]);
        join(join(body, tools(work)), sampling(work))
    }

    fn defaults(&self, _: &Work) -> Json {
        object([("stream", true.into())])
    }
}

fn turn_messages(turn: &Turn, notes: &Notes) -> Vec<Value> {
    let message = match turn {
        Turn::Tool(results) => {
            return results.iter().map(|each| result_message(each, notes)).collect();
        }
        Turn::Assistant(turn) => assistant_message(turn, notes),
        Turn::System(said) => spoken_message("system", said, notes),
        Turn::User(said) => spoken_message("user", said, notes),
    };
    message.into_iter().collect()
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

// -------------------------------------------------------------------------------------------------
// Messages of Cohere Chat v2 requests, from turns.

const EXPECTED: &str = "text, or a JPEG, PNG, GIF or WebP image by URL or inline";

/// Returns a message of a user or the system, None where nothing of it can be sent.
pub(crate) fn spoken_message(role: &str, said: &Spoken, notes: &Notes) -> Option<Value> {
    let mut parts = Vec::new();
    for piece in &said.pieces {
        match piece {
            UserPiece::Text(said) => parts.push(text_part(said)),
            UserPiece::Media(piece) => match image_url(&piece.media) {
                Some(url) => parts.push(json!({"type": "image_url", "image_url": {"url": url}})),
                None => {
                    parts.extend(words_of(piece, EXPECTED, notes).map(|words| text_part(&words)));
                }
            },
        }
    }
    let content = match parts.as_slice() {
        [] => return None,
        [part] if part.text("type") == "text" => part.at("text").clone(),
        _ => parts.into(),
    };
    Some(json!({"role": role, "content": content}))
}

/// Returns the URL of an image, None for what is not an image or has no URL.
fn image_url(media: &Media) -> Option<String> {
    let url = media.data_url().or_else(|| media.url().map(str::to_owned));
    url.filter(|_| media.is_known_image())
}

/// Returns the message of a result.
pub(crate) fn result_message(result: &ToolResult, notes: &Notes) -> Value {
    let mut texts = result_texts(result, notes);
    if texts.is_empty() {
        texts.push(String::new());
    }
    let content = match texts.first_mut() {
        Some(text) if matches!(result.content, ResultContent::Object(_)) && !result.is_error => {
            json!(text)
        }
        first => {
            if let Some(first) = first.filter(|_| result.is_error) {
                first.insert_str(0, "Error: ");
            }
            texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
        }
    };
    json!({"role": "tool", "tool_call_id": result.call_id, "content": content})
}

/// Returns an assistant's message, None where nothing of it can be sent.
pub(crate) fn assistant_message(turn: &AssistantTurn, notes: &Notes) -> Option<Value> {
    let mut draft = Draft {
        notes,
        content: Vec::new(),
        calls: Vec::new(),
        plan: String::new(),
        citations: Vec::new(),
        joins: false,
    };
    for piece in &turn.pieces {
        draft.take(piece);
    }
    if draft.content.is_empty() && draft.calls.is_empty() {
        return None;
    }
    let mut message = json!({"role": "assistant"});
    for (name, list) in [("content", draft.content), ("tool_calls", draft.calls)] {
        if !list.is_empty() {
            put(&mut message, name, list);
        }
    }
    if !draft.plan.is_empty() {
        put(&mut message, "tool_plan", draft.plan);
    }
    if !draft.citations.is_empty() {
        put(&mut message, "citations", draft.citations);
    }
    Some(message)
}

/// An assistant's message that is being written.
struct Draft<'a> {
    notes: &'a Notes,
    content: Vec<Value>,
    calls: Vec<Value>,
    plan: String,
    citations: Vec<Value>,
    /// Whether text that comes next goes on with the last block.
    joins: bool,
}

impl Draft<'_> {
    fn take(&mut self, piece: &AssistantPiece) {
        match piece {
            AssistantPiece::State(item) => return self.keep(item),
            AssistantPiece::Media(piece) => {
                if let Some(words) = words_of(piece, USER_MEDIA, self.notes) {
                    self.text(&words);
                }
            }
            AssistantPiece::Text(said) => self.text(said),
            AssistantPiece::Thinking(said) => self.thinking(said),
            AssistantPiece::Call(call) => {
                call.state.iter().for_each(|item| self.keep(item));
                self.calls.push(call_of(call));
            }
        }
        self.joins = matches!(piece, AssistantPiece::Text(said) if !said.alone);
    }

    fn text(&mut self, said: &Said) {
        said.state.iter().for_each(|item| self.keep(item));
        let is_block = said.state.iter().any(|item| item.kind == "text");
        let begins = !self.joins || said.alone || is_block;
        match self.content.last_mut() {
            Some(last) if !begins => push_text(last, "text", &said.text),
            _ => self.content.push(text_part(said)),
        }
    }

    fn thinking(&mut self, said: &Said) {
        said.state.iter().for_each(|item| self.keep(item));
        if said.state.iter().any(|item| item.kind == "thinking") {
            self.content.push(json!({"type": "thinking", "thinking": said.text}));
        } else {
            self.notes.thinking_left_out(
                "Reasoning goes back only to the vendor that it came from; it is left out",
                &said.pointer,
            );
        }
    }

    /// Takes what the provider's state adds to a message beside its content and calls.
    fn keep(&mut self, item: &Item) {
        let Item { kind, data, pointer, .. } = item;
        match (kind.as_str(), data) {
            ("citation", Value::Object(_)) => self.citations.push(data.clone()),
            ("tool_plan", Value::String(plan)) => self.plan.push_str(plan),
            ("citation" | "tool_plan", _) => {
                self.notes.malformed(pointer, &format!("a {kind} as Cohere sends it"), data);
            }
            ("text" | "thinking", _) => {}
            _ => self.notes.response_only(pointer, kind),
        }
    }
}

fn call_of(call: &Call) -> Value {
    let function = json!({"name": call.name, "arguments": arguments_text(call)});
    json!({"id": call.call_id, "type": "function", "function": function})
}
