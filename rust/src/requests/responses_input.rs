//! What users and tools say in Responses requests: content and outputs of calls.

use serde_json::{Value, json};

use super::chat_messages::{failure_text, file_name};
use super::media::Media;
use super::notes::Notes;
use super::turns::{MediaKind, MediaPiece, ResultContent, ToolResult, UserPiece};
use super::values::{is_file_id, json_text};
use crate::fields::{Fields, put};

const EXPECTED: &str = "an image or a document: by URL, inline or uploaded";
const APPLICATIONS: [&str; 20] = [
    "pdf",
    "rtf",
    "msword",
    "json",
    "xml",
    "csv",
    "sql",
    "toml",
    "yaml",
    "sh",
    "python",
    "javascript",
    "typescript",
    "httpd-php",
    "x-yaml",
    "x-sh",
    "x-python",
    "x-javascript",
    "x-typescript",
    "x-httpd-php",
];
const VENDORS: [&str; 8] = [
    "vnd.ms-word",
    "vnd.ms-excel",
    "vnd.ms-powerpoint",
    "vnd.openxmlformats-officedocument",
    "vnd.oasis.opendocument",
    "vnd.apple.pages",
    "vnd.apple.keynote",
    "vnd.apple.numbers",
];

/// Returns content: a string for one text, else its parts; None for nothing.
pub(crate) fn said_content(pieces: &[UserPiece], notes: &Notes) -> Option<Value> {
    content_of(pieces.iter().filter_map(|piece| part_of(piece, notes)).collect())
}

/// Returns what a tool gave; the format has no mark for a failure, so its text says it.
pub(crate) fn output_of(result: &ToolResult, notes: &Notes) -> Value {
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let mut parts = Vec::new();
    let pieces = match &result.content {
        ResultContent::Text(said) => {
            parts.push(text(said));
            &[]
        }
        ResultContent::Object(members) => {
            parts.push(text(&json_text(&members.clone().into())));
            &[]
        }
        ResultContent::Pieces(pieces) => pieces.as_slice(),
    };
    // What fails begins with a text, also where media that cannot be sent stood before it.
    let is_said = !parts.is_empty() || matches!(pieces.first(), Some(UserPiece::Text(_)));
    parts.extend(pieces.iter().filter_map(|piece| part_of(piece, notes)));
    if result.is_error {
        match parts.first_mut().filter(|_| is_said) {
            Some(first) => {
                let said = failure_text(first.text("text"));
                put(first, "text", said);
            }
            None => parts.insert(0, text("Error")),
        }
    }
    content_of(parts).unwrap_or_else(|| json!(""))
}

fn content_of(parts: Vec<Value>) -> Option<Value> {
    match parts.as_slice() {
        [] => None,
        [part] if part.text("type") == "input_text" => Some(part.at("text").clone()),
        _ => Some(parts.into()),
    }
}

fn part_of(piece: &UserPiece, notes: &Notes) -> Option<Value> {
    let piece = match piece {
        UserPiece::Text(said) => return Some(json!({"type": "input_text", "text": said.text})),
        UserPiece::Media(piece) => piece,
    };
    let part = media_part(piece);
    if part.is_none() {
        notes.unsupported_part(&piece.pointer, EXPECTED, piece.media.said());
    }
    part
}

fn media_part(piece: &MediaPiece) -> Option<Value> {
    let media = &piece.media;
    match piece.kind {
        MediaKind::Image => image_part(media),
        // Of a file nobody may know the type; of media it is known.
        MediaKind::Attachment if !is_read(media) => None,
        MediaKind::File | MediaKind::Attachment => file_part(media),
    }
}

fn image_part(media: &Media) -> Option<Value> {
    let mut part = json!({"type": "input_image", "detail": "auto"});
    let inline = || media.data_url().filter(|_| media.is_image());
    if let Some(url) = media.url().map(str::to_owned).or_else(inline) {
        put(&mut part, "image_url", url);
    } else {
        put(&mut part, "file_id", media.path().filter(|path| is_file_id(path, "file-"))?);
    }
    Some(part)
}

fn file_part(media: &Media) -> Option<Value> {
    if media.is_image() {
        return image_part(media);
    }
    if media.plays() {
        return None;
    }
    if let Some(url) = media.url() {
        return Some(json!({"type": "input_file", "file_url": url}));
    }
    if let Some(path) = media.path() {
        let file = json!({"type": "input_file", "file_id": path});
        return is_file_id(path, "file-").then_some(file);
    }
    let data = media.data_url()?;
    Some(json!({"type": "input_file", "filename": file_name(media), "file_data": data}))
}

/// Tells whether the provider publishes that it reads a type.
fn is_read(media: &Media) -> bool {
    if media.is_known_image() {
        return true;
    }
    let is_line = |text: &str| !text.contains('\n');
    let Some((family, name)) = media.mime_type.split_once('/') else { return false };
    if family == "text" {
        return !name.is_empty() && is_line(name);
    }
    let is_structured = ["+json", "+xml"]
        .iter()
        .any(|ending| name.strip_suffix(ending).is_some_and(|head| !head.is_empty()));
    let is_office = VENDORS.iter().any(|vendor| name.starts_with(vendor));
    family == "application"
        && is_line(name)
        && (APPLICATIONS.contains(&name) || is_office || is_structured)
}
