//! Arguments and results as several formats take them: as an object, or as texts.

use crate::json::Value;

use crate::errors::clip_text;
use crate::json::json_text::json_text;
use crate::message::assembler::arguments::parse_arguments;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::turns::{Call, ResultContent, ToolResult, UserPiece, words_of};
use crate::providers::request_core::values::Json;

pub(crate) const WIDE_INTEGER: &str = "encode/wide-integer";
// Nested deeper, arguments are not read.
const MAX_DEPTH: usize = 900;

/// Returns a call's arguments, for providers that take them as an object only.
pub(crate) fn object_arguments(call: &Call, notes: &Notes) -> Json {
    let Some(raw) = &call.raw_args else { return call.arguments.clone() };
    let place = format!("{}/payload/rawArgsText", call.pointer);
    // Blank text, which is `{}` elsewhere, says nothing of the arguments here.
    let parsed = if raw.trim().is_empty() { None } else { parse_arguments(raw, MAX_DEPTH) };
    let Some(parsed) = parsed.filter(|parsed| parsed.error.is_none()) else {
        notes.add_with(
            "encode/arguments-lost",
            "The provider takes arguments as an object only; text that is none is left out",
            &place,
            "a JSON object",
            clip_text(raw),
        );
        return call.arguments.clone();
    };
    if !parsed.keep_text {
        return parsed.value;
    }
    notes.add_with(
        WIDE_INTEGER,
        "Not every JSON value keeps an integer of the arguments; the request as text does",
        &place,
        "integers within ±(2^53 - 1)",
        clip_text(raw),
    );
    notes.kept_exact(raw).unwrap_or(parsed.value)
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
                texts.extend(words_of(piece, expected, notes).map(|words| words.text));
            }
        }
    }
    texts
}
