//! Messages as those of a session.
//!
//! Both ways take whole histories: a session holds a call and its result in one part. A message
//! that carries the record of one (`meta.session`) becomes what it was; of another one a session
//! asks for more than it says, and that is given by the caller, or made.

use std::collections::HashSet;
use std::ops::Range;

use crate::json::{Value, json};

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::types::Map;
use crate::convert::families::context::Context;
use crate::convert::families::conversion::Work;
use crate::convert::families::from_session::spoken_messages;
use crate::convert::families::ids::{derived_id, is_uuid};
use crate::convert::families::session_parts::{Call, file_part, put_opaque};
use crate::convert::families::session_record::{FIRST_VERSION, fitted, keeps_ignored, record_of};
use crate::convert::families::session_tokens::{COUNTS, tokens_of};
use crate::json::fields::{Fields, filtered, object, same};
use crate::json::pointer::escape_pointer;
use crate::reading::read::{Mode, read_plain};

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

    /// Returns the system prompt that is before this message, and notes what it loses.
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
    // Anyone may write a record: what a session would not take is not a record of one.
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
    /// When each of them came, and where it is.
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
        let order = calls.into_iter().filter(|call| made.payloads.contains_key(call));
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

// -------------------------------------------------------------------------------------------------
// A message without a record as a session's: what a session asks for is given or made.

pub(crate) struct Invented<'a, 'b> {
    work: &'a mut Work<'b>,
    one: &'a Value,
    results: &'a Results,
    place: String,
    /// Where a message carries what a session says: the record, which it does not have.
    record: String,
    session_id: Value,
    id: String,
}

impl<'a, 'b> Invented<'a, 'b> {
    pub(crate) fn new(
        work: &'a mut Work<'b>,
        ids: &mut HashSet<String>,
        index: usize,
        one: &'a Value,
        results: &'a Results,
    ) -> Self {
        let place = format!("/{index}");
        let meta = if one.has("meta") { "/meta/session" } else { "/meta" };
        let record = format!("{place}{meta}");
        work.note("ids-made", &record);
        let run = one.text("runId");
        let invented = derived_id(&["session", run]);
        let session_id = work.given("session_id", &record, "session-id-invented", invented);
        let id = own_id(work, one, &place, ids).unwrap_or_else(|| {
            let session = session_id.as_str().unwrap_or("");
            let invented = || derived_id(&["message", session, &index.to_string(), run]);
            work.context.new_id().unwrap_or_else(invented)
        });
        ids.insert(id.to_lowercase()); // a maker may make what is not an id; reading refuses it
        Self { work, one, results, place, record, session_id, id }
    }

    /// Returns the message of the session.
    pub(crate) fn message(mut self, created: i64, system: Option<String>) -> Value {
        let mut time = object([("created", created.into())]);
        let meta = self.one.at("meta");
        if let Some(text) = meta.at("completedAt").as_str() {
            let completed = self.work.ms(text, &format!("{}/meta/completedAt", self.place));
            time.insert("completed".to_owned(), completed.into());
        }
        let role = self.one.text("role");
        let mut info = object([
            ("id", self.id.as_str().into()),
            ("role", role.into()),
            ("time", time.into()),
            ("agent", self.given("agent", "agent-invented", "unknown")),
        ]);
        if role == "user" {
            let provider = self.given("provider_id", "model-invented", "unknown");
            let model = self.given("model_id", "model-invented", "unknown");
            info.insert("model".to_owned(), json!({"providerID": provider, "modelID": model}));
            info.extend(system.map(|system| ("system".to_owned(), Value::from(system))));
        } else {
            let cwd = self.given("cwd", "path-invented", "/");
            let root = self.given("root", "path-invented", "/");
            info.insert("path".to_owned(), json!({"cwd": cwd, "root": root}));
            info.extend(self.usage(meta));
        }
        json!({"info": info, "parts": self.parts(created)})
    }

    fn given(&mut self, name: &str, code: &str, invented: &str) -> Value {
        self.work.given(name, &self.record, code, invented)
    }

    /// Returns the tokens and the cost.
    fn usage(&mut self, meta: &Value) -> Map {
        let at = format!("{}/meta", self.place);
        let Some(usage) = meta.get("usage") else {
            return self.unknown_usage(&at);
        };
        let tokens = tokens_of(usage, &format!("{at}/usage"), self.work);
        let cost = match usage.get("cost") {
            Some(cost) => cost.clone(),
            None => self.work.given("cost", &format!("{at}/usage/cost"), "cost-invented", 0),
        };
        object([("tokens", tokens), ("cost", cost)])
    }

    fn unknown_usage(&mut self, at: &str) -> Map {
        let inner = if self.one.has("meta") { format!("{at}/usage") } else { at.to_owned() };
        let none =
            json!({"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}});
        let tokens = self.work.given("tokens", &inner, "usage-invented", none);
        let is_silent = ["tokens", "cost"].iter().all(|name| self.work.context.get(name).is_none());
        let cost =
            if is_silent { json!(0) } else { self.work.given("cost", &inner, "cost-invented", 0) };
        object([("tokens", tokens), ("cost", cost)])
    }

    fn parts(&mut self, created: i64) -> Vec<Value> {
        let mut made = Vec::new();
        for (number, part) in self.one.list("parts").iter().enumerate() {
            let id = self.work.context.new_id().unwrap_or_else(|| format!("prt_{number}"));
            let head = object([
                ("id", id.into()),
                ("sessionID", self.session_id.clone()),
                ("messageID", self.id.as_str().into()),
            ]);
            let place = format!("{}/parts/{number}", self.place);
            let inner = self.part(part, &place, &head, created);
            made.push(Value::Object(head.into_iter().chain(inner).collect()));
        }
        made
    }

    fn part(&mut self, part: &Value, place: &str, head: &Map, created: i64) -> Map {
        let payload = part.at("payload");
        let text = || payload.at("text").clone();
        let made = match part.text("kind") {
            "text" => object([("type", "text".into()), ("text", text())]),
            "thinking" => object([
                ("type", "reasoning".into()),
                ("text", text()),
                ("time", json!({"start": created})),
            ]),
            "tool_call" => {
                let id = payload.text("toolCallId");
                let (end, answer) =
                    self.results.places.get(id).cloned().unwrap_or((created, String::new()));
                let call = Call {
                    payload,
                    result: self.results.payloads.get(id),
                    times: (created, end),
                    places: (format!("{place}/payload"), answer),
                    head,
                };
                object([
                    ("type", "tool".into()),
                    ("callID", id.into()),
                    ("tool", payload.at("toolName").clone()),
                    ("state", call.state(self.work)),
                ])
            }
            _ => return file_part(part, place, self.work),
        };
        put_opaque(made, payload).unwrap_or_default()
    }
}

/// Returns the message's own id, if a session takes it and no other message has it.
fn own_id(work: &mut Work, one: &Value, place: &str, taken: &HashSet<String>) -> Option<String> {
    let at = format!("{place}/messageId");
    let Some(given) = one.at("messageId").as_str() else {
        work.note("message-id-made", &at);
        return None;
    };
    if is_uuid(given) && !taken.contains(&given.to_lowercase()) {
        return Some(given.to_owned());
    }
    work.note("message-id", &at);
    None
}

// -------------------------------------------------------------------------------------------------
// Whether `meta.session` and the message around it still say the same.
//
// A record that was written for v0.1 is in a message that could not say all that messages say
// since: such a message fits too, and what it lacks is taken from the record.

/// Tells whether a session says a member of `meta`.
pub(crate) fn is_said_meta(role: &str, name: &str) -> bool {
    matches!(name, "completedAt" | "session") || (name == "usage" && role == "assistant")
}

/// Returns the places where `made` says more than the message `one` that it was made of.
///
/// None where it says anything else: `made` is a session's message, `results` and `answered` (a
/// time) are those of the calls. Only the run and the turn may differ.
pub(crate) fn added_by_record(
    made: &Value,
    one: &Value,
    results: &Map,
    answered: Option<&str>,
) -> Option<Vec<String>> {
    let keep = keeps_ignored(one.at("meta").at("session"));
    let context = Context::new().run_id(one.text("runId")).keep_ignored(keep);
    let spoken = spoken_messages(made, "", &mut Work::quiet(&context));
    let mut spoken = spoken.into_iter().filter(|each| each.text("role") != "system");
    let own = spoken.next()?;
    if !is_answered(spoken.next().as_ref(), results, answered) {
        return None;
    }
    let role = one.text("role");
    let meta = filtered(one.at("meta"), |name, _| is_said_meta(role, name));
    let mut given = filtered(one, |name, _| !matches!(name, "turnId" | "meta"));
    let mut added = Vec::new();
    if !given.contains_key("messageId") {
        given.insert("messageId".to_owned(), own.at("messageId").clone());
        added.push("/messageId".to_owned());
    }
    given.insert("meta".to_owned(), add_to_meta(meta, &own, made, &mut added).into());
    let parts = add_to_parts(one.list("parts"), &own, &mut added);
    given.insert("parts".to_owned(), parts.into());
    same(&own, &Value::Object(given)).then_some(added)
}

/// Tells whether a tool's message says the results, and when they came; without any, there is none.
fn is_answered(tool: Option<&Value>, results: &Map, answered: Option<&str>) -> bool {
    let Some(tool) = tool else { return results.is_empty() };
    let parts = results.values().map(|each| json!({"kind": "tool_result", "payload": each}));
    !results.is_empty()
        && answered == Some(tool.text("timestamp"))
        && same(tool.at("parts"), &parts.collect())
}

fn add_to_meta(mut meta: Map, own: &Value, made: &Value, added: &mut Vec<String>) -> Map {
    let again = own.at("meta");
    let known = again.at("usage");
    if let (Some(Value::Object(usage)), true) = (meta.get_mut("usage"), known.is_object()) {
        for name in COUNTS {
            if !usage.contains_key(name) {
                usage.insert(name.to_owned(), known.at(name).clone());
                added.push(format!("/meta/usage/{name}"));
            }
        }
    }
    let (record, whole) = (meta.at("session"), again.at("session"));
    let older = record_of(made, keeps_ignored(record), FIRST_VERSION);
    if !same(record, whole) && same(record, &older) {
        meta.insert("session".to_owned(), whole.clone());
        added.push("/meta/session".to_owned());
    }
    meta
}

fn is_file(part: &Value) -> bool {
    matches!(part.text("kind"), "image" | "file_ref")
}

/// Gives the parts what only the record says of them: provider's state, an assistant's files.
fn add_to_parts(said: &[Value], own: &Value, added: &mut Vec<String>) -> Vec<Value> {
    let again = own.list("parts");
    let has_no_files = own.text("role") == "assistant" && !said.iter().any(is_file);
    let known: Vec<&Value> = again.iter().filter(|part| !(has_no_files && is_file(part))).collect();
    let mut given = said.to_vec();
    for (number, (part, known)) in given.iter_mut().zip(&known).enumerate() {
        let state = known.at("payload").get("opaque");
        let payload = part.get_mut("payload").and_then(Value::as_object_mut);
        if let (Some(state), Some(payload)) = (state, payload) {
            if !payload.contains_key("opaque") {
                payload.insert("opaque".to_owned(), state.clone());
                added.push(format!("/parts/{number}/payload/opaque"));
            }
        }
    }
    let is_known = |(part, known): (&Value, &&Value)| same(part, known);
    if known.len() != again.len()
        && given.len() == known.len()
        && given.iter().zip(&known).all(is_known)
    {
        added.push("/parts".to_owned());
        return again.to_vec();
    }
    given
}
