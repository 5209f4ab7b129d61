//! Messages → turns.
//!
//! - An assistant's parts are cut where the provider's state begins, ends or is, so that it can be
//!   put back; state of another dialect is left out.
//! - Results of parallel calls are together, right behind the turn of their calls and in the order
//!   of these, whatever came in between: no provider takes them elsewhere, and Gemini knows them
//!   by their order.
//! - Tool call ids are the provider's own where ours was minted, and otherwise such that it takes
//!   them.
//! - An approval has one request, and its answer names the call that it approves.

use std::collections::HashMap;

use crate::json::Value;

use crate::errors::clip_text;
use crate::json::fields::Fields;
use crate::providers::request_core::call_ids::CallIds;
use crate::providers::request_core::citations::{note_citations, read_citations};
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::server_tools::ServerTools;
use crate::providers::request_core::state::{Item, is_known, note_stray, read_state};
use crate::providers::request_core::stretches::stretches;
use crate::providers::request_core::turns::{
    Approval, AssistantPiece, AssistantTurn, Call, Forms, MediaKind, MediaPiece, ResultContent,
    Said, Spoken, ToolResult, Turn, UserPiece, media_piece,
};

const NO_PLACE: &str = "The provider's format has no place for this approval";

/// Returns the turns of valid messages for a provider of `dialect`.
pub(crate) fn read_turns(
    messages: &[Value],
    dialect: &str,
    forms: &Forms,
    notes: &Notes,
) -> Vec<Turn> {
    let ids = CallIds::new(forms.call_id, notes);
    let (turns, answers) = (Vec::new(), HashMap::new());
    let (last_spoken, last_answered) = (None, 0);
    let server = ServerTools::new(messages, dialect, forms, notes);
    let asked = HashMap::new();
    let mut reader = Reader {
        dialect,
        forms,
        notes,
        ids,
        server,
        asked,
        turns,
        answers,
        last_spoken,
        last_answered,
    };
    for (number, message) in messages.iter().enumerate() {
        reader.take(message, &format!("/messages/{number}"));
    }
    let Reader { turns, mut answers, .. } = reader;
    let mut made = Vec::new();
    for (number, turn) in turns.into_iter().enumerate() {
        made.push(turn);
        made.extend(answers.remove(&number).map(in_order));
    }
    made
}

/// Returns results in the order of their calls.
fn in_order(mut answers: Vec<(usize, ToolResult)>) -> Turn {
    answers.sort_by_key(|(call, _)| *call);
    Turn::Tool(answers.into_iter().map(|(_, result)| result).collect())
}

/// The call that waits for an approval, and the item that asks for it.
struct Asked {
    call_id: String,
    request: Item,
}

struct Reader<'a> {
    dialect: &'a str,
    forms: &'a Forms,
    notes: &'a Notes,
    ids: CallIds<'a>,
    server: ServerTools<'a>,
    /// The provider's own requests for approval, by run and id.
    asked: HashMap<(String, String), Asked>,
    turns: Vec<Turn>,
    /// By number of the turn that called; each with the number of its call.
    answers: HashMap<usize, Vec<(usize, ToolResult)>>,
    /// Number of the last turn of system or user.
    last_spoken: Option<usize>,
    /// Number of the last call that has a result, in the order of calls.
    last_answered: usize,
}

impl Reader<'_> {
    fn take(&mut self, message: &Value, pointer: &str) {
        match message.text("role") {
            "assistant" => {
                let turn = self.assistant(message, pointer);
                self.turns.push(Turn::Assistant(turn));
            }
            "tool" => self.tool(message, pointer),
            role => self.spoken(message, role, pointer),
        }
    }

    fn spoken(&mut self, message: &Value, role: &str, pointer: &str) {
        let name = self.name(message, pointer);
        let approvals = self.approvals(message, pointer);
        let parts = message.list("parts");
        let mut pieces = self.pieces(parts, &format!("{pointer}/parts"), is_known);
        if approvals.is_empty() && !parts.is_empty() && parts.iter().all(is_answer) {
            return;
        }
        self.last_spoken = Some(self.turns.len());
        let pointer = pointer.to_owned();
        self.turns.push(if role == "user" {
            Turn::User(Spoken { pieces, pointer, name, approvals })
        } else {
            pieces.retain(|piece| matches!(piece, UserPiece::Text(_)));
            Turn::System(Spoken { pieces, pointer, name, approvals })
        });
    }

    /// Returns the name of the author as the provider takes it, "" without one.
    fn name(&self, message: &Value, pointer: &str) -> String {
        let author = message.at("author");
        if !author.is_object() {
            return String::new();
        }
        let place = format!("{pointer}/author");
        let Some(form) = self.forms.author.filter(|_| message.text("role") != "tool") else {
            let said = "The provider's format has no place for the author; it is left out";
            self.notes.add("encode/author-left-out", said, &place);
            return String::new();
        };
        let last = author.list("agentPath").last().and_then(Value::as_str);
        let name = author.at("name").as_str().or(last).unwrap_or("");
        if name.is_empty() || form.fits(name) {
            return name.to_owned();
        }
        self.notes.add_with(
            "encode/renamed-author",
            "The provider does not take the name of the author; it is sent as another",
            &place,
            &format!("at most {} characters that it takes", form.chars),
            clip_text(name),
        );
        form.fitted(name, message.text("runId"))
    }

    /// Returns the answers to requests of the provider's own; others are noted.
    fn approvals(&self, message: &Value, pointer: &str) -> Vec<Approval> {
        let mut approvals = Vec::new();
        for (number, part) in message.list("parts").iter().enumerate() {
            if !is_answer(part) {
                continue;
            }
            let (pointer, payload) = (format!("{pointer}/parts/{number}"), part.at("payload"));
            let id = payload.text("approvalId").to_owned();
            match self.asked.get(&(message.text("runId").to_owned(), id)) {
                None => self.notes.approval_left_out(&pointer, NO_PLACE),
                Some(asked) if asked.call_id == payload.text("toolCallId") => {
                    let (payload, request) = (payload.clone(), asked.request.clone());
                    approvals.push(Approval { payload, request, pointer });
                }
                Some(_) => {
                    let why = "The answer names another call than its request";
                    self.notes.approval_left_out(&pointer, why);
                }
            }
        }
        approvals
    }

    /// Returns the pieces of what a user, a system message or a tool says.
    fn pieces(&self, parts: &[Value], place: &str, is_ours: fn(&Value) -> bool) -> Vec<UserPiece> {
        let mut pieces = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let place = format!("{place}/{number}");
            if !is_ours(part) {
                self.unknown(part, &place);
                continue;
            }
            note_stray(part, &place, self.notes);
            let text = part.at("payload").text("text");
            match part.text("kind") {
                "approval_response" => {} // see approvals
                "text" => {
                    note_citations(part.at("payload"), &place, self.notes);
                    if !text.is_empty() {
                        pieces.push(UserPiece::Text(Said::plain(text, &place)));
                    }
                }
                "thinking" => self.notes.thinking_left_out(
                    "Reasoning of a system message goes to no provider; it is left out",
                    &place,
                ),
                _ => match media_piece(part, &place) {
                    Some(piece) => pieces.push(UserPiece::Media(piece)),
                    None => self.unknown(part, &place),
                },
            }
        }
        pieces
    }

    /// Notes a part of a later version: every part that is known is where its role may have it.
    fn unknown(&self, part: &Value, place: &str) {
        let expected = "a part that this version knows";
        self.notes.unsupported_part(place, expected, part.text("kind"));
    }

    // --- the assistant --------------------------------------------------------------------------

    fn assistant(&mut self, message: &Value, pointer: &str) -> AssistantTurn {
        let name = self.name(message, pointer);
        let state = read_state(message, pointer, self.dialect, self.notes);
        let (parts, run_id) = (message.list("parts"), message.text("runId"));
        let mut own = state.known;
        let mut pieces = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let (items, place) = (state.of_part(number), format!("{pointer}/parts/{number}"));
            let kind = part.text("kind");
            if kind == "text" {
                let (payload, citing) = (part.at("payload"), self.forms.citing);
                let cited =
                    read_citations(payload, &place, items, self.dialect, citing, self.notes);
                own |= !cited.is_empty();
                pieces.extend(cut(part, &place, &[items, &cited].concat(), self.forms.blank));
                continue;
            }
            if kind == "thinking" {
                if !state.foreign.contains(&number) || !items.is_empty() {
                    pieces.extend(cut(part, &place, items, true));
                } else if !part.at("payload").text("text").is_empty() {
                    let message =
                        "Reasoning goes back only to the vendor that it came from; it is left out";
                    self.notes.thinking_left_out(message, &place);
                }
                continue;
            }
            let (standing, mine): (Vec<Item>, Vec<Item>) =
                items.iter().cloned().partition(|item| item.span.is_some());
            pieces.extend(standing.into_iter().map(AssistantPiece::State));
            match (kind, media_piece(part, &place)) {
                ("tool_call", _) => {
                    let own = state.call_ids.get(&number).map(String::as_str);
                    let call = self.call(run_id, part.at("payload"), &place, mine, own);
                    pieces.push(AssistantPiece::Call(call));
                }
                ("server_tool_call" | "server_tool_result", _) => {
                    if self.server.goes_back(run_id, part) {
                        pieces.extend(mine.into_iter().map(AssistantPiece::State));
                        continue;
                    }
                    let text = self.server.text(run_id, part, &place);
                    if !text.is_empty() {
                        let said = Said { alone: true, ..Said::plain(&text, &place) };
                        pieces.push(AssistantPiece::Text(said));
                    }
                }
                ("approval_request", _) => {
                    let asked = self.ask(run_id, part.at("payload"), &place, mine);
                    pieces.extend(asked.into_iter().map(AssistantPiece::State));
                }
                (_, Some(media)) => {
                    let is_media = media.kind == MediaKind::Attachment;
                    let state = if is_media { mine } else { Vec::new() };
                    pieces.push(AssistantPiece::Media(MediaPiece { state, ..media }));
                }
                (_, None) => self.unknown(part, &place),
            }
        }
        let behind = state.of_part(parts.len());
        pieces.extend(behind.iter().cloned().map(AssistantPiece::State));
        AssistantTurn { pieces, pointer: pointer.to_owned(), own, name }
    }

    /// Returns the provider's own request for approval; any other is noted, and so is a second.
    fn ask(&mut self, run_id: &str, payload: &Value, place: &str, mine: Vec<Item>) -> Vec<Item> {
        let key = (run_id.to_owned(), payload.text("approvalId").to_owned());
        let Some(request) =
            mine.iter().find(|item| Some(item.kind.as_str()) == self.forms.approvals)
        else {
            self.notes.approval_left_out(place, NO_PLACE);
            return Vec::new();
        };
        if self.asked.contains_key(&key) {
            self.notes.approval_left_out(place, "The approval has its request already");
            return Vec::new();
        }
        let (call_id, request) = (payload.text("toolCallId").to_owned(), request.clone());
        self.asked.insert(key, Asked { call_id, request });
        self.notes.approval_members(place, payload, &["reason", "choices", "requestedAt"]);
        mine
    }

    /// Returns a call; `own` is the provider's id of it, where that is known, "" where it gave none.
    fn call(
        &mut self,
        run_id: &str,
        payload: &Value,
        place: &str,
        state: Vec<Item>,
        own: Option<&str>,
    ) -> Call {
        let (mut name, form) = (payload.text("toolName").to_owned(), self.forms.tool_name);
        if !form.fits(&name) {
            self.notes.add_with(
                "encode/renamed-tool",
                "The provider does not take the name of the called tool; it is sent as another",
                &format!("{place}/payload/toolName"),
                &format!("at most {} characters that it takes", form.chars),
                clip_text(&name),
            );
            name = form.fitted(&name, "");
        }
        let (call_id, turn) = (payload.text("toolCallId"), self.turns.len());
        let pointer = format!("{place}/payload/toolCallId");
        let call_id = self.ids.add((run_id, call_id), own.unwrap_or(""), (&name, turn), &pointer);
        Call {
            call_id,
            name,
            arguments: payload.at("arguments").as_object().cloned().unwrap_or_default(),
            raw_args: payload.at("rawArgsText").as_str().map(str::to_owned),
            pointer: place.to_owned(),
            state,
            nameless: own == Some(""),
        }
    }

    // --- tools ----------------------------------------------------------------------------------

    fn tool(&mut self, message: &Value, pointer: &str) {
        self.name(message, pointer);
        for (number, part) in message.list("parts").iter().enumerate() {
            let place = format!("{pointer}/parts/{number}");
            if part.text("kind") == "tool_result" {
                self.result(message.text("runId"), part.at("payload"), &place);
            } else if !is_answer(part) {
                self.unknown(part, &place);
            }
        }
        let approvals = self.approvals(message, pointer);
        if !approvals.is_empty() {
            let (pieces, pointer, name) = (Vec::new(), pointer.to_owned(), String::new());
            self.turns.push(Turn::User(Spoken { pieces, pointer, name, approvals }));
        }
    }

    fn result(&mut self, run_id: &str, payload: &Value, place: &str) {
        let content = match payload.at("content") {
            Value::Object(members) => ResultContent::Object(members.clone()),
            Value::Array(parts) => {
                let places = format!("{place}/payload/content");
                ResultContent::Pieces(self.pieces(parts, &places, is_content))
            }
            other => ResultContent::Text(other.as_str().unwrap_or("").to_owned()),
        };
        let is_error = payload.flag("isError");
        let made = |call_id: &str, name: &str| ToolResult {
            call_id: call_id.to_owned(),
            name: name.to_owned(),
            is_error,
            content,
            pointer: place.to_owned(),
        };
        let given = payload.text("toolCallId");
        let Some(call) = self.ids.find(run_id, given) else {
            let result = made(&self.ids.orphan(given), "");
            return self.orphan(result, given, place);
        };
        let moved = if self.last_spoken.is_some_and(|last| last > call.turn) {
            Some("The result is sent right behind its call: no provider takes it elsewhere")
        } else if self.last_answered > call.number {
            Some("The result is sent before those of later calls: results go as their calls do")
        } else {
            None
        };
        if let Some(message) = moved {
            self.notes.add("encode/moved-tool-result", message, place);
        }
        self.last_answered = self.last_answered.max(call.number);
        let result = made(&call.call_id, &call.name);
        self.answers.entry(call.turn).or_default().push((call.number, result));
    }

    fn orphan(&mut self, result: ToolResult, given: &str, place: &str) {
        self.notes.add_with(
            "encode/orphan-tool-result",
            "The result answers no call before it; it is sent as it is",
            &format!("{place}/payload/toolCallId"),
            "a call in an earlier message",
            clip_text(given),
        );
        if let Some(Turn::Tool(results)) = self.turns.last_mut() {
            results.push(result);
        } else {
            self.turns.push(Turn::Tool(vec![result]));
        }
    }
}

/// Tells whether a part answers a request for approval.
fn is_answer(part: &Value) -> bool {
    part.text("kind") == "approval_response"
}

/// Tells whether a part is of a kind that a tool result may hold.
fn is_content(part: &Value) -> bool {
    ["text", "image", "file_ref", "media"].contains(&part.text("kind"))
}

/// Returns text or reasoning, cut where its state says.
fn cut(part: &Value, place: &str, items: &[Item], blank: bool) -> Vec<AssistantPiece> {
    let is_text = part.text("kind") == "text";
    let mut pieces = Vec::new();
    for stretch in stretches(part.at("payload").text("text"), items, blank) {
        if stretch.text.is_empty() {
            pieces.extend(stretch.items.into_iter().map(AssistantPiece::State));
            continue;
        }
        let said = Said { text: stretch.text, state: stretch.items, ..Said::plain("", place) };
        pieces.push(if is_text {
            AssistantPiece::Text(said)
        } else {
            AssistantPiece::Thinking(said)
        });
    }
    pieces
}
