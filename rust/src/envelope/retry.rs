//! The event that has a task tried again.

use crate::json::{Value, json};

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::current::envelope::RetryEvent;
use crate::contract::types::Contract;
use crate::contract::versions::{VERSIONS, Version};
use crate::convert::versions::migrate::{MigrateOptions, migrate};
use crate::envelope::wire_of;
use crate::errors::{Error, Finding, clip_text};
use crate::reading::read::{closed, into_type};

const RETRY: &str = "envelope.RetryEvent";
const TASKS: [&str; 2] = ["envelope.TaskEvent", RETRY];

/// The id of a message that is sent, and when that is: RFC 3339, with a zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// A new UUID.
    pub message_id: String,
    /// The time of sending.
    pub sent_at: String,
}

/// Returns the event that has a task tried again: `retry_count` is one more.
///
/// `task` is a `TaskEvent` or a `RetryEvent`. Task, payload and trace stay. Where no version is
/// given, a retry is written by the version of the task: a reader of the task can read the retry.
/// Of a version that is not known, it is written by ours. Fails with [`Error::Exhausted`]
/// `envelope/attempts-exhausted` where the count would pass `max_attempts`, [`Error::Write`]
/// `envelope/message-id-reused` where the id is that of the task, and for what cannot be written,
/// [`Error::Usage`] for what is not such an event.
pub fn retry_event<T: Contract>(
    task: &T,
    sent: &Sent,
    version: Option<Version>,
) -> Result<RetryEvent, Error> {
    into_type(retry_event_value(T::TYPE, &wire_of(task)?, sent, version)?)
}

/// What [`retry_event`] does, of a JSON value by the name of its type.
pub fn retry_event_value(
    name: &str,
    task: &Value,
    sent: &Sent,
    version: Option<Version>,
) -> Result<Value, Error> {
    if !TASKS.contains(&name) {
        let message = "task_event is wrong";
        return Err(Error::argument(message, "a TaskEvent or RetryEvent", &Value::from(name)));
    }
    let member = |name: &str| task.get(name).cloned().unwrap_or_default();
    let count = member("retry_count").as_u64().unwrap_or(0).saturating_add(1);
    let most = member("max_attempts").as_u64().unwrap_or(0);
    if count > most {
        let message = "One retry more is asked for than the task's sender allows";
        let finding = Finding::error("envelope/attempts-exhausted", "/retry_count", message)
            .expected(format!("at most {most} (max_attempts)"))
            .actual(count.to_string());
        return Err(Error::Exhausted(Box::new(finding)));
    }
    let mut event = json!({
        "message_id": sent.message_id,
        "sent_at": sent.sent_at,
        "schema_version": LATEST_VERSION.as_str(),
        "message_type": "RetryEvent",
        "task_id": member("task_id"),
        "payload": member("payload"),
        "retry_count": count,
        "max_attempts": most,
    });
    if let (Some(members), Some(trace)) = (event.as_object_mut(), task.get("trace_id")) {
        members.insert("trace_id".to_owned(), trace.clone());
    }
    let event = closed(binding(RETRY, LATEST_VERSION)?, &event)?;
    let event = as_version(event, version.unwrap_or_else(|| own_version(task)))?;
    check_own_id(&sent.message_id, task)?;
    Ok(event)
}

/// Returns the version that a message declares, or ours where that is not known.
fn own_version(task: &Value) -> Version {
    let declared = task.get("schema_version").and_then(Value::as_str).unwrap_or("");
    let known = VERSIONS.iter().find(|version| version.as_str() == declared);
    known.copied().unwrap_or(LATEST_VERSION)
}

/// Returns an event as services write it that speak a version.
fn as_version(event: Value, version: Version) -> Result<Value, Error> {
    if version == LATEST_VERSION {
        return Ok(event);
    }
    let options = MigrateOptions { to: version, from: Some(LATEST_VERSION), strict: true };
    migrate(&event, RETRY, &options).map(|made| made.value)
}

fn check_own_id(message_id: &str, task: &Value) -> Result<(), Error> {
    let before = task.get("message_id").and_then(Value::as_str).unwrap_or("");
    if before.to_lowercase() != message_id.to_lowercase() {
        return Ok(());
    }
    // A queue that knows messages by their id would drop it as a duplicate of its own task.
    let message = "The message id is that of the event that is retried";
    let finding = Finding::error("envelope/message-id-reused", "/message_id", message);
    Err(Error::Write(vec![finding.expected("a different id").actual(clip_text(message_id))]))
}
