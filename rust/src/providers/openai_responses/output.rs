//! Items that an assistant's turn becomes in Responses requests: the provider's own, where kept.
//!
//! A message or call goes back under the id that it came with, reasoning and the items of built-in
//! tools unchanged, all in their order.

use std::collections::{HashMap, HashSet};

use crate::json::{Value, json};

use crate::json::fields::{Fields, object};
use crate::json::json_text::json_text;
use crate::providers::openai_responses::items::arguments_of;
use crate::providers::openai_responses::media::IMAGE;
use crate::providers::openai_responses::server_items::{APPROVAL, call_kind, output_kind};
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::turns::{
    AssistantPiece, AssistantTurn, Call, MediaPiece, Said, Turn, USER_MEDIA, words_of,
};
use crate::providers::request_core::values::{
    Json, is_same, join, parsed, says_anything, without_nulls, worded,
};
use crate::tables::provider_names::RESPONSES_RESPONSE_ONLY as RESPONSE_ONLY;

/// Writes the items of assistants' turns.
pub(crate) struct ResponsesOutput<'a> {
    notes: &'a Notes,
    sending: Sending<'a>,
    /// The ids of calls of custom tools.
    pub custom: HashSet<String>,
    /// Who made a call, by its id.
    pub callers: HashMap<String, Value>,
}

impl<'a> ResponsesOutput<'a> {
    /// `is_stored`: the provider keeps responses, and so knows reasoning and images by id alone;
    /// `goes_on`: it knows what came before `turns`, too.
    pub(crate) fn new(notes: &'a Notes, turns: &[Turn], is_stored: bool, goes_on: bool) -> Self {
        let answers = || {
            turns
                .iter()
                .filter_map(|turn| if let Turn::Assistant(turn) = turn { Some(turn) } else { None })
        };
        let states = answers().flat_map(|turn| &turn.pieces).filter_map(|piece| match piece {
            AssistantPiece::State(item) => item.data.as_object(),
            _ => None,
        });
        let found = states.map(pair_of).collect();
        let last = answers().next_back().map(|turn| turn.pointer.clone());
        let sent = HashSet::new();
        let sending =
            Sending { notes, is_stored, goes_on, found, last, sent, asked: HashMap::new() };
        Self { notes, sending, custom: HashSet::new(), callers: HashMap::new() }
    }

    /// Returns the items of a turn.
    pub(crate) fn items(&mut self, turn: &AssistantTurn) -> Vec<Value> {
        let mut drafts = Vec::new();
        for piece in &turn.pieces {
            match piece {
                AssistantPiece::Text(said) => drafts.push(self.text(said)),
                AssistantPiece::Call(call) => drafts.push(self.call(call)),
                AssistantPiece::Thinking(said) => drafts.extend(self.thinking(said)),
                AssistantPiece::State(item) => drafts.extend(self.between(item)),
                AssistantPiece::Media(piece) => {
                    let words = || words_of(piece, USER_MEDIA, self.notes);
                    let image = self.image(piece);
                    drafts.extend(image.or_else(|| Some(self.text(&words()?))));
                }
            }
        }
        self.sending.items(turn, drafts)
    }

    /// Tells whether a request for approval was sent and waits; from now on it does not.
    pub(crate) fn take_request(&mut self, item_id: &str, pointer: &str) -> bool {
        let waits = self.sending.asked.get(item_id).is_some_and(|asked| asked == pointer);
        waits && self.sending.asked.remove(item_id).is_some()
    }

    /// Returns an image of the provider's own: with its bytes, or by its id.
    fn image(&self, piece: &MediaPiece) -> Option<Draft> {
        let item = piece.state.iter().find(|item| item.kind == IMAGE)?;
        let mut body = without_nulls(item.data.as_object()?);
        body.insert("type".to_owned(), IMAGE.into());
        body.insert("result".to_owned(), piece.media.data().into());
        let is_known = self.sending.is_stored && body.at("id").is_string();
        if piece.media.data().is_none() && !is_known {
            return None;
        }
        Some(Draft { body, pointer: piece.pointer.clone(), own: true, ran: false })
    }

    // --- text -----------------------------------------------------------------------------------

    fn text(&self, said: &Said) -> Draft {
        let Some(at) = said.state.iter().position(|item| item.kind == "message") else {
            for item in &said.state {
                self.notes.response_only(&item.pointer, &item.kind);
            }
            return plain_message(&said.text, &said.pointer);
        };
        let mut parts: Vec<&Item> = said.state.iter().collect();
        let head = parts.remove(at);
        self.message(head, &said.text, &parts)
    }

    /// Returns a message under its own id; one that has lost it is a plain one.
    fn message(&self, head: &Item, text: &str, parts: &[&Item]) -> Draft {
        let Some(data) = head.data.as_object().filter(|data| data.at("id").is_string()) else {
            self.notes.malformed(&head.pointer, "a message with its id", &head.data);
            return plain_message(text, &head.pointer);
        };
        let body = object([
            ("type", "message".into()),
            ("role", "assistant".into()),
            ("status", "completed".into()),
        ]);
        let mut body = join(body, without_nulls(data));
        body.insert("content".to_owned(), self.contents(head, text, parts).into());
        Draft { body, pointer: head.pointer.clone(), own: true, ran: false }
    }

    /// Returns the content parts of a message, its text cut where they say.
    fn contents(&self, head: &Item, text: &str, parts: &[&Item]) -> Vec<Value> {
        let first = head.span.map_or(0, |(start, _)| start);
        let mut rest = text.chars();
        let (mut at, mut contents) = (0, Vec::new());
        for item in parts {
            let kind = item.data.text("type");
            if item.kind != "content_part" || !item.data.is_object() {
                self.notes.response_only(&item.pointer, &item.kind);
                continue;
            }
            if kind != "refusal" && kind != "output_text" {
                self.notes.response_only(&item.pointer, "content_part");
                continue;
            }
            let (start, end) = item.span.unwrap_or((0, 0));
            let begins = start.saturating_sub(first).max(at);
            let ends = end.saturating_sub(first).max(begins);
            if begins > at {
                contents.push(output_text(&rest.by_ref().take(begins - at).collect::<String>()));
            }
            let said: String = rest.by_ref().take(ends - begins).collect();
            at = ends;
            contents.push(match item.data.as_object() {
                Some(data) if kind != "refusal" => {
                    let part = object([("annotations", json!([]))]);
                    let mut part = join(part, without_nulls(data));
                    part.insert("text".to_owned(), said.into());
                    part.into()
                }
                _ => json!({"type": "refusal", "refusal": said}),
            });
        }
        let text: String = rest.collect();
        if !text.is_empty() || contents.is_empty() {
            contents.push(output_text(&text));
        }
        contents
    }

    // --- reasoning, and what is between -----------------------------------------------------

    fn thinking(&self, said: &Said) -> Vec<Draft> {
        let drafts: Vec<Draft> = said.state.iter().filter_map(|item| self.between(item)).collect();
        if !drafts.iter().any(|draft| draft.kind() == "reasoning") {
            self.notes.thinking_left_out(
                "Reasoning goes back only as the item that it came in; it is left out",
                &said.pointer,
            );
        }
        drafts
    }

    /// Returns what state gives that is not text and no call of ours.
    fn between(&self, item: &Item) -> Option<Draft> {
        let Item { kind, data, pointer, .. } = item;
        if RESPONSE_ONLY.contains(&kind.as_str()) {
            self.notes.response_only(pointer, kind);
            return None;
        }
        if kind == "message" {
            return Some(self.message(item, "", &[]));
        }
        if let Some(data) = data.as_object().filter(|data| data.at("type").as_str() == Some(kind)) {
            let ran = item.span.is_none();
            Some(Draft { body: without_nulls(data), pointer: pointer.clone(), own: true, ran })
        } else {
            self.notes.malformed(pointer, "an item with its type", data);
            None
        }
    }

    // --- calls ----------------------------------------------------------------------------------

    fn call(&mut self, call: &Call) -> Draft {
        let mut body = Json::new();
        let mut found = ("function_call", "arguments");
        for item in &call.state {
            let Some(member) = arguments_of(&item.kind) else {
                self.notes.response_only(&item.pointer, &item.kind);
                continue;
            };
            let Some(data) = item.data.as_object() else {
                self.notes.malformed(&item.pointer, "the item of a call", &item.data);
                continue;
            };
            found = (item.kind.as_str(), member);
            body = without_nulls(data);
        }
        let (kind, member) = found;
        let text = args_text(call, body.at(member));
        let said = [
            ("type", json!(kind)),
            ("call_id", json!(call.call_id)),
            ("name", json!(call.name)),
            (member, json!(text)),
        ];
        body = join(body, object(said));
        if kind == "custom_tool_call" {
            self.custom.insert(call.call_id.clone());
            body.remove("status");
        }
        if body.at("caller").is_object() {
            self.callers.insert(call.call_id.clone(), body.at("caller").clone());
        }
        let own = body.at("id").is_string();
        Draft { body, pointer: call.pointer.clone(), own, ran: false }
    }
}

fn plain_message(text: &str, pointer: &str) -> Draft {
    let body = object([("role", "assistant".into()), ("content", json!(text))]);
    Draft { body, pointer: pointer.to_owned(), own: false, ran: false }
}

fn output_text(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}

/// Returns the argument text that the model wrote, if that is what the call still says.
fn args_text(call: &Call, given: &Value) -> String {
    if let Some(raw) = &call.raw_args {
        return raw.clone();
    }
    let arguments = Value::Object(call.arguments.clone());
    if let Some(given) = given.as_str() {
        let text = if given.is_empty() { "{}" } else { given };
        if parsed(text).is_some_and(|said| is_same(&said, &arguments)) {
            return given.to_owned();
        }
    }
    json_text(&arguments)
}

// -------------------------------------------------------------------------------------------------
// What goes together in Responses requests: the provider takes reasoning and the item that it led
// to, and the call of a built-in tool and its output, only together, and an item only once.

/// An item of the input.
pub(crate) struct Draft {
    pub body: Json,
    pub pointer: String,
    /// Whether it is the provider's, under its own id.
    pub own: bool,
    /// Whether it is a call that the provider ran, or what came of it, and the part of one.
    pub ran: bool,
}

impl Draft {
    pub(crate) fn kind(&self) -> &str {
        self.body.text("type")
    }

    /// Returns the item without its id; a message is a plain one then.
    fn without_id(mut self) -> Self {
        if self.kind() != "message" {
            self.body.remove("id");
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

/// The type and call id of an item that may be one of a pair.
type Pair = (String, String);

fn pair_of(item: &Json) -> Pair {
    (item.text("type").to_owned(), worded(item.get("call_id")))
}

/// What has been sent of one request.
pub(crate) struct Sending<'a> {
    pub notes: &'a Notes,
    /// Whether the provider keeps responses, and so knows reasoning by its id alone.
    pub is_stored: bool,
    /// Whether it knows what came before the turns, too.
    goes_on: bool,
    /// All items that may be one of a pair.
    found: HashSet<Pair>,
    /// The pointer of the last assistant's turn.
    last: Option<String>,
    pub sent: HashSet<String>,
    /// Where a request for approval is from that was sent and waits, by its id.
    asked: HashMap<String, String>,
}

impl Sending<'_> {
    /// Returns the items that can be sent of a turn.
    pub(crate) fn items(&mut self, turn: &AssistantTurn, drafts: Vec<Draft>) -> Vec<Value> {
        let is_last = self.last.as_ref() == Some(&turn.pointer);
        let drafts = self.without_dangling(self.without_unpaired(drafts, is_last));
        self.without_repeats(drafts).into_iter().map(|draft| draft.body.into()).collect()
    }

    /// Leaves out what goes back in pairs alone: calls and outputs that are items by themselves.
    ///
    /// A call that the provider runs may be answered by what comes next.
    fn without_unpaired(&self, drafts: Vec<Draft>, is_last: bool) -> Vec<Draft> {
        let found: HashSet<Pair> = drafts.iter().map(|draft| pair_of(&draft.body)).collect();
        let goes = |draft: &Draft| {
            let (kind, call_id) = pair_of(&draft.body);
            let is_due = if draft.ran {
                self.is_due(&kind, call_id, is_last)
            } else {
                // The caller's, or state of v0.2, of which no call is known.
                let is_call = kind != "program" && kind != "tool_search_call";
                let waits = is_call || draft.body.text("execution") == "client";
                let output = output_kind(&kind).filter(|_| waits);
                output.is_some_and(|output| !found.contains(&(output.to_owned(), call_id)))
            };
            if is_due {
                let message = "What a built-in tool was asked goes back with what it gave";
                self.note_dangling(draft, message);
            }
            !is_due
        };
        drafts.into_iter().filter(goes).collect()
    }

    /// Tells whether a call that the provider ran waits for its output, or an output lacks its call.
    fn is_due(&self, kind: &str, call_id: String, is_last: bool) -> bool {
        if let Some(output) = output_kind(kind) {
            return !is_last && !self.found.contains(&(output.to_owned(), call_id));
        }
        let call = call_kind(kind).filter(|_| !self.goes_on);
        call.is_some_and(|call| !self.found.contains(&(call.to_owned(), call_id)))
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

    /// Leaves out ids that the input has already, as where an answer is in it twice.
    ///
    /// What cannot go without its id is left out; what reasoning led to follows it.
    fn without_repeats(&mut self, drafts: Vec<Draft>) -> Vec<Draft> {
        let mut kept = Vec::new();
        let mut is_lost = false;
        for draft in drafts {
            let item_id = draft.body.at("id").as_str().map(str::to_owned);
            let repeats = item_id.as_ref().is_some_and(|id| !self.sent.insert(id.clone()));
            if draft.kind() == "reasoning" {
                is_lost = repeats;
            }
            if repeats {
                let message =
                    "The provider takes an item once; it is sent without its id or left out";
                self.notes.add("encode/repeated-state", message, &draft.pointer);
            }
            if draft.kind() == "message" || arguments_of(draft.kind()).is_some() {
                kept.push(if repeats || is_lost { draft.without_id() } else { draft });
            } else if !repeats {
                if let (APPROVAL, Some(id)) = (draft.kind(), item_id) {
                    self.asked.insert(id, draft.pointer.clone());
                }
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
