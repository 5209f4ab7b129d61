//! OpenAI Responses: a request, its items, one of them, or a response.
//!
//! - Items that follow each other and are not what users or tools said are one answer: reasoning,
//!   messages, calls, tools that the provider ran, and what it keeps for itself.
//! - Messages of an assistant that are mere text under no id are one message each: nothing ties them
//!   together, and nothing is to be kept of them.
//! - Outputs of tools that the caller runs on the provider's terms (a computer, a shell) stay in the
//!   answer, beside their calls: both are the provider's own items, and go back as they are.
//! - An answer to a request for approval is a user's message.

use std::collections::HashMap;

use crate::errors::{Error, clip, clip_object};
use crate::formats::core::members::Members;
use crate::formats::core::parts::{part, result_part, text_part, texts_of};
use crate::formats::core::reading::Reading;
use crate::formats::core::source::{is_nested, says};
use crate::formats::histories::answers::{Answers, MOST_LEVELS};
use crate::formats::histories::openai_answer::{loses_usage, take_names, time_of, usage_of};
use crate::formats::histories::openai_media::{at_url, by_id, sound, stored_file};
use crate::json::fields::{Fields, object};
use crate::json::json_text::json_text;
use crate::json::{Map, Value};
use crate::tables::provider_names::RESPONSES_CALLS;

/// Reads a request, a list of items, one item, or a response.
pub(crate) fn read_responses(source: &Value, reading: &mut Reading) -> Result<(), Error> {
    let mut history = ResponsesHistory::new();
    match source {
        Value::Object(members) => {
            let has = |name| members.contains_key(name) && !members.contains_key("type");
            if has("output") {
                return history.response(Members::new(members, ""), reading);
            }
            if has("input") {
                let mut body = Members::new(members, "");
                read_instructions(&mut body, reading);
                match body.value("input") {
                    Value::Object(item) => history.item(item, "/input/0".to_owned(), reading)?,
                    items => history.items(items, "/input", reading)?,
                }
                body.close_as("request-member", reading);
            } else {
                history.item(members, String::new(), reading)?;
            }
        }
        items => history.items(items, "", reading)?,
    }
    history.finish(reading)
}

/// Reads what stands apart and is a system message; a prompt that is stored is a list.
fn read_instructions(body: &mut Members<'_>, reading: &mut Reading) {
    match body.value("instructions") {
        Value::Null => {}
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => {
            reading.add("system", vec![text_part(text)], Map::new());
        }
        _ => reading.note("request-member", &body.at("instructions")),
    }
}

// --- items ---------------------------------------------------------------------------------------

const ROLES: &[(&str, &str)] = &[("system", "system"), ("developer", "system"), ("user", "user")];
const APPROVAL: &str = "mcp_approval_response";
const ENDED: &[&str] = &["completed", "incomplete", "failed", "cancelled"];
const PLAIN: &[&str] = &["output_text", "text", "input_text"];
/// What results repeat of their calls.
const SAID: &[&str] = &["name", "caller", "namespace"];

/// An item of an answer, of a type, and where it stands.
struct Placed<'a> {
    place: String,
    kind: &'a str,
    item: &'a Map,
}

/// The items read so far.
struct ResponsesHistory<'a> {
    answers: Answers,
    /// Items of the answer that may go on.
    run: Vec<Placed<'a>>,
    /// Request for approval → the call that waits.
    asked: HashMap<String, String>,
    /// Call, by id in the messages → its type, and what results repeat.
    bodies: HashMap<String, Map>,
}

impl<'a> ResponsesHistory<'a> {
    fn new() -> Self {
        let answers = Answers::new("openai-responses");
        Self { answers, run: Vec::new(), asked: HashMap::new(), bodies: HashMap::new() }
    }

    /// Reads items; text is what a user says.
    fn items(&mut self, items: &'a Value, place: &str, reading: &mut Reading) -> Result<(), Error> {
        if let Value::String(text) = items {
            let parts = if text.is_empty() { Vec::new() } else { vec![text_part(text)] };
            reading.add("user", parts, Map::new());
            return Ok(());
        }
        for item in reading.items(items, place)? {
            let item = item?;
            self.item(item.source(), item.place, reading)?;
        }
        Ok(())
    }

    /// Reads an item. What an assistant said waits for the rest of the answer.
    fn item(&mut self, item: &'a Map, place: String, reading: &mut Reading) -> Result<(), Error> {
        let Some(kind) = kind_of(item) else {
            let expected = "an item with its type, or a message";
            return Err(reading.refuse(&place, expected, clip_object(item)));
        };
        let members = Members::new(item, place.as_str());
        if kind == "message" && item.text("role") != "assistant" {
            self.finish(reading)?;
            spoken(members, reading)
        } else if let Some(call) = call_of_output(kind) {
            self.finish(reading)?;
            self.result(members, call, reading);
            Ok(())
        } else if kind == APPROVAL {
            self.finish(reading)?;
            self.approval(members, reading);
            Ok(())
        } else {
            self.run.push(Placed { place, kind, item });
            Ok(())
        }
    }

    // --- answers ---------------------------------------------------------------------------------

    /// Reads the answer whose items have come, if any.
    fn finish(&mut self, reading: &mut Reading) -> Result<(), Error> {
        let run = std::mem::take(&mut self.run);
        if run.iter().all(is_easy) {
            for each in run {
                easy(Members::new(each.item, each.place), reading);
            }
            return Ok(());
        }
        let items: Vec<Map> = run.iter().map(|each| prepared(each, reading)).collect();
        let said = self.answers.add(&response_of(items.clone()), None, Map::new(), reading)?;
        remember(said, &items, &mut self.asked, &mut self.bodies);
        self.note_damage(&run, items, reading)
    }

    /// Reads a whole response.
    fn response(&mut self, mut body: Members<'a>, reading: &mut Reading) -> Result<(), Error> {
        let mut run = Vec::new();
        for each in reading.items(body.value("output"), body.at("output"))? {
            let each = each?;
            let item = each.source();
            let Some(kind) = kind_of(item) else {
                let expected = "an item with its type";
                return Err(reading.refuse(&each.place, expected, clip_object(item)));
            };
            run.push(Placed { place: each.place, kind, item });
        }
        let items: Vec<Map> = run.iter().map(|each| prepared(each, reading)).collect();
        let mut kept = response_of(items.clone());
        body.skip("object", &["response".into()]);
        take_names(&mut body, &["id", "model"], &mut kept);
        let running = read_status(&mut body, &mut kept, reading);
        let usage = usage_of(&mut body, reading);
        kept.insert("usage", usage.cloned().into());
        let tools = body.list("tools").unwrap_or_default();
        kept.insert("tools", tools.into());
        if !tools.is_empty() {
            reading.note("request-member", &body.at("tools"));
        }
        let members = object([("timestamp", time_of(&mut body, "created_at").into())]);
        let said = self.answers.add_whole(&kept, None, members, reading)?;
        if let (Some(running), Some(Value::Object(meta))) = (running, said.get_mut("meta")) {
            meta.insert("providerFinishReason", running.into());
        }
        remember(said, &items, &mut self.asked, &mut self.bodies);
        if loses_usage(usage, said) {
            reading.note("foreign-member", "/usage");
        }
        self.note_damage(&run, items, reading)?;
        body.close_as("request-member", reading);
        Ok(())
    }

    /// Reports each item of which something is lost.
    fn note_damage(
        &self,
        run: &[Placed<'_>],
        items: Vec<Map>,
        reading: &mut Reading,
    ) -> Result<(), Error> {
        let answers = &self.answers;
        for (each, item) in run.iter().zip(items) {
            let is_deep = is_nested(&item, MOST_LEVELS);
            let is_lost = answers.was_damaged
                && (is_deep || answers.is_damaged(&response_of(vec![item]), reading)?);
            if is_lost || is_deep {
                reading.note("malformed-part", &each.place);
            }
        }
        Ok(())
    }

    // --- what others say -------------------------------------------------------------------------

    fn result(&mut self, mut item: Members<'_>, kind: &str, reading: &mut Reading) {
        let own = item.some_text("call_id");
        let calls = &mut self.answers.calls;
        let call = match own {
            Some(own) => calls.of_id(own),
            None => calls.of_name(None),
        };
        let Some(call_id) = call.map(|call| call.call_id.as_str()).or(own) else {
            return reading.note("foreign-message", &item.place);
        };
        if own.is_none() {
            reading.note("call-id-invented", &item.place);
        }
        let body = self.bodies.get(call_id);
        if kind != body.and_then(|body| body.at("type").as_str()).unwrap_or("function_call") {
            reading.note("foreign-member", &item.at("type"));
        }
        for name in SAID {
            if let Some(said) = body.and_then(|body| body.get(name)) {
                item.skip(name, std::slice::from_ref(said)); // the call says it
            }
        }
        let content = match item.value("output") {
            Value::Null => "".into(),
            Value::Array(parts) => Value::Array(parts_in(parts, &item.at("output"), reading)),
            other => other.clone(),
        };
        let names = object([("messageId", item.some_text("id").into())]);
        reading.add("tool", vec![result_part(call_id, content, false)], names);
        close(item, reading);
    }

    /// Reads a person's answer; a request that is not here has the id of its call.
    fn approval(&mut self, mut item: Members<'_>, reading: &mut Reading) {
        let (id, approves) = (item.some_text("approval_request_id"), item.flag("approve"));
        let Some((id, approves)) = id.zip(approves) else {
            return reading.note("foreign-message", &item.place);
        };
        let call_id = self.asked.get(id).map_or(id, String::as_str);
        let decision = if approves { "approved" } else { "denied" };
        let mut payload = object([
            ("approvalId", id.into()),
            ("toolCallId", call_id.into()),
            ("decision", decision.into()),
        ]);
        if let Some(reason) = item.text("reason") {
            payload.insert("reason", reason.into());
        }
        let names = object([("messageId", item.some_text("id").into())]);
        reading.add("user", vec![part("approval_response", payload)], names);
        close(item, reading);
    }
}

fn spoken(mut item: Members<'_>, reading: &mut Reading) -> Result<(), Error> {
    let Some(given) = item.some_text("role") else {
        return Err(reading.refuse(&item.at("role"), "a role", clip(item.peek("role"))));
    };
    let Some((_, role)) = ROLES.iter().find(|(each, _)| *each == given) else {
        reading.note("foreign-message", &item.place);
        return Ok(());
    };
    if given == "developer" {
        reading.note("role-form", &item.at("role"));
    }
    let place = item.at("content");
    let mut parts = parts_of(item.value("content"), &place, reading);
    if *role == "system" {
        parts = texts_of(parts, &place, reading);
    }
    let names = object([("messageId", item.some_text("id").into())]);
    reading.add(role, parts, names);
    close(item, reading);
    Ok(())
}

/// Reads a message of an assistant that is mere text.
fn easy(mut item: Members<'_>, reading: &mut Reading) {
    let text = match item.value("content") {
        Value::Array(parts) => parts.iter().map(|part| part.text("text")).collect(),
        content => content.as_str().unwrap_or("").to_owned(),
    };
    item.value("role");
    let parts = if text.is_empty() { Vec::new() } else { vec![text_part(&text)] };
    reading.add("assistant", parts, Map::new());
    close(item, reading);
}

/// Returns an item as the adapter reads it; reports what it passes over.
fn prepared(each: &Placed<'_>, reading: &mut Reading) -> Map {
    let mut item = each.item.clone();
    item.insert("type", each.kind.into());
    if each.kind == "message" {
        note_untaken(item.list("content"), &format!("{}/content", each.place), reading);
    } else if let Some((_, member)) = RESPONSES_CALLS.iter().find(|(call, _)| *call == each.kind) {
        if !says(item.at("call_id")) {
            reading.note("call-id-invented", &each.place);
        }
        if item.at(member).is_object() {
            let text = json_text(item.at(member));
            item.insert(*member, text.into());
        }
    }
    item
}

/// Keeps what later items refer to: calls in the order of their items, and requests for approval.
fn remember(
    message: &Map,
    items: &[Map],
    asked: &mut HashMap<String, String>,
    bodies: &mut HashMap<String, Map>,
) {
    let is_call = |item: &&Map| RESPONSES_CALLS.iter().any(|(call, _)| item.text("type") == *call);
    let mut calls = items.iter().filter(is_call);
    for part in message.list("parts") {
        let payload = part.at("payload");
        let call_id = payload.text("toolCallId").to_owned();
        match part.text("kind") {
            "approval_request" => _ = asked.insert(payload.text("approvalId").to_owned(), call_id),
            "tool_call" => {
                let body = calls.find(|call| call.at("name") == payload.at("toolName"));
                let said = body.into_iter().flatten();
                let said =
                    said.filter(|(name, _)| *name == "type" || SAID.contains(&name.as_str()));
                let said = said.map(|(name, value)| (name.clone(), value.clone()));
                bodies.insert(call_id, said.collect());
            }
            _ => {}
        }
    }
}

/// Takes how a response ended; returns the status of one that was stored before its end.
fn read_status<'a>(
    body: &mut Members<'a>,
    kept: &mut Map,
    reading: &mut Reading,
) -> Option<&'a str> {
    let status = body.some_text("status");
    let running = status.filter(|status| !ENDED.contains(status));
    kept.insert("status", running.map_or(status, |_| Some("incomplete")).into());
    if status == Some("incomplete") {
        kept.insert("incomplete_details", body.value("incomplete_details").clone());
    }
    let error = body.value("error");
    kept.insert("error", error.clone());
    if says(error) {
        reading.note("foreign-member", &body.at("error"));
    }
    running
}

/// Returns a whole response, as stored: all that comes of its reasoning has come.
fn response_of(output: Vec<Map>) -> Map {
    object([
        ("object", "response".into()),
        ("status", "completed".into()),
        ("store", true.into()),
        ("output", output.into()),
    ])
}

/// Returns the type of the calls that items of a type are results of.
fn call_of_output(kind: &str) -> Option<&'static str> {
    let call = kind.strip_suffix("_output")?;
    RESPONSES_CALLS.iter().find(|(each, _)| *each == call).map(|(each, _)| *each)
}

/// Returns the type of an item; messages and references may have none.
fn kind_of(item: &Map) -> Option<&str> {
    match item.at("type") {
        Value::String(kind) if !kind.is_empty() => Some(kind),
        Value::Null if item.at("role").is_string() => Some("message"),
        Value::Null if item.at("id").is_string() => Some("item_reference"),
        _ => None,
    }
}

/// Tells whether an item is a message that is mere text, under no id of the provider.
fn is_easy(each: &Placed<'_>) -> bool {
    if each.kind != "message" || says(each.item.at("id")) {
        return false;
    }
    match each.item.at("content") {
        Value::Array(parts) => parts.iter().all(is_plain),
        content => content.is_string(),
    }
}

fn is_plain_kind(part: &Value) -> bool {
    PLAIN.contains(&part.text("type"))
}

/// Tells whether a part of content is text, and nothing more.
fn is_plain(part: &Value) -> bool {
    let Value::Object(members) = part else { return false };
    let says_more =
        |(name, value): (&String, &Value)| name != "type" && name != "text" && says(value);
    is_plain_kind(part) && part.at("text").is_string() && !members.iter().any(says_more)
}

/// Reports what the adapter passes over in a message of an assistant; it keeps the rest.
fn note_untaken(content: &[Value], place: &str, reading: &mut Reading) {
    for (number, part) in content.iter().enumerate() {
        if !is_plain_kind(part) {
            continue;
        }
        if !part.at("text").is_string() && !part.at("text").is_null() {
            reading.note("malformed-part", &format!("{place}/{number}/text"));
        }
        if says(part.at("logprobs")) {
            reading.note("foreign-member", &format!("{place}/{number}/logprobs"));
        }
    }
}

/// Reports what is left of an item, but for what says nothing.
fn close(mut item: Members<'_>, reading: &mut Reading) {
    item.value("type");
    item.skip("status", &["completed".into()]);
    item.close(reading);
}

// --- content -------------------------------------------------------------------------------------

/// Returns the parts of content; what is not content is reported, and left out.
fn parts_of(content: &Value, place: &str, reading: &mut Reading) -> Vec<Value> {
    match content {
        Value::Null => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![text_part(text)],
        Value::Array(items) => parts_in(items, place, reading),
        _ => {
            reading.note("foreign-part", place);
            Vec::new()
        }
    }
}

fn parts_in(items: &[Value], place: &str, reading: &mut Reading) -> Vec<Value> {
    let mut found = Vec::new();
    for (number, each) in items.iter().enumerate() {
        let at = format!("{place}/{number}");
        let part = each.as_object().and_then(|each| {
            let mut part = Members::new(each, at.as_str());
            let made = part_of(&mut part, reading)?;
            part.close(reading);
            Some(made)
        });
        match part {
            Some(part) => found.push(part),
            None => reading.note("foreign-part", &at),
        }
    }
    found
}

fn part_of(part: &mut Members<'_>, reading: &mut Reading) -> Option<Value> {
    match part.text("type")? {
        kind if PLAIN.contains(&kind) => {
            let text = part.text("text");
            part.skip("annotations", &[Value::Array(Vec::new())]);
            part.skip("logprobs", &[Value::Array(Vec::new())]);
            text.map(text_part)
        }
        "input_image" => {
            part.skip("detail", &["auto".into()]);
            image(part, reading)
        }
        "input_file" => {
            let place = part.place.clone();
            stored_file(part, &place, reading)
        }
        "input_audio" => {
            let Some(mut source) = part.object("input_audio") else { return sound(part) };
            let made = sound(&mut source)?;
            source.close(reading);
            Some(made)
        }
        _ => None,
    }
}

fn image(part: &mut Members<'_>, reading: &mut Reading) -> Option<Value> {
    let (url, file_id) = (part.some_text("image_url"), part.some_text("file_id"));
    if let Some(url) = url {
        if file_id.is_some() {
            reading.note("foreign-member", &part.at("file_id"));
        }
        return at_url(url, &part.at("image_url"), true, None, reading);
    }
    let file_id = file_id?;
    reading.note("mime-invented", &part.at("file_id"));
    Some(by_id(file_id, Some("image/*")))
}
