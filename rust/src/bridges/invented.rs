//! A message without a record as a session's: what a session asks for is given or made.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::ids::{derived_id, is_uuid};
use super::session_parts::{Call, file_part, put_opaque};
use super::session_tokens::tokens_of;
use super::to_session::Results;
use super::work::Work;
use crate::fields::{Fields, object};
use crate::types::Map;

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
        ids.insert(id.to_lowercase()); // a maker may make what is no id; reading refuses it
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
