//! Checks that two queue messages belong together: what one of them alone does not show.
//!
//! Ids are compared as UUIDs, of either case. What a document states is an error. That a reply
//! carries the trace on is stated nowhere: a reply that does not is a warning.

use std::collections::HashMap;

use crate::json::Value;

use crate::contract::current::envelope::ReportResultRequest;
use crate::contract::types::Contract;
use crate::envelope::wire_of;
use crate::errors::{Error, Finding, clip, clip_text};
use crate::json::fields::same as same_json;

type Check = fn(&Value, &Value) -> Option<Finding>;

const RETRY: &[Check] = &[same_task, raised_count, own_message_id, same_trace];
const PAIRS: [(&str, &str, &[Check]); 6] = [
    ("GetContextRequest", "PromptBlocksResponse", &[own_message_id, same_trace]),
    ("ToolCallRequest", "ToolCallResponse", &[same_invocation, own_message_id, same_trace]),
    (
        "ReportResultRequest",
        "EvaluationRequest",
        &[same_task, same_results, own_message_id, same_trace],
    ),
    ("EvaluationRequest", "EvaluationResponse", &[same_task, own_message_id, same_trace]),
    ("TaskEvent", "RetryEvent", RETRY),
    ("RetryEvent", "RetryEvent", RETRY),
];

/// Returns what keeps `reply` from following from `message`; empty if nothing does.
///
/// The pairs: `GetContextRequest` and `PromptBlocksResponse`, `ToolCallRequest` and
/// `ToolCallResponse`, `ReportResultRequest` and `EvaluationRequest`, `EvaluationRequest` and
/// `EvaluationResponse`, a `TaskEvent` or `RetryEvent` and a `RetryEvent`. Pointers lead into the
/// reply; errors come first. Findings: `envelope/invocation-mismatch`, `envelope/task-mismatch`,
/// `envelope/results-changed`, `envelope/retry-not-raised`, `envelope/message-id-reused`, and the
/// warning `envelope/trace-mismatch`. Fails with [`Error::Usage`] for any other pair.
pub fn check_reply<M: Contract, R: Contract>(
    message: &M,
    reply: &R,
) -> Result<Vec<Finding>, Error> {
    check_reply_value(M::TYPE, &wire_of(message)?, R::TYPE, &wire_of(reply)?)
}

/// What [`check_reply`] does, of JSON values by the names of their types.
pub fn check_reply_value(
    name: &str,
    message: &Value,
    reply_name: &str,
    reply: &Value,
) -> Result<Vec<Finding>, Error> {
    let plain = |name: &str| name.strip_prefix("envelope.").unwrap_or("").to_owned();
    let (before, after) = (plain(name), plain(reply_name));
    let pair = PAIRS.iter().find(|(one, other, _)| (*one, *other) == (&before, &after));
    let Some((_, _, checks)) = pair else {
        let replies = PAIRS.iter().filter(|(one, ..)| *one == before).map(|(_, other, _)| *other);
        let replies: Vec<&str> = replies.collect();
        let expected = if replies.is_empty() {
            "a message that has a reply".to_owned()
        } else {
            replies.join(" or ")
        };
        let message = format!("{} is not a reply to {}", clip_text(reply_name), clip_text(name));
        return Err(Error::argument(&message, &expected, &Value::from(reply_name)));
    };
    Ok(checks.iter().filter_map(|check| check(message, reply)).collect())
}

/// Returns what does not fit between a report and the tool calls that were made.
///
/// `invocation_ids` are the calls' (`invocation_id` of each `ToolCallRequest`). A result of another
/// call is an error (`envelope/unknown-invocation`), a call without result a warning
/// (`envelope/unanswered-invocation`). Two results of one call show in the report itself
/// (`envelope/duplicate-invocation`, by reading).
pub fn check_tool_results<'a>(
    report: &ReportResultRequest,
    invocation_ids: impl IntoIterator<Item = &'a str>,
) -> Vec<Finding> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut open: Vec<Option<&str>> = Vec::new();
    for id in invocation_ids {
        let place = *places.entry(id.to_lowercase()).or_insert(open.len());
        match open.get_mut(place) {
            Some(known) => *known = Some(id),
            None => open.push(Some(id)),
        }
    }
    let mut found = Vec::new();
    for (index, result) in report.tool_results.iter().enumerate() {
        let id = &result.invocation_id;
        if let Some(place) = places.get(&id.to_lowercase()) {
            if let Some(known) = open.get_mut(*place) {
                *known = None;
            }
            continue;
        }
        let pointer = format!("/tool_results/{index}/invocation_id");
        let message = "The report has a result of a call that was not made";
        let finding = Finding::error("envelope/unknown-invocation", &pointer, message);
        let expected = "the invocation_id of a call that was made";
        found.push(finding.expected(expected).actual(clip_text(id)));
    }
    let unanswered = open.into_iter().flatten().map(|id| {
        let message = "The report has no result of a call that was made";
        Finding::of("envelope/unanswered-invocation", "/tool_results", message)
            .expected(format!("a result of {}", clip_text(id)))
    });
    found.extend(unanswered);
    found
}

fn text<'a>(message: &'a Value, name: &str) -> &'a str {
    message.get(name).and_then(Value::as_str).unwrap_or("")
}

fn same_id(message: &Value, reply: &Value, name: &str, rule: &str, words: &str) -> Option<Finding> {
    let (expected, actual) = (text(message, name), text(reply, name));
    if expected.to_lowercase() == actual.to_lowercase() {
        return None;
    }
    let finding = Finding::error(rule, &format!("/{name}"), words);
    Some(finding.expected(clip_text(expected)).actual(clip_text(actual)))
}

fn same_task(message: &Value, reply: &Value) -> Option<Finding> {
    let words = "The reply is about another task";
    same_id(message, reply, "task_id", "envelope/task-mismatch", words)
}

fn same_invocation(message: &Value, reply: &Value) -> Option<Finding> {
    let words = "The response answers another call";
    same_id(message, reply, "invocation_id", "envelope/invocation-mismatch", words)
}

fn own_message_id(message: &Value, reply: &Value) -> Option<Finding> {
    let given = text(reply, "message_id");
    if text(message, "message_id").to_lowercase() != given.to_lowercase() {
        return None;
    }
    let words = "The reply has the message id of what it replies to";
    let finding = Finding::error("envelope/message-id-reused", "/message_id", words);
    Some(finding.expected("a different id").actual(clip_text(given)))
}

fn same_trace(message: &Value, reply: &Value) -> Option<Finding> {
    let expected = message.get("trace_id")?;
    let given = reply.get("trace_id");
    if given == Some(expected) {
        return None;
    }
    let pointer = if given.is_some() { "/trace_id" } else { "" };
    let words = "The reply does not carry the trace on";
    let finding = Finding::of("envelope/trace-mismatch", pointer, words).expected(clip(expected));
    Some(finding.actual(given.map_or("no trace_id".to_owned(), clip)))
}

fn same_results(message: &Value, reply: &Value) -> Option<Finding> {
    let results = |message: &Value| message.get("task_results").cloned().unwrap_or_default();
    let (expected, actual) = (results(message), results(reply));
    if same_json(&expected, &actual) {
        return None;
    }
    let words = "The results to be evaluated are not those that were reported";
    let finding = Finding::error("envelope/results-changed", "/task_results", words);
    Some(finding.expected(clip(&expected)).actual(clip(&actual)))
}

fn raised_count(message: &Value, reply: &Value) -> Option<Finding> {
    let count = |message: &Value| message.get("retry_count").and_then(Value::as_u64).unwrap_or(0);
    let (before, after) = (count(message), count(reply));
    if after > before {
        return None;
    }
    let words = "The retry does not raise the count of the task that it retries";
    let finding = Finding::error("envelope/retry-not-raised", "/retry_count", words);
    Some(finding.expected(format!("more than {before}")).actual(after.to_string()))
}
