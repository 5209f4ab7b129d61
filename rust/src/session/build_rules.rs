//! What a finished message has to be beside what its schema says: BR-11, BR-14, placeholders.

use serde_json::Value;

use crate::catalog::{LATEST_VERSION, binding};
use crate::error::{Error, Finding, Severity, clip, clip_text};
use crate::reading::check;
use crate::session::EMPTY_OUTPUT_PLACEHOLDER;

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
        if !matches!(status.as_str(), Some("pending" | "running")) {
            return None;
        }
        let pointer = format!("/parts/{index}/state/status");
        let message = "The message is complete, and a tool call of it is not";
        let finding = Finding::error("session/completed-early", &pointer, message);
        Some(finding.expected("completed or error").actual(clip(status)))
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
    let finding = Finding::error("session/placeholder-output", &pointer, message);
    let finding = finding.severity(Severity::Warning).expected("the tool's output");
    Some(finding.actual(clip_text(EMPTY_OUTPUT_PLACEHOLDER)))
}

/// Returns the call id of a tool part; None for other parts, and for an id that is no string.
pub(crate) fn call_id_of(part: &Value) -> Option<&str> {
    let is_tool = part.get("type").and_then(Value::as_str) == Some("tool");
    part.get("callID").and_then(Value::as_str).filter(|_| is_tool)
}
