//! Approvals between messages and sessions: two parts there, a member of the call's state here.

use std::collections::{HashMap, HashSet};

use crate::json::{Value, json};

use crate::contract::types::Map;
use crate::convert::families::conversion::Work;
use crate::json::fields::{Fields, filtered};

/// By the names of a session, those of the two parts.
const ASKED: [(&str, &str); 2] = [("reason", "reason"), ("choices", "choices")];
const DECIDED: [(&str, &str); 5] = [
    ("decision", "decision"),
    ("choice", "choice"),
    ("note", "reason"),
    ("decidedBy", "decidedBy"),
    ("arguments", "arguments"),
];

/// Returns request and answer of a tool part's approval; None where nothing was decided.
pub(crate) fn approval_parts(part: &Value, place: &str, work: &mut Work) -> (Value, Option<Value>) {
    let approval = part.at("state").at("approval");
    let time = approval.at("time");
    let mut made = |names: &[(&str, &str)], name: &str, member: &str| {
        let mut payload = Map::new();
        payload.insert("approvalId".to_owned(), approval.at("id").clone());
        payload.insert("toolCallId".to_owned(), part.at("callID").clone());
        for (old, new) in names {
            payload.extend(approval.get(old).map(|value| ((*new).to_owned(), value.clone())));
        }
        if time.has(name) {
            let at = format!("{place}/state/approval/time/{name}");
            payload.insert(member.to_owned(), work.text(time.whole(name), &at).into());
        }
        payload
    };
    let asked = made(&ASKED, "requested", "requestedAt");
    let request = json!({"kind": "approval_request", "payload": asked});
    if !approval.has("decision") {
        return (request, None);
    }
    let decided = made(&DECIDED, "decided", "decidedAt");
    (request, Some(json!({"kind": "approval_response", "payload": decided})))
}

/// Returns when it was decided, else asked, in milliseconds, and which of the two it is.
pub(crate) fn decided_at(approval: &Value) -> Option<(i64, &'static str)> {
    let time = approval.at("time");
    let known = ["decided", "requested"].into_iter().find(|name| time.has(name))?;
    Some((time.whole(known), known))
}

/// Returns what the two parts do not say of an approval.
pub(crate) fn unsaid(approval: &Value) -> Map {
    let is_decided = approval.has("decision");
    let is_in = |names: &[(&str, &str)], name: &str| names.iter().any(|(each, _)| *each == name);
    let is_said = |name: &str| {
        matches!(name, "id" | "time")
            || is_in(&ASKED, name)
            || (is_decided && is_in(&DECIDED, name))
    };
    let mut rest = filtered(approval, |name, _| !is_said(name));
    if let Some(time) = approval.get("time") {
        let is_left = |name: &str| name != "requested" && !(is_decided && name == "decided");
        let left = filtered(time, |name, _| is_left(name));
        if !left.is_empty() || time.as_object().is_some_and(Map::is_empty) {
            rest.insert("time".to_owned(), left.into());
        }
    }
    rest
}

/// The payloads of an approval's parts, and their pointers.
pub(crate) struct Asked<'a> {
    pub request: &'a Value,
    pub place: String,
    pub answer: Option<&'a (Value, String)>,
}

impl Asked<'_> {
    /// Returns the approval, with what the parts do not say: of a record, which may be anything.
    pub(crate) fn approval(&self, rest: &Value, work: &mut Work) -> Value {
        let mut made = filtered(rest, |_, _| true);
        let mut time = filtered(rest.at("time"), |_, _| true);
        made.insert("id".to_owned(), self.request.at("approvalId").clone());
        copy(&mut made, self.request, &ASKED);
        if let Some(text) = self.request.at("requestedAt").as_str() {
            let ms = work.ms(text, &format!("{}/requestedAt", self.place));
            time.insert("requested".to_owned(), ms.into());
        }
        if let Some((answer, place)) = self.answer {
            copy(&mut made, answer, &DECIDED);
            if let Some(text) = answer.at("decidedAt").as_str() {
                let ms = work.ms(text, &format!("{place}/decidedAt"));
                time.insert("decided".to_owned(), ms.into());
            }
        }
        if !time.is_empty() || rest.get("time").is_some() {
            made.insert("time".to_owned(), time.into());
        }
        Value::Object(made)
    }
}

/// Returns an approval whose decision is not before its question; `place` is the answer's.
pub(crate) fn in_order(mut approval: Value, place: &str, work: &mut Work) -> Value {
    let time = |name: &str| approval.at("time").get(name).and_then(Value::as_i64);
    let (Some(requested), Some(decided)) = (time("requested"), time("decided")) else {
        return approval;
    };
    if decided < requested {
        work.note("timestamp-range", &format!("{place}/decidedAt"));
        if let Some(time) = approval.pointer_mut("/time/decided") {
            *time = requested.into();
        }
    }
    approval
}

fn copy(made: &mut Map, source: &Value, names: &[(&str, &str)]) {
    for (old, new) in names {
        made.extend(source.get(new).map(|value| ((*old).to_owned(), value.clone())));
    }
}

/// Returns by call of a message which of its parts is the request, the first if there are more.
///
/// Requests for calls that are elsewhere, or behind them, are not there.
pub(crate) fn asked_in(parts: &[Value]) -> HashMap<String, usize> {
    let mut calls = HashSet::new();
    let mut found = HashMap::new();
    for (number, part) in parts.iter().enumerate() {
        let call = part.at("payload").text("toolCallId");
        match part.text("kind") {
            "tool_call" => _ = calls.insert(call),
            "approval_request" if calls.contains(call) => {
                found.entry(call.to_owned()).or_insert(number);
            }
            _ => {}
        }
    }
    found
}
