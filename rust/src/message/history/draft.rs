//! Messages of a history while it is repaired: parts that can go, move and be renamed. A draft
//! that nothing changed gives back the very bytes that were given.

use crate::json::{Value, json};

use crate::contract::current::message::{Message, MessagePart};
use crate::contract::types::Map;
use crate::json::canonical::canonical;

/// One part; `place` is index of message and part in the given history, None if made.
pub(crate) struct Item {
    pub kind: Option<&'static str>,
    pub call_id: String,
    pub approval_id: String,
    pub gone: bool,
    /// The draft that it is in.
    pub draft: usize,
    /// Of a call its result, and of a result its call; of a request its call, of an answer the
    /// request.
    pub partner: Option<usize>,
    pub value: Value,
    pub place: Option<(usize, usize)>,
}

impl Item {
    /// Whether it is a call that the provider runs, or the result of one.
    pub(crate) fn is_server(&self) -> bool {
        matches!(self.kind, Some("server_tool_call" | "server_tool_result"))
    }

    /// Where the part is in the given history.
    pub(crate) fn pointer(&self) -> String {
        self.place.map_or(String::new(), |(message, part)| format!("/{message}/parts/{part}"))
    }
}

/// One message: its items, who speaks, and what it is made from.
#[derive(Clone, Default)]
pub(crate) struct Draft {
    /// What was given; nothing for one that was made.
    pub given: Vec<u8>,
    pub base: Map,
    pub run_id: String,
    pub role: String,
    pub index: Option<usize>,
    pub count: usize,
    pub changed: bool,
    pub turn: usize,
    /// Whether it leaves its place, as a whole, for another one.
    pub leaves: bool,
    /// The rule by which its last part went.
    pub emptied_by: String,
    items: Vec<usize>,
}

/// All drafts and items of a repair; both are known by their number.
#[derive(Default)]
pub(crate) struct Drafts {
    pub items: Vec<Item>,
    pub all: Vec<Draft>,
}

impl Drafts {
    /// Opens a message, and returns its draft; `base` is what was given, as JSON value.
    pub(crate) fn open(
        &mut self,
        given: &[u8],
        base: Map,
        message: &Message,
        index: usize,
    ) -> usize {
        let values = match base.get("parts") {
            Some(Value::Array(values)) => values.clone(),
            _ => Vec::new(),
        };
        let draft = self.all.len();
        self.all.push(Draft {
            given: given.to_vec(),
            base,
            run_id: message.run_id.clone(),
            role: message.role.as_str().to_owned(),
            index: Some(index),
            ..Draft::default()
        });
        for (number, (part, value)) in message.parts.iter().zip(values).enumerate() {
            let kind = match part {
                MessagePart::ToolCall(_) => Some("tool_call"),
                MessagePart::ToolResult(_) => Some("tool_result"),
                MessagePart::Text(_) => Some("text"),
                MessagePart::Thinking(_) => Some("thinking"),
                MessagePart::Image(_) => Some("image"),
                MessagePart::FileRef(_) => Some("file_ref"),
                MessagePart::Media(_) => Some("media"),
                MessagePart::ServerToolCall(_) => Some("server_tool_call"),
                MessagePart::ServerToolResult(_) => Some("server_tool_result"),
                MessagePart::ApprovalRequest(_) => Some("approval_request"),
                MessagePart::ApprovalResponse(_) => Some("approval_response"),
                MessagePart::Unknown(_) => None,
            };
            self.put_new(draft, kind, value, Some((index, number)));
        }
        draft
    }

    fn put_new(
        &mut self,
        draft: usize,
        kind: Option<&'static str>,
        value: Value,
        place: Option<(usize, usize)>,
    ) -> usize {
        let item = self.items.len();
        let id = |name: &str| {
            let id = value.pointer(&format!("/payload/{name}")).filter(|_| kind.is_some());
            id.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (call_id, approval_id) = (id("toolCallId"), id("approvalId"));
        self.items.push(Item {
            kind,
            call_id,
            approval_id,
            gone: false,
            draft,
            partner: None,
            value,
            place,
        });
        self.put(draft, item);
        item
    }

    /// Makes a message of the same run and time, without parts. It has the author of this one, if
    /// it says in the same role what this one said.
    pub(crate) fn beside(&mut self, draft: usize, role: &str, is_invented: bool) -> usize {
        let made = self.all.get(draft).map_or_else(Draft::default, |draft| {
            let mut base = Map::new();
            base.insert("runId".to_owned(), Value::from(draft.run_id.as_str()));
            base.insert("role".to_owned(), Value::from(role));
            let author = draft.base.get("author").filter(|author| !author.is_null());
            if let Some(author) = author.filter(|_| role == draft.role && !is_invented) {
                base.insert("author".to_owned(), author.clone());
            }
            base.insert("parts".to_owned(), json!([]));
            let timestamp = draft.base.get("timestamp").cloned().unwrap_or_default();
            base.insert("timestamp".to_owned(), timestamp);
            let (run_id, role) = (draft.run_id.clone(), role.to_owned());
            Draft { base, run_id, role, changed: true, ..Draft::default() }
        });
        self.all.push(made);
        self.all.len() - 1
    }

    /// The parts that are in a message now, in order.
    pub(crate) fn items_of(&self, draft: usize) -> Vec<usize> {
        let is_here = |item: &usize| {
            self.items.get(*item).is_some_and(|item| item.draft == draft && !item.gone)
        };
        let all = self.all.get(draft).map_or(&[][..], |draft| &draft.items);
        all.iter().copied().filter(is_here).collect()
    }

    /// Whether nobody speaks in a message: it has approvals and results of the provider alone.
    pub(crate) fn is_silent(&self, draft: usize) -> bool {
        // One that was given empty is a word that says nothing.
        let is_empty = self.all.get(draft).is_none_or(|draft| draft.count == 0 && !draft.changed);
        let is_silent = |item: usize| {
            let kind = self.items.get(item).and_then(|item| item.kind);
            matches!(kind, Some("approval_request" | "approval_response" | "server_tool_result"))
        };
        !is_empty && self.items_of(draft).into_iter().all(is_silent)
    }

    pub(crate) fn put(&mut self, draft: usize, item: usize) {
        if let Some(item) = self.items.get_mut(item) {
            item.draft = draft;
            item.gone = false;
        }
        if let Some(draft) = self.all.get_mut(draft) {
            draft.items.push(item);
            draft.count += 1;
        }
    }

    /// Takes a part out, by a rule.
    pub(crate) fn remove(&mut self, item: usize, rule: &str) {
        // Not out of the list: one by one, that would cost the square of them.
        let Some(item) = self.items.get_mut(item) else { return };
        item.gone = true;
        if let Some(draft) = self.all.get_mut(item.draft) {
            draft.count = draft.count.saturating_sub(1);
            draft.changed = true;
            rule.clone_into(&mut draft.emptied_by);
        }
    }

    /// Takes all parts of a message out and returns them.
    pub(crate) fn take_all(&mut self, draft: usize) -> Vec<usize> {
        let items = self.items_of(draft);
        if let Some(draft) = self.all.get_mut(draft) {
            draft.items.clear();
            draft.count = 0;
            draft.changed = true;
        }
        items
    }

    /// Gives a call, or what belongs to one, another id.
    pub(crate) fn rename(&mut self, item: usize, call_id: &str) {
        let Some(item) = self.items.get_mut(item) else { return };
        call_id.clone_into(&mut item.call_id);
        if let Some(id) = item.value.pointer_mut("/payload/toolCallId") {
            *id = Value::from(call_id);
        }
        if let Some(draft) = self.all.get_mut(item.draft) {
            draft.changed = true;
        }
    }

    /// Appends an error result for a call, and returns it.
    pub(crate) fn put_result(
        &mut self,
        draft: usize,
        call_id: &str,
        content: &str,
        outcome: Option<&str>,
    ) -> usize {
        let mut payload = json!({"toolCallId": call_id, "isError": true, "content": content});
        if let (Some(outcome), Value::Object(members)) = (outcome, &mut payload) {
            members.insert("outcome".to_owned(), outcome.into());
        }
        let value = json!({"kind": "tool_result", "payload": payload});
        self.put_new(draft, Some("tool_result"), value, None)
    }

    /// Appends a tool result as what it holds: text, and parts as they are; returns the first.
    pub(crate) fn put_quote(&mut self, draft: usize, result: usize) -> usize {
        let Some(result) = self.items.get(result) else { return 0 };
        let payload = result.value.get("payload").cloned().unwrap_or_default();
        let is_error = payload.get("isError") == Some(&Value::Bool(true));
        let what = if is_error { "Error" } else { "Result" };
        let id = &result.call_id;
        let text = format!("{what} of the tool call {id}, whose call is not in this history:");
        let said = match payload.get("content") {
            Some(Value::Array(parts)) => {
                let first = self.put_text(draft, &text);
                for part in parts {
                    self.put_new(draft, None, part.clone(), None);
                }
                return first;
            }
            Some(Value::String(said)) => said.clone(),
            // As every language writes it: a number that came as 1.0 is 1 in some of them.
            Some(value) => canonical(value).unwrap_or_else(|_| value.to_string()),
            None => String::new(),
        };
        self.put_text(draft, &format!("{text}\n{said}"))
    }

    fn put_text(&mut self, draft: usize, text: &str) -> usize {
        let value = json!({"kind": "text", "payload": {"text": text}});
        self.put_new(draft, Some("text"), value, None)
    }

    /// Returns a message: the given bytes if nothing changed, else what was made of them.
    pub(crate) fn result(&self, draft: usize) -> Vec<u8> {
        let items = self.items_of(draft);
        let Some(draft) = self.all.get(draft) else { return Vec::new() };
        if !draft.changed {
            return draft.given.clone();
        }
        let parts = items.iter().filter_map(|item| Some(self.items.get(*item)?.value.clone()));
        let mut made = draft.base.clone();
        made.insert("role".to_owned(), Value::from(draft.role.as_str()));
        made.insert("parts".to_owned(), parts.collect());
        Value::Object(made).to_string().into_bytes()
    }
}
