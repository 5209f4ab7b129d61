//! What goes together in Responses requests: the provider takes reasoning and the item that it led
//! to, and the call of a built-in tool and its output, only together, and an item only once.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::notes::Notes;
use super::responses_output::args_member;
use super::values::{Json, says_anything, worded};
use crate::fields::{Fields, object};

/// An item of the input.
pub(crate) struct Draft {
    pub body: Json,
    pub pointer: String,
    /// Whether it is the provider's, under its own id.
    pub own: bool,
}

impl Draft {
    pub(crate) fn kind(&self) -> &str {
        self.body.text("type")
    }

    fn call_id(&self) -> String {
        worded(self.body.get("call_id"))
    }

    /// Returns the item without its id; a message is a plain one then.
    fn without_id(mut self) -> Self {
        if self.kind() != "message" {
            self.body.shift_remove("id");
            return self;
        }
        let said = |part: &Value| part.get("text").unwrap_or(part.at("refusal")).clone();
        let parts = self.body.list("content").iter().map(said);
        let text: String = parts.filter_map(|text| text.as_str().map(str::to_owned)).collect();
        let mut body = object([("role", "assistant".into()), ("content", json!(text))]);
        if let Some(phase) = self.body.get("phase") {
            body.insert("phase".to_owned(), phase.clone());
        }
        Self { body, ..self }
    }
}

/// Returns the item that is the output of a built-in tool's call, with the call's id.
fn output_kind(kind: &str) -> Option<&'static str> {
    match kind {
        "computer_call" => Some("computer_call_output"),
        "local_shell_call" => Some("local_shell_call_output"),
        "shell_call" => Some("shell_call_output"),
        "apply_patch_call" => Some("apply_patch_call_output"),
        "tool_search_call" => Some("tool_search_output"),
        _ => None,
    }
}

/// What has been sent of one request.
pub(crate) struct Sending<'a> {
    pub notes: &'a Notes,
    /// Whether the provider keeps responses, and so knows reasoning by its id alone.
    pub is_stored: bool,
    pub sent: HashSet<String>,
}

impl Sending<'_> {
    /// Returns the items that can be sent of a turn.
    pub(crate) fn items(&mut self, drafts: Vec<Draft>) -> Vec<Value> {
        let drafts = self.without_dangling(self.without_unpaired(drafts));
        self.without_repeats(drafts).into_iter().map(|draft| draft.body.into()).collect()
    }

    /// Leaves out calls of built-in tools that wait for an output.
    fn without_unpaired(&self, drafts: Vec<Draft>) -> Vec<Draft> {
        let found: HashSet<(String, String)> =
            drafts.iter().map(|draft| (draft.kind().to_owned(), draft.call_id())).collect();
        let goes = |draft: &Draft| {
            let kind = draft.kind();
            let Some(output) = output_kind(kind) else { return true };
            let waits = kind != "tool_search_call" || draft.body.text("execution") == "client";
            if !waits || found.contains(&(output.to_owned(), draft.call_id())) {
                return true;
            }
            self.note_dangling(draft, "The call of a built-in tool goes back with its output");
            false
        };
        drafts.into_iter().filter(goes).collect()
    }

    /// Leaves out reasoning without its next item, and what a provider does not keep.
    ///
    /// An item whose reasoning is missing goes without its id: by it the provider would ask.
    fn without_dangling(&self, drafts: Vec<Draft>) -> Vec<Draft> {
        let mut leads = false;
        let mut dangling = HashSet::new();
        for (number, draft) in drafts.iter().enumerate().rev() {
            if draft.kind() != "reasoning" {
                leads = draft.own;
            } else if !leads {
                dangling.insert(number);
            }
        }
        let mut kept = Vec::new();
        let mut is_lost = false;
        for (number, draft) in drafts.into_iter().enumerate() {
            if draft.kind() != "reasoning" {
                kept.push(if is_lost { draft.without_id() } else { draft });
                continue;
            }
            is_lost = !self.is_stored && !is_readable(&draft.body);
            if is_lost {
                let message = "Reasoning that is neither stored nor encrypted cannot go back";
                self.note_dangling(&draft, message);
            } else if dangling.contains(&number) {
                let message = "Reasoning goes back with the item that it led to";
                self.note_dangling(&draft, message);
            } else {
                kept.push(draft);
            }
        }
        kept
    }

    /// Leaves out ids that the input has already, as where an answer stands in it twice.
    ///
    /// What cannot go without its id is left out; what reasoning led to follows it.
    fn without_repeats(&mut self, drafts: Vec<Draft>) -> Vec<Draft> {
        let mut kept = Vec::new();
        let mut is_lost = false;
        for draft in drafts {
            let item_id = draft.body.at("id").as_str().map(str::to_owned);
            let repeats = item_id.is_some_and(|id| !self.sent.insert(id));
            if draft.kind() == "reasoning" {
                is_lost = repeats;
            }
            if repeats {
                let message =
                    "The provider takes an item once; it is sent without its id or left out";
                self.notes.add("encode/repeated-state", message, &draft.pointer);
            }
            if draft.kind() == "message" || args_member(draft.kind()).is_some() {
                kept.push(if repeats || is_lost { draft.without_id() } else { draft });
            } else if !repeats {
                kept.push(draft);
            }
        }
        kept
    }

    fn note_dangling(&self, draft: &Draft, message: &str) {
        self.notes.add("encode/dangling-state", message, &draft.pointer);
    }
}

/// Tells whether reasoning says all by itself: encrypted, or as it was thought.
fn is_readable(reasoning: &Json) -> bool {
    let says = |name: &str| says_anything(reasoning.get(name));
    says("encrypted_content") || says("content")
}
