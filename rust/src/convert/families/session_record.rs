//! `meta.session`: what a session says of a message and the message has no field for.
//!
//! `info` has the members of the session's info that the message lacks, `parts` one row per part
//! of the session. A row lacks what the message's part says; a part that the message cannot say
//! is there whole.

use std::collections::HashSet;

use crate::json::{Value, json};

use crate::contract::types::Map;
use crate::contract::versions::Version;
use crate::convert::families::context::Context;
use crate::convert::families::conversion::Work;
use crate::convert::families::session_approvals::unsaid;
use crate::convert::families::session_parts::{put_opaque, said_opaque};
use crate::convert::families::to_session::Results;
use crate::json::fields::{Fields, filtered};

/// The version in which an assistant's message held no files, and no part provider's state.
pub(crate) const FIRST_VERSION: Version = Version::V0_1;

/// Returns the members that a message's part says of a part of a type.
fn said_members(kind: &str) -> &'static [&'static str] {
    match kind {
        "text" | "reasoning" => &["text"],
        "tool" => &["callID", "tool"],
        "file" => &["mime", "url"],
        _ => &[],
    }
}

fn is_spoken(role: &str, kind: &str, version: Version) -> bool {
    match role {
        "user" => matches!(kind, "text" | "file"),
        _ if kind == "file" => version != FIRST_VERSION,
        _ => matches!(kind, "text" | "reasoning" | "tool"),
    }
}

/// Returns the record of a session's message, as it is written or as v0.1 had it.
pub(crate) fn record_of(source: &Value, keep_ignored: bool, version: Version) -> Value {
    let info = source.at("info");
    let mut record = Map::new();
    let kept = filtered(info, |name, _| !matches!(name, "role" | "system"));
    record.insert("info".to_owned(), kept.into());
    let session = source.list("parts").first().and_then(|part| part.get("sessionID"));
    let ids = [("messageID", info.get("id")), ("sessionID", session)];
    let spoken = spoken_parts(source, keep_ignored, version);
    let approvals = said_approvals(source, &spoken);
    let known = spoken.into_iter().zip(approvals);
    let rows = source.list("parts").iter().zip(known).map(|(part, (spoken, is_asked))| {
        let row = if spoken { row_of(part, version, is_asked) } else { part.clone() };
        let is_own = |name: &str, value: &Value| !ids.contains(&(name, Some(value)));
        Value::Object(filtered(&row, is_own))
    });
    record.insert("parts".to_owned(), rows.collect());
    if let Some(session) = session {
        record.insert("sessionID".to_owned(), session.clone());
    }
    Value::Object(record)
}

/// Tells whether a part is text that is not for the model.
pub(crate) fn is_ignored(part: &Value) -> bool {
    part.text("type") == "text" && part.flag("ignored")
}

/// Tells whether a record is of a message that has parts for text that is not for the model.
pub(crate) fn keeps_ignored(record: &Value) -> bool {
    record.list("parts").iter().any(|row| is_ignored(row) && !row.has("text"))
}

/// Returns for each part whether a message of this role has a part for it.
///
/// A second call of one id has none: calls are unique within a message. Text that is not for the
/// model has one on request.
pub(crate) fn spoken_parts(source: &Value, keep_ignored: bool, version: Version) -> Vec<bool> {
    let role = source.at("info").text("role");
    let mut seen = HashSet::new();
    let each = source.list("parts").iter().map(|part| {
        let call = part.text("callID");
        let is_first = seen.insert(call) || call.is_empty();
        let is_held_back = is_ignored(part) && !keep_ignored;
        is_first && !is_held_back && is_spoken(role, part.text("type"), version)
    });
    each.collect()
}

/// Returns for each part whether the message has parts for its approval: ids are unique there.
pub(crate) fn said_approvals(source: &Value, spoken: &[bool]) -> Vec<bool> {
    let mut seen = HashSet::new();
    let each = source.list("parts").iter().zip(spoken).map(|(part, spoken)| {
        let own = part.at("state").at("approval").at("id").as_str();
        own.is_some_and(|own| *spoken && seen.insert(own))
    });
    each.collect()
}

fn row_of(part: &Value, version: Version, is_asked: bool) -> Value {
    let said = said_members(part.text("type"));
    let mut row = filtered(part, |name, _| !said.contains(&name));
    if version != FIRST_VERSION && said_opaque(part).is_some() {
        let metadata = filtered(part.at("metadata"), |name, _| name != "opaque");
        if metadata.is_empty() {
            row.remove("metadata");
        } else {
            row.insert("metadata".to_owned(), metadata.into());
        }
    }
    if part.text("type") == "tool" {
        let is_kept = |name: &str, _: &Value| !matches!(name, "input" | "output" | "error");
        let mut state = filtered(part.at("state"), is_kept);
        if let Some(Value::Array(files)) = state.get_mut("attachments") {
            for file in files {
                *file = filtered(file, |name, _| !matches!(name, "mime" | "url")).into();
            }
        }
        if is_asked {
            state.remove("approval");
            let rest = unsaid(part.at("state").at("approval"));
            if !rest.is_empty() {
                state.insert("approval".to_owned(), rest.into());
            }
        }
        row.insert("state".to_owned(), state.into());
    }
    Value::Object(row)
}

/// Returns the session's message that `record` and the message `one` make together; None where
/// the two do not go together.
///
/// `told` is what messages say of its calls. The result may still be invalid, or say less than the message: the
/// record is anyone's JSON.
pub(crate) fn fitted(
    record: &Value,
    one: &Value,
    told: &Results,
    system: Option<&str>,
) -> Option<Value> {
    let mut info = record.get("info")?.as_object()?.clone();
    info.insert("role".to_owned(), one.at("role").clone());
    if let Some(system) = system {
        info.insert("system".to_owned(), system.into());
    }
    let mut ids = Map::new();
    ids.insert("sessionID".to_owned(), record.at("sessionID").clone());
    ids.insert("messageID".to_owned(), info.get("id")?.clone());
    let is_own = |part: &&Value| part.text("kind") != "approval_request";
    let mut said = one.list("parts").iter().filter(is_own);
    let mut parts = Vec::new();
    for row in record.get("parts")?.as_array()? {
        let row = row.as_object()?;
        let kind = row.get("type")?;
        if kind.is_array() || kind.is_object() {
            return None;
        }
        let names = said_members(kind.as_str().unwrap_or(""));
        let is_whole = names.is_empty() || names.iter().any(|name| row.contains_key(name));
        let part = if is_whole { row.clone() } else { joined(row, said.next()?, told)? };
        let mut made = ids.clone();
        made.extend(part);
        parts.push(Value::Object(made));
    }
    Some(json!({"info": info, "parts": parts}))
}

/// Returns a session's part from its row and the message's part.
fn joined(row: &Map, said: &Value, told: &Results) -> Option<Map> {
    let payload = said.at("payload");
    let mut made = row.clone();
    match (said.text("kind"), row.text("type")) {
        ("text", "text") | ("thinking", "reasoning") => {
            made.insert("text".to_owned(), payload.at("text").clone());
            put_opaque(made, payload)
        }
        ("image" | "file_ref", "file") => joined_file(row, said),
        ("tool_call", "tool") => {
            let mut state = row.get("state")?.as_object()?.clone();
            state.insert("input".to_owned(), payload.at("arguments").clone());
            let call = payload.text("toolCallId");
            if let Some(result) = told.payloads.get(call) {
                put_result(&mut state, result)?;
            }
            // What fits loses nothing.
            let context = Context::new();
            let rest = state.at("approval").clone();
            if let Some(approval) = told.approval(call, &rest, &mut Work::quiet(&context)) {
                state.insert("approval".to_owned(), approval);
            }
            made.insert("callID".to_owned(), payload.at("toolCallId").clone());
            made.insert("tool".to_owned(), payload.at("toolName").clone());
            made.insert("state".to_owned(), state.into());
            put_opaque(made, payload)
        }
        _ => None,
    }
}

fn joined_file(row: &Map, said: &Value) -> Option<Map> {
    let payload = said.at("payload");
    let mime = payload.get("mimeType")?.as_str()?;
    let known = ["url", "path"].into_iter().map(|name| payload.text(name));
    let url = known.into_iter().find(|text| !text.is_empty()).map_or_else(
        || format!("data:{mime};base64,{}", payload.at("data").as_str().unwrap_or("None")),
        str::to_owned,
    );
    let mut made = row.clone();
    made.insert("mime".to_owned(), mime.into());
    made.insert("url".to_owned(), url.into());
    Some(made)
}

fn put_result(state: &mut Map, result: &Value) -> Option<()> {
    let content = result.at("content");
    let (text, files) = match content {
        Value::Array(parts) => {
            let (first, files) = parts.split_first()?;
            (first.at("payload").get("text")?, files)
        }
        other => (other, &[][..]),
    };
    let name = if result.flag("isError") { "error" } else { "output" };
    state.insert(name.to_owned(), text.clone());
    if let Some(rows) = state.get_mut("attachments") {
        let rows = rows.as_array_mut()?;
        if rows.len() != files.len() {
            return None;
        }
        for (row, said) in rows.iter_mut().zip(files) {
            *row = joined_file(row.as_object()?, said)?.into();
        }
    }
    Some(())
}
