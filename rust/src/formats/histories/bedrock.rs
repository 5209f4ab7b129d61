//! Bedrock Converse: a request body, its messages, or one of them; an answer.
//!
//! - Results of tools are in user messages; they become a tool message, at their place.
//! - `system` is a system message before the others.
//! - A result that is one JSON value, or one text, is that; several are parts, and JSON is text.
//! - Bytes are Base64, as in the HTTP request.
//! - What an answer says of itself (usage, why it ended) is its message's `meta`.

use crate::errors::{Error, clip};
use crate::formats::core::calls::Calls;
use crate::formats::core::members::Members;
use crate::formats::core::parts::{
    inline, media_part, part, result_part, text_document, text_part, value_result,
};
use crate::formats::core::reading::Reading;
use crate::formats::histories::answers::Answers;
use crate::formats::histories::pieces::{REASONS, Turns, add_spoken, add_whole, answered, figures};
use crate::json::fields::{Fields, object};
use crate::json::json_text::json_text;
use crate::json::{Map, Value, json};
use crate::tables::media_types::BEDROCK;
use crate::tables::usage_figures;

const SERVER: &str = "server_tool_use";
const BYTES: &str = "application/octet-stream";
/// Of an assistant's block, the members that the adapter takes; it keeps others whole.
const TAKEN: &[(&str, &[&str])] = &[
    ("toolUse", &["toolUseId", "name", "input"]),
    ("citationsContent", &["content", "citations"]),
    ("image", &["format", "source"]),
];

/// Reads a request, a list of messages, one message, or an answer.
pub(crate) fn read_bedrock(source: &Value, reading: &mut Reading) -> Result<(), Error> {
    let mut turns = Turns::new(Answers::new("bedrock-converse"), answer_of, "toolUse");
    let Value::Object(members) = source else {
        return read_messages(source, "", &mut turns, reading);
    };
    let body = Members::new(members, "");
    if body.has("output") {
        read_answer(body, &mut turns.answers, reading)
    } else if body.has("messages") {
        read_request(body, &mut turns, reading)
    } else {
        read_message(body, &mut turns, reading)?;
        turns.end(reading)
    }
}

fn read_request(
    mut body: Members<'_>,
    turns: &mut Turns,
    reading: &mut Reading,
) -> Result<(), Error> {
    let system = body.value("system");
    if !system.is_null() && !system.as_array().is_some_and(Vec::is_empty) {
        let mut blocks = Blocks { calls: &mut turns.answers.calls, reading };
        let parts = blocks.parts(system, &body.at("system"), IN_SYSTEM)?;
        reading.add("system", parts, Map::new());
    }
    read_messages(body.value("messages"), &body.at("messages"), turns, reading)?;
    body.close_as("request-member", reading);
    Ok(())
}

fn read_messages(
    messages: &Value,
    place: &str,
    turns: &mut Turns,
    reading: &mut Reading,
) -> Result<(), Error> {
    for message in reading.items(messages, place)? {
        read_message(message?, turns, reading)?;
    }
    turns.end(reading)
}

fn read_message(
    mut message: Members<'_>,
    turns: &mut Turns,
    reading: &mut Reading,
) -> Result<(), Error> {
    let Some(role) = message.text("role") else {
        let actual = clip(message.peek("role"));
        return Err(reading.refuse(&message.at("role"), "user or assistant", actual));
    };
    let (place, content) = (message.at("content"), message.value("content"));
    if role == "assistant" {
        let said = said(content, &place, reading)?;
        turns.add(said, place, None, reading)?;
    } else if let Some((_, kinds)) = SPOKEN.iter().find(|(each, _)| *each == role) {
        turns.end(reading)?;
        let calls = &mut turns.answers.calls;
        let parts = Blocks { calls, reading }.parts(content, &place, kinds)?;
        add_spoken(role, parts, reading);
    } else {
        reading.note("foreign-message", &message.place);
        return Ok(());
    }
    message.close(reading);
    Ok(())
}

// --- answers -------------------------------------------------------------------------------------

/// Reads an answer, its message among what it says of itself.
fn read_answer(
    mut body: Members<'_>,
    answers: &mut Answers,
    reading: &mut Reading,
) -> Result<(), Error> {
    let mut output = reading.members(body.value("output"), body.at("output"))?;
    let mut message = reading.members(output.value("message"), output.at("message"))?;
    let place = message.at("content");
    let mut made = answer_of(said(message.value("content"), &place, reading)?);
    let mut said = Vec::new();
    if let Some(reason) = body.some_text("stopReason") {
        made.insert("stopReason", reason.into());
        said.extend(REASONS.map(|name| (name, body.at("stopReason"))));
    }
    if let Some(mut usage) = body.object("usage") {
        made.insert("usage", figures(&mut usage, usage_figures::BEDROCK).into());
        usage.close(reading);
        said.push(("usage", usage.place));
    }
    let fields = body.value("additionalModelResponseFields");
    if !fields.is_null() {
        made.insert("additionalModelResponseFields", fields.clone());
    }
    add_whole(answers, &made, &place, &said, Map::new(), reading)?;
    message.skip("role", &["assistant".into()]);
    for each in [message, output, body] {
        each.close(reading);
    }
    Ok(())
}

fn answer_of(content: Vec<Value>) -> Map {
    let message = object([("content", Value::Array(content))]);
    let output = object([("message", message.into())]);
    object([("output", output.into()), ("stopReason", "end_turn".into())])
}

/// Returns the blocks of an assistant, and reports what the adapter passes over in them.
fn said(content: &Value, place: &str, reading: &mut Reading) -> Result<Vec<Value>, Error> {
    if let Value::String(text) = content {
        return Ok(if text.is_empty() { Vec::new() } else { vec![json!({"text": text})] });
    }
    let mut said = Vec::new();
    for block in reading.items(content, place)? {
        let block = block?;
        let mut kept = Map::new();
        for (kind, value) in block.source().iter().filter(|(_, value)| !value.is_null()) {
            note_untaken(kind, value, block.at(kind), reading);
            kept.insert(kind.as_str(), value.clone());
        }
        said.push(kept.into());
    }
    Ok(said)
}

/// Reports what the adapter passes over in the body of an assistant's block.
fn note_untaken(kind: &str, value: &Value, place: String, reading: &mut Reading) {
    let taken = TAKEN.iter().find(|(each, _)| *each == kind);
    let (Some((_, taken)), Value::Object(body)) = (taken, value) else { return };
    if body.text("type") == SERVER {
        return;
    }
    let mut body = Members::new(body, place);
    for name in *taken {
        match body.value(name) {
            Value::Object(source) if *name == "source" && source.contains_key("bytes") => {
                let mut source = Members::new(source, body.at(name));
                source.value("bytes");
                source.close(reading);
            }
            _ => {}
        }
    }
    body.close(reading);
}

// --- what users and tools say --------------------------------------------------------------------

const IN_RESULTS: &[&str] =
    &["text", "json", "image", "document", "video", "audio", "searchResult"];
const IN_USERS: &[&str] =
    &["text", "image", "document", "video", "audio", "guardContent", "searchResult", "toolResult"];
const IN_SYSTEM: &[&str] = &["text", "guardContent"];
/// Role → the kinds of blocks that are parts of its messages.
const SPOKEN: &[(&str, &[&str])] = &[("user", IN_USERS), ("system", IN_SYSTEM)];

/// Blocks of content, read as parts.
struct Blocks<'r> {
    calls: &'r mut Calls,
    reading: &'r mut Reading,
}

impl Blocks<'_> {
    /// Returns the parts of text, or of blocks of these kinds.
    fn parts(&mut self, content: &Value, place: &str, kinds: &[&str]) -> Result<Vec<Value>, Error> {
        if let Value::String(text) = content {
            return Ok(if text.is_empty() { Vec::new() } else { vec![text_part(text)] });
        }
        let mut parts = Vec::new();
        for block in self.reading.items(content, place)? {
            let mut block = block?;
            let found = match kind_of(&block, kinds) {
                Some(kind) => self.parts_of(kind, block.value(kind), block.at(kind))?,
                None => None,
            };
            if let Some(found) = found {
                parts.extend(found);
                block.close(self.reading);
            } else {
                self.reading.note("foreign-part", &block.place);
            }
        }
        Ok(parts)
    }

    fn parts_of(
        &mut self,
        kind: &str,
        value: &Value,
        place: String,
    ) -> Result<Option<Vec<Value>>, Error> {
        if kind == "text" {
            return Ok(value.as_str().map(|text| vec![text_part(text)]));
        }
        if kind == "json" {
            self.reading.note("content-form", &place);
            return Ok(Some(vec![text_part(&json_text(value))]));
        }
        let Value::Object(members) = value else { return Ok(None) };
        let mut body = Members::new(members, place);
        let parts = match kind {
            "toolResult" => self.result(&mut body)?,
            "guardContent" => self.guarded(&mut body)?,
            "searchResult" => {
                self.reading.note("content-form", &body.place);
                Some(self.parts(body.value("content"), &body.at("content"), &["text"])?)
            }
            _ => self.media(kind, &mut body)?,
        };
        if parts.is_some() {
            body.close(self.reading);
        }
        Ok(parts)
    }

    fn result(&mut self, body: &mut Members<'_>) -> Result<Option<Vec<Value>>, Error> {
        let Some(own) = body.some_text("toolUseId") else { return Ok(None) };
        let content = body.value("content");
        body.skip("status", &["success".into()]);
        let is_error = *body.peek("status") == "error";
        if is_error {
            body.value("status");
        }
        let call_id = answered(self.calls, own);
        let content: Value = match only(content) {
            Some(("json", value)) => {
                return Ok(Some(vec![value_result(&call_id, value.clone(), is_error)]));
            }
            Some(("text", Value::String(text))) => text.into(),
            _ if content.is_null() => "".into(),
            _ => match self.parts(content, &body.at("content"), IN_RESULTS)? {
                parts if parts.is_empty() => "".into(),
                parts => Value::Array(parts),
            },
        };
        Ok(Some(vec![result_part(&call_id, content, is_error)]))
    }

    /// Returns what a guardrail looks at in particular.
    fn guarded(&mut self, body: &mut Members<'_>) -> Result<Option<Vec<Value>>, Error> {
        self.reading.note("content-form", &body.place);
        if body.peek("image").is_object() {
            return self.parts_of("image", body.value("image"), body.at("image"));
        }
        let Some(mut words) = body.object("text") else { return Ok(None) };
        let text = words.text("text");
        words.close(self.reading);
        Ok(text.map(|text| vec![text_part(text)]))
    }

    fn media(&mut self, kind: &str, body: &mut Members<'_>) -> Result<Option<Vec<Value>>, Error> {
        let Some(mut source) = body.object("source") else { return Ok(None) };
        let parts = if source.has("content") {
            self.reading.note("content-form", &source.place);
            Some(self.parts(source.value("content"), &source.at("content"), &["text"])?)
        } else {
            let name = if kind == "document" { body.text("name") } else { None };
            let mime_type = type_of(kind, body, self.reading);
            one(kind, &mime_type, &mut source, name, self.reading).map(|part| vec![part])
        };
        if parts.is_some() {
            source.close(self.reading);
        }
        Ok(parts)
    }
}

/// Returns the kind of a block: the first of these that it has, one that is not null before others.
fn kind_of<'a>(block: &Members<'a>, kinds: &[&str]) -> Option<&'a str> {
    let fits = |(name, _): &(&String, &Value)| kinds.contains(&name.as_str());
    let source = block.source();
    let said = source.iter().filter(fits).find(|(_, value)| !value.is_null());
    said.or_else(|| source.iter().find(fits)).map(|(name, _)| name.as_str())
}

/// Returns the only member of the only block of a result; None where it has more.
fn only(content: &Value) -> Option<(&str, &Value)> {
    let [Value::Object(block)] = content.as_array()?.as_slice() else { return None };
    let mut said = block.iter().filter(|(_, value)| !value.is_null());
    let (name, value) = said.next()?;
    said.next().is_none().then_some((name.as_str(), value))
}

fn one(
    kind: &str,
    mime_type: &str,
    source: &mut Members<'_>,
    name: Option<&str>,
    reading: &mut Reading,
) -> Option<Value> {
    let text = if kind == "document" { source.text("text") } else { None };
    if let Some(text) = text {
        reading.note("content-form", &source.place);
        return Some(text_document(text, mime_type, name));
    }
    if let Some(data) = source.text("bytes") {
        return inline(mime_type, data, name);
    }
    let mut location = source.object("s3Location")?;
    let uri = location.some_text("uri");
    location.close(reading);
    let uri = uri?;
    if kind == "image" {
        let payload = object([("mimeType", mime_type.into()), ("url", uri.into())]);
        return Some(part("image", payload));
    }
    let source = object([("kind", "url".into()), ("url", uri.into())]);
    Some(media_part(mime_type, source, name))
}

/// Returns the media type of a format.
fn type_of(kind: &str, body: &mut Members<'_>, reading: &mut Reading) -> String {
    let Some(form) = body.some_text("format") else {
        reading.note("mime-invented", &body.place);
        return if kind == "image" { "image/*" } else { BYTES }.to_owned();
    };
    let row = BEDROCK.iter().find(|(_, member, name)| *member == kind && *name == form);
    if let Some((mime_type, ..)) = row {
        return (*mime_type).to_owned();
    }
    match (kind, form) {
        (_, "txt") => "text/plain".to_owned(),
        ("document", _) => {
            reading.note("foreign-member", &body.at("format"));
            BYTES.to_owned()
        }
        _ => format!("{kind}/{form}"),
    }
}
