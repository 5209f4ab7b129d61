//! Arguments and results as several formats take them: as an object, or as texts.

use serde_json::Value;

use super::notes::Notes;
use super::turns::{Call, ResultContent, ToolResult, UserPiece};
use super::values::{Json, json_text, parsed};
use crate::error::clip_text;

/// Returns a call's arguments, for providers that take them as an object only.
pub(crate) fn object_arguments(call: &Call, notes: &Notes) -> Json {
    let Some(raw) = &call.raw_args else { return call.arguments.clone() };
    if let Some(Value::Object(arguments)) = parsed(raw) {
        return arguments;
    }
    notes.add_with(
        "encode/arguments-lost",
        "The provider takes arguments as an object only; text that is none is left out",
        &format!("{}/payload/rawArgsText", call.pointer),
        "a JSON object",
        clip_text(raw),
    );
    call.arguments.clone()
}

/// Returns a call's arguments, for providers that take them as text.
pub(crate) fn arguments_text(call: &Call) -> String {
    let made = || json_text(&Value::Object(call.arguments.clone()));
    call.raw_args.clone().unwrap_or_else(made)
}

/// Returns a result's texts, for providers that take nothing else; the rest is noted.
pub(crate) fn result_texts(result: &ToolResult, notes: &Notes) -> Vec<String> {
    let pieces = match &result.content {
        ResultContent::Text(text) => return vec![text.clone()],
        ResultContent::Object(members) => return vec![json_text(&Value::Object(members.clone()))],
        ResultContent::Pieces(pieces) => pieces,
    };
    let mut texts = Vec::new();
    for piece in pieces {
        match piece {
            UserPiece::Text(said) => texts.push(said.text.clone()),
            UserPiece::Media(piece) => {
                let expected = "text: a tool's result is nothing else";
                notes.unsupported_part(&piece.pointer, expected, piece.media.said());
            }
        }
    }
    texts
}
