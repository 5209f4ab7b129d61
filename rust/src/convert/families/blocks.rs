//! Messages, and those of the family `blocks`, document by document.
//!
//! A tool's message becomes a user's with result blocks. A message of blocks that holds results
//! beside other blocks becomes several messages; `meta.blocks` of the later ones says
//! `{"joined": true}`, and they become one again on the way back.

use std::collections::HashSet;

use crate::json::{Value, json};

use crate::contract::types::Map;
use crate::convert::families::context::EPOCH;
use crate::convert::families::conversion::Work;
use crate::convert::versions::v0_2_to_v0_3::code_of;
use crate::json::base64::is_base64;
use crate::json::fields::{Fields, object};
use crate::json::json_text::json_text;

const LEFT_OUT: [(&str, &str); 5] = [
    ("run-id", "runId"),
    ("timestamp", "timestamp"),
    ("message-id", "messageId"),
    ("turn-id", "turnId"),
    ("author", "author"),
];
const LEFT_MEMBERS: [(&str, &str); 4] = [
    ("opaque", "opaque"),
    ("transcript", "transcript"),
    ("result-outcome", "outcome"),
    ("result-structured", "structured"),
];

/// Returns messages as `blocks.Message`.
pub(crate) fn messages_to_blocks(work: &mut Work) -> Vec<Value> {
    let mut made: Vec<Map> = Vec::new();
    for (index, source) in std::mem::take(&mut work.source).iter().enumerate() {
        let place = format!("/{index}");
        for (code, name) in LEFT_OUT {
            if source.has(name) {
                work.note(code, &format!("{place}/{name}"));
            }
        }
        let is_tool = source.text("role") == "tool";
        let kept = blocks_of(source.list("parts"), &format!("{place}/parts"), work);
        let is_empty = if is_tool { kept.is_empty() } else { source.list("parts").is_empty() };
        let last = made.last_mut().filter(|last| !is_empty && joins(source, last));
        if source.has("meta") && last.is_none() {
            work.note("meta", &format!("{place}/meta"));
        }
        if is_tool && is_empty {
            work.note("tool-role", &format!("{place}/role"));
        }
        if let Some(last) = last {
            join(last, kept);
            continue;
        }
        let content = match kept.as_slice() {
            [block] if block.text("type") == "text" => block.at("text").clone(),
            _ => kept.into(),
        };
        let role = if is_tool { "user" } else { source.text("role") };
        made.push(object([("role", role.into()), ("content", content)]));
    }
    made.into_iter().map(Value::Object).collect()
}

/// Returns `blocks.Message` as messages; run and time are the caller's. One may give several.
pub(crate) fn blocks_to_messages(work: &mut Work) -> Vec<Value> {
    let mut made = Vec::new();
    for (index, source) in std::mem::take(&mut work.source).iter().enumerate() {
        let place = format!("/{index}");
        let run = work.given("run_id", &format!("{place}/runId"), "run-id-invented", "run");
        let at = format!("{place}/timestamp");
        let time = work.given("timestamp", &at, "timestamp-invented", EPOCH);
        let (role, content) = (source.text("role"), source.at("content"));
        let kept = kept_parts(role, content, &format!("{place}/content"), work);
        let is_one_text = matches!(kept.as_slice(), [part] if part.text("kind") == "text");
        if content.is_array() && is_one_text {
            work.note("content-form", &format!("{place}/content"));
        }
        let mut runs: Vec<&[Value]> = kept.chunk_by(|a, b| is_result(a) == is_result(b)).collect();
        if runs.is_empty() {
            runs.push(&[]);
        }
        for (number, parts) in runs.into_iter().enumerate() {
            let role = if parts.first().is_some_and(is_result) { "tool" } else { role };
            let mut one = object([
                ("runId", run.clone()),
                ("timestamp", time.clone()),
                ("role", role.into()),
                ("parts", parts.into()),
            ]);
            if number > 0 {
                one.insert("meta".to_owned(), json!({"blocks": {"joined": true}}));
            }
            made.push(Value::Object(one));
        }
    }
    made
}

// --- message to blocks --------------------------------------------------------------------------

/// Tells whether `source` goes on where `before` ends: results beside what is not a result.
fn joins(source: &Value, before: &Map) -> bool {
    let role = source.text("role");
    if !is_joined(source.at("meta"))
        || before.text("role") != "user"
        || !matches!(role, "user" | "tool")
    {
        return false;
    }
    let last = match before.at("content") {
        Value::Array(blocks) => blocks.last().map(|block| block.text("type")),
        _ => Some("text"),
    };
    last.is_some_and(|last| (last == "tool_result") != (role == "tool"))
}

/// Tells whether `meta` says that, and nothing else.
fn is_joined(meta: &Value) -> bool {
    let only = |value: &Value| value.as_object().is_some_and(|members| members.len() == 1);
    let (blocks, joined) = (meta.at("blocks"), meta.at("blocks").at("joined"));
    only(meta) && only(blocks) && joined.as_bool() == Some(true)
}

/// Adds blocks to a message, whose content may be text alone.
fn join(message: &mut Map, more: Vec<Value>) {
    let Some(content) = message.get_mut("content") else { return };
    if let Value::Array(blocks) = content {
        blocks.extend(more);
        return;
    }
    let text = json!({"type": "text", "text": content.take()});
    *content = std::iter::once(text).chain(more).collect();
}

fn blocks_of(parts: &[Value], place: &str, work: &mut Work) -> Vec<Value> {
    let each = parts.iter().enumerate();
    each.filter_map(|(number, part)| block_of(part, &format!("{place}/{number}"), work)).collect()
}

fn block_of(part: &Value, place: &str, work: &mut Work) -> Option<Value> {
    let (kind, payload) = (part.text("kind"), part.at("payload"));
    if let "thinking" | "file_ref" = kind {
        work.note(if kind == "thinking" { "thinking" } else { "file-ref" }, place);
        return None;
    }
    if let Some(code) = code_of(kind) {
        work.note(code, place);
        return None;
    }
    for (code, name) in LEFT_MEMBERS {
        if payload.has(name) {
            work.note(code, &format!("{place}/payload/{name}"));
        }
    }
    work.note_text(payload, &format!("{place}/payload"));
    match kind {
        "text" => Some(json!({"type": "text", "text": payload.at("text")})),
        "image" => image_block(payload, place, work),
        "media" => media_block(payload, place, work),
        "tool_call" => {
            if payload.has("rawArgsText") {
                work.note("raw-args-text", &format!("{place}/payload/rawArgsText"));
            }
            Some(json!({
                "type": "tool_use",
                "tool_use_id": payload.at("toolCallId"),
                "tool_name": payload.at("toolName"),
                "parameters": payload.at("arguments"),
            }))
        }
        _ => {
            let place = format!("{place}/payload/content");
            Some(json!({
                "type": "tool_result",
                "tool_use_id": payload.at("toolCallId"),
                "content": result_content(payload.at("content"), &place, work),
                "is_error": payload.at("isError"),
            }))
        }
    }
}

fn image_block(payload: &Value, place: &str, work: &mut Work) -> Option<Value> {
    let (form, data) = match payload.get("url") {
        Some(url) => ("url", url),
        None => ("base64", payload.at("data")),
    };
    if data.as_str().is_none_or(str::is_empty) {
        work.note("image-type", place); // an image without a byte
        return None;
    }
    let mime = payload.at("mimeType");
    Some(json!({"type": "image", "image_type": form, "media_type": mime, "data": data}))
}

/// Returns an image of kind media as block; blocks have no other media.
fn media_block(payload: &Value, place: &str, work: &mut Work) -> Option<Value> {
    let (mime, source) = (payload.text("mimeType"), payload.at("source"));
    let data = match source.text("data") {
        "" => source.text("url"),
        data => data,
    };
    if !mime.starts_with("image/") || data.is_empty() {
        work.note("media", place);
        return None;
    }
    work.note("media-kind", &format!("{place}/kind"));
    work.note("media-kind", &format!("{place}/payload"));
    let form = if source.text("kind") == "url" { "url" } else { "base64" };
    Some(json!({"type": "image", "image_type": form, "media_type": mime, "data": data}))
}

fn result_content(content: &Value, place: &str, work: &mut Work) -> Value {
    match content {
        Value::Object(_) => {
            work.note("result-object", place);
            json_text(content).into()
        }
        Value::Array(parts) => blocks_of(parts, place, work).into(),
        text => text.clone(),
    }
}

// --- blocks to message --------------------------------------------------------------------------

fn is_result(part: &Value) -> bool {
    part.text("kind") == "tool_result"
}

fn may_hold(role: &str, kind: &str) -> bool {
    match role {
        "system" => kind == "text",
        "user" => matches!(kind, "text" | "image" | "tool_result"),
        _ => matches!(kind, "text" | "tool_use" | "image"),
    }
}

/// Returns the parts that a message of `role` can hold.
fn kept_parts(role: &str, content: &Value, place: &str, work: &mut Work) -> Vec<Value> {
    let Value::Array(blocks) = content else {
        return vec![json!({"kind": "text", "payload": {"text": content}})];
    };
    let mut kept = Vec::new();
    let mut seen = HashSet::new();
    for (index, block) in blocks.iter().enumerate() {
        let at = format!("{place}/{index}");
        let (kind, id) = (block.text("type"), block.text("tool_use_id"));
        if !may_hold(role, kind) {
            work.note("block-role", &at);
        } else if !id.is_empty() && seen.contains(&(kind, id)) {
            work.note("duplicate-id", &at);
        } else if let Some(part) = part_of(block, &at, work) {
            seen.insert((kind, id));
            kept.push(part);
        }
    }
    kept
}

fn part_of(block: &Value, place: &str, work: &mut Work) -> Option<Value> {
    match block.text("type") {
        "text" => Some(json!({"kind": "text", "payload": {"text": block.at("text")}})),
        "image" => image_part(block, place, work),
        "tool_use" => Some(json!({"kind": "tool_call", "payload": {
            "toolCallId": block.at("tool_use_id"),
            "toolName": block.at("tool_name"),
            "arguments": block.at("parameters"),
        }})),
        _ => {
            let content = match block.at("content") {
                Value::Array(blocks) => {
                    let each = blocks.iter().enumerate();
                    let parts = each.filter_map(|(number, inner)| {
                        part_of(inner, &format!("{place}/content/{number}"), work)
                    });
                    parts.collect()
                }
                text => text.clone(),
            };
            Some(json!({"kind": "tool_result", "payload": {
                "toolCallId": block.at("tool_use_id"),
                "isError": block.at("is_error"),
                "content": content,
            }}))
        }
    }
}

fn image_part(block: &Value, place: &str, work: &mut Work) -> Option<Value> {
    let (mime, data) = (block.at("media_type"), block.at("data"));
    match block.text("image_type") {
        "url" => Some(json!({"kind": "image", "payload": {"mimeType": mime, "url": data}})),
        "base64" if is_base64(block.text("data")) => {
            Some(json!({"kind": "image", "payload": {"mimeType": mime, "data": data}}))
        }
        _ => {
            work.note("image-type", place);
            None
        }
    }
}
