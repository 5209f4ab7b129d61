//! Gemini: a request body, its contents, or one of them; an answer.
//!
//! - Names may be in camel case, as the REST API has them, or in snake case, as Python's client has.
//! - `systemInstruction` is a system message before the others.
//! - Function responses are messages of the role tool, whatever its role. One without an
//!   id answers the first call of its function that waits. `output` is what the function said,
//!   `error` that it failed; any other object is the output itself.
//! - What an answer says of itself (model, usage, why it ended) is its message's `meta`.

use crate::errors::{Error, clip};
use crate::formats::core::calls::Calls;
use crate::formats::core::parts::{
    inline, media_part, part, result_part, text_part, url_part, value_result,
};
use crate::formats::core::reading::Reading;
use crate::formats::core::source;
use crate::formats::histories::answers::Answers;
use crate::formats::histories::gemini_names::{Names, in_camel_case};
use crate::formats::histories::pieces::{REASONS, Turns, add_spoken, add_whole, made_id};
use crate::json::fields::{Fields, object, put};
use crate::json::json_text::json_text;
use crate::json::{Map, Value, json};
use crate::tables::provider_names::GEMINI_STATE;
use crate::tables::usage_figures;

const VERBATIM: &str = "partMetadata"; // the user's own JSON
const OF_TOOLS: &str = "toolUsePromptTokenCount";
const ENDED: &str = "STOP";
/// Roles of contents; functions had one of their own, and users need none.
const ROLES: &[&str] = &["user", "function", "tool", "model", "system"];
/// Of a part's content, the members that the adapter takes; parts of other content it keeps whole.
const TAKEN: &[(&str, &[&str])] = &[
    ("functionCall", &["name", "id", "args"]),
    ("inlineData", &["mimeType", "data", "displayName"]),
    ("fileData", &["mimeType", "fileUri", "displayName"]),
];

/// Reads a request, a list of contents, one content, or an answer.
pub(crate) fn read_gemini(source: &Value, reading: &mut Reading) -> Result<(), Error> {
    read_source(source, reading)?;
    for message in &mut reading.messages {
        if let Some(Value::Array(parts)) = message.get_mut("parts") {
            mark_thoughts(parts);
        }
    }
    Ok(())
}

fn read_source(source: &Value, reading: &mut Reading) -> Result<(), Error> {
    let mut turns = Turns::new(Answers::new("gemini"), answer_of, "functionCall");
    let Value::Object(members) = source else {
        return read_contents(source, "", &mut turns, reading);
    };
    let mut body = Names::new(members, "", reading);
    if body.has("candidates") {
        return read_answer(body, &mut turns.answers, reading);
    }
    if !body.has("contents") {
        return read_contents(source, "", &mut turns, reading);
    }
    // Of the clients: whatever is not the model and the contents.
    if let Some(mut config) = body.object("config", reading) {
        read_system(&mut config, reading)?;
        config.close_as("request-member", reading);
    }
    read_system(&mut body, reading)?;
    let place = body.at("contents");
    read_contents(body.value("contents"), &place, &mut turns, reading)?;
    body.close_as("request-member", reading);
    Ok(())
}

/// Says of reasoning without any state that it is Gemini's: only so does it go back there.
fn mark_thoughts(parts: &mut [Value]) {
    let has_state = |part: &Value| part.pointer("/payload/opaque").is_some();
    if parts.iter().any(has_state) {
        return;
    }
    for part in parts.iter_mut().filter(|part| part["kind"] == "thinking") {
        if let Some(payload) = part.get_mut("payload") {
            put(payload, "opaque", json!({"provider": "gemini", "data": {"items": []}}));
        }
    }
}

// --- contents ------------------------------------------------------------------------------------

/// Reads contents; Python's client takes one content, or text, in place of a list.
fn read_contents(
    contents: &Value,
    place: &str,
    turns: &mut Turns,
    reading: &mut Reading,
) -> Result<(), Error> {
    match contents {
        Value::String(_) | Value::Object(_) => read_content(contents, place, turns, reading)?,
        Value::Array(items) => {
            for (number, content) in items.iter().enumerate() {
                read_content(content, &format!("{place}/{number}"), turns, reading)?;
            }
        }
        _ => return Err(reading.refuse(place, "an array of contents", clip(contents))),
    }
    turns.end(reading)
}

fn read_content(
    given: &Value,
    place: &str,
    turns: &mut Turns,
    reading: &mut Reading,
) -> Result<(), Error> {
    let members = match given {
        Value::String(text) => {
            turns.end(reading)?;
            add_spoken("user", vec![text_part(text)], reading);
            return Ok(());
        }
        Value::Object(members) => members,
        _ => return Err(reading.refuse(place, "a content as an object", clip(given))),
    };
    let mut content = Names::new(members, place, reading);
    if !content.has("role") && !content.has("parts") {
        return Err(reading.refuse(place, "a content: role and parts", clip(given)));
    }
    let role = match content.value("role") {
        Value::Null => "user",
        Value::String(role) => role,
        other => return Err(reading.refuse(&content.at("role"), "user or model", clip(other))),
    };
    if !ROLES.contains(&role) {
        reading.note("foreign-message", place);
        return Ok(());
    }
    let at = content.at("parts");
    let parts = opened(content.value("parts"), &at, reading)?;
    match role {
        "model" => {
            let said = parts.into_iter().map(|part| taken(part, reading).into()).collect();
            turns.add(said, at, None, reading)?;
        }
        "system" => {
            turns.end(reading)?;
            let parts = spoken(parts, None, reading)?;
            reading.add("system", parts, Map::new());
        }
        _ => {
            turns.end(reading)?;
            let parts = spoken(parts, Some(&mut turns.answers.calls), reading)?;
            add_spoken("user", parts, reading);
        }
    }
    content.close(reading);
    Ok(())
}

fn answer_of(parts: Vec<Value>) -> Map {
    let content = object([("parts", Value::Array(parts))]);
    let candidate = json!({"content": content, "finishReason": ENDED});
    object([("candidates", Value::Array(vec![candidate]))])
}

fn read_system(body: &mut Names<'_>, reading: &mut Reading) -> Result<(), Error> {
    let place = body.at("systemInstruction");
    let system = match body.value("systemInstruction") {
        Value::Null => return Ok(()),
        Value::Object(system) if system.contains_key("parts") || !system.contains_key("text") => {
            system
        }
        parts => {
            let parts = opened(parts, &place, reading)?;
            let parts = spoken(parts, None, reading)?;
            reading.add("system", parts, Map::new());
            return Ok(());
        }
    };
    let mut content = Names::new(system, place, reading);
    let parts = opened(content.value("parts"), &content.at("parts"), reading)?;
    content.skip("role", &["user".into(), "system".into(), "model".into()]); // it says nothing here
    let parts = spoken(parts, None, reading)?;
    reading.add("system", parts, Map::new());
    content.close(reading);
    Ok(())
}

/// A part of a content: clients take text in place of an object.
enum Part<'a> {
    /// Text, and its place.
    Text(&'a str, String),
    Object(Names<'a>),
}

/// Opens parts; clients take one part, or text, in place of a list.
fn opened<'a>(
    parts: &'a Value,
    place: &str,
    reading: &mut Reading,
) -> Result<Vec<Part<'a>>, Error> {
    match parts {
        Value::Null => Ok(Vec::new()),
        Value::String(_) | Value::Object(_) => Ok(vec![opened_part(parts, place, reading)?]),
        Value::Array(parts) => {
            let places = (0..).map(|number: usize| format!("{place}/{number}"));
            let parts = parts.iter().zip(places);
            parts.map(|(part, at)| opened_part(part, &at, reading)).collect()
        }
        _ => Err(reading.refuse(place, "an array of parts", clip(parts))),
    }
}

fn opened_part<'a>(part: &'a Value, place: &str, reading: &mut Reading) -> Result<Part<'a>, Error> {
    match part {
        Value::String(text) => Ok(Part::Text(text, place.to_owned())),
        Value::Object(members) => Ok(Part::Object(Names::new(members, place, reading))),
        _ => Err(reading.refuse(place, "a part as an object", clip(part))),
    }
}

// --- what the model said -------------------------------------------------------------------------

/// Returns a part of the model as the adapter reads it, and reports what it passes over.
fn taken(part: Part<'_>, reading: &mut Reading) -> Map {
    let part = match part {
        Part::Text(text, _) => return object([("text", text.into())]),
        Part::Object(part) => part,
    };
    let mut said = Map::new();
    for (name, at, value) in part.members() {
        match value {
            Value::Null => {}
            Value::Object(members) if name != VERBATIM => {
                let mut content = Names::new(members, at, reading);
                said.insert(name.as_str(), taken_of(&name, &mut content).into());
                content.close(reading);
            }
            _ => {
                said.insert(name, value.clone());
            }
        }
    }
    let thought = said.get("thought").cloned().unwrap_or(Value::Bool(false));
    if thought != Value::Bool(true) {
        said.remove("thought");
    }
    let is_bare = said.len() == 2 && said.contains_key("thought") && *said.at("text") == "";
    if !thought.is_boolean() || is_bare {
        reading.note("foreign-member", &part.at("thought"));
    }
    said
}

/// Takes what the adapter takes of a part's content.
fn taken_of(name: &str, content: &mut Names<'_>) -> Map {
    if let Some((_, names)) = TAKEN.iter().find(|(each, _)| *each == name) {
        let there = names.iter().filter(|name| content.has(name)).copied().collect::<Vec<_>>();
        return there
            .into_iter()
            .map(|name| (name.to_owned(), content.value(name).clone()))
            .collect();
    }
    content.take_all()
}

/// Reads an answer: its first candidate.
fn read_answer(
    mut body: Names<'_>,
    answers: &mut Answers,
    reading: &mut Reading,
) -> Result<(), Error> {
    let place = body.at("candidates");
    let given = body.value("candidates");
    let Some([Value::Object(first), others @ ..]) = given.as_array().map(Vec::as_slice) else {
        return Err(reading.refuse(&place, "an array of candidates", clip(given)));
    };
    for number in 1..=others.len() {
        reading.note("foreign-message", &format!("{place}/{number}"));
    }
    let mut made = Map::new();
    let mut said = Vec::new();
    for (theirs, ours) in [("modelVersion", "modelId"), ("responseId", "requestId")] {
        if let Some(given) = body.some_text(theirs) {
            made.insert(theirs, given.into());
            said.push((ours, body.at(theirs)));
        }
    }
    if let Some(usage) = body.object("usageMetadata", reading) {
        said.push(("usage", body.at("usageMetadata")));
        made.insert("usageMetadata", usage_of(usage, reading).into());
    }
    let mut candidate = Names::new(first, format!("{place}/0"), reading);
    let mut answer = object([("finishReason", ENDED.into())]);
    if let Some(reason) = candidate.some_text("finishReason") {
        said.extend(REASONS.map(|name| (name, candidate.at("finishReason"))));
        answer.insert("finishReason", reason.into());
    }
    let mut at = candidate.at("content");
    if let Some(mut content) = candidate.object("content", reading) {
        at = content.at("parts");
        let parts = opened(content.value("parts"), &at, reading)?;
        let parts: Value = parts.into_iter().map(|part| taken(part, reading)).collect();
        answer.insert("content", object([("parts", parts)]).into());
        content.skip("role", &["model".into()]);
        content.close(reading);
    }
    for name in GEMINI_STATE {
        answer.insert(*name, in_camel_case(candidate.value(name), 0));
    }
    candidate.skip("index", &[0.into()]);
    candidate.close(reading);
    made.insert("candidates", Value::Array(vec![answer.into()]));
    add_whole(answers, &made, &at, &said, Map::new(), reading)?;
    body.close(reading);
    Ok(())
}

fn usage_of(mut usage: Names<'_>, reading: &mut Reading) -> Map {
    let mut found = Map::new();
    for name in usage_figures::GEMINI {
        if let Some(count) = usage.count(name) {
            found.insert(*name, count.into());
            if *name == OF_TOOLS && count > 0 {
                // The adapter takes it for a check of the total.
                reading.note("foreign-member", &usage.at(name));
            }
        }
    }
    usage.close(reading);
    found
}

// --- what users and functions said ---------------------------------------------------------------

/// Returns the parts of a user; without `calls` those of the system, which are texts.
fn spoken(
    parts: Vec<Part<'_>>,
    mut calls: Option<&mut Calls>,
    reading: &mut Reading,
) -> Result<Vec<Value>, Error> {
    let mut found = Vec::new();
    for part in parts {
        let mut part = match part {
            Part::Text(text, _) => {
                found.push(text_part(text));
                continue;
            }
            Part::Object(part) => part,
        };
        if let Some(made) = spoken_part(&mut part, calls.as_deref_mut(), reading)? {
            found.push(made);
            part.close(reading);
        } else {
            reading.note("foreign-part", part.place());
        }
    }
    Ok(found)
}

fn spoken_part(
    part: &mut Names<'_>,
    calls: Option<&mut Calls>,
    reading: &mut Reading,
) -> Result<Option<Value>, Error> {
    if part.flag("thought") == Some(true) {
        return Ok(None);
    }
    if let Some(text) = part.text("text") {
        return Ok(Some(text_part(text)));
    }
    let Some(calls) = calls else { return Ok(None) };
    if let Some(response) = part.object("functionResponse", reading) {
        return result(response, calls, reading).map(Some);
    }
    Ok(media(part, reading))
}

/// Returns the part of bytes, or of a file that the provider fetches or has.
fn media(part: &mut Names<'_>, reading: &mut Reading) -> Option<Value> {
    let name = ["inlineData", "fileData"].into_iter().find(|name| part.peek(name).is_object())?;
    let mut content = part.object(name, reading)?;
    let (mime_type, title) = (content.some_text("mimeType"), content.some_text("displayName"));
    let made = if name == "inlineData" {
        let data = standard(content.text("data").unwrap_or(""));
        inline(mime_type?, &data, title)?
    } else {
        file(content.some_text("fileUri")?, mime_type, title, content.place(), reading)
    };
    content.close(reading);
    Some(made)
}

fn file(
    uri: &str,
    mime_type: Option<&str>,
    title: Option<&str>,
    place: &str,
    reading: &mut Reading,
) -> Value {
    match (mime_type, title) {
        (Some(mime_type), None) if mime_type.starts_with("image/") => {
            part("image", object([("mimeType", mime_type.into()), ("url", uri.into())]))
        }
        (Some(mime_type), title) => {
            media_part(mime_type, object([("kind", "url".into()), ("url", uri.into())]), title)
        }
        (None, title) => {
            let mut made = url_part(uri, place, false, reading);
            if let (Some(payload), Some(title)) = (made.get_mut("payload"), title) {
                put(payload, "name", title);
            }
            made
        }
    }
}

/// Returns Base64 in the standard alphabet, padded: Python's client writes that of URLs.
fn standard(data: &str) -> String {
    let mut made = data.replace('-', "+").replace('_', "/");
    while made.len() % 4 != 0 {
        made.push('=');
    }
    made
}

fn result(
    mut response: Names<'_>,
    calls: &mut Calls,
    reading: &mut Reading,
) -> Result<Value, Error> {
    let (own, name) = (response.some_text("id"), response.text("name"));
    let call = match own {
        Some(own) => calls.of_id(own),
        None => calls.of_name(Some(name.unwrap_or(""))),
    };
    if own.is_none() {
        reading.note("call-id-invented", response.place());
    }
    if name.is_some() && name != call.map(|call| call.name.as_str()) {
        reading.note("foreign-member", &response.at("name"));
    }
    let call_id = match (call, own) {
        (Some(call), _) => call.call_id.clone(),
        (None, Some(own)) => own.to_owned(),
        (None, None) => made_id(response.place()),
    };
    let place = response.at("response");
    let (content, is_error) = said_by(response.value("response"));
    let at = response.at("parts");
    let mut media = Vec::new();
    for part in opened(response.value("parts"), &at, reading)? {
        media.extend(attached(part, reading));
    }
    response.close(reading);
    if media.is_empty() {
        return Ok(value_result(&call_id, content, is_error));
    }
    let text = match content {
        Value::String(text) => text,
        content => {
            reading.note("content-form", &place);
            json_text(&content)
        }
    };
    if !text.is_empty() {
        media.insert(0, text_part(&text));
    }
    Ok(result_part(&call_id, Value::Array(media), is_error))
}

/// Returns what a function said, and whether it failed.
fn said_by(response: &Value) -> (Value, bool) {
    let is_error = has_failed(response);
    let content = match response {
        Value::Null => "".into(),
        Value::Object(members) if members.len() == 1 => {
            let is_said = is_error || members.contains_key("output");
            match members.values().next().filter(|_| is_said) {
                Some(Value::Null) => "".into(),
                Some(said) => said.clone(),
                None => response.clone(),
            }
        }
        _ => response.clone(),
    };
    (content, is_error)
}

/// Tells whether a response is an error: beside others, a member that is false says nothing.
fn has_failed(response: &Value) -> bool {
    let Value::Object(members) = response else { return false };
    if members.contains_key("output") {
        return false;
    }
    match members.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(error) => members.len() == 1 || source::says(error),
    }
}

fn attached(part: Part<'_>, reading: &mut Reading) -> Option<Value> {
    let mut part = match part {
        Part::Object(part) => part,
        Part::Text(_, place) => {
            reading.note("foreign-part", &place);
            return None;
        }
    };
    let made = media(&mut part, reading);
    if made.is_some() {
        part.close(reading);
    } else {
        reading.note("foreign-part", part.place());
    }
    made
}
