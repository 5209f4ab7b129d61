//! The step between v0.1 and v0.2: up without loss, down with what v0.1 cannot say reported.

use crate::json::{Value, json};

use crate::contract::types::Map;
use crate::convert::versions::opaque_state::{State, index_of, lift_state, settled};
use crate::convert::versions::parts_down::Parts;
use crate::convert::versions::walk::Walk;
use crate::json::fields::{Fields, filtered, object, put, same};

const OLD: &str = "v0.1";
const NEW: &str = "v0.2";

const QUEUE_MESSAGES: [&str; 9] = [
    "TaskEvent",
    "GetContextRequest",
    "PromptBlocksResponse",
    "ToolCallRequest",
    "ToolCallResponse",
    "ReportResultRequest",
    "EvaluationRequest",
    "EvaluationResponse",
    "RetryEvent",
];

/// Tells whether documents of the family `envelope` declare their version.
pub(crate) fn declares(name: &str) -> bool {
    name == "Envelope" || QUEUE_MESSAGES.contains(&name)
}

/// Returns a document of a type of v0.1, whose members are those of v0.2, as v0.2 has it.
pub(crate) fn up(name: &str, value: Value) -> Value {
    if name == "message.Message" {
        return lift_state(&value);
    }
    let Some(name) = name.strip_prefix("envelope.") else { return value };
    let is_queued = QUEUE_MESSAGES.contains(&name);
    let mut made = value;
    if let (Value::Object(members), true) = (&mut made, is_queued || name == "Envelope") {
        members.insert("schema_version".to_owned(), NEW.into());
        if is_queued {
            members.insert("message_type".to_owned(), name.into());
        }
    }
    made
}

/// Returns what v0.1 has for a value of a definition of v0.2; None where only its members
/// distinguish them.
pub(crate) fn down(
    walk: &mut Walk,
    family: &str,
    name: &str,
    value: &Value,
    pointer: &str,
) -> Option<Value> {
    match (family, name) {
        ("message", "Message") => Some(downgrade_message(walk, value, pointer)),
        ("message", "MessagePart" | "ToolResultContentPart") => {
            if value.text("kind") == "media" {
                return Some(downgrade_media(walk, value, pointer));
            }
            Some(walk.variant(value, name, pointer))
        }
        ("envelope", name) if declares(name) => Some(declared_down(walk, name, value, pointer)),
        _ => None,
    }
}

fn declared_down(walk: &mut Walk, name: &str, value: &Value, pointer: &str) -> Value {
    let mut message = filtered(value, |_, _| true);
    // In a bare envelope, nothing else shows the type.
    if name == "Envelope" && message.remove("message_type").is_some() {
        walk.log.note("message-type-lost", format!("{pointer}/message_type"));
    }
    let mut made = walk.members(&Value::Object(message), name, pointer);
    made.insert("schema_version".to_owned(), OLD.into());
    Value::Object(made)
}

/// Tells whether going down may change a document that v0.1 takes as it is.
pub(crate) fn changes(family: &str, value: &Value) -> bool {
    family == "envelope" || value.at("meta").get("opaque").is_some()
}

// -------------------------------------------------------------------------------------------------
// A message of v0.2 as one of v0.1: parts, provider state and what is left out.

/// Returns a message as v0.1 has it; the table of losses says what that changes.
pub(crate) fn downgrade_message(walk: &mut Walk, message: &Value, pointer: &str) -> Value {
    let parts = message.list("parts");
    let mut state = Parts::new(message.text("role"), parts.len());
    let settled = settled(parts, message.text("role"));
    for index in settled.changed {
        walk.log.note("opaque-moved", format!("{pointer}/parts/{index}"));
    }
    for (index, part) in settled.parts {
        state.add(walk, index, &part, &format!("{pointer}/parts/{index}"));
    }
    state.close(walk);
    let mut bare = message.clone();
    put(&mut bare, "parts", json!([]));
    let mut made = walk.members(&bare, "Message", pointer);
    let given = made.at("meta").get("opaque").cloned();
    let has_state = state.has_any();
    let place = format!("{pointer}/meta/opaque");
    let opaque = opaque_of(walk, &mut state, given.as_ref(), &place);
    made.insert("parts".to_owned(), state.made.into());
    if has_state && message.at("meta").as_object().is_some_and(Map::is_empty) {
        walk.log.note("empty-meta", format!("{pointer}/meta"));
    }
    if let Some(opaque) = opaque {
        let meta = made.get_or_insert_with("meta", || json!({}));
        put(meta, "opaque", opaque);
    }
    let made = Value::Object(made);
    note_lifted(walk, message, &made, pointer);
    made
}

/// Says so where up again would take from `meta.opaque` what stood there in v0.2.
fn note_lifted(walk: &mut Walk, message: &Value, made: &Value, pointer: &str) {
    let Some(given) = message.at("meta").get("opaque") else { return };
    if walk.log.losses.iter().any(|loss| loss.code == "opaque-in-meta") {
        return;
    }
    let again = lift_state(made);
    let is_same = again.at("meta").get("opaque").is_some_and(|again| same(again, given));
    if !is_same {
        walk.log.note("opaque-lifted", format!("{pointer}/meta/opaque"));
    }
}

/// Returns `meta.opaque`: the state of the parts, and what has been there, `given`.
fn opaque_of(
    walk: &mut Walk,
    state: &mut Parts,
    given: Option<&Value>,
    pointer: &str,
) -> Option<Value> {
    let has_own = state.has_any();
    if given.is_none() && !has_own {
        return None;
    }
    let read = given.and_then(State::read);
    let left = match read.filter(|left| !has_own || left.dialect == state.dialect) {
        Some(left) => left,
        None if !has_own => return given.cloned(),
        None => {
            if given.is_some() {
                walk.log.note("opaque-in-meta", pointer);
            }
            State { dialect: state.dialect.clone(), parts: Map::new(), ids: None }
        }
    };
    let mut own = Map::new();
    for (index, items) in std::mem::take(&mut state.items) {
        own.insert(index.to_string(), items.into());
    }
    let keys = Keys::of(state);
    for (key, items) in left.parts {
        match keys.new_key(&key).filter(|new| !own.contains_key(new)) {
            Some(new) => _ = own.insert(new, items),
            None => walk.log.note("opaque-in-meta", pointer),
        }
    }
    if left.ids.iter().flat_map(Map::keys).any(|id| state.ids.contains_key(id)) {
        walk.log.note("opaque-in-meta", pointer);
    }
    let has_ids = left.ids.is_some() || !state.ids.is_empty();
    let ids = left.ids.into_iter().flatten().chain(std::mem::take(&mut state.ids));
    let ids = has_ids.then(|| ids.collect());
    Some(State { dialect: left.dialect, parts: own, ids }.into_value())
}

/// Where the parts of v0.2 are now.
struct Keys<'a> {
    moved: &'a [Option<usize>],
    count: usize,
    /// Whether a part before the last one is joined to another.
    has_gap: bool,
}

impl<'a> Keys<'a> {
    fn of(state: &'a Parts) -> Self {
        let before = state.moved.split_last().map_or(&[][..], |(_, before)| before);
        let has_gap = before.contains(&None);
        Self { moved: &state.moved, count: state.made.len(), has_gap }
    }

    /// Returns where a member of `parts` is now; None where its part is gone.
    fn new_key(&self, key: &str) -> Option<String> {
        match index_of(key) {
            Some(index) if index == self.moved.len() && self.has_gap => {
                Some(self.count.to_string())
            }
            Some(index) => match self.moved.get(index) {
                Some(moved) => moved.map(|new| new.to_string()),
                None => Some(key.to_owned()),
            },
            None => Some(key.to_owned()),
        }
    }
}

// -------------------------------------------------------------------------------------------------
// Media of v0.2 as the images and files of v0.1.

/// Returns a `media` part as `image` or `file_ref` part.
///
/// What is in the document stays there: bytes of an image are its `data`, other bytes become a
/// `data:` URL as path. A URL, and the name of what is kept apart, is a path too.
pub(crate) fn downgrade_media(walk: &mut Walk, part: &Value, pointer: &str) -> Value {
    let place = format!("{pointer}/payload");
    let closed = walk.members(part.at("payload"), "MediaPayload", &place);
    let (source, mime) = (closed.at("source"), closed.text("mimeType"));
    let kind = source.text("kind");
    let is_image = kind != "ref" && mime.to_lowercase().starts_with("image/");
    let made = if is_image {
        walk.log.note("media-as-image", pointer);
        let member = if kind == "inline" { "data" } else { "url" };
        object([("mimeType", mime.into()), (member, source.at(member).clone())])
    } else {
        walk.log.note("media-as-file", pointer);
        let path = match kind {
            "inline" => format!("data:{mime};base64,{}", source.text("data")),
            kind => source.text(kind).to_owned(),
        };
        let mut made = object([("path", path.into()), ("mimeType", mime.into())]);
        let size = closed.get("sizeBytes").cloned();
        made.extend(size.map(|size| ("size".to_owned(), size)));
        made
    };
    for name in ["name", "sizeBytes", "sha256"] {
        if closed.has(name) && (is_image || name != "sizeBytes") {
            walk.log.note("media-detail", format!("{place}/{name}"));
        }
    }
    json!({"kind": if is_image { "image" } else { "file_ref" }, "payload": made})
}
