//! Formats whose requests hold one list of messages: what those of chat completions, Cohere and
//! Responses have in common.

use crate::json::{Value, json};

use crate::json::fields::object;
use crate::providers::request_core::encoder::Work;
use crate::providers::request_core::turns::{Said, Turn};
use crate::providers::request_core::values::{Json, join};

/// Returns the messages of a request: one per text of the system prompt, then what each turn becomes.
///
/// A turn of which nothing can be sent is noted; results are never that.
pub(crate) fn messages(work: &Work, mut made_of: impl FnMut(&Turn) -> Vec<Value>) -> Vec<Value> {
    let system = work.request.system.iter();
    let mut messages: Vec<Value> =
        system.map(|(text, _)| json!({"role": "system", "content": text})).collect();
    for turn in work.turns {
        let made = made_of(turn);
        match turn {
            Turn::Assistant(turn) if made.is_empty() => work.notes.empty_message(&turn.pointer),
            // Answers that are left out are noted already.
            Turn::System(said) | Turn::User(said)
                if made.is_empty() && said.approvals.is_empty() =>
            {
                work.notes.empty_message(&said.pointer);
            }
            _ => {}
        }
        messages.extend(made);
    }
    messages
}

/// Returns a text as a part of content.
pub(crate) fn text_part(said: &Said) -> Value {
    json!({"type": "text", "text": said.text})
}

/// Returns the text of a failure, for formats that have no mark for one.
pub(crate) fn failure_text(said: &str) -> String {
    if said.is_empty() { "Error".to_owned() } else { format!("Error: {said}") }
}

/// Returns a schema that names its properties, which some vendors want even where there are none.
pub(crate) fn with_properties(schema: Json) -> Json {
    join(object([("properties", json!({}))]), schema)
}
