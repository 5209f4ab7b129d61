//! Validation of parts, and which of them a model sees.

use crate::json::Value;

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::current::session::{
    Part, ValidationFinding, ValidationFindingSeverity, ValidationResult,
};
use crate::contract::types::Map;
use crate::errors::{Error, Finding, Severity, clip, clip_text};
use crate::json::documents::check_depth;
use crate::reading::read::check;
use crate::session::transitions::EMPTY_OUTPUT_PLACEHOLDER;

const IDS: [&str; 2] = ["sessionID", "messageID"];
const STAND_IN: &str = "00000000-0000-4000-8000-000000000000";

/// Which ids of sessions and messages are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IdProfile {
    /// UUIDs, as reading and writing want them.
    #[default]
    Uuid,
    /// Any that are not empty: for data of systems whose ids are not UUIDs.
    Opaque,
}

/// Says whether a JSON value is a valid part, whatever it is.
///
/// Findings come in document order; warnings among them leave the part valid.
#[must_use]
pub fn validate_part(part: &Value, profile: IdProfile) -> ValidationResult {
    let found = part_findings(part, profile);
    ValidationResult {
        valid: !found.iter().any(Finding::is_error),
        findings: found.into_iter().map(as_document).collect(),
    }
}

/// Refuses a JSON value that is not a valid part: [`Error::Part`] with all errors.
pub fn require_part(part: &Value, profile: IdProfile) -> Result<(), Error> {
    let mut found = part_findings(part, profile);
    found.retain(Finding::is_error);
    if found.is_empty() { Ok(()) } else { Err(Error::Part(found)) }
}

/// Returns the parts in order, without text parts that are `ignored`.
///
/// Parts of a type that this version does not know stay.
pub fn visible_to_model<'a>(
    parts: impl IntoIterator<Item = &'a Part>,
) -> impl Iterator<Item = &'a Part> {
    let is_ignored = |part: &Part| matches!(part, Part::Text(text) if text.ignored == Some(true));
    parts.into_iter().filter(move |part| !is_ignored(part))
}

fn as_document(finding: Finding) -> ValidationFinding {
    ValidationFinding {
        rule: finding.rule,
        message: finding.message,
        pointer: finding.pointer,
        severity: match finding.severity {
            Severity::Error => ValidationFindingSeverity::Error,
            Severity::Warning => ValidationFindingSeverity::Warning,
            Severity::Info => ValidationFindingSeverity::Info,
        },
        expected: finding.expected,
        actual: finding.actual,
    }
}

fn part_findings(part: &Value, profile: IdProfile) -> Vec<Finding> {
    let found = check_depth(part).map_err(Error::Write);
    let binding = found.and_then(|()| binding("session.Part", LATEST_VERSION));
    let binding = match binding {
        Ok(binding) => binding,
        Err(error) => return error.findings().to_vec(),
    };
    let mut found = match profile {
        IdProfile::Uuid => check(binding, part),
        IdProfile::Opaque => {
            let found = check(binding, &with_stand_ins(part.clone()));
            found.into_iter().filter_map(of_opaque_id).collect()
        }
    };
    found.extend(placeholder_finding(part, ""));
    found
}

/// Puts a UUID in the place of every id that says something: of the part, and of the files that its
/// state has as attachments.
///
/// Leaving out what is found of ids would not do: relations are looked at only where the shape is
/// right. No relation within a part is about these ids.
fn with_stand_ins(mut part: Value) -> Value {
    if let Some(holder) = part.as_object_mut() {
        put_stand_ins(holder);
    }
    let attachments = part.pointer_mut("/state/attachments").and_then(Value::as_array_mut);
    for file in attachments.into_iter().flatten() {
        if let Some(holder) = file.as_object_mut() {
            put_stand_ins(holder);
        }
    }
    part
}

fn put_stand_ins(holder: &mut Map) {
    for name in IDS {
        if let Some(Value::String(id)) = holder.get_mut(name).filter(|id| **id != "") {
            STAND_IN.clone_into(id);
        }
    }
}

/// Returns a finding as this profile has it: of the form of ids, only emptiness counts.
fn of_opaque_id(mut finding: Finding) -> Option<Finding> {
    if IDS.contains(&finding.pointer.rsplit('/').next().unwrap_or("")) {
        match finding.rule.as_str() {
            "shape/pattern" => return None,
            "shape/min-length" => finding.expected = Some("at least 1".to_owned()),
            _ => {}
        }
    }
    Some(finding)
}

// -------------------------------------------------------------------------------------------------
// What a finished message has to be beside what its schema says: BR-11, BR-14, placeholders.

/// How a message is looked at.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub finished: bool,
    pub compacting: bool,
}

/// Returns what is wrong with a message: the schema's findings first, then those of building.
pub(crate) fn message_findings(document: &Value, how: How) -> Result<Vec<Finding>, Error> {
    let mut found = check(binding("session.WithParts", LATEST_VERSION)?, document);
    let info = document.get("info");
    let member = |name: &str| info.and_then(|info| info.get(name));
    let parts = document.get("parts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if member("summary").is_some() && !how.compacting {
        let message = "A summary is made only when the context is compacted";
        let finding =
            Finding::error("session/summary-without-compaction", "/info/summary", message);
        found.push(finding.expected("no summary, or a builder that is compacting"));
    }
    if how.finished && member("role").and_then(Value::as_str) == Some("assistant") {
        found.extend(completion_findings(member("time"), parts));
    }
    for (index, part) in parts.iter().enumerate() {
        found.extend(placeholder_finding(part, &format!("/parts/{index}")));
    }
    Ok(found)
}

fn completion_findings(time: Option<&Value>, parts: &[Value]) -> Vec<Finding> {
    if time.and_then(Value::as_object).is_some_and(|time| !time.contains_key("completed")) {
        let message = "The message is finished, and does not say since when";
        let finding = Finding::error("session/not-completed", "/info/time", message);
        return vec![finding.expected("a member completed")];
    }
    let early = parts.iter().enumerate().filter_map(|(index, part)| {
        let status = part.get("state")?.get("status")?;
        if !matches!(status.as_str(), Some("pending" | "awaiting_approval" | "running")) {
            return None;
        }
        let pointer = format!("/parts/{index}/state/status");
        let message = "The message is complete, and a tool call of it is not";
        let finding = Finding::error("session/completed-early", &pointer, message);
        Some(finding.expected("completed, error or denied").actual(clip(status)))
    });
    early.collect()
}

/// Returns the warning for a tool part whose output is the placeholder.
pub(crate) fn placeholder_finding(part: &Value, pointer: &str) -> Option<Finding> {
    let output = part.get("state")?.get("output")?.as_str()?;
    if output != EMPTY_OUTPUT_PLACEHOLDER {
        return None;
    }
    let message = "The tool had no output: a placeholder stands for it";
    let pointer = format!("{pointer}/state/output");
    let finding = Finding::of("session/placeholder-output", &pointer, message);
    let finding = finding.expected("the tool's output");
    Some(finding.actual(clip_text(EMPTY_OUTPUT_PLACEHOLDER)))
}

/// Returns the call id of a tool part; None for other parts, and for an id that is not a string.
pub(crate) fn call_id_of(part: &Value) -> Option<&str> {
    let is_tool = part.get("type").and_then(Value::as_str) == Some("tool");
    part.get("callID").and_then(Value::as_str).filter(|_| is_tool)
}
