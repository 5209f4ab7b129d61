//! Calls and results of tools that a provider ran: sent back as its own, or as text to another.

use std::collections::{HashMap, HashSet};

use crate::json::Value;
use crate::json::fields::Fields;
use crate::json::json_text::json_text;
use crate::providers::request_core::notes::Notes;

/// Run and call.
type Key<'a> = (&'a str, &'a str);

const NO_MEDIA: &str = "text: what another provider ran is sent as text";

/// The server tools of one request, which are known before any of it is written.
///
/// A call and its result go back to their own provider with the state that each has; one item of the
/// provider may be both, and is the call's then. All else is text, at the place of the result.
pub(crate) struct ServerTools<'a> {
    dialect: &'a str,
    notes: &'a Notes,
    apart: bool,
    calls: HashMap<Key<'a>, &'a Value>,
    results: HashMap<Key<'a>, &'a Value>,
    /// Calls of which the provider itself asks for approval.
    asked: HashSet<Key<'a>>,
}

impl<'a> ServerTools<'a> {
    /// Reads all messages.
    pub(crate) fn new(
        messages: &'a [Value],
        dialect: &'a str,
        notes: &'a Notes,
        apart: bool,
    ) -> Self {
        let (calls, results, asked) = (HashMap::new(), HashMap::new(), HashSet::new());
        let mut tools = Self { dialect, notes, apart, calls, results, asked };
        for message in messages {
            for part in message.list("parts") {
                let payload = part.at("payload");
                let key = (message.text("runId"), payload.text("toolCallId"));
                match part.text("kind") {
                    "server_tool_call" => {
                        tools.calls.entry(key).or_insert(payload);
                    }
                    "server_tool_result" => {
                        tools.results.entry(key).or_insert(payload);
                    }
                    "approval_request" if tools.is_own(payload) => {
                        tools.asked.insert(key);
                    }
                    _ => {}
                }
            }
        }
        tools
    }

    /// Tells whether a call or result goes back as the provider's own state says it.
    pub(crate) fn goes_back(&self, run_id: &str, part: &Value) -> bool {
        let payload = part.at("payload");
        let key = (run_id, payload.text("toolCallId"));
        if part.text("kind") == "server_tool_call" {
            let result = self.results.get(&key);
            return self.is_own(payload) && result.is_none_or(|result| self.follows(result));
        }
        match self.calls.get(&key) {
            None => self.is_own(payload),
            Some(call) => self.is_own(call) && self.follows(payload),
        }
    }

    /// Returns the text of a result with its call, "" for a call, whose result says it.
    pub(crate) fn text(&self, run_id: &str, part: &Value, place: &str) -> String {
        let payload = part.at("payload");
        let key = (run_id, payload.text("toolCallId"));
        if part.text("kind") == "server_tool_call" {
            if !self.results.contains_key(&key) && !self.asked.contains(&key) {
                let message =
                    "The call of another provider's tool is sent with its result, and not alone";
                self.notes.add("encode/dangling-state", message, place);
            }
            return String::new();
        }
        let message = "What another provider ran is sent as text";
        self.notes.add("encode/server-tool-as-text", message, place);
        let call = self.calls.get(&key).map(|call| {
            let raw = call.at("rawArgsText").as_str().map(str::to_owned);
            let arguments = raw.unwrap_or_else(|| json_text(call.at("arguments")));
            format!("{} {arguments}", call.text("toolName"))
        });
        let content = self.content(payload.at("content"), place);
        let lines = call.into_iter().chain([content]).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    fn content(&self, content: &Value, place: &str) -> String {
        let Value::Array(parts) = content else {
            return content.as_str().map_or_else(|| json_text(content), str::to_owned);
        };
        let mut texts = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            if part.text("kind") == "text" {
                texts.push(part.at("payload").text("text"));
            } else {
                let place = format!("{place}/payload/content/{number}");
                self.notes.unsupported_part(&place, NO_MEDIA, part.text("kind"));
            }
        }
        texts.join("\n")
    }

    /// Tells whether a result goes where its call goes: it says nothing else of its own.
    fn follows(&self, result: &Value) -> bool {
        (!self.apart && !result.has("opaque")) || self.is_own(result)
    }

    fn is_own(&self, payload: &Value) -> bool {
        let opaque = payload.at("opaque");
        opaque.is_object()
            && opaque.text("provider") == self.dialect
            && !opaque.at("data").list("items").is_empty()
    }
}
