//! The states, made and moved on under the names that the document gives them.
//!
//! What they do is [`transition`](super::transition)'s; the types say which state comes out.

use crate::json::{Value, json};
use serde::Serialize;

use crate::contract::current::session::{
    ToolApproval, ToolStateAwaitingApproval, ToolStateCompleted, ToolStateDenied, ToolStateError,
    ToolStatePending, ToolStateRunning,
};
use crate::contract::types::{Contract, Map};
use crate::errors::Error;
use crate::reading::read::into_type;
use crate::session::transitions::{Moved, StateFields, owned, transition_value, wire_of};

/// Returns a call that waits: `raw` is the argument text as the model wrote it.
///
/// Fails with [`Error::Part`], as all that make a state do.
pub fn create_pending(input: &Map, raw: &str) -> Result<ToolStatePending, Error> {
    made(&json!({"status": "pending", "input": input, "raw": raw}))
}

/// Returns a call that waits until a person has decided; `approval` says what is asked.
pub fn create_awaiting_approval(
    input: &Map,
    raw: &str,
    approval: &ToolApproval,
) -> Result<ToolStateAwaitingApproval, Error> {
    let approval = wire_of(approval)?;
    made(&json!({"status": "awaiting_approval", "input": input, "raw": raw, "approval": approval}))
}

/// Returns a call that was not approved; `error` is what the model got instead of a result.
pub fn create_denied(
    input: &Map,
    approval: &ToolApproval,
    error: Option<&str>,
) -> Result<ToolStateDenied, Error> {
    let approval = wire_of(approval)?;
    let mut state = json!({"status": "denied", "input": input, "approval": approval});
    if let (Some(error), Value::Object(members)) = (error, &mut state) {
        members.insert("error".to_owned(), error.into());
    }
    made(&state)
}

/// Returns a call that has been running since `start`.
pub fn create_running(
    input: &Map,
    title: Option<&str>,
    start: u64,
) -> Result<ToolStateRunning, Error> {
    let mut state = json!({"status": "running", "input": input, "time": {"start": start}});
    if let (Some(title), Value::Object(members)) = (title, &mut state) {
        members.insert("title".to_owned(), title.into());
    }
    made(&state)
}

/// Returns a call that has run from `start_time` to `end_time`.
pub fn create_completed(
    input: &Map,
    output: &str,
    title: &str,
    metadata: &Map,
    start_time: u64,
    end_time: u64,
) -> Result<ToolStateCompleted, Error> {
    made(&json!({
        "status": "completed",
        "input": input,
        "output": output,
        "title": title,
        "metadata": metadata,
        "time": {"start": start_time, "end": end_time},
    }))
}

/// Returns a call that failed at `end_time`.
pub fn create_error(
    input: &Map,
    error: &str,
    start_time: u64,
    end_time: u64,
) -> Result<ToolStateError, Error> {
    let time = json!({"start": start_time, "end": end_time});
    made(&json!({"status": "error", "input": input, "error": error, "time": time}))
}

/// Returns the call as it waits until a person has decided; `approval` says what is asked, and
/// `given` may have metadata.
///
/// Fails as [`transition`](crate::session::transitions::transition) does.
pub fn pending_to_awaiting_approval(
    state: &ToolStatePending,
    approval: ToolApproval,
    given: StateFields,
) -> Result<ToolStateAwaitingApproval, Error> {
    moved(state, "awaiting_approval", StateFields { approval: Some(approval), ..given })
}

/// Returns the call as it begins to run, since it is approved: its `decision` is `approved`.
///
/// `approval` is the answer: its `id`, and what is put over the members of the request; `given` may
/// have title and metadata. Fails as [`transition`](crate::session::transitions::transition) does,
/// for another id or decision, too.
pub fn awaiting_approval_to_running(
    state: &ToolStateAwaitingApproval,
    approval: ToolApproval,
    start: u64,
    given: StateFields,
) -> Result<ToolStateRunning, Error> {
    let approval = Some(approval);
    moved(state, "running", StateFields { approval, start: Some(start), ..given })
}

/// Returns the call as it was not approved: any `decision` but `approved`, or none.
///
/// `approval` as for [`awaiting_approval_to_running`]; `given` may have metadata, and as error what
/// the model got instead of a result. Fails as
/// [`transition`](crate::session::transitions::transition) does.
pub fn awaiting_approval_to_denied(
    state: &ToolStateAwaitingApproval,
    approval: ToolApproval,
    given: StateFields,
) -> Result<ToolStateDenied, Error> {
    moved(state, "denied", StateFields { approval: Some(approval), ..given })
}

/// Returns the call as it begins to run at `start`; `given` may have title and metadata.
///
/// Fails as [`transition`](crate::session::transitions::transition) does.
pub fn pending_to_running(
    state: &ToolStatePending,
    start: u64,
    given: StateFields,
) -> Result<ToolStateRunning, Error> {
    moved(state, "running", StateFields { start: Some(start), ..given })
}

/// Returns the call as it ended well at `end_time`; `given` may have what else such a state takes.
///
/// Fails as [`transition`](crate::session::transitions::transition) does.
pub fn running_to_completed(
    state: &ToolStateRunning,
    output: &str,
    end_time: u64,
    given: StateFields,
) -> Result<ToolStateCompleted, Error> {
    let output = Some(output.to_owned());
    moved(state, "completed", StateFields { output, end: Some(end_time), ..given })
}

/// Returns the call as it failed at `end_time`; `given` may have metadata.
///
/// Fails as [`transition`](crate::session::transitions::transition) does.
pub fn running_to_error(
    state: &ToolStateRunning,
    error: &str,
    end_time: u64,
    given: StateFields,
) -> Result<ToolStateError, Error> {
    let error = Some(error.to_owned());
    moved(state, "error", StateFields { error, end: Some(end_time), ..given })
}

fn made<T: Contract>(state: &Value) -> Result<T, Error> {
    into_type(owned(state)?)
}

fn moved<T: Contract>(state: &impl Serialize, to: &str, given: StateFields) -> Result<T, Error> {
    let before = wire_of(state)?;
    match transition_value(&before, to, &given.into_map()?)? {
        Moved::State(after) => into_type(after),
        Moved::Same => into_type(before),
    }
}
