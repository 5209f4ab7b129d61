//! A session's messages as `message.Message`.
//!
//! A session holds a call and its result in one part; messages hold the call in the assistant's
//! message and the result in the tool's message behind it. What a session says and a message does
//! not is in `meta.session`, and is taken from there on the way back.

use crate::json::{Value, json};

use crate::contract::current::LATEST_VERSION;
use crate::convert::families::conversion::Work;
use crate::convert::families::session_parts::{call_part, call_result, message_file, with_opaque};
use crate::convert::families::session_record::{is_ignored, record_of, spoken_parts};
use crate::convert::families::session_tokens::usage_of;
use crate::json::fields::{Fields, put};

/// Returns a session's messages as messages: calls that have ended become a tool's message behind
/// the assistant's, a system prompt one before the user's.
pub(crate) fn session_to_messages(work: &mut Work) -> Vec<Value> {
    let source = std::mem::take(&mut work.source);
    let each = source.iter().enumerate();
    each.flat_map(|(index, source)| spoken_messages(source, &format!("/{index}"), work)).collect()
}

/// Returns what one message of a session is as messages, the spoken one with its record.
pub(crate) fn spoken_messages(source: &Value, place: &str, work: &mut Work) -> Vec<Value> {
    let (info, parts) = (source.at("info"), source.list("parts"));
    let (role, time) = (info.text("role"), info.at("time"));
    let fallback = parts.first().map_or(info.at("id"), |part| part.at("sessionID")).clone();
    let run = work.given("run_id", &format!("{place}/runId"), "run-id-invented", fallback);
    let created = work.text(time.whole("created"), &format!("{place}/info/time/created"));
    let mut meta =
        json!({"session": record_of(source, work.context.keeps_ignored(), LATEST_VERSION)});
    if time.has("completed") {
        let at = format!("{place}/info/time/completed");
        put(&mut meta, "completedAt", work.text(time.whole("completed"), &at));
    }
    if role == "assistant" {
        put(&mut meta, "usage", usage_of(info, &format!("{place}/info/tokens"), work));
    }
    let Spoken { own, results, ended } = spoken(source, place, work);
    let mut made = Vec::new();
    if let Some(system) = info.get("system") {
        let parts = json!([{"kind": "text", "payload": {"text": system}}]);
        made.push(json!({"runId": run, "timestamp": created, "role": "system", "parts": parts}));
    }
    made.push(json!({
        "runId": run,
        "timestamp": created,
        "messageId": info.at("id"),
        "role": role,
        "parts": own,
        "meta": meta,
    }));
    if let Some((ms, at)) = ended {
        let time = work.text(ms, &at);
        made.push(json!({"runId": run, "role": "tool", "parts": results, "timestamp": time}));
    }
    made
}

/// The parts of one message, the results of its calls, and when the last of them ended.
struct Spoken {
    own: Vec<Value>,
    results: Vec<Value>,
    ended: Option<(i64, String)>,
}

fn spoken(source: &Value, place: &str, work: &mut Work) -> Spoken {
    let mut made = Spoken { own: Vec::new(), results: Vec::new(), ended: None };
    let known = spoken_parts(source, work.context.keeps_ignored(), LATEST_VERSION);
    for (index, (part, spoken)) in source.list("parts").iter().zip(known).enumerate() {
        let at = format!("{place}/parts/{index}");
        if !spoken {
            work.note(if is_ignored(part) { "ignored-text" } else { "kept-in-meta" }, &at);
            continue;
        }
        made.own.push(message_part(part));
        let result = if part.text("type") == "tool" { call_result(part) } else { None };
        if let Some(result) = result {
            made.results.push(json!({"kind": "tool_result", "payload": result}));
            let end = part.at("state").at("time").whole("end");
            made.ended = made.ended.max(Some((end, format!("{at}/state/time/end"))));
        }
    }
    made
}

/// Returns what a message says of a session's part.
fn message_part(part: &Value) -> Value {
    let kind = match part.text("type") {
        "file" => return message_file(part),
        "tool" => return with_opaque(call_part(part), part),
        "text" => "text",
        _ => "thinking",
    };
    with_opaque(json!({"kind": kind, "payload": {"text": part.at("text")}}), part)
}
