//! The step between v0.1 and v0.2: up without loss, down with what v0.1 cannot say reported.

use serde_json::Value;

use super::media::downgrade_media;
use super::message_down::downgrade_message;
use super::opaque_state::lift_state;
use super::walking::Walk;
use crate::fields::{Fields, filtered};

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

/// Returns what v0.1 has for a value of a definition of v0.2; None where nothing but its members
/// tells them apart.
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
        ("envelope", name) if name == "Envelope" || QUEUE_MESSAGES.contains(&name) => {
            Some(declared_down(walk, name, value, pointer))
        }
        _ => None,
    }
}

fn declared_down(walk: &mut Walk, name: &str, value: &Value, pointer: &str) -> Value {
    let mut message = filtered(value, |_, _| true);
    // In a bare envelope, nothing else tells the type.
    if name == "Envelope" && message.shift_remove("message_type").is_some() {
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
