//! Gemini: the contract's messages and configuration → a body of `streamGenerateContent`.
//!
//! The body is that of the REST API; `model`, which the REST API has in its path, is beside it.
//!
//! - System prompt and system messages are `systemInstruction`. A system message behind others moves
//!   there (`encode/moved-system`).
//! - Assistants' messages in a row become one. Results are one content, in the order of their calls.
//! - Thought signatures are in the part that they came in, the provider's own parts where they
//!   were. Reasoning goes back with the state that it came with; that of others is left out.
//! - A call goes back with the provider's id, and without one where the provider gave none.
//! - What it ran itself goes back as it came, call and result together.
//! - Images, files and media of the model go back as it has them: inline, or by URI. What it does
//!   not take goes by its words.
//! - Citations and grounding go back nowhere.
//! - A result is `output`, or `error` where it failed; an object is sent as it is.
//! - `cacheConfig` has nothing to mark: prompts are cached without it, or as `cachedContent`.
//!
//! Source: <https://ai.google.dev/api/generate-content>

use std::collections::{HashMap, HashSet};

use crate::json::{Value, json};

use crate::json::fields::{Fields, object, put};
use crate::providers::request_core::call_ids::Form;
use crate::providers::request_core::calls_and_results::object_arguments;
use crate::providers::request_core::encoder::{Encoder, Work};
use crate::providers::request_core::inputs::Choice;
use crate::providers::request_core::media::Media;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::turns::{
    AssistantPiece, AssistantTurn, Call, Forms, MediaKind, MediaPiece, ResultContent, ToolResult,
    Turn, UserPiece, words_of,
};
use crate::providers::request_core::values::{Json, is_same, join};
use crate::tables::media_types::{GEMINI, GEMINI_KINDS};
use crate::tables::provider_names::GEMINI_REQUEST_MEMBERS as MEMBERS;

const MAX_STOPS: usize = 5;
const MAX_TEMPERATURE: f64 = 2.0;

pub(crate) struct Gemini;

impl Encoder for Gemini {
    fn forms(&self) -> Forms {
        let takes = |char: char| char.is_ascii_alphanumeric() || "_.:-".contains(char);
        let begins = |char: char| char.is_ascii_alphabetic() || char == '_';
        let call_id = Form::new(|char| char.is_ascii_graphic(), 512);
        let tool_name = Form { takes, begins, chars: 128 };
        let citing = &["groundingMetadata", "citationMetadata"];
        Forms { apart: true, citing, ..Forms::new(call_id, tool_name) }
    }

    fn body(&self, work: &Work) -> Json {
        let (system, contents) = contents(work);
        let model = work.request.model_id.clone();
        let mut body = object([("model", model.into()), ("contents", contents.into())]);
        if !system.is_empty() {
            body.insert("systemInstruction".to_owned(), json!({"parts": system}));
        }
        let mut body = join(body, tools(work));
        let generation = generation(work);
        if !generation.is_empty() {
            body.insert("generationConfig".to_owned(), generation.into());
        }
        body
    }

    /// Returns the continuation token, where the last answer is to go on.
    fn defaults(&self, work: &Work) -> Json {
        let mut found = Json::new();
        for (number, turn) in work.turns.iter().enumerate() {
            let Turn::Assistant(turn) = turn else { continue };
            for piece in &turn.pieces {
                let AssistantPiece::State(item) = piece else { continue };
                if item.kind != "continuationToken" {
                    continue;
                }
                if number + 1 != work.turns.len() {
                    work.notes.response_only(&item.pointer, &item.kind);
                } else if item.data.is_string() {
                    found.insert(item.kind.clone(), item.data.clone());
                } else {
                    work.notes.malformed(&item.pointer, "a token as text", &item.data);
                }
            }
        }
        found
    }
}

// --- contents -----------------------------------------------------------------------------------

/// One content of the body.
struct Content<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
    /// That of its message, None for results.
    pointer: Option<&'a str>,
}

fn contents(work: &Work) -> (Vec<Value>, Vec<Value>) {
    let mut content = GeminiContent::new(work.notes);
    let prompt = work.request.system.iter();
    let mut system: Vec<Value> = prompt.map(|(text, _)| json!({"text": text})).collect();
    let mut drafts: Vec<Content> = Vec::new();
    for turn in work.turns {
        let (role, parts, pointer) = match turn {
            Turn::System(said) => {
                if said.pieces.is_empty() {
                    work.notes.empty_message(&said.pointer);
                } else if drafts.iter().any(|draft| !draft.parts.is_empty()) {
                    work.notes.moved_system(&said.pointer);
                }
                system.extend(said.pieces.iter().filter_map(|piece| match piece {
                    UserPiece::Text(text) => Some(json!({"text": text.text})),
                    UserPiece::Media(_) => None,
                }));
                continue;
            }
            Turn::User(said) => ("user", content.user(&said.pieces), Some(&said.pointer)),
            Turn::Assistant(turn) => ("model", content.assistant(turn), Some(&turn.pointer)),
            Turn::Tool(results) => {
                let parts = results.iter().map(|result| content.result(result)).collect();
                ("user", parts, None)
            }
        };
        drafts.push(Content { role, parts, pointer: pointer.map(String::as_str) });
    }
    let mut drafts = merged(drafts, work.notes);
    leave_out_dangling(&mut drafts, work.notes);
    let written = merged(drafts, work.notes).into_iter().map(|draft| {
        let parts: Vec<Value> = draft.parts.into_iter().map(|part| part.body.into()).collect();
        json!({"role": draft.role, "parts": parts})
    });
    (system, written.collect())
}

/// Returns the contents without empty ones, those of the model in a row as one.
fn merged<'a>(drafts: Vec<Content<'a>>, notes: &Notes) -> Vec<Content<'a>> {
    let mut merged: Vec<Content> = Vec::new();
    for draft in drafts {
        if draft.parts.is_empty() {
            if let Some(at) = draft.pointer {
                notes.empty_message(at);
            }
            continue;
        }
        match merged.last_mut().filter(|last| draft.role == "model" && last.role == draft.role) {
            Some(last) => last.parts.extend(draft.parts),
            None => merged.push(draft),
        }
    }
    merged
}

const ANSWERS: [(&str, &str); 2] =
    [("executableCode", "codeExecutionResult"), ("toolCall", "toolResponse")];

fn is_call(name: &str) -> bool {
    ANSWERS.iter().any(|(call, _)| *call == name)
}

/// Leaves out calls of the provider's own tools without a result, and results without a call.
///
/// Calls of the last answer may wait, if nobody but tools has spoken since.
fn leave_out_dangling(drafts: &mut [Content], notes: &Notes) {
    let answers = drafts.iter().filter(|draft| draft.role == "model");
    let dangling = dangling_of(answers.flat_map(|draft| &draft.parts).map(|part| &part.body));
    let last = drafts.iter().rposition(|draft| draft.pointer.is_some());
    let mut number = 0;
    let answers = drafts.iter_mut().enumerate().filter(|(_, draft)| draft.role == "model");
    for (at, draft) in answers {
        draft.parts.retain(|part| {
            let name = dangling.get(&number);
            number += 1;
            let Some(name) = name else { return true };
            if last == Some(at) && is_call(name) {
                return true;
            }
            notes.add_with(
                "encode/dangling-state",
                "What the provider ran goes back with its result, and not alone",
                part.pointer,
                "a call and its result",
                name.as_str(),
            );
            false
        });
    }
}

/// Returns the numbers of calls without a result, and results without a call, with their names.
///
/// A result without an id answers the first call that waits.
fn dangling_of<'a>(bodies: impl Iterator<Item = &'a Json>) -> HashMap<usize, String> {
    let mut waiting: [Vec<(&str, usize)>; ANSWERS.len()] = Default::default();
    let mut dangling = HashMap::new();
    for (number, body) in bodies.enumerate() {
        for (name, value) in body {
            let id = value.text("id");
            for ((call, result), calls) in ANSWERS.iter().zip(&mut waiting) {
                if name == call {
                    calls.push((id, number));
                    dangling.insert(number, name.clone());
                } else if name == result {
                    match calls.iter().position(|(own, _)| id.is_empty() || *own == id) {
                        Some(at) => {
                            dangling.remove(&calls.remove(at).1);
                        }
                        None => {
                            dangling.insert(number, name.clone());
                        }
                    }
                }
            }
        }
    }
    dangling
}

// --- tools and configuration --------------------------------------------------------------------

fn tools(work: &Work) -> Json {
    let (mut members, mut declarations, mut names) = (Json::new(), Vec::new(), Vec::new());
    for (place, spec, schema) in work.tools() {
        let mut made = json!({"name": spec.text("name"), "parametersJsonSchema": schema});
        if let Some(description) = spec.get("description") {
            put(&mut made, "description", description.clone());
        }
        if spec.flag("strict") {
            let expected = "a tool that need not be strict";
            work.notes.unsupported_config(&format!("{place}/strict"), expected, &json!(true));
        }
        names.push(spec.text("name"));
        declarations.push(made);
    }
    if !declarations.is_empty() {
        members.insert("tools".to_owned(), json!([{"functionDeclarations": declarations}]));
    }
    if let Some(choice) = work.request.choice.as_ref().filter(|_| work.choice_holds(&names)) {
        let config = json!({"functionCallingConfig": calling_config(choice)});
        members.insert("toolConfig".to_owned(), config);
    }
    members
}

fn calling_config(choice: &Choice) -> Value {
    match choice.mode.as_str() {
        "tool" => json!({"mode": "ANY", "allowedFunctionNames": [choice.tool_name]}),
        "required" => json!({"mode": "ANY"}),
        "none" => json!({"mode": "NONE"}),
        _ => json!({"mode": "AUTO"}),
    }
}

fn generation(work: &Work) -> Json {
    let mut members = work.sampling("maxOutputTokens", "topP", MAX_TEMPERATURE);
    let stops = work.stop_sequences(MAX_STOPS);
    if !stops.is_empty() {
        members.insert("stopSequences".to_owned(), stops.into());
    }
    members
}

// -------------------------------------------------------------------------------------------------
// Parts of Gemini requests, from the pieces of turns.

const UPLOADS: &str = "https://generativelanguage.googleapis.com/v1beta/";
const EXPECTED: &str =
    "PNG, JPEG, WebP, HEIC, PDF, text, audio or video, inline; files/…, gs:// or a URL";
const SIGNATURE: &str = "thoughtSignature";
/// Of media whose type nobody said.
const BYTES: &str = "application/octet-stream";

/// Writes parts; what cannot be said goes into the notes.
pub(crate) struct GeminiContent<'a> {
    notes: &'a Notes,
    /// The ids, as sent to others, of calls to which the provider gave none: they and their results
    /// go back without one, distinguished by name and order.
    nameless: HashSet<String>,
}

/// A part of the body, and where in the request it comes from.
struct Part<'a> {
    body: Json,
    pointer: &'a str,
}

impl<'a> GeminiContent<'a> {
    pub(crate) fn new(notes: &'a Notes) -> Self {
        Self { notes, nameless: HashSet::new() }
    }

    // --- what users and tools say ---------------------------------------------------------------

    /// Returns the parts of text, images, files and media.
    fn user<'b>(&self, pieces: &'b [UserPiece]) -> Vec<Part<'b>> {
        let part = |piece: &'b UserPiece| match piece {
            UserPiece::Text(said) => {
                Some(Part { body: object([("text", json!(said.text))]), pointer: &said.pointer })
            }
            UserPiece::Media(piece) => self.media(piece),
        };
        pieces.iter().filter_map(part).collect()
    }

    /// Returns the part of a tool result: its output, or the error, as an object.
    fn result<'b>(&self, result: &'b ToolResult) -> Part<'b> {
        let mut media = Vec::new();
        let mut output = match &result.content {
            ResultContent::Text(text) => json!(text),
            ResultContent::Object(members) => members.clone().into(),
            ResultContent::Pieces(pieces) => {
                let mut texts = Vec::new();
                for mut part in self.user(pieces) {
                    match part.body.remove("text") {
                        Some(text) => texts.push(text),
                        None => media.push(part.body),
                    }
                }
                match texts.as_slice() {
                    [] => json!(""),
                    [text] => text.clone(),
                    _ => texts.into(),
                }
            }
        };
        // An object is sent as it is, unless a member of it would be read as something else.
        let is_plain = output.as_object().is_some_and(|members| {
            !members.contains_key("output") && !members.contains_key("error")
        });
        if result.is_error || !is_plain {
            output = object([(if result.is_error { "error" } else { "output" }, output)]).into();
        }
        let name = if result.name.is_empty() { "unknown" } else { &result.name };
        let mut body = json!({"name": name, "response": output});
        if !self.nameless.contains(&result.call_id) {
            put(&mut body, "id", result.call_id.as_str());
        }
        if !media.is_empty() {
            put(&mut body, "parts", media);
        }
        Part { body: object([("functionResponse", body)]), pointer: &result.pointer }
    }

    /// Returns the part of media; of what is not taken its words, if there are.
    fn media<'b>(&self, piece: &'b MediaPiece) -> Option<Part<'b>> {
        let MediaPiece { media, pointer, .. } = piece;
        let body = match media.data() {
            Some(data) => inline(media, data),
            None => linked(media),
        };
        let words = || words_of(piece, EXPECTED, self.notes);
        let body = body.or_else(|| Some(object([("text", json!(words()?.text))])))?;
        Some(Part { body, pointer })
    }

    // --- what the assistant said ----------------------------------------------------------------

    /// Returns the parts of an assistant's message; text that only a reader's state has cut is one
    /// part again.
    fn assistant<'b>(&mut self, turn: &'b AssistantTurn) -> Vec<Part<'b>> {
        for piece in &turn.pieces {
            if let AssistantPiece::Call(call) = piece {
                if call.nameless {
                    self.nameless.insert(call.call_id.clone());
                }
            }
        }
        let mut parts: Vec<Part> = Vec::new();
        for piece in &turn.pieces {
            let Some(part) = self.part(piece, turn.own) else { continue };
            match parts.last_mut().filter(|last| is_one(last, &part)) {
                Some(Part { body, .. }) => {
                    if let Some(Value::String(text)) = body.get_mut("text") {
                        text.push_str(part.body.text("text"));
                    }
                }
                None => parts.push(part),
            }
        }
        parts
    }

    fn part<'b>(&self, piece: &'b AssistantPiece, own: bool) -> Option<Part<'b>> {
        match piece {
            AssistantPiece::Text(said) => {
                let body = object([("text", json!(said.text))]);
                let body = join(body, self.members(&said.state));
                Some(Part { body, pointer: &said.pointer })
            }
            AssistantPiece::Call(call) => {
                let members = self.members(&call.state);
                let body = join(object([("functionCall", self.call(call))]), members);
                Some(Part { body, pointer: &call.pointer })
            }
            AssistantPiece::State(item) => {
                self.state(item).map(|body| Part { body, pointer: &item.pointer })
            }
            AssistantPiece::Media(piece) => self.shown(piece),
            AssistantPiece::Thinking(said) if own => {
                let body = object([("text", json!(said.text)), ("thought", true.into())]);
                let body = join(body, self.members(&said.state));
                Some(Part { body, pointer: &said.pointer })
            }
            AssistantPiece::Thinking(said) => {
                let message = "The provider takes no reasoning of others; it is left out";
                self.notes.thinking_left_out(message, &said.pointer);
                None
            }
        }
    }

    /// Returns media of the model with its type as it said it, and with its state.
    fn shown<'b>(&self, piece: &'b MediaPiece) -> Option<Part<'b>> {
        let Part { mut body, pointer } = self.media(piece)?;
        if piece.kind == MediaKind::Attachment && !body.contains_key("text") {
            let MediaPiece { media, state, .. } = piece;
            for content in body.values_mut().filter_map(Value::as_object_mut) {
                content.remove("mimeType");
                if !media.mime_type.is_empty() && media.mime_type != BYTES {
                    content.insert("mimeType".to_owned(), json!(media.full_type));
                }
            }
            body = join(body, self.members(state));
        }
        Some(Part { body, pointer })
    }

    /// Returns what stood beside the text or the call in its part.
    fn members(&self, items: &[Item]) -> Json {
        let mut members = Json::new();
        for Item { kind, data, pointer, .. } in items {
            if !MEMBERS.contains(&kind.as_str()) {
                self.notes.response_only(pointer, kind);
            } else if kind == SIGNATURE && !is_signature(data) {
                self.notes.malformed(pointer, "a signature as text", data);
            } else if members.get(kind).is_some_and(|known| !is_same(known, data)) {
                // Pieces of a call may each have one; the first is the call's.
                self.notes.malformed(pointer, &format!("one {kind}"), &json!("several"));
            } else {
                members.insert(kind.clone(), data.clone());
            }
        }
        members
    }

    fn call(&self, call: &Call) -> Value {
        let args = object_arguments(call, self.notes);
        let mut body = json!({"name": call.name, "args": args});
        if !self.nameless.contains(&call.call_id) {
            put(&mut body, "id", call.call_id.as_str());
        }
        body
    }

    /// Returns what is between texts and calls: parts of the provider's own.
    fn state(&self, item: &Item) -> Option<Json> {
        let Item { kind, data, pointer, .. } = item;
        if kind == SIGNATURE && is_signature(data) {
            return Some(object([("text", json!("")), (SIGNATURE, data.clone())]));
        }
        if kind != "part" {
            if kind != "continuationToken" {
                self.notes.response_only(pointer, kind);
            }
            return None;
        }
        let Value::Object(body) = data else {
            self.notes.malformed(pointer, "a part as an object", data);
            return None;
        };
        if let Some(signature) = body.get(SIGNATURE).filter(|data| !is_signature(data)) {
            self.notes.malformed(pointer, "a signature as text", signature);
            return None;
        }
        let mut body = body.clone();
        if body.keys().all(|name| name == "thought" || MEMBERS.contains(&name.as_str())) {
            body.insert("text".to_owned(), json!("")); // a part without content is refused
        }
        Some(body)
    }
}

/// Tells whether two parts are plain text of one part of the message.
fn is_one(part: &Part, other: &Part) -> bool {
    let is_text = |body: &Json| {
        body.get("text").is_some_and(Value::is_string)
            && body.keys().all(|name| name == "text" || name == "thought")
    };
    part.pointer == other.pointer
        && is_text(&part.body)
        && is_text(&other.body)
        && part.body.len() == other.body.len()
}

fn is_signature(data: &Value) -> bool {
    data.as_str().is_some_and(|text| !text.is_empty())
}

fn inline(media: &Media, data: &str) -> Option<Json> {
    let mime_type = media.mime_type.as_str();
    let kind = mime_type.split('/').next().unwrap_or("");
    let is_read = GEMINI.contains(&mime_type) || GEMINI_KINDS.contains(&kind);
    let body = || object([("inlineData", json!({"mimeType": mime_type, "data": data}))]);
    is_read.then(body)
}

/// Returns the part of a file that the provider fetches, or has.
fn linked(media: &Media) -> Option<Json> {
    let uri = match (media.url(), media.path()) {
        (Some(url), _) => url.to_owned(),
        (None, Some(path)) if path.starts_with("gs://") => path.to_owned(),
        (None, Some(path)) if is_uploaded(path) => format!("{UPLOADS}{path}"),
        _ => return None,
    };
    let mut file = json!({"fileUri": uri});
    if !media.mime_type.is_empty() {
        put(&mut file, "mimeType", media.mime_type.as_str());
    }
    Some(object([("fileData", file)]))
}

fn is_uploaded(path: &str) -> bool {
    let takes = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let id = path.strip_prefix("files/");
    id.is_some_and(|id| (1..=40).contains(&id.len()) && id.bytes().all(takes))
}
