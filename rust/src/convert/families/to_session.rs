//! Messages as those of a session.
//!
//! Both ways take whole histories: a session holds a call and its result in one part. A message
//! that carries the record of one (`meta.session`) becomes what it was; of another one a session
//! asks for more than it says, and that is given by the caller, or made.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::json::{Value, json};

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::types::Map;
use crate::convert::families::context::Context;
use crate::convert::families::conversion::Work;
use crate::convert::families::from_session::spoken_messages;
use crate::convert::families::ids::{derived_id, is_uuid};
use crate::convert::families::session_approvals::{Asked, asked_in, decided_at, in_order};
use crate::convert::families::session_parts::{Call, file_part, put_opaque};
use crate::convert::families::session_record::{FIRST_VERSION, fitted, keeps_ignored, record_of};
use crate::convert::families::session_tokens::{COUNTS, tokens_of};
use crate::convert::versions::v0_2_to_v0_3::code_of;
use crate::json::fields::{Fields, filtered, object, put, same};
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
        let answers = following.take_while(|each| is_assistant && is_told(each));
        let end = index + 1 + answers.count();
        if is_assistant {
            self.drop_system();
        }
        let results = Results::of(self.work, self.source, one, index..end);
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
                results.note_outcomes(self.work);
                let agent = made.at("info").text("agent").to_owned();
                note_author(self.work, one, &agent, &format!("/{index}"));
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
            let place = format!("/{at}/parts/{number}/payload");
            if part.at("payload").has("opaque") {
                self.work.note("opaque", &format!("{place}/opaque"));
            }
            self.work.note_text(part.at("payload"), &place);
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
    let made = fitted(record, one, results, system)?;
    // Anyone may write a record: what a session would not take is not a record of one.
    let bound = binding("session.WithParts", LATEST_VERSION).ok()?;
    let (made, _) = read_plain(&made, bound, Mode::Strict).ok()?;
    if !results.in_order {
        return None;
    }
    let added = added_by_record(&made, one, results.message.as_ref())?;
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
    if source.has("author") && !spoken {
        work.note("author", &format!("/{index}/author"));
    }
}

/// Notes what the name of the session's agent does not say of the author.
fn note_author(work: &mut Work, one: &Value, agent: &str, place: &str) {
    let Some(author) = one.get("author") else { return };
    let is_same =
        same(author, &json!({"agentPath": [agent]})) || same(author, &json!({"name": agent}));
    let code = if is_same { "author-as-agent" } else { "author" };
    work.note(code, &format!("{place}/author"));
}

/// Tells whether a message is of a tool, or has a person's answers and nothing else.
fn is_told(message: &Value) -> bool {
    let parts = message.list("parts");
    let is_answer = |part: &Value| part.text("kind") == "approval_response";
    message.text("role") == "tool" || (!parts.is_empty() && parts.iter().all(is_answer))
}

/// What the messages behind one say of its calls: results, and answers to what was asked about
/// them, each by its call.
#[derive(Default)]
pub(crate) struct Results {
    pub payloads: Map,
    /// When each result came, and where it is.
    pub places: HashMap<String, (i64, String)>,
    /// The first of the messages, and where it is.
    pub message: Option<Value>,
    place: String,
    /// When the last of them was made.
    time: i64,
    /// Whether one message of the tool has them all, call by call.
    pub in_order: bool,
    /// The parts of the message with the calls, and where that is.
    parts: Vec<Value>,
    index: usize,
    /// Which part of it is the request about a call.
    asked: HashMap<String, usize>,
    answers: HashMap<String, (Value, String)>,
}

impl Results {
    /// Takes what is said of the message at the beginning of `places` from those behind it.
    fn of(work: &mut Work, source: &[Value], one: &Value, places: Range<usize>) -> Self {
        let mut made = Self {
            parts: one.list("parts").to_vec(),
            index: places.start,
            asked: asked_in(one.list("parts")),
            ..Self::default()
        };
        let is_call = |part: &&Value| part.text("kind") == "tool_call";
        let each = one.list("parts").iter().filter(is_call);
        let calls: Vec<&str> = each.map(|part| part.at("payload").text("toolCallId")).collect();
        let known: HashSet<&str> = calls.iter().copied().collect();
        let mut used = Vec::new();
        let answers = source.iter().enumerate().take(places.end).skip(places.start + 1);
        for (at, message) in answers {
            if made.take(work, at, message, &known) {
                used.push(at);
                made.message.get_or_insert_with(|| message.clone());
            }
        }
        let Some((first, others)) = used.split_first() else {
            made.in_order = true;
            return made;
        };
        made.place = format!("/{first}");
        made.in_order = others.is_empty() && made.is_as_told(&calls);
        if !made.in_order {
            let code = if made.answers.is_empty() { "result-order" } else { "approval-order" };
            work.note(code, &format!("/{first}/parts"));
            work.note(code, &format!("/{first}/timestamp"));
            if made.message.as_ref().is_some_and(|message| message.text("role") != "tool") {
                work.note(code, &format!("/{first}/role"));
            }
            for at in others {
                work.note(code, &format!("/{at}"));
            }
        }
        made
    }

    /// Takes what one message says; tells whether that is anything.
    fn take(
        &mut self,
        work: &mut Work,
        index: usize,
        source: &Value,
        calls: &HashSet<&str>,
    ) -> bool {
        let mut others = Vec::new();
        let mut fitting = Vec::new();
        let parts = source.list("parts");
        for (number, part) in parts.iter().enumerate() {
            let payload = part.at("payload");
            let call = payload.text("toolCallId");
            let place = format!("/{index}/parts/{number}");
            if part.text("kind") == "approval_response" {
                if self.answers.contains_key(call) || !self.is_asked(payload) {
                    others.push(("approval", place));
                } else {
                    let answer = (payload.clone(), format!("{place}/payload"));
                    self.answers.insert(call.to_owned(), answer);
                }
            } else if calls.contains(call) && !self.payloads.contains_key(call) {
                self.payloads.insert(call.to_owned(), payload.clone());
                fitting.push((call.to_owned(), format!("{place}/payload")));
            } else {
                others.push(("result-without-call", place));
            }
        }
        if others.len() == parts.len() {
            let is_answer =
                !others.is_empty() && others.iter().all(|(code, _)| *code == "approval");
            let code = if is_answer { "approval" } else { "result-without-call" };
            work.note(code, &format!("/{index}"));
            return false;
        }
        for (code, place) in others {
            work.note(code, &place);
        }
        note_names(work, index, source, false);
        if source.has("meta") {
            work.note("meta", &format!("/{index}/meta"));
        }
        self.time = work.ms(source.text("timestamp"), &format!("/{index}/timestamp"));
        let rows = fitting.into_iter().map(|(call, place)| (call, (self.time, place)));
        self.places.extend(rows);
        true
    }

    /// Returns the payload of the request about a call, and the index of its part.
    fn request(&self, call: &str) -> Option<(&Value, usize)> {
        let number = *self.asked.get(call)?;
        Some((self.parts.get(number)?.at("payload"), number))
    }

    fn is_asked(&self, answer: &Value) -> bool {
        let asked = self.request(answer.text("toolCallId"));
        asked.is_some_and(|(asked, _)| asked.at("approvalId") == answer.at("approvalId"))
    }

    /// Tells whether answers and results are where they are on the way back: call by call.
    fn is_as_told(&self, calls: &[&str]) -> bool {
        let Some(message) = &self.message else { return true };
        let at = |number: usize| format!("{}/parts/{number}/payload", self.place);
        let mut told = Vec::new();
        for call in calls {
            told.extend(self.answers.get(*call).map(|(_, place)| place));
            told.extend(self.places.get(*call).map(|(_, place)| place));
        }
        let known: HashSet<&String> = told.iter().copied().collect();
        let places = (0..message.list("parts").len()).map(at);
        let kept: Vec<String> = places.filter(|place| known.contains(place)).collect();
        message.text("role") == "tool" && kept.iter().eq(told)
    }

    /// Tells whether a part of the message is the request that its call's state takes in.
    fn is_joined(&self, number: usize) -> bool {
        let Some(part) = self.parts.get(number) else { return false };
        let call = part.at("payload").text("toolCallId");
        part.text("kind") == "approval_request"
            && self.request(call).is_some_and(|(_, own)| own == number)
    }

    /// Returns the approval of a call, with what its parts do not say; None without one.
    pub(crate) fn approval(&self, call: &str, rest: &Value, work: &mut Work) -> Option<Value> {
        let (request, number) = self.request(call)?;
        let place = format!("/{}/parts/{number}/payload", self.index);
        Some(Asked { request, place, answer: self.answers.get(call) }.approval(rest, work))
    }

    /// Notes the results that say no outcome.
    fn note_outcomes(&self, work: &mut Work) {
        let parts = self.message.iter().flat_map(|message| message.list("parts"));
        for (number, part) in parts.enumerate() {
            if part.text("kind") == "tool_result" && !part.at("payload").has("outcome") {
                let place = format!("{}/parts/{number}/payload/outcome", self.place);
                work.note("outcome-form", &place);
            }
        }
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
    /// When calls that have results ended, and when others were answered.
    ended: Option<i64>,
    answered: Option<i64>,
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
        let (ended, answered) = (None, None);
        Self { work, one, results, place, record, session_id, id, ended, answered }
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
            ("agent", self.agent()),
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

    fn agent(&mut self) -> Value {
        let author = self.one.at("author");
        let known = author.list("agentPath").last().or_else(|| author.get("name"));
        let known = known.filter(|_| self.work.context.get("agent").is_none()).cloned();
        let made = known.unwrap_or_else(|| self.given("agent", "agent-invented", "unknown"));
        note_author(self.work, self.one, made.as_str().unwrap_or(""), &self.place);
        made
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
        let mut kept = Vec::new();
        for (number, part) in self.one.list("parts").iter().enumerate() {
            let place = format!("{}/parts/{number}", self.place);
            let code = code_of(part.text("kind")).filter(|_| !self.results.is_joined(number));
            if let Some(code) = code {
                self.work.note(code, &place);
                continue;
            }
            kept.push(part);
            if part.text("kind") == "approval_request" {
                if part.at("payload").has("opaque") {
                    self.work.note("opaque", &format!("{place}/payload/opaque"));
                }
                continue;
            }
            let id = self.work.context.new_id().unwrap_or_else(|| format!("prt_{number}"));
            let head = object([
                ("id", id.into()),
                ("sessionID", self.session_id.clone()),
                ("messageID", self.id.as_str().into()),
            ]);
            let inner = self.part(part, &place, &head, created);
            made.push(Value::Object(head.into_iter().chain(inner).collect()));
        }
        self.note_order(&kept);
        self.note_time();
        made
    }

    /// Notes requests that are not right behind their calls, as they are on the way back.
    fn note_order(&mut self, kept: &[&Value]) {
        let call_of = |part: &Value| part.at("payload").text("toolCallId").to_owned();
        for (index, part) in kept.iter().enumerate() {
            if part.text("kind") != "approval_request" {
                continue;
            }
            let before = index.checked_sub(1).and_then(|index| kept.get(index).copied());
            let call = before.filter(|before| before.text("kind") == "tool_call").map(call_of);
            if call != Some(call_of(part)) {
                self.work.note("approval-order", &format!("{}/parts", self.place));
            }
        }
    }

    /// Notes the time of the tool's message, if the way back gives another one.
    fn note_time(&mut self) {
        let told = self.ended.or(self.answered);
        if told.is_some_and(|told| self.results.in_order && told != self.results.time) {
            self.work.note("timestamp", &format!("{}/timestamp", self.results.place));
        }
    }

    fn part(&mut self, part: &Value, place: &str, head: &Map, created: i64) -> Map {
        let payload = part.at("payload");
        let text = || payload.at("text").clone();
        let made = match part.text("kind") {
            "text" => {
                self.work.note_text(payload, &format!("{place}/payload"));
                object([("type", "text".into()), ("text", text())])
            }
            "thinking" => object([
                ("type", "reasoning".into()),
                ("text", text()),
                ("time", json!({"start": created})),
            ]),
            "tool_call" => object([
                ("type", "tool".into()),
                ("callID", payload.at("toolCallId").clone()),
                ("tool", payload.at("toolName").clone()),
                ("state", self.state(payload, format!("{place}/payload"), head, created)),
            ]),
            _ => return file_part(part, place, self.work),
        };
        put_opaque(made, payload).unwrap_or_default()
    }

    fn state(&mut self, payload: &Value, place: String, head: &Map, created: i64) -> Value {
        let id = payload.text("toolCallId");
        let answered = self.results.answers.get(id).map_or("", |(_, place)| place);
        let approval = self.results.approval(id, &Value::Null, self.work);
        let approval = approval.map(|approval| in_order(approval, answered, self.work));
        let decided = approval.as_ref().and_then(decided_at).map_or(created, |(ms, _)| ms);
        let has_answer = approval.as_ref().is_some_and(|approval| approval.has("decision"));
        let start = created.max(decided);
        let unknown = || (start, String::new());
        let (end, answer) = self.results.places.get(id).cloned().unwrap_or_else(unknown);
        let call = Call {
            payload,
            result: self.results.payloads.get(id),
            approval,
            times: (start, end),
            places: (place, answer),
            head,
        };
        let state = call.state(self.work);
        if call.result.is_some() {
            let end = if state.text("status") == "denied" { decided } else { end };
            self.ended = self.ended.max(Some(end));
        } else if has_answer {
            self.answered = self.answered.max(Some(decided));
        }
        state
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
/// None where it says anything else: `made` is a session's message, `told` the tool's message about
/// its calls. Only the run, the turn and the author may differ, and outcomes that are not said.
pub(crate) fn added_by_record(
    made: &Value,
    one: &Value,
    told: Option<&Value>,
) -> Option<Vec<String>> {
    let keep = keeps_ignored(one.at("meta").at("session"));
    let context = Context::new().run_id(one.text("runId")).keep_ignored(keep);
    let spoken = spoken_messages(made, "", &mut Work::quiet(&context));
    let mut spoken = spoken.into_iter().filter(|each| each.text("role") != "system");
    let own = spoken.next()?;
    if !is_answered(spoken.next().as_ref(), told) {
        return None;
    }
    let role = one.text("role");
    let meta = filtered(one.at("meta"), |name, _| is_said_meta(role, name));
    let mut given = filtered(one, |name, _| !matches!(name, "turnId" | "author" | "meta"));
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

/// Tells whether a tool's message says what was told, and when; the outcomes need not be said.
fn is_answered(tool: Option<&Value>, told: Option<&Value>) -> bool {
    let (Some(tool), Some(told)) = (tool, told) else { return tool.is_none() && told.is_none() };
    let mut parts = told.list("parts").to_vec();
    for (part, again) in parts.iter_mut().zip(tool.list("parts")) {
        let outcome = again.at("payload").at("outcome");
        let is_result = part.text("kind") == "tool_result";
        if let (Some(payload), true) = (part.get_mut("payload"), is_result) {
            if !outcome.is_null() && !payload.has("outcome") {
                put(payload, "outcome", outcome.clone());
            }
        }
    }
    told.text("timestamp") == tool.text("timestamp") && same(tool.at("parts"), &parts.into())
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
