//! Messages of chat completion requests, from turns.

use serde_json::{Value, json};

use super::calls_and_results::{arguments_text, result_texts};
use super::chat_state::ChatState;
use super::media::Media;
use super::notes::Notes;
use super::turns::{
    AssistantPiece, AssistantTurn, Call, MediaKind, MediaPiece, ToolResult, UserPiece,
};
use super::values::{is_file_id, join};
use crate::fields::{Fields, object};

const PDF: &str = "application/pdf";
const EXPECTED: &str = "an image by URL or inline; a file inline or uploaded; WAV or MP3 inline";

/// Returns a user's content: a string for one text, else parts; None for nothing.
pub(crate) fn user_content(pieces: &[UserPiece], notes: &Notes) -> Option<Value> {
    let mut parts = Vec::new();
    for piece in pieces {
        match piece {
            UserPiece::Text(said) => parts.push(json!({"type": "text", "text": said.text})),
            UserPiece::Media(piece) => match media_part(piece) {
                Some(part) => parts.push(part),
                None => notes.unsupported_part(&piece.pointer, EXPECTED, piece.media.said()),
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
    let format = match media.mime_type.as_str() {
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        _ => "",
    };
    if !format.is_empty() {
        let audio = json!({"data": data, "format": format});
        return Some(json!({"type": "input_audio", "input_audio": audio}));
    }
    if media.plays() {
        return None;
    }
    let file = json!({"filename": file_name(media), "file_data": media.data_url()});
    Some(json!({"type": "file", "file": file}))
}

/// Returns the name of a file, which a provider wants where it is inline.
pub(crate) fn file_name(media: &Media) -> &str {
    match media.name.as_str() {
        "" if media.mime_type == PDF => "file.pdf",
        "" => "file",
        name => name,
    }
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

/// Returns the text of a failure.
pub(crate) fn failure_text(said: &str) -> String {
    if said.is_empty() { "Error".to_owned() } else { format!("Error: {said}") }
}

/// Returns an assistant's message, None where nothing of it can be sent.
pub(crate) fn assistant_message(turn: &AssistantTurn, notes: &Notes) -> Option<Value> {
    let mut state = ChatState::new(turn, notes);
    let (mut parts, mut calls) = (Vec::new(), Vec::new());
    let mut refusal = None;
    for piece in &turn.pieces {
        match piece {
            AssistantPiece::Text(said) if said.state.iter().any(|item| item.kind == "refusal") => {
                refusal.get_or_insert_with(String::new).push_str(&said.text);
            }
            AssistantPiece::Text(said) => parts.push(json!({"type": "text", "text": said.text})),
            AssistantPiece::Thinking(said) => parts.extend(state.thinking(said)),
            AssistantPiece::Call(call) => calls.push(call_of(call, &state)),
            AssistantPiece::State(item) => parts.extend(state.between(item)),
            AssistantPiece::Media(piece) => {
                notes.assistant_media(&piece.pointer, piece.media.said());
            }
        }
    }
    if turn.own && parts.iter().all(|part| part.text("type") == "text") {
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
