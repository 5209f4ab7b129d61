//! Validation of parts, and which of them a model sees.

use serde_json::Value;

use crate::catalog::{LATEST_VERSION, binding};
use crate::documents::check_depth;
use crate::error::{Error, Finding, Severity};
use crate::reading::check;
use crate::session::build_rules::placeholder_finding;
use crate::types::Map;
use crate::v0_2::session::{Part, ValidationFinding, ValidationFindingSeverity, ValidationResult};

const IDS: [&str; 2] = ["sessionID", "messageID"];
const STAND_IN: &str = "00000000-0000-4000-8000-000000000000";

/// Which ids of sessions and messages are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IdProfile {
    /// UUIDs, as reading and writing want them.
    #[default]
    Uuid,
    /// Any that are not empty: for data of systems whose ids are no UUIDs.
    Opaque,
}

/// Says whether a JSON value is a valid part, whatever it is.
///
/// Findings come in document order; warnings among them leave the part valid. Source: requirements
/// S002-38.
#[must_use]
pub fn validate_part(part: &Value, profile: IdProfile) -> ValidationResult {
    let found = part_findings(part, profile);
    ValidationResult {
        valid: !found.iter().any(Finding::is_error),
        findings: found.into_iter().map(as_document).collect(),
    }
}

/// Refuses a JSON value that is no valid part: [`Error::Part`] with all errors.
///
/// Source: requirements S002-53.
pub fn require_part(part: &Value, profile: IdProfile) -> Result<(), Error> {
    let mut found = part_findings(part, profile);
    found.retain(Finding::is_error);
    if found.is_empty() { Ok(()) } else { Err(Error::Part(found)) }
}

/// Returns the parts in order, without text parts that are `ignored`.
///
/// Parts of a type that this version does not know stay. Source: requirements S002-67, S002-68.
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
