//! A session's messages as `message.Message`.
//!
//! A session holds a call and its result in one part; messages hold the call in the assistant's
//! message and the result in the tool's message behind it. What a session says and a message does
//! not is in `meta.session`, and is taken from there on the way back.

use crate::json::{Value, json};

use crate::contract::current::LATEST_VERSION;
use crate::convert::families::conversion::Work;
use crate::convert::families::session_approvals::{approval_parts, decided_at};
use crate::convert::families::session_parts::{call_part, call_result, message_file, with_opaque};
use crate::convert::families::session_record::{
    is_ignored, record_of, said_approvals, spoken_parts,
};
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
    let Spoken { own, told, ended, answered } = spoken(source, place, work);
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
    if let Some((ms, at)) = ended.or(answered) {
        let time = work.text(ms, &at);
        made.push(json!({"runId": run, "role": "tool", "parts": told, "timestamp": time}));
    }
    made
}

/// The parts of one message, and of the tool's behind it: answers and results, call by call.
#[derive(Default)]
struct Spoken {
    own: Vec<Value>,
    told: Vec<Value>,
    /// When the last call ended, and where that is said.
    ended: Option<(i64, String)>,
    /// When the last call was answered.
    answered: Option<(i64, String)>,
}

fn spoken(source: &Value, place: &str, work: &mut Work) -> Spoken {
    let mut made = Spoken::default();
    let known = spoken_parts(source, work.context.keeps_ignored(), LATEST_VERSION);
    let approvals = said_approvals(source, &known);
    let created = source.at("info").at("time").whole("created");
    let known = known.into_iter().zip(approvals);
    for (index, (part, (spoken, is_asked))) in source.list("parts").iter().zip(known).enumerate() {
        let at = format!("{place}/parts/{index}");
        if !spoken {
            work.note(if is_ignored(part) { "ignored-text" } else { "kept-in-meta" }, &at);
            continue;
        }
        made.own.push(message_part(part));
        if part.text("type") != "tool" {
            continue;
        }
        let state = part.at("state");
        let decided = match decided_at(state.at("approval")) {
            Some((ms, name)) => (ms, format!("{at}/state/approval/time/{name}")),
            None => (created, format!("{place}/info/time/created")),
        };
        if is_asked {
            let (request, answer) = approval_parts(part, &at, work);
            made.own.push(request);
            if let Some(answer) = answer {
                made.told.push(answer);
                made.answered = made.answered.max(Some(decided.clone()));
            }
        }
        if let Some(result) = call_result(part) {
            made.told.push(json!({"kind": "tool_result", "payload": result}));
            let is_denied = state.text("status") == "denied";
            let end = (state.at("time").whole("end"), format!("{at}/state/time/end"));
            made.ended = made.ended.max(Some(if is_denied { decided } else { end }));
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
