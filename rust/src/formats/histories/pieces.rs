//! What histories of several dialects have in common.

use std::collections::HashSet;

use crate::errors::Error;
use crate::formats::core::calls::Calls;
use crate::formats::core::members::Members;
use crate::formats::core::reading::Reading;
use crate::formats::histories::answers::Answers;
use crate::json::fields::Fields;
use crate::json::{Map, Value};

/// Members of a message's meta that say why an answer ended.
pub(crate) const REASONS: [&str; 2] = ["finishReason", "providerFinishReason"];

/// The answers of a history, each held as long as it may go on.
///
/// What an assistant says behind a message with calls is the same answer, as long as nobody says
/// something else: the results of all its calls come behind it.
pub(crate) struct Turns {
    pub answers: Answers,
    /// Makes the whole answer of its content.
    body: fn(Vec<Value>) -> Map,
    /// The member, or the type, of a block that is a call.
    call: &'static str,
    /// Content, by its place.
    held: Vec<(String, Vec<Value>)>,
    goes_on: bool,
    id: Option<String>,
}

impl Turns {
    pub(crate) fn new(answers: Answers, body: fn(Vec<Value>) -> Map, call: &'static str) -> Self {
        Self { answers, body, call, held: Vec::new(), goes_on: false, id: None }
    }

    /// Takes what an assistant says at a place.
    pub(crate) fn add(
        &mut self,
        content: Vec<Value>,
        place: String,
        message_id: Option<&str>,
        reading: &mut Reading,
    ) -> Result<(), Error> {
        let is_other = message_id.is_some() && message_id != self.id.as_deref();
        if !self.goes_on || is_other {
            self.end(reading)?;
            self.id = message_id.map(str::to_owned);
        }
        self.goes_on |= content.iter().any(|block| is_call(block, self.call));
        self.held.push((place, content));
        Ok(())
    }

    /// Adds the message of the answer that is held: somebody else speaks, or nobody.
    pub(crate) fn end(&mut self, reading: &mut Reading) -> Result<(), Error> {
        self.goes_on = false;
        let mut held = std::mem::take(&mut self.held);
        let mut members = Map::new();
        members.insert("messageId", self.id.clone().into());
        if held.len() < 2 {
            if let Some((place, content)) = held.pop() {
                if let Some(text) = sole_text(&content) {
                    self.answers.add_text(text, members, reading);
                    return Ok(());
                }
                self.answers.add(&(self.body)(content), Some(&place), members, reading)?;
            }
            return Ok(());
        }
        for (place, content) in &held {
            if self.answers.is_damaged(&(self.body)(content.clone()), reading)? {
                reading.note("malformed-part", place);
            }
        }
        let content = held.into_iter().flat_map(|(_, content)| content).collect();
        self.answers.add(&(self.body)(content), None, members, reading)?;
        Ok(())
    }
}

/// Returns the text of content that is one text and nothing else; None for anything else.
pub(crate) fn sole_text(content: &[Value]) -> Option<&str> {
    let [Value::Object(block)] = content else { return None };
    let is_bare = block.len() == 1 || (block.len() == 2 && block.text("type") == "text");
    block.at("text").as_str().filter(|text| is_bare && !text.is_empty())
}

fn is_call(block: &Value, call: &str) -> bool {
    block.get(call).is_some() || block.text("type") == call
}

/// Adds what a user, or the system, said; results among it are messages of the role tool.
///
/// A message has one result of each call: another one begins a message of its own.
pub(crate) fn add_spoken(role: &str, parts: Vec<Value>, reading: &mut Reading) {
    let is_empty = parts.is_empty();
    let mut run: Vec<Value> = Vec::new();
    let mut is_tool = false;
    let mut ids: HashSet<String> = HashSet::new();
    for part in parts {
        let is_result = part.text("kind") == "tool_result";
        let call_id = if is_result { part.at("payload").text("toolCallId") } else { "" };
        if !run.is_empty() && (is_result != is_tool || ids.contains(call_id)) {
            let said = std::mem::take(&mut run);
            reading.add(if is_tool { "tool" } else { role }, said, Map::new());
            ids.clear();
        }
        is_tool = is_result;
        if is_result {
            ids.insert(call_id.to_owned());
        }
        run.push(part);
    }
    if is_empty || !run.is_empty() {
        reading.add(if is_tool { "tool" } else { role }, run, Map::new());
    }
}

/// Returns the id of the call that a result of the provider's id `own` answers.
pub(crate) fn answered(calls: &mut Calls, own: &str) -> String {
    calls.of_id(own).map_or_else(|| own.to_owned(), |call| call.call_id.clone())
}

/// Takes the counts of these names; what is not a count stays, and is reported.
pub(crate) fn figures<'a>(usage: &mut Members<'a>, names: &[&'a str]) -> Map {
    let counted = names.iter().filter_map(|name| Some((*name, usage.count(name)?)));
    counted.map(|(name, count)| (name.to_owned(), count.into())).collect()
}

/// Adds the message of an answer as the provider gave it.
///
/// `said` names what it says of itself: member of the message's meta, and its place. What is made up
/// for the adapter is taken away again, and what it does not take is reported.
pub(crate) fn add_whole(
    answers: &mut Answers,
    body: &Map,
    place: &str,
    said: &[(&str, String)],
    members: Map,
    reading: &mut Reading,
) -> Result<(), Error> {
    let message = answers.add_whole(body, Some(place), members, reading)?;
    let is_said = |name: &str| said.iter().any(|(each, _)| *each == name);
    let mut names = HashSet::new();
    if let Some(Value::Object(mut meta)) = message.remove("meta") {
        meta.retain(|name, _| is_said(name) || !REASONS.contains(&name));
        names.extend(meta.keys().cloned());
        if !meta.is_empty() {
            message.insert("meta", meta.into());
        }
    }
    for (name, at) in said.iter().filter(|(name, _)| !names.contains(*name)) {
        // Why an answer failed is said by how it ended.
        let has_ended = REASONS.contains(name) && names.contains("incomplete");
        reading.note(if has_ended { "content-form" } else { "foreign-member" }, at);
    }
    Ok(())
}

/// Returns an id for a result whose call is not there; its place tells it from others.
pub(crate) fn made_id(place: &str) -> String {
    let words = place.split(|char: char| !char.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("call_{}", words.join("_"))
}
