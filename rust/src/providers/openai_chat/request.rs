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
//! - An author's name is `name`; sound of an assistant's goes back by its id, as long as the vendor
//!   keeps it. What other providers ran is text, in a part by itself.
//! - Of media, images, WAV, MP3 and PDF go, which is all that OpenAI reads; a `file_ref`, whose type
//!   other vendors may know, goes as any file but audio and video.
//! - `cacheConfig` has nothing to mark: prompts are cached without it.
//!
//! Source: <https://platform.openai.com/docs/api-reference/chat/create>

use crate::json::{Value, json};

use crate::json::fields::{Fields, object, put};
use crate::providers::openai_chat::state::ChatState;
use crate::providers::request_core::call_ids::{Form, is_plain};
use crate::providers::request_core::calls_and_results::{arguments_text, result_texts};
use crate::providers::request_core::chat::{failure_text, messages, text_part, with_properties};
use crate::providers::request_core::encoder::{Encoder, Work};
use crate::providers::request_core::media::Media;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::turns::{
    AssistantPiece, AssistantTurn, Call, Forms, MediaKind, MediaPiece, ToolResult, Turn,
    USER_MEDIA, UserPiece, words_of,
};
use crate::providers::request_core::values::{Json, is_file_id, join};
use crate::tables::media_types::OPENAI_CHAT_AUDIO;

const MAX_STOPS: usize = 4;
const MAX_TEMPERATURE: f64 = 2.0;

pub(crate) struct OpenAiChat;

impl Encoder for OpenAiChat {
    fn forms(&self) -> Forms {
        let name = Form::new(is_plain, 64);
        let forms = Forms::new(Form::new(|_| true, 40), name);
        Forms { author: Some(name), ..forms }
    }

    fn body(&self, work: &Work) -> Json {
        let model = work.request.model_id.clone();
        let messages = messages(work, |turn| turn_messages(turn, work.notes));
        let body = object([("model", model.into()), ("messages", messages.into())]);
        join(join(body, tools(work)), sampling(work))
    }

    fn defaults(&self, _: &Work) -> Json {
        object([("stream", true.into()), ("stream_options", json!({"include_usage": true}))])
    }
}

fn turn_messages(turn: &Turn, notes: &Notes) -> Vec<Value> {
    let (message, name) = match turn {
        Turn::Tool(results) => {
            return results.iter().map(|each| result_message(each, notes)).collect();
        }
        Turn::Assistant(turn) => (assistant_message(turn, notes), &turn.name),
        Turn::System(said) | Turn::User(said) => {
            let role = if matches!(turn, Turn::System(_)) { "system" } else { "user" };
            let content = user_content(&said.pieces, notes);
            (content.map(|content| json!({"role": role, "content": content})), &said.name)
        }
    };
    let named = message.into_iter().map(|mut message| {
        if !name.is_empty() {
            put(&mut message, "name", name.clone());
        }
        message
    });
    named.collect()
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

fn sampling(work: &Work) -> Json {
    let mut members = work.sampling("max_completion_tokens", "top_p", MAX_TEMPERATURE);
    let stops = work.stop_sequences(MAX_STOPS);
    if !stops.is_empty() {
        members.insert("stop".to_owned(), stops.into());
    }
    members
}

// -------------------------------------------------------------------------------------------------
// Messages of chat completion requests, from turns.

const PDF: &str = "application/pdf";
const EXPECTED: &str = "an image by URL or inline; a file inline or uploaded; WAV or MP3 inline";

/// Returns a user's content: a string for one text, else parts; None for nothing.
pub(crate) fn user_content(pieces: &[UserPiece], notes: &Notes) -> Option<Value> {
    let mut parts = Vec::new();
    for piece in pieces {
        match piece {
            UserPiece::Text(said) => parts.push(text_part(said)),
            UserPiece::Media(piece) => match media_part(piece) {
                Some(part) => parts.push(part),
                None => {
                    parts.extend(words_of(piece, EXPECTED, notes).map(|words| text_part(&words)));
                }
            },
        }
    }
    content_of(parts)
}

fn media_part(piece: &MediaPiece) -> Option<Value> {
    let media = &piece.media;
    if piece.kind == MediaKind::Image {
        return image_part(media);
    }
    let part = file_part(media)?;
    // Of a file nobody may know the type; of media it is known, and with it what OpenAI reads.
    let is_odd = (part.text("type") == "file" && media.mime_type != PDF) || media.is_odd_image();
    (piece.kind == MediaKind::File || !is_odd).then_some(part)
}

fn image_part(media: &Media) -> Option<Value> {
    let inline = || media.data_url().filter(|_| media.is_image());
    let url = media.url().map(str::to_owned).or_else(inline)?;
    Some(json!({"type": "image_url", "image_url": {"url": url}}))
}

fn file_part(media: &Media) -> Option<Value> {
    if media.is_image() {
        return image_part(media);
    }
    if let Some(path) = media.path().filter(|path| is_file_id(path, "file-")) {
        return Some(json!({"type": "file", "file": {"file_id": path}}));
    }
    let data = media.data()?;
    let format = OPENAI_CHAT_AUDIO.iter().find(|(each, _)| *each == media.mime_type);
    if let Some((_, format)) = format {
        let audio = json!({"data": data, "format": format});
        return Some(json!({"type": "input_audio", "input_audio": audio}));
    }
    if media.plays() {
        return None;
    }
    let file = json!({"filename": media.file_name(), "file_data": media.data_url()});
    Some(json!({"type": "file", "file": file}))
}

/// Returns the message of a result; the format has no mark for a failure, so its text says it.
pub(crate) fn result_message(result: &ToolResult, notes: &Notes) -> Value {
    let mut texts = result_texts(result, notes);
    if result.is_error {
        if texts.is_empty() {
            texts.push(String::new());
        }
        if let Some(first) = texts.first_mut() {
            *first = failure_text(first);
        }
    }
    let parts = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
    let content = content_of(parts).unwrap_or_else(|| "".into());
    json!({"role": "tool", "tool_call_id": result.call_id, "content": content})
}

/// Returns an assistant's message, None where nothing of it can be sent.
pub(crate) fn assistant_message(turn: &AssistantTurn, notes: &Notes) -> Option<Value> {
    let mut state = ChatState::new(turn, notes);
    let (mut parts, mut calls) = (Vec::new(), Vec::new());
    let (mut refusal, mut alone) = (None, false);
    for piece in &turn.pieces {
        match piece {
            AssistantPiece::Text(said) if said.state.iter().any(|item| item.kind == "refusal") => {
                refusal.get_or_insert_with(String::new).push_str(&said.text);
            }
            AssistantPiece::Text(said) => {
                alone |= said.alone;
                parts.push(text_part(said));
            }
            AssistantPiece::Thinking(said) => parts.extend(state.thinking(said)),
            AssistantPiece::Call(call) => calls.push(call_of(call, &state)),
            AssistantPiece::State(item) => parts.extend(state.between(item)),
            AssistantPiece::Media(piece) => {
                if !state.sound(piece) {
                    let words = words_of(piece, USER_MEDIA, notes);
                    alone |= words.is_some();
                    parts.extend(words.map(|words| text_part(&words)));
                }
            }
        }
    }
    if turn.own && !alone && parts.iter().all(|part| part.text("type") == "text") {
        // It was one string when it came.
        let text: String = parts.iter().map(|part| part.text("text")).collect();
        let whole = json!({"type": "text", "text": text});
        parts = if text.is_empty() { Vec::new() } else { vec![whole] };
    }
    let members = state.into_members();
    let is_empty = parts.is_empty() && refusal.is_none() && calls.is_empty();
    if is_empty && !members.contains_key("audio") {
        return None;
    }
    let content = content_of(parts).unwrap_or_default();
    let mut message = join(object([("role", "assistant".into()), ("content", content)]), members);
    if let Some(refusal) = refusal {
        message.insert("refusal".to_owned(), refusal.into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    Some(message.into())
}

fn call_of(call: &Call, state: &ChatState) -> Value {
    let function = json!({"name": call.name, "arguments": arguments_text(call)});
    let made = [("id", json!(call.call_id)), ("type", "function".into()), ("function", function)];
    join(object(made), state.of_call(call)).into()
}

/// Returns content as its parts, one text as a string, which every vendor takes.
fn content_of(parts: Vec<Value>) -> Option<Value> {
    match parts.as_slice() {
        [] => None,
        [part] if part.text("type") == "text" => Some(part.at("text").clone()),
        _ => Some(parts.into()),
    }
}
