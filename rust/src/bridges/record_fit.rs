//! Whether `meta.session` and the message around it still say the same.
//!
//! A record that was written for v0.1 stands in a message that could not say all that messages say
//! since: such a message fits too, and what it lacks is taken from the record.

use serde_json::{Value, json};

use super::context::Context;
use super::session::spoken_messages;
use super::session_record::{FIRST_VERSION, keeps_ignored, record_of};
use super::session_tokens::COUNTS;
use super::work::Work;
use crate::fields::{Fields, filtered, same};
use crate::types::Map;

/// Tells whether a session says a member of `meta`.
pub(crate) fn is_said_meta(role: &str, name: &str) -> bool {
    matches!(name, "completedAt" | "session") || (name == "usage" && role == "assistant")
}

/// Returns the places where `made` says more than the message `one` that it was made of.
///
/// None where it says anything else: `made` is a session's message, `results` and `answered` (a
/// time) are those of the calls. Only the run and the turn may differ.
pub(crate) fn added_by_record(
    made: &Value,
    one: &Value,
    results: &Map,
    answered: Option<&str>,
) -> Option<Vec<String>> {
    let keep = keeps_ignored(one.at("meta").at("session"));
    let context = Context::new().run_id(one.text("runId")).keep_ignored(keep);
    let spoken = spoken_messages(made, "", &mut Work::quiet(&context));
    let mut spoken = spoken.into_iter().filter(|each| each.text("role") != "system");
    let own = spoken.next()?;
    if !is_answered(spoken.next().as_ref(), results, answered) {
        return None;
    }
    let role = one.text("role");
    let meta = filtered(one.at("meta"), |name, _| is_said_meta(role, name));
    let mut given = filtered(one, |name, _| !matches!(name, "turnId" | "meta"));
    let mut added = Vec::new();
    if !given.contains_key("messageId") {
        given.insert("messageId".to_owned(), own.at("messageId").clone());
        added.push("/messageId".to_owned());
    }
    given.insert("meta".to_owned(), add_to_meta(meta, &own, made, &mut added).into());
    let parts = add_to_parts(one.list("parts"), &own, &mut added);
    given.insert("parts".to_owned(), parts.into());
    same(&own, &Value::Object(given)).then_some(added)
}

/// Tells whether a tool's message says the results, and when they came; without any, there is none.
fn is_answered(tool: Option<&Value>, results: &Map, answered: Option<&str>) -> bool {
    let Some(tool) = tool else { return results.is_empty() };
    let parts = results.values().map(|each| json!({"kind": "tool_result", "payload": each}));
    !results.is_empty()
        && answered == Some(tool.text("timestamp"))
        && same(tool.at("parts"), &parts.collect())
}

fn add_to_meta(mut meta: Map, own: &Value, made: &Value, added: &mut Vec<String>) -> Map {
    let again = own.at("meta");
    let known = again.at("usage");
    if let (Some(Value::Object(usage)), true) = (meta.get_mut("usage"), known.is_object()) {
        for name in COUNTS {
            if !usage.contains_key(name) {
                usage.insert(name.to_owned(), known.at(name).clone());
                added.push(format!("/meta/usage/{name}"));
            }
        }
    }
    let (record, whole) = (meta.at("session"), again.at("session"));
    let older = record_of(made, keeps_ignored(record), FIRST_VERSION);
    if !same(record, whole) && same(record, &older) {
        meta.insert("session".to_owned(), whole.clone());
        added.push("/meta/session".to_owned());
    }
    meta
}

fn is_file(part: &Value) -> bool {
    matches!(part.text("kind"), "image" | "file_ref")
}

/// Gives the parts what only the record says of them: provider's state, an assistant's files.
fn add_to_parts(said: &[Value], own: &Value, added: &mut Vec<String>) -> Vec<Value> {
    let again = own.list("parts");
    let has_no_files = own.text("role") == "assistant" && !said.iter().any(is_file);
    let known: Vec<&Value> = again.iter().filter(|part| !(has_no_files && is_file(part))).collect();
    let mut given = said.to_vec();
    for (number, (part, known)) in given.iter_mut().zip(&known).enumerate() {
        let state = known.at("payload").get("opaque");
        let payload = part.get_mut("payload").and_then(Value::as_object_mut);
        if let (Some(state), Some(payload)) = (state, payload) {
            if !payload.contains_key("opaque") {
                payload.insert("opaque".to_owned(), state.clone());
                added.push(format!("/parts/{number}/payload/opaque"));
            }
        }
    }
    let is_known = |(part, known): (&Value, &&Value)| same(part, known);
    if known.len() != again.len()
        && given.len() == known.len()
        && given.iter().zip(&known).all(is_known)
    {
        added.push("/parts".to_owned());
        return again.to_vec();
    }
    given
}
