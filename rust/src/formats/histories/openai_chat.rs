//! Chat completions of OpenAI and of many others: a request, its messages, one of them, an answer.
//!
//! - `developer` is the system; the older `function` messages are results, and `function_call` is a
//!   call without an id.
//! - A result without an id is that of the first call which waits, of its name where it says one.
//! - Of a whole answer, choice 0 is the message, as in a stream.

use crate::errors::{Error, clip};
use crate::formats::core::members::Members;
use crate::formats::core::parts::{result_part, text_part, texts_of};
use crate::formats::core::reading::Reading;
use crate::formats::core::source::says;
use crate::formats::histories::answers::Answers;
use crate::formats::histories::openai_answer::{loses_usage, take_names, time_of, usage_of};
use crate::formats::histories::openai_media::{at_url, sound, stored_file};
use crate::json::fields::{Fields, object, same};
use crate::json::json_text::json_text;
use crate::json::{Map, Value, json};
use crate::providers::core::citations::web_address;
use crate::providers::openai_chat::citations::is_citation;
use crate::tables::provider_names::CHAT_CHUNK_STATE;

/// Reads a request, a list of messages, one message, or a chat completion.
pub(crate) fn read_chat(source: &Value, reading: &mut Reading) -> Result<(), Error> {
    let mut history = ChatHistory { answers: Answers::new("openai-chat") };
    let Value::Object(members) = source else { return history.messages(source, "", reading) };
    let mut body = Members::new(members, "");
    if body.has("messages") {
        let messages = body.value("messages");
        body.close_as("request-member", reading);
        history.messages(messages, "/messages", reading)
    } else if body.has("choices") {
        read_completion(body, &mut history, reading)
    } else {
        history.message(body, reading)
    }
}

// --- a whole answer ------------------------------------------------------------------------------

fn read_completion(
    mut body: Members<'_>,
    history: &mut ChatHistory,
    reading: &mut Reading,
) -> Result<(), Error> {
    let mut kept = object([("object", "chat.completion".into())]);
    take_names(&mut body, &["id", "model"], &mut kept);
    body.skip("object", &["chat.completion".into()]);
    let choices = body.value("choices");
    let choices: Vec<Members<'_>> =
        reading.items(choices, "/choices")?.collect::<Result<_, _>>()?;
    let mut choices = choices.into_iter();
    let Some(mut choice) = choices.next() else {
        return Err(reading.refuse("/choices", "a choice", clip(&json!([]))));
    };
    for other in choices {
        reading.note("foreign-message", &other.place);
    }
    let usage = usage_of(&mut body, reading);
    if let Some(usage) = usage {
        kept.insert("usage", usage.clone().into());
    }
    choice.skip("index", &[0.into()]);
    let reason = choice.some_text("finish_reason");
    let message = reading.members(choice.value("message"), choice.at("message"))?;
    choice.close(reading);
    take_sources(&mut body, message.has_text("content"), &mut kept, reading);
    let timestamp = time_of(&mut body, "created");
    history.answer(message, Some(Completion { body: kept, usage, reason, timestamp }), reading)?;
    body.close(reading);
    Ok(())
}

/// Takes the sources of an answer; those of a text are its citations, of address and title.
fn take_sources(body: &mut Members<'_>, is_cited: bool, kept: &mut Map, reading: &mut Reading) {
    for name in CHAT_CHUNK_STATE {
        let given = body.value(name);
        if !says(given) {
            continue;
        }
        let sources = match given {
            Value::Array(sources) if is_cited => sources,
            other => {
                kept.insert(*name, other.clone());
                continue;
            }
        };
        let mut pages = Vec::new();
        for (number, each) in sources.iter().enumerate() {
            let at = format!("{}/{number}", body.at(name));
            let mut page = each.as_object().map(|page| Members::new(page, at.as_str()));
            let address = page.as_mut().map_or(each, |page| page.value("url"));
            if web_address(&address.clone().into()).is_none() {
                reading.note("foreign-part", &at);
                continue;
            }
            pages.push(each.clone());
            if let Some(mut page) = page {
                page.value("title");
                page.close(reading);
            }
        }
        kept.insert(*name, Value::Array(pages));
    }
}

// --- messages ------------------------------------------------------------------------------------

/// Members of an assistant's message that the adapter reads, or keeps as they are.
const TAKEN: &[&str] = &[
    "content",
    "refusal",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "annotations",
    "audio",
    "images",
    "executed_tools",
    "extra_content",
    "thinking_blocks",
    "reasoning_signature",
];
/// Of these the adapter makes parts: member → the members of each that it takes.
const TAKEN_OF: &[(&str, &[&str])] = &[
    ("audio", &["id", "data", "transcript", "expires_at"]),
    ("images", &["image_url"]),
    (
        "executed_tools",
        &[
            "type",
            "name",
            "id",
            "arguments",
            "output",
            "search_results",
            "code_results",
            "browser_results",
        ],
    ),
];
const TAKEN_OF_CITATION: &[&str] =
    &["url", "title", "file_id", "filename", "content", "start_index", "end_index"];
const TAKEN_OF_PART: &[(&str, &[&str])] =
    &[("text", &["text"]), ("thinking", &["thinking", "signature"]), ("refusal", &["refusal"])];

/// What a whole answer says beside its message.
struct Completion<'a> {
    body: Map,
    usage: Option<&'a Map>,
    reason: Option<&'a str>,
    timestamp: Option<String>,
}

/// The messages of one history, as they are read.
struct ChatHistory {
    answers: Answers,
}

impl ChatHistory {
    fn messages(
        &mut self,
        messages: &Value,
        place: &str,
        reading: &mut Reading,
    ) -> Result<(), Error> {
        reading.items(messages, place)?.try_for_each(|message| self.message(message?, reading))
    }

    /// Reads a message.
    fn message(&mut self, mut message: Members<'_>, reading: &mut Reading) -> Result<(), Error> {
        let place = message.at("role");
        let Some(role) = message.some_text("role") else {
            return Err(reading.refuse(&place, "a role", clip(message.peek("role"))));
        };
        if role == "developer" || role == "function" {
            reading.note("role-form", &place);
        }
        match role {
            "assistant" => return self.answer(message, None, reading),
            "user" => spoken(message, "user", reading),
            "system" | "developer" => spoken(message, "system", reading),
            "tool" | "function" => self.result(message, reading),
            _ => reading.note("foreign-message", &message.place),
        }
        Ok(())
    }

    fn result(&mut self, mut message: Members<'_>, reading: &mut Reading) {
        let (name, own) = (message.text("name"), message.some_text("tool_call_id"));
        let call = match own {
            Some(own) => self.answers.calls.of_id(own),
            None => self.answers.calls.of_name(name.filter(|name| !name.is_empty())),
        };
        let called = call.map(|call| call.name.as_str());
        let Some(call_id) = call.map(|call| call.call_id.as_str()).or(own) else {
            return reading.note("foreign-message", &message.place);
        };
        if own.is_none() {
            reading.note("call-id-invented", &message.place);
        }
        if name.is_some() && called != name {
            reading.note("foreign-member", &message.at("name"));
        }
        let content = match message.value("content") {
            Value::Null => "".into(),
            Value::Array(parts) => listed(parts, &message.at("content"), reading),
            other => other.clone(),
        };
        let names = object([("messageId", message.some_text("id").into())]);
        reading.add("tool", vec![result_part(call_id, content, false)], names);
        message.close(reading);
    }

    // --- the assistant ---------------------------------------------------------------------------

    /// Reads a message of an assistant, or of a whole answer.
    fn answer<'a>(
        &mut self,
        mut message: Members<'a>,
        whole: Option<Completion<'a>>,
        reading: &mut Reading,
    ) -> Result<(), Error> {
        message.skip("role", &["assistant".into()]);
        message.skip("prefix", &[false.into()]);
        let names = names_of(&mut message);
        let mut said = object([("role", "assistant".into())]);
        let thinking = message.some_text("thinking");
        let length = length_of(message.peek("content"));
        for name in TAKEN {
            if message.has(name) {
                let value = message.value(name);
                note_untaken(name, value, &message.at(name), length, reading);
                said.insert(*name, value.clone());
            }
        }
        if let Some(thinking) = thinking {
            if says(said.at("reasoning_content")) {
                reading.note("foreign-member", &message.at("thinking"));
            } else {
                // As templates for open models call it.
                said.insert("reasoning_content", thinking.into());
            }
        }
        drop_repeated(&mut said, &message, reading);
        let calls = message.value("tool_calls");
        if !calls.is_null() {
            said.insert("tool_calls", calls_of(calls, &message.at("tool_calls"), reading));
        }
        let call = message.value("function_call");
        if !call.is_null() {
            let at = message.at("function_call");
            reading.note("call-id-invented", &at);
            let made = match call {
                Value::Object(call) => function_of(Members::new(call, at), reading),
                other => other.clone(),
            };
            said.insert("function_call", made);
        }
        self.add(said, &message.place, names, whole, reading)?;
        message.close(reading);
        Ok(())
    }

    fn add(
        &mut self,
        said: Map,
        place: &str,
        mut names: Map,
        whole: Option<Completion<'_>>,
        reading: &mut Reading,
    ) -> Result<(), Error> {
        let choices = |reason: &str| {
            let choice = object([
                ("index", 0.into()),
                ("message", said.into()),
                ("finish_reason", reason.into()),
            ]);
            Value::Array(vec![choice.into()])
        };
        let Some(Completion { mut body, usage, reason, timestamp }) = whole else {
            let object_name = "chat.completion".into();
            let body = object([("object", object_name), ("choices", choices("stop"))]);
            self.answers.add(&body, Some(place), names, reading)?;
            return Ok(());
        };
        names.insert("timestamp", timestamp.into());
        body.insert("choices", choices(reason.unwrap_or("stop")));
        let added = self.answers.add_whole(&body, Some(place), names, reading)?;
        let loses_usage = loses_usage(usage, added);
        if reason.is_none() {
            // It is whole, and nobody says why it ended.
            if let Some(meta) = added.get_mut("meta").and_then(Value::as_object_mut) {
                meta.remove("providerFinishReason");
                meta.insert("finishReason", "unknown".into());
            }
        }
        if loses_usage {
            reading.note("foreign-member", "/usage");
        }
        Ok(())
    }
}

fn spoken(mut message: Members<'_>, role: &str, reading: &mut Reading) {
    let place = message.at("content");
    let mut parts = parts_of(message.value("content"), &place, reading);
    if role == "system" {
        parts = texts_of(parts, &place, reading);
    }
    reading.add(role, parts, names_of(&mut message));
    message.close(reading);
}

/// Leaves out reasoning that another member says already: some vendors send both.
fn drop_repeated(said: &mut Map, message: &Members<'_>, reading: &mut Reading) {
    let (first, second) = (said.at("reasoning_content"), said.at("reasoning"));
    if !says(first) || !says(second) {
        return;
    }
    if !same(first, second) {
        reading.note("foreign-member", &message.at("reasoning"));
    }
    said.remove("reasoning");
}

/// Returns calls as the adapter reads them; what does not look like one it reports.
fn calls_of(calls: &Value, place: &str, reading: &mut Reading) -> Value {
    let Some(items) = calls.as_array().filter(|calls| calls.iter().all(Value::is_object)) else {
        return calls.clone();
    };
    let objects = items.iter().filter_map(Value::as_object).enumerate();
    let made = objects.map(|(number, call)| {
        call_of(Members::new(call, format!("{place}/{number}")), number, reading)
    });
    made.collect()
}

fn call_of(mut call: Members<'_>, number: usize, reading: &mut Reading) -> Value {
    call.skip("index", &[number.into(), 0.into()]); // of a whole message it says nothing
    let (kind, own) = (call.text("type"), call.value("id"));
    if !says(own) {
        reading.note("call-id-invented", &call.place);
    }
    let extra = call.value("extra_content").clone();
    let function = if let Some(mut custom) = call.object("custom") {
        let (name, input) = (custom.value("name").clone(), custom.value("input").clone());
        custom.close(reading);
        reading.note("foreign-member", &call.at("type")); // it goes back as a function
        object([("name", name), ("arguments", input)]).into()
    } else {
        let function = match call.object("function") {
            Some(function) => function_of(function, reading),
            None if call.has("function") => call.value("function").clone(),
            None => named_in(&mut call), // some leave the layer out
        };
        if kind.is_some_and(|kind| kind != "function") {
            reading.note("foreign-member", &call.at("type"));
        }
        function
    };
    call.close(reading);
    object([("id", own.clone()), ("extra_content", extra), ("function", function)]).into()
}

/// Returns a function's call with its arguments as text, and reports what else it has.
fn function_of(mut function: Members<'_>, reading: &mut Reading) -> Value {
    let made = named_in(&mut function);
    function.close(reading);
    made
}

/// Takes name and arguments of a call; some store an object where text is meant.
fn named_in(members: &mut Members<'_>) -> Value {
    let (name, given) = (members.value("name").clone(), members.value("arguments"));
    let arguments = if given.is_object() { json_text(given).into() } else { given.clone() };
    object([("name", name), ("arguments", arguments)]).into()
}

/// Takes the id and the author of a message.
fn names_of(message: &mut Members<'_>) -> Map {
    message.skip("name", &["".into()]);
    let author = message.some_text("name").map(|name| object([("name", name.into())]));
    object([("messageId", message.some_text("id").into()), ("author", author.into())])
}

/// Returns how many characters the text of an answer has.
fn length_of(content: &Value) -> usize {
    let parts = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
    let text = |part: &Value| match part {
        Value::Object(part) => part.at("text").as_str().map(|text| text.chars().count()),
        other => other.as_str().map(|text| text.chars().count()),
    };
    parts.iter().filter_map(text).sum()
}

// --- what the adapter passes over ----------------------------------------------------------------

/// Reports what the adapter passes over in a member of an assistant's message.
fn note_untaken(name: &str, value: &Value, place: &str, length: usize, reading: &mut Reading) {
    match value {
        Value::Object(one) if name == "audio" && !says(one.at("data")) => {} // kept whole
        Value::Array(items) => {
            for (number, each) in items.iter().enumerate() {
                let Some(each) = each.as_object() else { continue };
                let members = Members::new(each, format!("{place}/{number}"));
                note_untaken_of(name, members, Some(number), length, reading);
            }
        }
        Value::Object(one) => {
            note_untaken_of(name, Members::new(one, place), None, length, reading);
        }
        _ => {}
    }
}

fn note_untaken_of(
    name: &str,
    mut members: Members<'_>,
    number: Option<usize>,
    length: usize,
    reading: &mut Reading,
) {
    if name == "content" {
        note_untaken_part(members, reading);
    } else if name == "annotations" {
        if is_citation(&Value::from(members.source().clone()).into()) {
            note_untaken_citation(members, length, reading);
        }
    } else if let Some((_, taken)) = TAKEN_OF.iter().find(|(each, _)| *each == name) {
        members.skip("index", &[number.into()]);
        if name == "images" {
            members.skip("type", &["image_url".into()]);
        }
        for each in *taken {
            members.value(each);
        }
        members.close(reading);
    }
}

fn note_untaken_citation(mut annotation: Members<'_>, length: usize, reading: &mut Reading) {
    let kind = annotation.text("type").unwrap_or("");
    let inner = annotation.object(kind);
    let mut cited = match inner {
        Some(inner) => {
            annotation.close(reading);
            inner
        }
        None => annotation,
    };
    for name in TAKEN_OF_CITATION {
        cited.value(name);
    }
    note_place(&cited, length, reading);
    cited.close(reading);
}

/// Reports the place of a citation that is not one in the text; 0 and 0 is none.
fn note_place(cited: &Members<'_>, length: usize, reading: &mut Reading) {
    let (start, end) = (cited.source().at("start_index"), cited.source().at("end_index"));
    let is_place = start.as_u64().zip(end.as_u64()).is_some_and(|(start, end)| {
        start < end && usize::try_from(end).is_ok_and(|end| end <= length)
    });
    if length == 0 || is_place || !(says(start) || says(end)) {
        return;
    }
    for (name, value) in [("start_index", start), ("end_index", end)] {
        if !value.is_null() {
            reading.note("foreign-member", &cited.at(name));
        }
    }
}

fn note_untaken_part(mut part: Members<'_>, reading: &mut Reading) {
    let kind = part.text("type");
    let Some((_, taken)) = TAKEN_OF_PART.iter().find(|(each, _)| Some(*each) == kind) else {
        return; // kept whole
    };
    for name in *taken {
        let given = part.value(name);
        let blocks = given.as_array().filter(|_| *name == "thinking");
        for (number, each) in blocks.into_iter().flatten().enumerate() {
            let Some(each) = each.as_object() else { continue };
            let mut inner = Members::new(each, format!("{}/{number}", part.at(name)));
            inner.value("text");
            inner.skip("type", &["text".into()]);
            inner.close(reading);
        }
    }
    part.close(reading);
}

// --- what users and tools say --------------------------------------------------------------------

/// Part of a vendor's → whether it is an image; its URL is in the member of its name.
const AT_URL: &[(&str, bool)] = &[
    ("image_url", true),
    ("document_url", false),
    ("video_url", false),
    ("audio_url", false),
    ("file_url", false),
];

/// Returns the parts of content; what is not content is reported, and left out.
fn parts_of(content: &Value, place: &str, reading: &mut Reading) -> Vec<Value> {
    match content {
        Value::Null => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![text_part(text)],
        Value::Array(items) => parts_in(items, place, reading),
        one => part_at(one, place, reading).into_iter().collect(),
    }
}

fn listed(items: &[Value], place: &str, reading: &mut Reading) -> Value {
    Value::Array(parts_in(items, place, reading))
}

fn parts_in(items: &[Value], place: &str, reading: &mut Reading) -> Vec<Value> {
    let items = items.iter().enumerate();
    items
        .filter_map(|(number, each)| part_at(each, &format!("{place}/{number}"), reading))
        .collect()
}

fn part_at(each: &Value, at: &str, reading: &mut Reading) -> Option<Value> {
    let part = match each {
        Value::String(text) => Some(text_part(text)),
        Value::Object(part) => part_of(Members::new(part, at), reading),
        _ => None,
    };
    if part.is_none() {
        reading.note("foreign-part", at);
    }
    part
}

fn part_of(mut part: Members<'_>, reading: &mut Reading) -> Option<Value> {
    let kind = part.text("type").unwrap_or("");
    let made = match kind {
        "text" | "input_text" | "output_text" => text_part(part.text("text")?),
        "input_audio" | "file" => {
            let mut source = part.object(kind)?;
            let place = source.place.clone();
            let made = match kind {
                "file" => stored_file(&mut source, &place, reading)?,
                _ => sound(&mut source)?,
            };
            source.close(reading);
            made
        }
        _ => {
            let (kind, is_image) = AT_URL.iter().find(|(each, _)| *each == kind)?;
            linked(kind, *is_image, &mut part, reading)?
        }
    };
    part.close(reading);
    Some(made)
}

fn linked<'a>(
    kind: &'a str,
    is_image: bool,
    part: &mut Members<'a>,
    reading: &mut Reading,
) -> Option<Value> {
    let (place, given) = (part.at(kind), part.value(kind));
    let name = part.some_text("document_name");
    if let Value::String(url) = given {
        return at_url(url, &place, is_image, name, reading);
    }
    let mut inner = Members::new(given.as_object()?, place.as_str());
    let made = at_url(inner.text("url").unwrap_or(""), &place, is_image, name, reading)?;
    inner.skip("detail", &["auto".into()]);
    inner.close(reading);
    Some(made)
}
