//! Tool results of messages, and those of envelopes: `ToolResult` and `ToolCallResponse`.
//!
//! What a tool gave back is an object in an envelope: text becomes `{"text": …}` there, parts
//! become `{"content": […]}`. A failed result has the `result_type` `tool_error`.

use crate::json::{Value, json};

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::types::Map;
use crate::convert::families::context::{EPOCH, NIL};
use crate::convert::families::conversion::Work;
use crate::convert::families::ids::{derived_id, is_uuid};
use crate::json::fields::{Fields, object, same};
use crate::json::json_text::json_text;
use crate::reading::read::{Mode, read_plain, validate_value};

const FAILED: &str = "tool_error";
const OK: &str = "tool_result";

fn each(work: &mut Work, convert: fn(usize, &Value, &mut Work) -> Value) -> Vec<Value> {
    let source = std::mem::take(&mut work.source);
    source.iter().enumerate().map(|(index, one)| convert(index, one, work)).collect()
}

/// Returns `message.ToolResult` as `envelope.ToolResult`; tool and time are the caller's. An id
/// that is not a UUID becomes one that is always the same for it.
pub(crate) fn tool_result_to_result(work: &mut Work) -> Vec<Value> {
    each(work, |index, source, work| {
        let place = format!("/{index}");
        note_members(source, &place, work);
        let invocation = invocation_of(source, &place, work);
        let tool = work.given("tool_id", &format!("{place}/tool_id"), "tool-id-invented", NIL);
        let data = data_of(source.at("content"), &format!("{place}/content"), work);
        let at = format!("{place}/created_at");
        json!({
            "invocation_id": invocation,
            "tool_id": tool,
            "result_type": if source.flag("isError") { FAILED } else { OK },
            "data": data,
            "created_at": work.given("timestamp", &at, "timestamp-invented", EPOCH),
        })
    })
}

/// Returns `envelope.ToolResult` as `message.ToolResult`.
pub(crate) fn result_to_tool_result(work: &mut Work) -> Vec<Value> {
    each(work, |index, source, work| {
        let place = format!("/{index}");
        work.note("tool-id", &format!("{place}/tool_id"));
        work.note("timestamp", &format!("{place}/created_at"));
        let kind = source.text("result_type");
        if !matches!(kind, OK | FAILED) {
            work.note("result-type", &format!("{place}/result_type"));
        }
        json!({
            "toolCallId": source.at("invocation_id"),
            "isError": kind == FAILED,
            "content": content_of(source.at("data")),
        })
    })
}

/// Returns `message.ToolResult` as `envelope.ToolCallResponse`; the queue message's id, time and
/// trace are the caller's; of a list, ids come from `make_id`.
pub(crate) fn tool_result_to_response(work: &mut Work) -> Vec<Value> {
    each(work, |index, source, work| {
        let place = format!("/{index}");
        note_members(source, &place, work);
        let mut made = head_of(index, source, work);
        made.insert("invocation_id".to_owned(), invocation_of(source, &place, work).into());
        made.insert("success".to_owned(), (!source.flag("isError")).into());
        let (content, at) = (source.at("content"), format!("{place}/content"));
        if source.flag("isError") {
            made.extend(failure_of(content, &place, work));
        } else {
            made.insert("data".to_owned(), data_of(content, &at, work));
        }
        Value::Object(made)
    })
}

/// Returns `envelope.ToolCallResponse` as `message.ToolResult`.
pub(crate) fn response_to_tool_result(work: &mut Work) -> Vec<Value> {
    each(work, |index, source, work| {
        let place = format!("/{index}");
        for name in ["message_id", "sent_at", "schema_version", "trace_id"] {
            if source.has(name) {
                work.note("envelope", &format!("{place}/{name}"));
            }
        }
        if !source.has("message_type") {
            work.note("message-type", &format!("{place}/message_type"));
        }
        json!({
            "toolCallId": source.at("invocation_id"),
            "isError": !source.flag("success"),
            "content": outcome_of(source, &place, work),
        })
    })
}

// --- members ------------------------------------------------------------------------------------

fn note_members(source: &Value, place: &str, work: &mut Work) {
    for (code, name) in [("result-outcome", "outcome"), ("result-structured", "structured")] {
        if source.has(name) {
            work.note(code, &format!("{place}/{name}"));
        }
    }
}

fn invocation_of(source: &Value, place: &str, work: &mut Work) -> String {
    let call = source.text("toolCallId");
    if is_uuid(call) {
        return call.to_owned();
    }
    work.note("call-id", &format!("{place}/toolCallId"));
    derived_id(&["call", call])
}

fn head_of(index: usize, source: &Value, work: &mut Work) -> Map {
    let place = format!("/{index}");
    let known = work.context.get("message_id").filter(|_| work.single).cloned();
    let own = known.or_else(|| work.context.new_id().map(Value::from));
    let code = if own.is_none() { "envelope-invented" } else { "given" };
    work.note(code, &format!("{place}/message_id"));
    let id = own.unwrap_or_else(|| {
        derived_id(&["response", &index.to_string(), source.text("toolCallId")]).into()
    });
    let at = format!("{place}/sent_at");
    let mut head = object([
        ("message_id", id),
        ("sent_at", work.given("timestamp", &at, "timestamp-invented", EPOCH)),
        ("schema_version", LATEST_VERSION.as_str().into()),
        ("message_type", "ToolCallResponse".into()),
    ]);
    if work.context.get("trace_id").is_some() {
        let trace = work.given("trace_id", &format!("{place}/trace_id"), "given", Value::Null);
        head.insert("trace_id".to_owned(), trace);
    }
    head
}

fn data_of(content: &Value, place: &str, work: &mut Work) -> Value {
    match content {
        Value::String(text) => json!({"text": text}),
        Value::Array(parts) => json!({"content": parts}),
        data => {
            if content_of(data) != data {
                work.note("result-content", place);
            }
            data.clone()
        }
    }
}

/// Returns what [`data_of`] made `data` of.
fn content_of(data: &Value) -> &Value {
    let is_alone = data.as_object().is_some_and(|members| members.len() == 1);
    let (text, parts) = (data.at("text"), data.at("content"));
    if is_alone && text.is_string() {
        return text;
    }
    if is_alone && parts.is_array() && are_parts(parts) {
        return parts;
    }
    data
}

/// Tells whether `items` are parts of a result, without any member that reading drops.
fn are_parts(items: &Value) -> bool {
    let document = json!({"toolCallId": "call", "isError": false, "content": items});
    let name = "message.ToolResult";
    if !validate_value(&document, name, LATEST_VERSION).is_ok_and(|found| found.is_empty()) {
        return false;
    }
    let read = binding(name, LATEST_VERSION)
        .and_then(|bound| read_plain(&document, bound, Mode::Tolerant));
    read.is_ok_and(|(read, _)| same(read.at("content"), items))
}

/// Returns `error`, and `data` where the error does not hold all of the content.
fn failure_of(content: &Value, place: &str, work: &mut Work) -> Map {
    let at = format!("{place}/content");
    if is_error(content) {
        if content.text("code") == FAILED {
            work.note("result-content", &at);
        }
        return object([("error", content.clone())]);
    }
    work.note("error-code-invented", &format!("{place}/error"));
    if content.is_string() {
        return object([("error", json!({"code": FAILED, "message": content}))]);
    }
    let data = data_of(content, &at, work);
    object([("error", json!({"code": FAILED, "message": json_text(content)})), ("data", data)])
}

fn is_error(content: &Value) -> bool {
    content.as_object().is_some_and(|members| {
        members.len() == 2 && members.at("message").is_string() && !members.text("code").is_empty()
    })
}

fn outcome_of(source: &Value, place: &str, work: &mut Work) -> Value {
    let error = source.at("error");
    if source.flag("success") {
        if !error.is_null() {
            work.note("error-beside-data", &format!("{place}/error"));
        }
        return content_of(source.at("data")).clone();
    }
    let Some(data) = source.get("data") else {
        let is_bare = error.text("code") == FAILED;
        return if is_bare { error.at("message").clone() } else { error.clone() };
    };
    let content = content_of(data);
    let is_bare = content.is_string() || is_error(content);
    if is_bare || error != &json!({"code": FAILED, "message": json_text(content)}) {
        work.note("error-beside-data", &format!("{place}/error"));
    }
    if is_bare {
        work.note("result-content", &format!("{place}/data"));
    }
    content.clone()
}
