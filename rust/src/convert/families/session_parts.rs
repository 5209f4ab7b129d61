//! Files, calls, results and provider's state between messages and sessions.

use crate::json::{Value, json};

use crate::contract::types::Map;
use crate::convert::families::conversion::Work;
use crate::json::base64::is_base64;
use crate::json::documents::decode_json;
use crate::json::fields::{Fields, filtered, put};
use crate::json::json_text::json_text;

const NO_OUTPUT: &str = "(no output)";
const ANY_MIME: &str = "application/octet-stream";
const NO_PLACE: [(&str, &str); 5] = [
    ("file-size", "size"),
    ("file-size", "sizeBytes"),
    ("file-hash", "sha256"),
    ("transcript", "transcript"),
    ("opaque", "opaque"),
];

/// Returns how a call came out, by its status.
fn outcome_of(status: &str) -> Option<&'static str> {
    match status {
        "completed" => Some("success"),
        "error" => Some("error"),
        "denied" => Some("denied"),
        _ => None,
    }
}

// --- files --------------------------------------------------------------------------------------

/// Returns a session's file part as a message's part: an image by its media type, else a file.
pub(crate) fn message_file(part: &Value) -> Value {
    let (mime, url) = (part.text("mime"), part.text("url"));
    if !mime.starts_with("image/") {
        return json!({"kind": "file_ref", "payload": {"path": url, "mimeType": mime}});
    }
    let data = url.strip_prefix(&format!("data:{mime};base64,"));
    let (member, where_) = match data.filter(|data| is_base64(data)) {
        Some(data) => ("data", data),
        None => ("url", url),
    };
    json!({"kind": "image", "payload": {"mimeType": mime, member: where_}})
}

/// Returns a message's image, file or media as a session's file part, without ids.
pub(crate) fn file_part(part: &Value, place: &str, work: &mut Work) -> Map {
    let payload = part.at("payload");
    let mime = payload.at("mimeType").as_str().unwrap_or_else(|| {
        work.note("mime-invented", &format!("{place}/payload/mimeType"));
        ANY_MIME
    });
    for (code, name) in NO_PLACE {
        if payload.has(name) {
            work.note(code, &format!("{place}/payload/{name}"));
        }
    }
    let url = url_of(part.text("kind"), payload, mime);
    let mut made = json!({"type": "file", "mime": mime, "url": url});
    if let Some(name) = payload.get("name") {
        put(&mut made, "filename", name.clone());
    }
    let again = message_file(&made);
    let same = filtered(payload, |name, _| !matches!(name, "size" | "mimeType"));
    let is_there =
        |(name, member): (&String, &Value)| again.at("payload").get(name) == Some(member);
    if again.text("kind") != part.text("kind") || !same.iter().all(is_there) {
        work.note("file-kind", &format!("{place}/kind"));
        work.note("file-kind", &format!("{place}/payload"));
    }
    filtered(&made, |_, _| true)
}

/// Returns where a file is: bytes are a `data:` URL, a path or a reference stays as it is.
fn url_of(kind: &str, payload: &Value, mime: &str) -> String {
    let place = if kind == "media" { payload.at("source") } else { payload };
    let known = ["url", "path", "ref"].into_iter().find_map(|name| place.at(name).as_str());
    known.map_or_else(|| format!("data:{mime};base64,{}", place.text("data")), str::to_owned)
}

// --- provider's state ---------------------------------------------------------------------------

/// Returns `metadata.opaque` of a session's part, if it is what a message calls opaque.
pub(crate) fn said_opaque(part: &Value) -> Option<&Value> {
    let value = part.at("metadata").get("opaque")?;
    let members = value.as_object()?;
    let is_named = !members.text("provider").is_empty();
    (members.len() == 2 && is_named && members.at("data").is_object()).then_some(value)
}

/// Returns a message's part with the state that the session's part keeps in its metadata.
pub(crate) fn with_opaque(mut said: Value, part: &Value) -> Value {
    if let (Some(state), Some(payload)) = (said_opaque(part), said.get_mut("payload")) {
        put(payload, "opaque", state.clone());
    }
    said
}

/// Puts the state of a message's part into the metadata of a session's part; None where these are
/// not an object.
pub(crate) fn put_opaque(mut made: Map, payload: &Value) -> Option<Map> {
    if let Some(state) = payload.get("opaque") {
        let metadata = made.get_or_insert_with("metadata", || json!({}));
        metadata.as_object_mut()?.insert("opaque".to_owned(), state.clone());
    }
    Some(made)
}

// --- calls --------------------------------------------------------------------------------------

/// Returns the call of a tool part.
pub(crate) fn call_part(part: &Value) -> Value {
    let state = part.at("state");
    let mut payload = json!({
        "toolCallId": part.at("callID"),
        "toolName": part.at("tool"),
        "arguments": state.at("input"),
    });
    if let Some(raw) = state.at("raw").as_str().filter(|raw| !says(raw, state.at("input"))) {
        put(&mut payload, "rawArgsText", raw);
    }
    json!({"kind": "tool_call", "payload": payload})
}

/// Returns the result of a tool part; None while there is none.
pub(crate) fn call_result(part: &Value) -> Option<Value> {
    let (state, id) = (part.at("state"), part.at("callID"));
    let outcome = outcome_of(state.text("status"))?;
    // Of a denied call, the model may not know yet.
    let said = state.get("output").or_else(|| state.get("error"))?;
    let files = state.list("attachments");
    let mut content = said.clone();
    if !files.is_empty() {
        let text = json!({"kind": "text", "payload": {"text": said}});
        content = std::iter::once(text).chain(files.iter().map(message_file)).collect();
    }
    let is_error = outcome != "success";
    Some(json!({"toolCallId": id, "isError": is_error, "content": content, "outcome": outcome}))
}

/// Tells whether argument text says nothing but `arguments`.
fn says(raw: &str, arguments: &Value) -> bool {
    decode_json(raw.as_bytes()).is_ok_and(|value| json_text(&value) == json_text(arguments))
}

/// A call on its way to a session: where it is, and what belongs to it.
pub(crate) struct Call<'a> {
    pub payload: &'a Value,
    pub result: Option<&'a Value>,
    pub approval: Option<Value>,
    /// Start and end.
    pub times: (i64, i64),
    /// Where the payloads of call and result are.
    pub places: (String, String),
    /// The ids of the session's part.
    pub head: &'a Map,
}

impl Call<'_> {
    /// Returns the state of the call, by its result and what was decided.
    pub(crate) fn state(&self, work: &mut Work) -> Value {
        let arguments = self.payload.at("arguments");
        let raw = self.payload.at("rawArgsText").as_str();
        let status = self.status();
        let waits = matches!(status, "pending" | "awaiting_approval");
        if raw.is_some_and(|raw| !waits || says(raw, arguments)) {
            work.note("raw-args-text", &format!("{}/rawArgsText", self.places.0));
        }
        let mut state = json!({"status": status, "input": arguments});
        if let Some(approval) = &self.approval {
            put(&mut state, "approval", approval.clone());
        }
        if waits {
            put(&mut state, "raw", raw.map_or_else(|| json_text(arguments), str::to_owned));
            return state;
        }
        let (start, end) = self.times;
        let Some(result) = self.result else {
            if status != "denied" {
                put(&mut state, "time", json!({"start": start}));
            }
            return state;
        };
        self.note_members(result, status, work);
        let place = format!("{}/content", self.places.1);
        let (text, files) = told(result, &place, work);
        if !files.is_empty() && status != "completed" {
            work.note("result-files", &place);
        }
        if status != "denied" {
            put(&mut state, "time", json!({"start": start.min(end), "end": end}));
        }
        if status != "completed" {
            put(&mut state, "error", text);
            return state;
        }
        put(&mut state, "output", text);
        put(&mut state, "title", self.payload.at("toolName").clone());
        put(&mut state, "metadata", json!({}));
        if !files.is_empty() {
            put(&mut state, "attachments", self.attached(files));
        }
        state
    }

    /// Returns the status of the call by its result and its approval, where it has them.
    pub(crate) fn status(&self) -> &'static str {
        if let Some(result) = self.result {
            let is_error = result.flag("isError");
            if self.approval.is_some() && is_error && result.text("outcome") == "denied" {
                return "denied";
            }
            return if is_error { "error" } else { "completed" };
        }
        match &self.approval {
            None => "pending",
            Some(approval) if !approval.has("decision") => "awaiting_approval",
            Some(approval) if approval.text("decision") == "approved" => "running",
            Some(_) => "denied",
        }
    }

    /// Notes what the state of a call does not say of its result.
    fn note_members(&self, result: &Value, status: &str, work: &mut Work) {
        let place = &self.places.1;
        if result.has("structured") {
            work.note("result-structured", &format!("{place}/structured"));
        }
        if !result.has("outcome") {
            work.note("outcome-form", &format!("{place}/outcome"));
        } else if outcome_of(status) != Some(result.text("outcome")) {
            work.note("result-outcome", &format!("{place}/outcome"));
        }
    }

    fn attached(&self, files: Vec<Map>) -> Value {
        let each = files.into_iter().enumerate().map(|(number, file)| {
            let mut made = self.head.clone();
            made.insert("id".to_owned(), format!("{}_{number}", self.head.text("id")).into());
            made.extend(file);
            Value::Object(made)
        });
        each.collect()
    }
}

/// Returns text and files of a result.
fn told(result: &Value, place: &str, work: &mut Work) -> (String, Vec<Map>) {
    let content = result.at("content");
    let (text, files) = match content {
        Value::Object(_) => {
            work.note("result-layout", place);
            (json_text(content), Vec::new())
        }
        Value::Array(parts) => told_parts(parts, place, work),
        text => (text.as_str().unwrap_or("").to_owned(), Vec::new()),
    };
    if text.is_empty() {
        work.note("result-empty", place);
        return (NO_OUTPUT.to_owned(), files);
    }
    (text, files)
}

fn told_parts(parts: &[Value], place: &str, work: &mut Work) -> (String, Vec<Map>) {
    for (number, part) in parts.iter().enumerate() {
        let (kind, payload) = (part.text("kind"), part.at("payload"));
        if payload.has("opaque") && kind != "media" {
            work.note("opaque", &format!("{place}/{number}/payload/opaque"));
        }
        if kind == "text" {
            work.note_text(payload, &format!("{place}/{number}/payload"));
        }
    }
    let is_text = |part: &Value| part.text("kind") == "text";
    let texts: Vec<&str> = parts
        .iter()
        .filter(|part| is_text(part))
        .map(|part| part.at("payload").text("text"))
        .collect();
    let each = parts.iter().enumerate().filter(|(_, part)| !is_text(part));
    let files: Vec<Map> =
        each.map(|(number, part)| file_part(part, &format!("{place}/{number}"), work)).collect();
    if files.is_empty() || texts.len() != 1 || !parts.first().is_some_and(is_text) {
        work.note("result-layout", place);
    }
    (texts.join("\n"), files)
}
