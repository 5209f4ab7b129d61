//! Cohere Chat v2: a request body, its messages, or one of them; an answer.
//!
//! - A message of the role tool is one result; those in a row are one message.
//! - A document in a result is its data, or its text; JSON in a text stays text.
//! - What an answer says of itself (usage, why it ended) is its message's `meta`.

use crate::errors::{Error, clip};
use crate::formats::core::calls::Calls;
use crate::formats::core::members::Members;
use crate::formats::core::parts::{result_part, text_part};
use crate::formats::core::reading::Reading;
use crate::formats::core::source::says;
use crate::formats::histories::answers::Answers;
use crate::formats::histories::openai_media::at_url;
use crate::formats::histories::pieces::{
    REASONS, add_spoken, add_whole, answered, figures, made_id, sole_text,
};
use crate::json::fields::{Fields, object};
use crate::json::json_text::json_text;
use crate::json::{Map, Value};
use crate::tables::usage_figures;

/// Role → the types of blocks that are parts of its messages.
const KINDS: &[(&str, &[&str])] =
    &[("user", &["text", "image_url", "document"]), ("system", &["text"])];
const IN_RESULTS: &[&str] = &["text", "document"];
/// Of an assistant's block, the members that the adapter takes; it keeps other types whole.
const TAKEN: &[(&str, &[&str])] =
    &[("text", &["type", "text"]), ("thinking", &["type", "thinking"])];
const SAID: &[&str] = &["tool_plan", "tool_calls", "citations"];
const ENDED: &str = "COMPLETE";

/// Reads a request, a list of messages, one message, or an answer.
pub(crate) fn read_cohere(source: &Value, reading: &mut Reading) -> Result<(), Error> {
    let mut history = History { answers: Answers::new("cohere-v2"), results: Vec::new() };
    let Value::Object(members) = source else { return history.read(source, "", reading) };
    let mut body = Members::new(members, "");
    if body.has("messages") {
        history.read(body.value("messages"), &body.at("messages"), reading)?;
        body.close_as("request-member", reading);
        Ok(())
    } else if body.has("message") {
        read_answer(body, &mut history.answers, reading)
    } else {
        history.add(body, reading)?;
        history.add_results(reading);
        Ok(())
    }
}

/// The messages read so far; results in a row are held until their row ends.
struct History {
    answers: Answers,
    results: Vec<Value>,
}

impl History {
    fn read(&mut self, messages: &Value, place: &str, reading: &mut Reading) -> Result<(), Error> {
        for message in reading.items(messages, place)? {
            self.add(message?, reading)?;
        }
        self.add_results(reading);
        Ok(())
    }

    /// Reads one message.
    fn add(&mut self, mut message: Members<'_>, reading: &mut Reading) -> Result<(), Error> {
        let Some(role) = message.text("role") else {
            let expected = "user, assistant, system or tool";
            let actual = clip(message.peek("role"));
            return Err(reading.refuse(&message.at("role"), expected, actual));
        };
        if role == "tool" {
            let result = result(&mut message, &mut self.answers.calls, reading)?;
            self.results.push(result);
        } else if role == "assistant" {
            self.add_results(reading);
            let said = said(&mut message, reading)?;
            if let Some(text) = text_alone(&said) {
                self.answers.add_text(text, Map::new(), reading);
            } else {
                let body = answer_of(said);
                self.answers.add(&body, Some(&message.place), Map::new(), reading)?;
            }
        } else if let Some((_, kinds)) = KINDS.iter().find(|(each, _)| *each == role) {
            self.add_results(reading);
            let place = message.at("content");
            let parts = parts(message.value("content"), &place, kinds, reading)?;
            reading.add(role, parts, Map::new());
        } else {
            reading.note("foreign-message", &message.place);
            return Ok(());
        }
        message.close(reading);
        Ok(())
    }

    /// Adds the message of the results that are held.
    fn add_results(&mut self, reading: &mut Reading) {
        let results = std::mem::take(&mut self.results);
        if !results.is_empty() {
            add_spoken("tool", results, reading);
        }
    }
}

// --- answers -------------------------------------------------------------------------------------

/// Reads an answer, its message among what it says of itself.
fn read_answer(
    mut body: Members<'_>,
    answers: &mut Answers,
    reading: &mut Reading,
) -> Result<(), Error> {
    let mut message = reading.members(body.value("message"), body.at("message"))?;
    message.skip("role", &["assistant".into()]);
    let mut made = answer_of(self::said(&mut message, reading)?);
    message.close(reading);
    let mut said = Vec::new();
    if let Some(request_id) = body.some_text("id") {
        made.insert("id", request_id.into());
        said.push(("requestId", body.at("id")));
    }
    if let Some(reason) = body.some_text("finish_reason") {
        made.insert("finish_reason", reason.into());
        said.extend(REASONS.map(|name| (name, body.at("finish_reason"))));
    }
    if let Some(usage) = body.object("usage") {
        said.push(("usage", usage.place.clone()));
        made.insert("usage", usage_of(usage, reading).into());
    }
    add_whole(answers, &made, &message.place, &said, Map::new(), reading)?;
    body.close(reading);
    Ok(())
}

fn answer_of(message: Map) -> Map {
    object([("message", message.into()), ("finish_reason", ENDED.into())])
}

fn usage_of(mut usage: Members<'_>, reading: &mut Reading) -> Map {
    let mut found = figures(&mut usage, usage_figures::COHERE_CACHED);
    if let Some(mut tokens) = usage.object("tokens") {
        found.insert("tokens", figures(&mut tokens, usage_figures::COHERE).into());
        tokens.close(reading);
    }
    usage.close(reading);
    found
}

/// Returns what the adapter reads of an assistant's message, and reports what it passes over.
fn said(message: &mut Members<'_>, reading: &mut Reading) -> Result<Map, Error> {
    let content = message.value("content");
    if content.is_array() {
        for block in reading.items(content, message.at("content"))? {
            note_untaken(block?, reading);
        }
    }
    let mut made = object([("role", "assistant".into()), ("content", content.clone())]);
    for name in SAID {
        made.insert(*name, message.value(name).clone());
    }
    for (number, call) in made.list("tool_calls").iter().enumerate() {
        if let Value::Object(call) = call {
            let place = format!("{}/{number}", message.at("tool_calls"));
            note_untaken_of_call(Members::new(call, place), reading);
        }
    }
    Ok(made)
}

/// Returns the text of a message that says nothing else.
fn text_alone(said: &Map) -> Option<&str> {
    if SAID.iter().any(|name| says(said.at(name))) {
        return None;
    }
    match said.at("content") {
        Value::String(text) => Some(text.as_str()).filter(|text| !text.is_empty()),
        content => sole_text(content.as_array()?),
    }
}

fn note_untaken(mut block: Members<'_>, reading: &mut Reading) {
    let kind = block.text("type");
    let Some((_, taken)) = TAKEN.iter().find(|(each, _)| Some(*each) == kind) else { return };
    for name in *taken {
        block.value(name);
    }
    block.close(reading);
}

fn note_untaken_of_call(mut call: Members<'_>, reading: &mut Reading) {
    call.value("id");
    call.skip("type", &["function".into()]);
    if let Some(mut function) = call.object("function") {
        function.value("name");
        function.value("arguments");
        function.close(reading);
    }
    call.close(reading);
}

// --- what users and tools say --------------------------------------------------------------------

fn result(
    message: &mut Members<'_>,
    calls: &mut Calls,
    reading: &mut Reading,
) -> Result<Value, Error> {
    let own = message.some_text("tool_call_id");
    if own.is_none() {
        reading.note("call-id-invented", &message.place);
    }
    let call_id = match own {
        Some(own) => answered(calls, own),
        None => next_id(calls, &message.place),
    };
    let content = match message.value("content") {
        Value::Null => "".into(),
        Value::String(text) => text.into(),
        blocks => content_of(parts(blocks, &message.at("content"), IN_RESULTS, reading)?),
    };
    Ok(result_part(&call_id, content, false))
}

/// Returns the content of a result: its only text by itself.
fn content_of(parts: Vec<Value>) -> Value {
    match parts.as_slice() {
        [] => "".into(),
        [part] if part.text("kind") == "text" => part.at("payload").at("text").clone(),
        _ => Value::Array(parts),
    }
}

/// Returns the id of the first call that waits, or one for a result whose call is not there.
fn next_id(calls: &mut Calls, place: &str) -> String {
    calls.of_name(None).map_or_else(|| made_id(place), |call| call.call_id.clone())
}

/// Returns the parts of text, or of blocks of these types.
fn parts(
    content: &Value,
    place: &str,
    kinds: &[&str],
    reading: &mut Reading,
) -> Result<Vec<Value>, Error> {
    if let Value::String(text) = content {
        return Ok(if text.is_empty() { Vec::new() } else { vec![text_part(text)] });
    }
    let mut parts = Vec::new();
    for block in reading.items(content, place)? {
        let mut block = block?;
        let kind = block.text("type").filter(|kind| kinds.contains(kind));
        if let Some(part) = kind.and_then(|kind| part_of(kind, &mut block, reading)) {
            parts.push(part);
            block.close(reading);
        } else {
            reading.note("foreign-part", &block.place);
        }
    }
    Ok(parts)
}

fn part_of(kind: &str, block: &mut Members<'_>, reading: &mut Reading) -> Option<Value> {
    match kind {
        "text" => block.text("text").map(text_part),
        "image_url" => image(block, reading),
        _ => document(block.value("document"), block.at("document"), reading),
    }
}

fn document(given: &Value, place: String, reading: &mut Reading) -> Option<Value> {
    let members = match given {
        Value::String(text) => {
            reading.note("content-form", &place);
            return Some(text_part(text));
        }
        Value::Object(members) => members,
        _ => return None,
    };
    let mut document = Members::new(members, place);
    let text = match document.value("data") {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        data => json_text(data),
    };
    reading.note("content-form", &document.at("data"));
    document.close(reading);
    Some(text_part(&text))
}

fn image(block: &mut Members<'_>, reading: &mut Reading) -> Option<Value> {
    let place = block.at("image_url");
    match block.value("image_url") {
        Value::String(url) => at_url(url, &place, true, None, reading),
        Value::Object(members) => {
            let mut image = Members::new(members, place);
            let url = image.some_text("url")?;
            let part = at_url(url, &image.at("url"), true, None, reading)?;
            image.close(reading);
            Some(part)
        }
        _ => None,
    }
}
