//! OpenAI Responses: the contract's messages and configuration → a request body.
//!
//! For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:
//!
//! - The whole conversation is `input`: nothing depends on what the provider stores, unless the
//!   configuration says `previous_response_id` and the caller gives what is new alone.
//! - System prompt and system messages are messages of the role `system`; `instructions`, which some
//!   vendors refuse, is the configuration's to give.
//! - Items that the provider made go back as they came, under their ids: reasoning, encrypted or not,
//!   tools that it ran, images with their bytes, messages with their annotations, and calls. Reasoning
//!   is known to the provider by its id where responses are stored; with `"store": false` ask for
//!   `"include": ["reasoning.encrypted_content"]`, which models without reasoning refuse.
//! - What the provider ran goes with its result; a call that waits is sent in the last answer alone.
//! - The first answer to `mcp_approval_request` goes; it says yes only to the arguments as they were.
//! - A tool's failure begins with `Error: `, since the format has no mark for it.
//! - Of media, images and documents go whose type OpenAI publishes; a `file_ref` goes as any file but
//!   audio and video.
//! - Functions are strict only where the tool says so: the provider's default is otherwise.
//! - There are no stop sequences; `cacheConfig` has nothing to mark: prompts are cached without it.
//!
//! Source: <https://platform.openai.com/docs/api-reference/responses/create>

use crate::json::{Value, json};

use crate::errors::clip_text;
use crate::json::fields::{Fields, object, put};
use crate::json::json_text::json_text;
use crate::providers::openai_responses::output::ResponsesOutput;
use crate::providers::openai_responses::server_items::APPROVAL;
use crate::providers::request_core::call_ids::{Form, is_plain};
use crate::providers::request_core::chat::{failure_text, messages, with_properties};
use crate::providers::request_core::encoder::{Encoder, Work};
use crate::providers::request_core::media::Media;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::turns::{
    Approval, Forms, MediaKind, MediaPiece, ResultContent, ToolResult, Turn, UserPiece, words_of,
};
use crate::providers::request_core::values::{
    Json, is_file_id, is_same, join, parsed, says_anything,
};
use crate::tables::media_types::{
    OPENAI_RESPONSES, OPENAI_RESPONSES_PREFIXES, OPENAI_RESPONSES_SUFFIXES,
};
use crate::tables::provider_names::RESPONSES_PAIRED;

const DECISIONS: [&str; 2] = ["approved", "denied"];
const MAX_TEMPERATURE: f64 = 2.0;

pub(crate) struct OpenAiResponses;

impl Encoder for OpenAiResponses {
    fn forms(&self) -> Forms {
        let forms = Forms::new(Form::new(|_| true, 64), Form::new(is_plain, 64));
        let citing = &["content_part"];
        Forms { approvals: Some(APPROVAL), paired: RESPONSES_PAIRED, citing, ..forms }
    }

    fn body(&self, work: &Work) -> Json {
        let model = work.request.model_id.clone();
        let body = object([("model", model.into()), ("input", input(work).into())]);
        join(join(body, tools(work)), sampling(work))
    }

    fn defaults(&self, _: &Work) -> Json {
        object([("stream", true.into())])
    }
}

fn input(work: &Work) -> Vec<Value> {
    let extensions = &work.request.extensions;
    let is_stored = extensions.get("store") != Some(&Value::Bool(false));
    let goes_on = says_anything(extensions.get("previous_response_id"));
    let mut output = ResponsesOutput::new(work.notes, work.turns, is_stored, goes_on);
    messages(work, |turn| match turn {
        Turn::Tool(results) => {
            results.iter().map(|result| result_item(result, work, &output)).collect()
        }
        Turn::Assistant(turn) => output.items(turn),
        Turn::System(said) | Turn::User(said) => {
            let role = if matches!(turn, Turn::System(_)) { "system" } else { "user" };
            let answers =
                said.approvals.iter().filter_map(|each| answer(each, &mut output, work.notes));
            let mut items: Vec<Value> = answers.collect();
            let content = said_content(&said.pieces, work.notes);
            items.extend(content.map(|content| json!({"role": role, "content": content})));
            items
        }
    })
}

/// Returns the first answer to a call that waits; yes is for the arguments as they were.
fn answer(approval: &Approval, output: &mut ResponsesOutput, notes: &Notes) -> Option<Value> {
    let Approval { payload, request, pointer } = approval;
    let id = request.data.at("id").as_str().unwrap_or("");
    if !output.take_request(id, &request.pointer) {
        let why = "The request was not sent, or has its answer already";
        notes.approval_left_out(pointer, why);
        return None;
    }
    let decision = payload.text("decision");
    let approves = decision == "approved";
    let beside = ["choice", "decidedBy", "decidedAt", "arguments"];
    notes.approval_members(pointer, payload, if approves { &beside[..3] } else { &beside });
    if !DECISIONS.contains(&decision) {
        notes.add_with(
            "encode/approval-left-out",
            "The provider takes yes or no alone; any other decision is no",
            &format!("{pointer}/payload/decision"),
            &DECISIONS.join(" or "),
            clip_text(decision),
        );
    }
    let changed = payload.get("arguments");
    let is_changed = approves && changed.is_some_and(|given| !is_as_asked(given, &request.data));
    if is_changed {
        let message = "The provider would run the call with its own arguments; the answer is no";
        notes.add("encode/approval-arguments", message, &format!("{pointer}/payload/arguments"));
    }
    let mut item = json!({
        "type": "mcp_approval_response",
        "approval_request_id": id,
        "approve": approves && !is_changed,
    });
    if let Some(reason) = payload.get("reason") {
        put(&mut item, "reason", reason.clone());
    }
    Some(item)
}

fn is_as_asked(given: &Value, request: &Value) -> bool {
    let said = request.at("arguments");
    let text = said.as_str().map(|text| if text.is_empty() { "{}" } else { text });
    let said = text.map_or_else(|| Some(said.clone()), parsed);
    said.is_some_and(|said| is_same(&said, given))
}

fn result_item(result: &ToolResult, work: &Work, output: &ResponsesOutput) -> Value {
    let is_custom = output.custom.contains(&result.call_id);
    let kind = if is_custom { "custom_tool_call_output" } else { "function_call_output" };
    let said = output_of(result, work.notes);
    let mut item = json!({"type": kind, "call_id": result.call_id, "output": said});
    if let Some(caller) = output.callers.get(&result.call_id) {
        put(&mut item, "caller", caller.clone());
    }
    item
}

fn tools(work: &Work) -> Json {
    let (mut members, mut tools, mut names) = (Json::new(), Vec::new(), Vec::new());
    for (_, spec, schema) in work.tools() {
        let mut tool = json!({
            "type": "function",
            "name": spec.text("name"),
            "parameters": with_properties(schema),
            "strict": spec.flag("strict"),
        });
        if let Some(description) = spec.get("description") {
            put(&mut tool, "description", description.clone());
        }
        names.push(spec.text("name"));
        tools.push(tool);
    }
    if !tools.is_empty() {
        members.insert("tools".to_owned(), tools.into());
    }
    if let Some(choice) = work.request.choice.as_ref().filter(|_| work.choice_holds(&names)) {
        let function = json!({"type": "function", "name": choice.tool_name});
        let said = if choice.mode == "tool" { function } else { json!(choice.mode) };
        members.insert("tool_choice".to_owned(), said);
    }
    members
}

fn sampling(work: &Work) -> Json {
    let members = work.sampling("max_output_tokens", "top_p", MAX_TEMPERATURE);
    work.stops_that(|_| false, "no stop sequences");
    members
}

// -------------------------------------------------------------------------------------------------
// What users and tools say in Responses requests: content and outputs of calls.

const EXPECTED: &str = "an image or a document: by URL, inline or uploaded";
/// Returns content: a string for one text, else its parts; None for nothing.
pub(crate) fn said_content(pieces: &[UserPiece], notes: &Notes) -> Option<Value> {
    content_of(pieces.iter().filter_map(|piece| part_of(piece, notes)).collect())
}

/// Returns what a tool gave; the format has no mark for a failure, so its text says it.
pub(crate) fn output_of(result: &ToolResult, notes: &Notes) -> Value {
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let mut parts = Vec::new();
    let pieces = match &result.content {
        ResultContent::Text(said) => {
            parts.push(text(said));
            &[]
        }
        ResultContent::Object(members) => {
            parts.push(text(&json_text(&members.clone().into())));
            &[]
        }
        ResultContent::Pieces(pieces) => pieces.as_slice(),
    };
    // What fails begins with a text, also where media that cannot be sent stood before it.
    let is_said = !parts.is_empty() || matches!(pieces.first(), Some(UserPiece::Text(_)));
    parts.extend(pieces.iter().filter_map(|piece| part_of(piece, notes)));
    if result.is_error {
        match parts.first_mut().filter(|_| is_said) {
            Some(first) => {
                let said = failure_text(first.text("text"));
                put(first, "text", said);
            }
            None => parts.insert(0, text("Error")),
        }
    }
    content_of(parts).unwrap_or_else(|| json!(""))
}

fn content_of(parts: Vec<Value>) -> Option<Value> {
    match parts.as_slice() {
        [] => None,
        [part] if part.text("type") == "input_text" => Some(part.at("text").clone()),
        _ => Some(parts.into()),
    }
}

fn part_of(piece: &UserPiece, notes: &Notes) -> Option<Value> {
    let piece = match piece {
        UserPiece::Text(said) => return Some(json!({"type": "input_text", "text": said.text})),
        UserPiece::Media(piece) => piece,
    };
    media_part(piece).or_else(|| {
        let words = words_of(piece, EXPECTED, notes)?;
        Some(json!({"type": "input_text", "text": words.text}))
    })
}

fn media_part(piece: &MediaPiece) -> Option<Value> {
    let media = &piece.media;
    match piece.kind {
        MediaKind::Image => image_part(media),
        // Of a file nobody may know the type; of media it is known.
        MediaKind::Attachment if !is_read(media) => None,
        MediaKind::File | MediaKind::Attachment => file_part(media),
    }
}

fn image_part(media: &Media) -> Option<Value> {
    let mut part = json!({"type": "input_image", "detail": "auto"});
    let inline = || media.data_url().filter(|_| media.is_image());
    if let Some(url) = media.url().map(str::to_owned).or_else(inline) {
        put(&mut part, "image_url", url);
    } else {
        put(&mut part, "file_id", media.path().filter(|path| is_file_id(path, "file-"))?);
    }
    Some(part)
}

fn file_part(media: &Media) -> Option<Value> {
    if media.is_image() {
        return image_part(media);
    }
    if media.plays() {
        return None;
    }
    if let Some(url) = media.url() {
        return Some(json!({"type": "input_file", "file_url": url}));
    }
    if let Some(path) = media.path() {
        let file = json!({"type": "input_file", "file_id": path});
        return is_file_id(path, "file-").then_some(file);
    }
    let data = media.data_url()?;
    Some(json!({"type": "input_file", "filename": media.file_name(), "file_data": data}))
}

/// Tells whether the provider publishes that it reads a type.
fn is_read(media: &Media) -> bool {
    let mime_type = media.mime_type.as_str();
    if media.is_known_image() || OPENAI_RESPONSES.contains(&mime_type) {
        return true;
    }
    let Some((family, name)) = mime_type.split_once('/') else { return false };
    if name.is_empty() || name.contains('\n') {
        return false;
    }
    let is_office = OPENAI_RESPONSES_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let mut heads = OPENAI_RESPONSES_SUFFIXES.iter().filter_map(|suffix| name.strip_suffix(suffix));
    let is_structured = heads.any(|head| !head.is_empty());
    family == "text" || (family == "application" && (is_office || is_structured))
}
