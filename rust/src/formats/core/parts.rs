//! Parts of messages, as JSON values: text, results, media.

use crate::formats::core::reading::Reading;
use crate::json::base64;
use crate::json::fields::{Fields, object};
use crate::json::json_text::json_text;
use crate::json::{Map, Value};
use crate::tables::media_types::EXTENSIONS;

const ANY_IMAGE: &str = "image/*";
const BYTES: &str = "application/octet-stream";

/// Returns a part of a kind.
pub(crate) fn part(kind: &str, payload: Map) -> Value {
    Value::Object(object([("kind", kind.into()), ("payload", payload.into())]))
}

/// Returns a part of text.
pub(crate) fn text_part(text: &str) -> Value {
    part("text", object([("text", text.into())]))
}

/// Returns the texts among parts: a system message has no others. What it has beside is reported.
pub(crate) fn texts_of(mut parts: Vec<Value>, place: &str, reading: &mut Reading) -> Vec<Value> {
    let count = parts.len();
    parts.retain(|part| part.text("kind") == "text");
    if parts.len() < count {
        reading.note("foreign-part", place);
    }
    parts
}

/// Returns a result; content that a message has no form for stands as JSON text and data.
pub(crate) fn result_part(call_id: &str, content: Value, is_error: bool) -> Value {
    let mut payload = object([("toolCallId", call_id.into()), ("isError", is_error.into())]);
    if matches!(content, Value::String(_) | Value::Array(_) | Value::Object(_)) {
        payload.insert("content", content);
    } else {
        payload.insert("content", json_text(&content).into());
        if !content.is_null() {
            payload.insert("structured", content);
        }
    }
    part("tool_result", payload)
}

/// Returns a result of any JSON value: text and objects as they are, others as text and data.
pub(crate) fn value_result(call_id: &str, value: Value, is_error: bool) -> Value {
    let Value::Array(_) = value else { return result_part(call_id, value, is_error) };
    let mut payload = object([("toolCallId", call_id.into()), ("isError", is_error.into())]);
    payload.insert("content", json_text(&value).into());
    payload.insert("structured", value);
    part("tool_result", payload)
}

/// Returns the part of bytes in Base64: an image, else media. None where it is not Base64.
pub(crate) fn inline(mime_type: &str, data: &str, name: Option<&str>) -> Option<Value> {
    if data.is_empty() || !base64::is_base64(data) {
        return None;
    }
    if mime_type.starts_with("image/") && name.is_none_or(str::is_empty) {
        let payload = object([("mimeType", mime_type.into()), ("data", data.into())]);
        return Some(part("image", payload));
    }
    let source = object([("kind", "inline".into()), ("data", data.into())]);
    Some(media_part(mime_type, source, name))
}

/// Returns the part of what is behind a URL, whose type nobody says: it is guessed.
pub(crate) fn url_part(url: &str, place: &str, is_image: bool, reading: &mut Reading) -> Value {
    reading.note("mime-invented", place);
    let mime_type = guessed_type(url).unwrap_or(if is_image { ANY_IMAGE } else { BYTES });
    if is_image {
        return part("image", object([("mimeType", mime_type.into()), ("url", url.into())]));
    }
    media_part(mime_type, object([("kind", "url".into()), ("url", url.into())]), None)
}

/// Returns media of any type.
pub(crate) fn media_part(mime_type: &str, source: Map, name: Option<&str>) -> Value {
    let mut payload = object([("mimeType", mime_type.into()), ("source", source.into())]);
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        payload.insert("name", name.into());
    }
    part("media", payload)
}

/// Returns a document that is text: media, inline.
pub(crate) fn text_document(text: &str, mime_type: &str, name: Option<&str>) -> Value {
    let data = base64::encode(text.as_bytes());
    media_part(mime_type, object([("kind", "inline".into()), ("data", data.into())]), name)
}

/// Returns the media type that the ending of a URL's path says.
fn guessed_type(url: &str) -> Option<&'static str> {
    let path = url.split(['?', '#']).next()?;
    let (_, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    let ending = ending.to_lowercase();
    EXTENSIONS.iter().find(|(each, _)| *each == ending).map(|(_, mime_type)| *mime_type)
}
