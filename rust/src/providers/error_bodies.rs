//! Bodies of errors: what servers send in place of events.

use crate::providers::error_names::MINIMAX;
use crate::providers::raw::{Raw, RawObject};

// Members beside the message in a body that says nothing but an error.
const BESIDE: [&str; 11] = [
    "message",
    "Message",
    "code",
    "documentation_url",
    "error_code",
    "id",
    "param",
    "request_id",
    "status",
    "statusCode",
    "status_code",
];

/// Returns the error that an event without choices carries, None if it carries none.
///
/// `{"error": …}` is the published form; servers also send their own HTTP error bodies:
/// `{"object": "error", "message": …}` (vLLM), `{"detail": …}` (FastAPI), `{"code": …,
/// "message": …}` (DashScope), `{"code": …, "error": "…"}` (xAI), `{"message": …}` (AWS),
/// `{"errors": [{…}]}` (Cloudflare), `{"base_resp": {"status_code": …}}` (MiniMax), and an
/// exception of AWS's as an event by its name.
pub(crate) fn error_body(event: &RawObject) -> Option<Raw> {
    let error = event.get("error");
    if error.says_something() {
        let is_text = error.text().is_some();
        return Some(if is_text { event.clone().into() } else { error.clone() });
    }
    let is_error = |name: &str| event.get(name).str() == Some("error");
    if is_error("object") || is_error("type") {
        return Some(event.clone().into());
    }
    if event.get("choices").is_null() {
        if let Some(error) = body_without_error(event).filter(Raw::says_something) {
            return Some(error);
        }
    }
    let base = event.get("base_resp").object()?;
    let status = base.get("status_code");
    let named = |status: i128| MINIMAX.iter().find(|(each, _)| *each == status);
    let name = status.int().and_then(named).map_or("unknown", |(_, name)| name);
    let members = [
        ("code", status.clone()),
        ("message", base.get("status_msg").clone()),
        ("type", name.into()),
    ];
    status.says_something().then(|| Raw::Object(members.into_iter().collect()))
}

/// Returns the error object of an AWS exception: its name as the code, and what it says.
pub(crate) fn exception_body(name: Raw, body: &Raw) -> RawObject {
    let Raw::Object(members) = body else {
        return [("code", name), ("message", body.clone())].into_iter().collect();
    };
    let words = members.find("message").unwrap_or_else(|| members.get("Message"));
    let status = members.get("originalStatusCode").clone();
    [("code", name), ("message", words.clone()), ("status", status)].into_iter().collect()
}

/// Returns what an error body says that has no member `error`, None if it is none.
fn body_without_error(event: &RawObject) -> Option<Raw> {
    let detail = event.get("detail");
    if detail.says_something() && !event.has("object") {
        let name = if detail.array().is_some() { "detail" } else { "message" };
        return Some(Raw::Object([(name, plain(detail))].into_iter().collect()));
    }
    let message = event.get("message");
    let words = if message.says_something() { message } else { event.get("Message") };
    let is_alone = || event.iter().all(|(name, _)| BESIDE.iter().any(|each| *name == **each));
    if words.text().is_some() && (event.get("code").says_something() || is_alone()) {
        return Some(event.clone().into());
    }
    let first = event.get("errors").array().and_then(<[Raw]>::first);
    if let Some(first @ Raw::Object(_)) = first {
        return Some(first.clone());
    }
    let mut members = event.iter();
    match (members.next(), members.next()) {
        (Some((name, body)), None) if name.as_text().ends_with("Exception") => {
            Some(exception_body(name.clone().into(), body).into())
        }
        _ => None,
    }
}

fn plain(value: &Raw) -> Raw {
    match value {
        Raw::Text(_) | Raw::Object(_) | Raw::Array(_) => value.clone(),
        other => Raw::from(other.clip().as_str()),
    }
}
