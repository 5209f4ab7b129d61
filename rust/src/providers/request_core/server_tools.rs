//! Calls and results of tools that a provider ran: sent back as its own, or as text to another.

use std::collections::{HashMap, HashSet};

use crate::json::Value;
use crate::json::fields::Fields;
use crate::json::json_text::json_text;
use crate::providers::request_core::citations::note_citations;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::turns::{Forms, media_piece, words_of};

/// Run and call.
type Key<'a> = (&'a str, &'a str);

const NO_MEDIA: &str = "text: what another provider ran is sent as text";

/// The server tools of one request, which are known before any of it is written.
///
/// A call and its result go back to their own provider with the state that each has; one item of the
/// provider may be both, and is the call's then. All else is text, at the place of the result.
pub(crate) struct ServerTools<'a> {
    dialect: &'a str,
    forms: &'a Forms,
    notes: &'a Notes,
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
        forms: &'a Forms,
        notes: &'a Notes,
    ) -> Self {
        let (calls, results, asked) = (HashMap::new(), HashMap::new(), HashSet::new());
        let mut tools = Self { dialect, forms, notes, calls, results, asked };
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
                    "approval_request" if forms.approvals.is_some() && tools.is_own(payload) => {
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
            return self.is_own(payload)
                && result.is_none_or(|result| self.follows(payload, result));
        }
        let Some(call) = self.calls.get(&key) else { return self.is_own(payload) };
        // Of several that have no block one follows.
        let is_first = self.results.get(&key).is_some_and(|first| std::ptr::eq(*first, payload));
        let follows = if is_first { self.follows(call, payload) } else { self.is_own(payload) };
        self.is_own(call) && follows
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
            let place = format!("{place}/payload/content/{number}");
            if part.text("kind") == "text" {
                note_citations(part.at("payload"), &place, self.notes);
                texts.push(part.at("payload").text("text").to_owned());
            } else if let Some(piece) = media_piece(part, &place) {
                texts.extend(words_of(&piece, NO_MEDIA, self.notes).map(|words| words.text));
            } else {
                self.notes.unsupported_part(&place, NO_MEDIA, part.text("kind"));
            }
        }
        texts.join("\n")
    }

    /// Tells whether a result goes where its own call goes: it says nothing else itself.
    fn follows(&self, call: &Value, result: &Value) -> bool {
        if result.has("opaque") || self.forms.apart {
            return self.is_own(result);
        }
        let is_paired = |item: &Value| {
            self.forms.paired.iter().any(|(kind, _)| item.at("kind").as_str() == Some(kind))
        };
        !self.items(call).any(is_paired)
    }

    fn is_own(&self, payload: &Value) -> bool {
        self.items(payload).next().is_some()
    }

    /// Returns what a part is to its own provider; state that has a place is beside it.
    fn items<'b>(&self, payload: &'b Value) -> impl Iterator<Item = &'b Value> + use<'b> {
        let opaque = payload.at("opaque");
        let has_blocks = self.forms.apart || !self.forms.paired.is_empty();
        let is_own = has_blocks && opaque.is_object() && opaque.text("provider") == self.dialect;
        let given = if is_own { opaque.at("data").list("items") } else { &[] };
        given.iter().filter(|item| item.is_object() && item.at("start").is_null())
    }
}
