//! Anthropic Messages: a request body, its messages, or one of them; an answer is one, too.
//!
//! - Results of tools are in user messages; they become a tool message, at their place.
//! - `system` is a system message before the others; a message of the role stays where it is.
//! - Search results, and documents that are lists of blocks, are read as their texts and images.
//! - What an answer says of itself (model, usage, why it ended) is its message's `meta`.

use crate::errors::{Error, clip};
use crate::formats::core::calls::Calls;
use crate::formats::core::members::Members;
use crate::formats::core::parts::{
    inline, media_part, part, result_part, text_document, text_part, url_part,
};
use crate::formats::core::reading::Reading;
use crate::formats::histories::answers::Answers;
use crate::formats::histories::pieces::{REASONS, Turns, add_spoken, add_whole, answered, figures};
use crate::json::fields::object;
use crate::json::{Map, Value, json};
use crate::tables::usage_figures;

/// Members of an assistant's block that the adapter takes; it keeps blocks of other types whole.
const TAKEN: &[(&str, &[&str])] =
    &[("text", &["type", "text", "citations"]), ("thinking", &["type", "thinking", "signature"])];
/// Members of an answer that the adapter keeps as they are.
const SAID: &[&str] = &["stop_sequence", "stop_details", "container"];
const PDF: &str = "application/pdf"; // the only documents that are read from a URL
const BYTES: &str = "application/octet-stream";

/// Reads a request, a list of messages, or one message.
pub(crate) fn read_anthropic(source: &Value, reading: &mut Reading) -> Result<(), Error> {
    let mut turns = Turns::new(Answers::new("anthropic-messages"), answer_of, "tool_use");
    match source {
        Value::Object(members) if !members.contains_key("messages") => {
            read_message(Members::new(members, ""), &mut turns, reading)?;
        }
        _ => {
            let (messages, place) = match source {
                Value::Object(request) => {
                    let body = Members::new(request, "");
                    (read_request(body, &mut turns.answers.calls, reading)?, "/messages")
                }
                list => (list, ""),
            };
            for message in reading.items(messages, place)? {
                read_message(message?, &mut turns, reading)?;
            }
        }
    }
    turns.end(reading)
}

/// Reads what a request has beside its messages, and returns these.
fn read_request<'a>(
    mut body: Members<'a>,
    calls: &mut Calls,
    reading: &mut Reading,
) -> Result<&'a Value, Error> {
    let messages = body.value("messages");
    let system = body.value("system");
    if !system.is_null() && !system.as_array().is_some_and(Vec::is_empty) {
        let parts = Blocks { calls, reading }.parts(system, &body.at("system"), &["text"])?;
        reading.add("system", parts, Map::new());
    }
    body.close_as("request-member", reading);
    Ok(messages)
}

fn read_message(
    mut message: Members<'_>,
    turns: &mut Turns,
    reading: &mut Reading,
) -> Result<(), Error> {
    let role = message.text("role");
    let content = message.value("content");
    let Some(role) = role else {
        let actual = clip(message.peek("role"));
        return Err(reading.refuse(&message.at("role"), "user, assistant or system", actual));
    };
    if role == "assistant" {
        read_answer(&mut message, content, turns, reading)?;
    } else if let Some((_, kinds)) = SPOKEN.iter().find(|(each, _)| *each == role) {
        turns.end(reading)?;
        let calls = &mut turns.answers.calls;
        let parts = Blocks { calls, reading }.parts(content, &message.at("content"), kinds)?;
        add_spoken(role, parts, reading);
    } else {
        reading.note("foreign-message", &message.place);
        return Ok(());
    }
    message.close(reading);
    Ok(())
}

// --- answers -------------------------------------------------------------------------------------

fn read_answer(
    message: &mut Members<'_>,
    given: &Value,
    turns: &mut Turns,
    reading: &mut Reading,
) -> Result<(), Error> {
    let place = message.at("content");
    let content = match given {
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        blocks => {
            for block in reading.items(blocks, place.as_str())? {
                note_untaken(block?, reading);
            }
            blocks.as_array().cloned().unwrap_or_default()
        }
    };
    message.skip("type", &["message".into()]);
    let mut body = answer_of(content);
    let mut said = Vec::new();
    let message_id = message.some_text("id");
    if let Some(model) = message.some_text("model") {
        body.insert("model", model.into());
        said.push(("modelId", message.at("model")));
    }
    if let Some(reason) = message.some_text("stop_reason") {
        body.insert("stop_reason", reason.into());
        said.extend(REASONS.map(|name| (name, message.at("stop_reason"))));
    }
    if let Some(usage) = message.object("usage") {
        said.push(("usage", usage.place.clone()));
        body.insert("usage", usage_of(usage, reading).into());
    }
    let mut keeps = false;
    for name in SAID {
        let value = message.value(name);
        if !value.is_null() {
            keeps = true;
            body.insert(*name, value.clone());
        }
    }
    if said.is_empty() && !keeps {
        let content = body.remove("content").and_then(|content| match content {
            Value::Array(blocks) => Some(blocks),
            _ => None,
        });
        return turns.add(content.unwrap_or_default(), place, message_id, reading);
    }
    turns.end(reading)?;
    let members = object([("messageId", message_id.into())]);
    add_whole(&mut turns.answers, &body, &place, &said, members, reading)
}

fn usage_of(mut usage: Members<'_>, reading: &mut Reading) -> Map {
    let mut found = figures(&mut usage, usage_figures::ANTHROPIC);
    if let Some(mut details) = usage.object("output_tokens_details") {
        let counted = figures(&mut details, usage_figures::ANTHROPIC_DETAILS);
        found.insert("output_tokens_details", counted.into());
        details.close(reading);
    }
    usage.close(reading);
    found
}

fn answer_of(content: Vec<Value>) -> Map {
    object([
        ("type", "message".into()),
        ("role", "assistant".into()),
        ("content", Value::Array(content)),
        ("stop_reason", "end_turn".into()),
    ])
}

/// Reports what the adapter passes over in a block of an assistant.
fn note_untaken(mut block: Members<'_>, reading: &mut Reading) {
    let kind = block.text("type");
    let Some((_, taken)) = TAKEN.iter().find(|(each, _)| Some(*each) == kind) else { return };
    for name in *taken {
        block.value(name);
    }
    block.close(reading);
}

// --- what users and tools say --------------------------------------------------------------------

const IN_RESULTS: &[&str] = &["text", "image", "document", "search_result"];
/// Role → the types of blocks that are parts of its messages.
const SPOKEN: &[(&str, &[&str])] = &[
    ("user", &["text", "image", "document", "search_result", "tool_result"]),
    ("system", &["text"]),
];

/// Blocks of content, read as parts.
struct Blocks<'r> {
    calls: &'r mut Calls,
    reading: &'r mut Reading,
}

impl Blocks<'_> {
    /// Returns the parts of text, or of blocks of these types.
    fn parts(&mut self, content: &Value, place: &str, kinds: &[&str]) -> Result<Vec<Value>, Error> {
        if let Value::String(text) = content {
            return Ok(if text.is_empty() { Vec::new() } else { vec![text_part(text)] });
        }
        let mut parts = Vec::new();
        for block in self.reading.items(content, place)? {
            let mut block = block?;
            let kind = block.text("type").filter(|kind| kinds.contains(kind));
            let found = match kind {
                Some(kind) => self.parts_of(kind, &mut block)?,
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
        block: &mut Members<'_>,
    ) -> Result<Option<Vec<Value>>, Error> {
        match kind {
            "text" => Ok(block.text("text").map(|text| vec![text_part(text)])),
            "tool_result" => self.result(block),
            "search_result" => self.simpler(block.value("content"), &block.at("content")),
            _ => {
                let Some(mut source) = block.object("source") else { return Ok(None) };
                let parts = self.sourced(kind, &mut source, block)?;
                if parts.is_some() {
                    source.close(self.reading);
                }
                Ok(parts)
            }
        }
    }

    fn sourced(
        &mut self,
        kind: &str,
        source: &mut Members<'_>,
        block: &mut Members<'_>,
    ) -> Result<Option<Vec<Value>>, Error> {
        let form = source.text("type").unwrap_or("");
        if form == "content" {
            return self.simpler(source.value("content"), &source.at("content"));
        }
        let part = match kind {
            "image" => image(form, source, self.reading),
            _ => document(form, source, block, self.reading),
        };
        Ok(part.map(|part| vec![part]))
    }

    /// Returns the texts and images of what has no part of its own.
    fn simpler(&mut self, content: &Value, place: &str) -> Result<Option<Vec<Value>>, Error> {
        if !content.is_string() && !content.is_array() {
            return Ok(None);
        }
        self.reading.note("content-form", place);
        self.parts(content, place, &["text", "image"]).map(Some)
    }

    fn result(&mut self, block: &mut Members<'_>) -> Result<Option<Vec<Value>>, Error> {
        let Some(own) = block.some_text("tool_use_id") else { return Ok(None) };
        let content = match block.value("content") {
            Value::Null => "".into(),
            Value::String(text) => text.into(),
            blocks => Value::Array(self.parts(blocks, &block.at("content"), IN_RESULTS)?),
        };
        let call_id = answered(self.calls, own);
        let is_error = block.flag("is_error").unwrap_or(false);
        Ok(Some(vec![result_part(&call_id, content, is_error)]))
    }
}

fn image(form: &str, source: &mut Members<'_>, reading: &mut Reading) -> Option<Value> {
    match form {
        "base64" => {
            let mime_type = source.some_text("media_type")?;
            inline(mime_type, source.text("data").unwrap_or(""), None)
        }
        "url" => {
            let url = source.some_text("url")?;
            Some(url_part(url, &source.place, true, reading))
        }
        "file" => {
            let path = source.some_text("file_id")?;
            reading.note("mime-invented", &source.place);
            Some(part("file_ref", object([("path", path.into()), ("mimeType", "image/*".into())])))
        }
        _ => None,
    }
}

fn document(
    form: &str,
    source: &mut Members<'_>,
    block: &mut Members<'_>,
    reading: &mut Reading,
) -> Option<Value> {
    let name = block.some_text("title");
    match form {
        "base64" => {
            let mime_type = source.some_text("media_type")?;
            inline(mime_type, source.text("data").unwrap_or(""), name)
        }
        "text" => {
            let text = source.text("data")?;
            let mime_type = source.some_text("media_type").unwrap_or("text/plain");
            Some(text_document(text, mime_type, name))
        }
        "url" => {
            let url = source.some_text("url")?;
            Some(media_part(PDF, object([("kind", "url".into()), ("url", url.into())]), name))
        }
        "file" => {
            let path = source.some_text("file_id")?;
            if name.is_none() {
                return Some(part("file_ref", object([("path", path.into())])));
            }
            reading.note("mime-invented", &source.place);
            Some(media_part(BYTES, object([("kind", "ref".into()), ("ref", path.into())]), name))
        }
        _ => None,
    }
}
