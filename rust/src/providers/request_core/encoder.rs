//! What every encoder is: the contract's messages and configuration in, one request body out.

use crate::json::{Value, json};

use crate::errors::{Finding, clip};
use crate::json::fields::Fields;
use crate::json::pointer::escape_pointer;
use crate::providers::request_core::inputs::Request;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::turn_reader::read_turns;
use crate::providers::request_core::turns::{Forms, Turn};
use crate::providers::request_core::values::{Json, is_same};

/// A request body, and what could not be said as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedRequest {
    /// The members of the body.
    pub body: Json,
    /// What was found; pointers lead into the request.
    pub findings: Vec<Finding>,
}

/// A request body as JSON text, every integer as it was written, and what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedText {
    /// The text of the body.
    pub text: String,
    /// What was found; pointers lead into the request.
    pub findings: Vec<Finding>,
}

/// One request that is being encoded.
pub(crate) struct Work<'a> {
    pub request: &'a Request,
    pub turns: &'a [Turn],
    pub notes: &'a Notes,
    pub forms: &'a Forms,
}

/// How the requests of a dialect are written.
pub(crate) trait Encoder: Sync {
    fn forms(&self) -> Forms;

    /// Returns the members of the body that the contract's own values make.
    fn body(&self, work: &Work) -> Json;

    /// Returns members that are sent unless the configuration's extensions name them.
    fn defaults(&self, work: &Work) -> Json;

    /// Returns a member that both the contract and an extension say, where it is not joined as
    /// others are.
    fn joined(&self, _ours: &Value, _theirs: &Value, _place: &str, _: &Notes) -> Option<Value> {
        None
    }
}

/// Returns the body with the extensions of the configuration, and the findings.
pub(crate) fn encoded(
    dialect: &str,
    encoder: &dyn Encoder,
    request: &Request,
    notes: &Notes,
) -> EncodedRequest {
    let forms = encoder.forms();
    let turns = read_turns(&request.messages, dialect, &forms, notes);
    let work = Work { request, turns: &turns, notes, forms: &forms };
    let mut body = encoder.body(&work);
    let defaults = encoder.defaults(&work);
    for (name, theirs) in &request.extensions {
        let value = match (body.get(name), theirs) {
            (None, theirs) => theirs.clone(),
            (Some(Value::Array(ours)), Value::Array(theirs)) if name == "tools" => {
                ours.iter().chain(theirs).cloned().collect()
            }
            (Some(ours), theirs) => {
                let place = format!("/config/{}", escape_pointer(name));
                joined(encoder, ours, theirs, &place, notes)
            }
        };
        body.insert(name.clone(), value);
    }
    for (name, value) in defaults {
        body.get_or_insert_with(name, || value);
    }
    EncodedRequest { body, findings: notes.take_findings() }
}

/// Returns a member that both the contract and an extension say: objects are joined.
fn joined(
    encoder: &dyn Encoder,
    ours: &Value,
    theirs: &Value,
    place: &str,
    notes: &Notes,
) -> Value {
    if let Some(value) = encoder.joined(ours, theirs, place, notes) {
        return value;
    }
    if let (Value::Object(ours), Value::Object(theirs)) = (ours, theirs) {
        let mut members = ours.clone();
        for (name, value) in theirs {
            let at = format!("{place}/{}", escape_pointer(name));
            let value = match ours.get(name) {
                Some(ours) => joined(encoder, ours, value, &at, notes),
                None => value.clone(),
            };
            members.insert(name.clone(), value);
        }
        return Value::Object(members);
    }
    if !is_same(ours, theirs) {
        note_conflict(ours, theirs, place, notes);
    }
    ours.clone()
}

/// Notes an extension that says something else than the contract's own value.
pub(crate) fn note_conflict(ours: &Value, theirs: &Value, place: &str, notes: &Notes) {
    notes.add_with(
        "encode/config-conflict",
        "The contract's own value says something else, and is sent in place of this one",
        place,
        &clip(ours),
        clip(theirs),
    );
}

// --- what encoders share ------------------------------------------------------------------------

impl Work<'_> {
    /// Returns the tools that the provider takes: place, spec, and the schema of its arguments.
    ///
    /// The schema says that arguments are an object, which the contract means anyway; a tool with
    /// another schema, or with a name that the provider does not take, is left out with a finding.
    pub(crate) fn tools(&self) -> Vec<(String, &Value, Json)> {
        let form = self.forms.tool_name;
        let mut taken = Vec::new();
        for (number, spec) in self.request.tools.iter().enumerate() {
            let place = format!("/toolSpecs/{number}");
            let schema = spec.at("parameterSchema");
            if !form.fits(spec.text("name")) {
                let expected = format!("at most {} characters", form.chars);
                self.refuse_tool(&format!("{place}/name"), &expected, spec.at("name"));
            } else if schema.get("type").is_some_and(|kind| kind != "object") {
                let place = format!("{place}/parameterSchema/type");
                self.refuse_tool(&place, "\"object\"", schema.at("type"));
            } else {
                let mut made = Json::new();
                made.insert("type".to_owned(), "object".into());
                made.extend(schema.as_object().cloned().unwrap_or_default());
                taken.push((place, spec, made));
            }
        }
        taken
    }

    fn refuse_tool(&self, pointer: &str, expected: &str, actual: &Value) {
        let message = "The provider does not take this tool; it is left out";
        let rule = "encode/unsupported-tool";
        self.notes.add_with(rule, message, pointer, expected, clip(actual));
    }

    /// Tells whether a tool choice can be sent beside the tools `names`.
    ///
    /// Without tools, auto and none say nothing, and what asks for a call is a finding; so is a tool
    /// that was left out. Tools that an extension names are the provider's business.
    pub(crate) fn choice_holds(&self, names: &[&str]) -> bool {
        let Some(choice) = &self.request.choice else { return false };
        if self.request.extensions.contains_key("tools") {
            return true;
        }
        let refused = |expected: &str, actual: &str| {
            self.notes.unsupported_config(&choice.pointer, expected, &actual.into());
            false
        };
        match choice.mode.as_str() {
            "tool" if !names.contains(&choice.tool_name.as_str()) => {
                let expected =
                    if names.is_empty() { "a tool".to_owned() } else { names.join(", ") };
                refused(&expected, &choice.tool_name)
            }
            "required" if names.is_empty() => refused("a tool", "required"),
            _ => !names.is_empty(),
        }
    }

    /// Returns the members `max_tokens`, `temperature` up to `most`, and `top_p`.
    pub(crate) fn sampling(&self, max_tokens: &str, top_p: &str, most: f64) -> Json {
        let mut members = Json::new();
        if let Some(given) = &self.request.max_tokens {
            members.insert(max_tokens.to_owned(), given.clone());
        }
        members.extend(self.temperature(most));
        if let Some(given) = &self.request.top_p {
            members.insert(top_p.to_owned(), given.clone());
        }
        members
    }

    /// Returns `temperature` as a member, None without one or where it is above `most`.
    pub(crate) fn temperature(&self, most: f64) -> Option<(String, Value)> {
        let given = self.request.temperature.as_ref()?;
        if given.as_f64().is_some_and(|given| given > most) {
            let expected = format!("at most {most}");
            self.notes.unsupported_config("/config/temperature", &expected, given);
            return None;
        }
        Some(("temperature".to_owned(), given.clone()))
    }

    /// Returns the first `most` stop sequences.
    pub(crate) fn stop_sequences(&self, most: usize) -> &[String] {
        let stops = &self.request.stop_sequences;
        for (number, stop) in stops.iter().enumerate().skip(most) {
            self.note_stop(number, &format!("at most {most} stop sequences"), stop);
        }
        stops.get(..most).unwrap_or(stops)
    }

    /// Returns the stop sequences that a provider takes.
    pub(crate) fn stops_that(&self, fit: fn(&str) -> bool, expected: &str) -> Vec<&String> {
        let mut fitting = Vec::new();
        for (number, stop) in self.request.stop_sequences.iter().enumerate() {
            if fit(stop) {
                fitting.push(stop);
            } else {
                self.note_stop(number, expected, stop);
            }
        }
        fitting
    }

    fn note_stop(&self, number: usize, expected: &str, stop: &str) {
        let place = format!("/config/stopSequences/{number}");
        self.notes.unsupported_config(&place, expected, &json!(stop));
    }
}
