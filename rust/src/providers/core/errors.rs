//! Provider errors: what a provider calls them → the contract's error codes.
//!
//! Asked in this order: a code or type that says it plainly, the HTTP status that many vendors use
//! as a code, and where these say too little, words of the message.

use crate::json::raw::{Raw, RawObject};
use crate::providers::core::ids::cut;
use crate::tables::provider_errors as tables;

/// Whether the same request may succeed later, by error code.
pub const RETRYABLE: &[(&str, bool)] = tables::RETRYABLE;

/// An error in the provider's own words; what it does not say is None.
///
/// `code` and `kind` are its names for it (a numeric code as decimal text), `status` the HTTP
/// status if it gives one. For logs and for the way back: nothing may depend on the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderError {
    /// Its code.
    pub code: Option<String>,
    /// Its type.
    pub kind: Option<String>,
    /// What it says.
    pub message: Option<String>,
    /// The HTTP status.
    pub status: Option<u16>,
}

/// Tells whether the same request may succeed later; None for what is not an error code.
pub(crate) fn retryable(code: &str) -> Option<bool> {
    RETRYABLE.iter().find(|(each, _)| *each == code).map(|(_, is)| *is)
}

/// Returns what an error object of any vendor says: an object, or only a text.
///
/// Unwraps `{"error": …}`, `{"detail": …}`, `{"message": {…}}` and `{"errors": [{…}]}`, one level
/// each.
pub(crate) fn read_error(value: &Raw) -> ProviderError {
    let errors = value.object().and_then(|members| members.get("errors").array());
    let mut value = errors.and_then(<[Raw]>::first).unwrap_or(value).clone();
    for key in ["error", "detail", "message"] {
        let Raw::Object(members) = &mut value else { break };
        if let Raw::Object(inner) = members.get(key) {
            let inner = inner.clone();
            members.retain(|name, _| *name != *key);
            value = Raw::Object(std::mem::take(members).merged(&inner));
        }
    }
    match &value {
        Raw::Object(members) => read_members(members),
        other => ProviderError { message: text(other), ..ProviderError::default() },
    }
}

fn read_members(members: &RawObject) -> ProviderError {
    let code = given(members, tables::CODE_MEMBERS);
    let status = status(given(members, tables::STATUS_MEMBERS));
    let mut message = tables::MESSAGE_MEMBERS.iter().find_map(|key| text(members.get(key)));
    if let (None, Some(detail)) = (&message, members.get("detail").array()) {
        message = Some(refused_members(detail, members.get("detail")));
    }
    let mut kind = text(given(members, tables::TYPE_MEMBERS));
    if kind.is_none() && status.is_none() {
        // Google's name for it is here, not a number.
        kind = members.get("status").some_text().map(|kind| kind.well_formed().into_owned());
    }
    let status = status.or_else(|| self::status(code));
    ProviderError { code: text(code), kind, message, status }
}

/// Returns the contract's code for a provider's error; `unknown` where nothing shows it.
pub(crate) fn error_code(error: &ProviderError) -> &'static str {
    let (code, kind) = (error.code.as_deref(), error.kind.as_deref());
    // A number is a name with one vendor alone, which gives no type beside it.
    let numbered = kind.is_some() && code.is_some_and(is_digits);
    let given = if numbered { [kind, None] } else { [code, kind] };
    let names: Vec<&'static str> = given.into_iter().flatten().filter_map(by_name).collect();
    let plain = names.iter().copied().find(|found| !tables::VAGUE.contains(found));
    let told = plain.or_else(|| names.first().copied());
    let mut found = told.or_else(|| error.status.map(by_status));
    if found.is_none_or(|found| tables::VAGUE.contains(&found)) {
        let words = cut(error.message.as_deref().unwrap_or(""), 2000).to_lowercase();
        let said = tables::PHRASES.iter().find(|phrase| words.contains(phrase.words));
        found = said.map(|phrase| phrase.code).or(found);
    }
    found.or_else(|| error.message.as_deref().and_then(by_name)).unwrap_or("unknown")
}

/// Returns what FastAPI has against a request: a list of messages, each with its place.
fn refused_members(detail: &[Raw], whole: &Raw) -> String {
    let said = detail.iter().filter_map(|item| item.object()?.find("msg"));
    let words: Vec<String> = said.take(5).map(Raw::clip).collect();
    if words.is_empty() {
        return whole.clip();
    }
    format!("Input validation error: {}", words.join("; "))
}

/// Returns the first of some members that is not null.
fn given<'a>(members: &'a RawObject, names: &[&str]) -> &'a Raw {
    let mut found = names.iter().map(|name| members.get(name));
    found.find(|member| !member.is_null()).unwrap_or(&Raw::Null)
}

fn by_name(name: &str) -> Option<&'static str> {
    let plain = cut(name, 100).to_lowercase().replace(['-', ' ', '.'], "_");
    let plain = plain.strip_suffix("exception").unwrap_or(&plain).trim_end_matches('_');
    let bare = plain.strip_suffix("error").unwrap_or(plain);
    let bare = bare.strip_suffix('_').unwrap_or(bare);
    let find = |name: &str| {
        let mut rows = tables::NAMES.iter().flat_map(|(_, names)| *names);
        rows.find(|(each, _)| *each == name).map(|(_, code)| *code)
    };
    if name.is_empty() { None } else { find(plain).or_else(|| find(bare)) }
}

fn by_status(status: u16) -> &'static str {
    match tables::STATUSES.iter().find(|(each, _)| *each == i64::from(status)) {
        Some((_, code)) => code,
        None if status >= 500 => "provider_internal",
        None => "invalid_request",
    }
}

fn status(value: &Raw) -> Option<u16> {
    let number = match value.str() {
        Some(text) if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().ok()
        }
        _ => value.int(),
    };
    number.and_then(|number| u16::try_from(number).ok()).filter(|code| (400..600).contains(code))
}

fn text(value: &Raw) -> Option<String> {
    match value {
        Raw::Int(number) if number.unsigned_abs() <= u128::from(u64::MAX) => {
            Some(number.to_string())
        }
        _ => value.some_text().map(|text| text.well_formed().into_owned()),
    }
}

/// Tells whether a code is a number.
fn is_digits(code: &str) -> bool {
    !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit())
}

// -------------------------------------------------------------------------------------------------
// Bodies of errors: what servers send in place of events.

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
    let named = |status: i128| tables::MINIMAX.iter().find(|(each, _)| i128::from(*each) == status);
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

/// Returns what an error body says that has no member `error`, None if it is not an error.
fn body_without_error(event: &RawObject) -> Option<Raw> {
    let detail = event.get("detail");
    if detail.says_something() && !event.has("object") {
        let name = if detail.array().is_some() { "detail" } else { "message" };
        return Some(Raw::Object([(name, plain(detail))].into_iter().collect()));
    }
    let message = event.get("message");
    let words = if message.says_something() { message } else { event.get("Message") };
    let is_alone =
        || event.iter().all(|(name, _)| tables::BARE_MEMBERS.iter().any(|each| *name == **each));
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
