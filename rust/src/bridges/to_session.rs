//! Messages as those of a session.
//!
//! Both ways take whole histories: a session holds a call and its result in one part. A message
//! that carries the record of one (`meta.session`) becomes what it was; of another one a session
//! asks for more than it says, and that is given by the caller, or made.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::Value;

use super::invented::Invented;
use super::record_fit::{added_by_record, is_said_meta};
use super::session_record::fitted;
use super::work::Work;
use crate::catalog::{LATEST_VERSION, binding};
use crate::fields::Fields;
use crate::reading::{Mode, read_plain};
use crate::text::escape_pointer;
use crate::types::Map;

/// Returns messages as `session.WithParts`.
///
/// Results are taken from the tool's messages right behind a call's message.
pub(crate) fn messages_to_session(work: &mut Work) -> Vec<Value> {
    let source = std::mem::take(&mut work.source);
    let mut history = History::new(work, &source);
    let mut index = 0;
    while let Some(one) = source.get(index) {
        match one.text("role") {
            "system" => {
                history.drop_system();
                history.system = Some((index, one));
            }
            "tool" => {
                history.drop_system();
                history.work.note("result-without-call", &format!("/{index}"));
            }
            _ => {
                index += history.spoken(index, one);
                continue;
            }
        }
        index += 1;
    }
    history.drop_system();
    history.made
}

/// The way from messages to a session, message by message.
struct History<'a, 'b> {
    work: &'a mut Work<'b>,
    source: &'a [Value],
    made: Vec<Value>,
    /// Ids of messages, in lower case.
    ids: HashSet<String>,
    system: Option<(usize, &'a Value)>,
}

impl<'a, 'b> History<'a, 'b> {
    fn new(work: &'a mut Work<'b>, source: &'a [Value]) -> Self {
        Self { work, source, made: Vec::new(), ids: HashSet::new(), system: None }
    }

    fn drop_system(&mut self) {
        if let Some((at, _)) = self.system.take() {
            self.work.note("system-message", &format!("/{at}"));
        }
    }

    /// Converts a user's or assistant's message; returns how many messages that took.
    fn spoken(&mut self, index: usize, one: &Value) -> usize {
        let is_assistant = one.text("role") == "assistant";
        let following = self.source.iter().skip(index + 1);
        let answers = following.take_while(|each| is_assistant && each.text("role") == "tool");
        let end = index + 1 + answers.count();
        if is_assistant {
            self.drop_system();
        }
        let results = Results::of(self.work, self.source, one, index + 1..end);
        note_names(self.work, index, one, true);
        self.note_meta(index, one);
        let created = self.work.ms(one.text("timestamp"), &format!("/{index}/timestamp"));
        let system = if is_assistant { None } else { self.take_system(created) };
        let record = one.at("meta").at("session");
        if !record.is_null() {
            if let Some((made, added)) = recorded(record, one, &results, system.as_deref()) {
                for place in added {
                    self.work.note("from-record", &format!("/{index}{place}"));
                }
                self.ids.insert(made.at("info").text("id").to_lowercase());
                self.made.push(made);
                return end - index;
            }
            self.work.note("record-misfit", &format!("/{index}/meta/session"));
        }
        let made =
            Invented::new(self.work, &mut self.ids, index, one, &results).message(created, system);
        self.made.push(made);
        end - index
    }

    fn note_meta(&mut self, index: usize, one: &Value) {
        for name in one.at("meta").as_object().into_iter().flat_map(Map::keys) {
            if !is_said_meta(one.text("role"), name) {
                self.work.note("meta", &format!("/{index}/meta/{}", escape_pointer(name)));
            }
        }
    }

    /// Returns the system prompt that stands before this message, and notes what it loses.
    fn take_system(&mut self, created: i64) -> Option<String> {
        let (at, system) = self.system?;
        let parts = system.list("parts");
        let spoken = parts.iter().filter(|part| part.text("kind") == "text");
        let texts: Vec<&str> = spoken.map(|part| part.at("payload").text("text")).collect();
        if texts.is_empty() {
            self.drop_system();
            return None;
        }
        self.system = None;
        note_names(self.work, at, system, false);
        let place = format!("/{at}/timestamp");
        if self.work.ms(system.text("timestamp"), &place) != created {
            self.work.note("system-time", &place);
        }
        if system.has("meta") {
            self.work.note("meta", &format!("/{at}/meta"));
        }
        for (number, part) in parts.iter().enumerate() {
            if part.at("payload").has("opaque") {
                self.work.note("opaque", &format!("/{at}/parts/{number}/payload/opaque"));
            }
        }
        if texts.len() != 1 || parts.len() != 1 {
            self.work.note("system-parts", &format!("/{at}/parts"));
        }
        Some(texts.join("\n\n"))
    }
}

/// Returns the session's message that the record and the message make, and the places where it
/// says more; None where they do not fit.
fn recorded(
    record: &Value,
    one: &Value,
    results: &Results,
    system: Option<&str>,
) -> Option<(Value, Vec<String>)> {
    let made = fitted(record, one, &results.payloads, system)?;
    // Anyone may write a record: what a session would not take is no record of one.
    let bound = binding("session.WithParts", LATEST_VERSION).ok()?;
    let (made, _) = read_plain(&made, bound, Mode::Strict).ok()?;
    if !results.in_order {
        return None;
    }
    let added = added_by_record(&made, one, &results.payloads, results.time.as_deref())?;
    Some((made, added))
}

/// Notes the names that a session has no place for; a spoken message's id has one.
fn note_names(work: &mut Work, index: usize, source: &Value, spoken: bool) {
    work.note("run-id", &format!("/{index}/runId"));
    if source.has("turnId") {
        work.note("turn-id", &format!("/{index}/turnId"));
    }
    if source.has("messageId") && !spoken {
        work.note("message-id", &format!("/{index}/messageId"));
    }
}

/// The results that the tool's messages give to the calls of one message, each by its call.
#[derive(Default)]
pub(crate) struct Results {
    pub payloads: Map,
    /// When each of them came, and where it stands.
    pub places: std::collections::HashMap<String, (i64, String)>,
    /// When the first of them came.
    pub time: Option<String>,
    pub in_order: bool,
}

impl Results {
    fn of(work: &mut Work, source: &[Value], one: &Value, places: Range<usize>) -> Self {
        let is_call = |part: &&Value| part.text("kind") == "tool_call";
        let each = one.list("parts").iter().filter(is_call);
        let calls: Vec<&str> = each.map(|part| part.at("payload").text("toolCallId")).collect();
        let known: HashSet<&str> = calls.iter().copied().collect();
        let mut made = Self::default();
        let mut used = Vec::new();
        let answers = source.iter().enumerate().take(places.end).skip(places.start);
        for (at, message) in answers {
            if made.take(work, at, message, &known) {
                used.push(at);
                made.time.get_or_insert_with(|| message.text("timestamp").to_owned());
            }
        }
        let order = calls.into_iter().filter(|call| made.payloads.contains_key(*call));
        made.in_order = used.len() < 2 && made.payloads.keys().map(String::as_str).eq(order);
        if let (Some((first, others)), false) = (used.split_first(), made.in_order) {
            work.note("result-order", &format!("/{first}/parts"));
            work.note("result-order", &format!("/{first}/timestamp"));
            for at in others {
                work.note("result-order", &format!("/{at}"));
            }
        }
        made
    }

    /// Takes the results of one message; tells whether there are any.
    fn take(
        &mut self,
        work: &mut Work,
        index: usize,
        source: &Value,
        calls: &HashSet<&str>,
    ) -> bool {
        let mut others = Vec::new();
        let mut fitting = Vec::new();
        for (number, part) in source.list("parts").iter().enumerate() {
            let payload = part.at("payload");
            let call = payload.text("toolCallId");
            let place = format!("/{index}/parts/{number}");
            if calls.contains(call) && !self.payloads.contains_key(call) {
                self.payloads.insert(call.to_owned(), payload.clone());
                fitting.push((call.to_owned(), format!("{place}/payload")));
            } else {
                others.push(place);
            }
        }
        if fitting.is_empty() {
            work.note("result-without-call", &format!("/{index}"));
            return false;
        }
        for place in others {
            work.note("result-without-call", &place);
        }
        note_names(work, index, source, false);
        if source.has("meta") {
            work.note("meta", &format!("/{index}/meta"));
        }
        let end = work.ms(source.text("timestamp"), &format!("/{index}/timestamp"));
        let rows = fitting.into_iter().map(|(call, place)| (call, (end, place)));
        self.places.extend(rows);
        true
    }
}
