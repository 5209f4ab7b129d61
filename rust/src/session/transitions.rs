//! Sessions: tool states and how they move on, parts, and messages built of them.
//!
//! The tool state machine: pending, perhaps awaiting approval, running, then completed or error. A
//! call that waits for approval runs once its `decision` is `approved`, and is denied otherwise; the
//! approval stays with the call from then on.
//!
//! The table of transitions is data of the schema; here are the functions that move states on.
//! They are pure: they return new states. Nothing here reads a clock: every time is passed in, in
//! milliseconds since the epoch.

use std::collections::BTreeSet;

use crate::json::Value;
use serde::Serialize;

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::current::session::{FilePart, ToolApproval, ToolState};
use crate::contract::current::vocabulary::TRANSITIONS;
use crate::contract::types::Map;
use crate::errors::{Error, Finding, InvalidTransition, clip, clip_object, clip_text};
use crate::reading::read::{check, closed, into_type};
use crate::session::moves::{
    rewritten, to_awaiting, to_completed, to_denied, to_error, to_running,
};
pub use crate::tables::tool_states::EMPTY_OUTPUT_PLACEHOLDER;
use crate::tables::tool_states::{STATES, StateRow};

const TYPE: &str = "session.ToolState";

/// What becomes of an empty output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EmptyOutput {
    /// It is refused.
    #[default]
    Reject,
    /// [`EMPTY_OUTPUT_PLACEHOLDER`] replaces it.
    Placeholder,
}

/// What a move may be given; times are milliseconds since the epoch.
///
/// pending takes `input`, `raw`; `awaiting_approval` takes `approval`, `metadata`; running `start`,
/// `title`, `metadata`, `approval`; completed `output`, `end`, `title`, `tool`, `metadata`,
/// `attachments`, `empty_output`; error `error`, `end`, `metadata`; denied `approval`, `error`,
/// `metadata`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateFields {
    /// The arguments of the call.
    pub input: Option<Map>,
    /// The argument text, as the model wrote it.
    pub raw: Option<String>,
    /// When it began to run.
    pub start: Option<u64>,
    /// When it ended.
    pub end: Option<u64>,
    /// What the tool gave back.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// What people see of it.
    pub title: Option<String>,
    /// The tool's name, which a title falls back to.
    pub tool: Option<String>,
    /// Members are put over those of the state before.
    pub metadata: Option<Map>,
    /// Files that the tool gave back.
    pub attachments: Option<Vec<FilePart>>,
    /// What becomes of an empty output; it is refused where absent.
    pub empty_output: Option<EmptyOutput>,
    /// What was asked and decided. Members are put over those of the state before, in its `time`
    /// too; its `id` never changes.
    pub approval: Option<ToolApproval>,
}

impl StateFields {
    pub(crate) fn into_map(self) -> Result<Map, Error> {
        let attachments = self.attachments.map(|files| crate::json::to_value(&files)).transpose();
        let attachments = attachments.map_err(|cause| {
            let message = format!("No JSON value: {cause}");
            Error::Part(vec![Finding::error("shape/type", "/attachments", &message)])
        })?;
        let approval = self.approval.map(|approval| wire_of(&approval)).transpose()?;
        let empty = self.empty_output.map(|policy| match policy {
            EmptyOutput::Reject => "reject",
            EmptyOutput::Placeholder => "placeholder",
        });
        let rows = [
            ("input", self.input.map(Value::Object)),
            ("raw", self.raw.map(Value::from)),
            ("start", self.start.map(Value::from)),
            ("end", self.end.map(Value::from)),
            ("output", self.output.map(Value::from)),
            ("error", self.error.map(Value::from)),
            ("title", self.title.map(Value::from)),
            ("tool", self.tool.map(Value::from)),
            ("metadata", self.metadata.map(Value::Object)),
            ("attachments", attachments),
            ("emptyOutput", empty.map(Value::from)),
            ("approval", approval),
        ];
        let given = rows.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Ok(given.collect())
    }
}

/// What a move gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Moved<T> {
    /// The state says already what was to be said.
    Same,
    /// The new state.
    State(T),
}

impl<T> Moved<T> {
    fn try_map<U>(self, change: impl FnOnce(T) -> Result<U, Error>) -> Result<Moved<U>, Error> {
        Ok(match self {
            Self::Same => Moved::Same,
            Self::State(state) => Moved::State(change(state)?),
        })
    }
}

/// Returns the states that may follow a state.
#[must_use]
pub fn followers(status: &str) -> &'static [&'static str] {
    let table = TRANSITIONS.iter().find(|(place, _)| *place == TYPE);
    let row = table.and_then(|(_, rows)| rows.iter().find(|(state, _)| *state == status));
    row.map_or(&[], |(_, after)| after)
}

/// Moves `state` on to the status `to`.
///
/// The same status again is [`Moved::Same`] where the fields given say what the state says; a
/// running state may get another title and more metadata. Fails with [`Error::Transition`]
/// (`session/invalid-transition`, `session/state-changed`), [`Error::Part`], and [`Error::Usage`]
/// for fields that are missing or not taken.
pub fn transition(
    state: &ToolState,
    to: &str,
    fields: StateFields,
) -> Result<Moved<ToolState>, Error> {
    transition_value(&wire_of(state)?, to, &fields.into_map()?)?.try_map(into_type)
}

/// Returns a running state that has run for `timeout_ms` or longer as an error at `now`; every
/// other state is [`Moved::Same`].
///
/// A timeout of 0 ends whatever runs: at its start if the clock has gone back behind it.
pub fn expire(
    state: &ToolState,
    now: u64,
    timeout_ms: u64,
    error: Option<&str>,
) -> Result<Moved<ToolState>, Error> {
    expire_value(&wire_of(state)?, &now.into(), &timeout_ms.into(), error)?.try_map(into_type)
}

/// Returns a call that fails before it ran: it walks through running, and ends at `now`.
///
/// The error state that this gave may be given again.
pub fn fail_pending(state: &ToolState, error: &str, now: u64) -> Result<Moved<ToolState>, Error> {
    fail_pending_value(&wire_of(state)?, &error.into(), &now.into())?.try_map(into_type)
}

/// Returns a value as the JSON value that it is written as, valid or not.
pub(crate) fn wire_of(value: &impl Serialize) -> Result<Value, Error> {
    crate::json::to_value(value).map_err(|cause| {
        let message = format!("No JSON value: {cause}");
        Error::Part(vec![Finding::error("shape/type", "", &message)])
    })
}

// --- on JSON values -----------------------------------------------------------------------------

/// What [`transition`] does, on JSON values; fields are named as in documents.
#[doc(hidden)]
pub fn transition_value(state: &Value, to: &str, fields: &Map) -> Result<Moved<Value>, Error> {
    let current = status_of(state)?;
    if to != current && !followers(current).contains(&to) {
        return Err(not_allowed(current, to));
    }
    let mut given = fields.clone();
    given.retain(|_, value| !value.is_null());
    let StateRow { takes, needs, .. } = row_of(to)?;
    if let Some(name) = given.keys().find(|name| !takes.contains(&name.as_str())) {
        let message = format!("{to} takes no such field");
        return Err(Error::argument(&message, &takes.join(", "), &Value::from(name.as_str())));
    }
    let state = owned(state)?;
    let Value::Object(before) = &state else {
        return Err(Error::Part(vec![no_state(&state)]));
    };
    if to == current {
        return again(before, &given);
    }
    if let Some(name) = needs.iter().find(|name| !given.contains_key(name)) {
        let finding = Finding::error("usage/invalid-argument", "", &format!("{to} needs {name}"));
        return Err(Error::Usage(vec![finding.expected(*name).actual(clip_object(&given))]));
    }
    let made = match to {
        "awaiting_approval" => to_awaiting(before, &given),
        "running" => to_running(before, &given),
        "completed" => to_completed(before, &given)?,
        "denied" => to_denied(before, &given),
        _ => to_error(before, &given),
    };
    let made = owned(&made)?;
    check_approval(&state, &made)?;
    Ok(Moved::State(made))
}

/// Refuses an answer to another question than the one that waits, and a run without a yes.
fn check_approval(before: &Value, made: &Value) -> Result<(), Error> {
    let (current, to) = (status_of(before)?, status_of(made)?);
    let id = |state: &Value| state.pointer("/approval/id").cloned();
    if current == "awaiting_approval" && id(made) != id(before) {
        return Err(state_changed(current, "approval"));
    }
    let runs = to == "running";
    let Some(approval) = made.get("approval").filter(|_| runs || to == "denied") else {
        return Ok(());
    };
    let decision = approval.get("decision").and_then(Value::as_str);
    if runs == (decision == Some("approved")) {
        return Ok(());
    }
    let message = "A call that needs approval runs once it is approved, and is denied otherwise";
    let finding = Finding::error("session/invalid-transition", "/approval/decision", message)
        .expected(if runs { "approved" } else { "another decision than approved" });
    let finding = match decision {
        Some(decision) => finding.actual(clip_text(decision)),
        None => finding,
    };
    Err(invalid(finding, current, to))
}

/// What [`expire`] does, on JSON values.
#[doc(hidden)]
pub fn expire_value(
    state: &Value,
    now: &Value,
    timeout_ms: &Value,
    error: Option<&str>,
) -> Result<Moved<Value>, Error> {
    let time = |name: &str, value: &Value| {
        // Times beyond what a state may hold are refused where one would hold them.
        value.as_u64().ok_or_else(|| {
            let message = format!("{name} is a time in milliseconds");
            Error::argument(&message, "an integer from 0 on", value)
        })
    };
    let (now, timeout) = (time("now", now)?, time("timeout_ms", timeout_ms)?);
    if status_of(state)? != "running" {
        return Ok(Moved::Same);
    }
    let state = owned(state)?;
    let start = state.pointer("/time/start").and_then(Value::as_u64).unwrap_or(0);
    if timeout > 0 && now.saturating_sub(start) < timeout {
        return Ok(Moved::Same);
    }
    let said = error.filter(|error| !error.is_empty()).map(str::to_owned);
    let said = said.unwrap_or_else(|| format!("Timed out after {timeout} ms"));
    let mut fields = Map::new();
    fields.insert("error".to_owned(), Value::from(said));
    fields.insert("end".to_owned(), Value::from(now.max(start)));
    transition_value(&state, "error", &fields)
}

/// What [`fail_pending`] does, on JSON values.
#[doc(hidden)]
pub fn fail_pending_value(
    state: &Value,
    error: &Value,
    now: &Value,
) -> Result<Moved<Value>, Error> {
    let status = status_of(state)?;
    if status == "running" {
        let message = "A call that is running has begun already: it is no longer pending";
        let finding = Finding::error("session/state-changed", "/time", message);
        return Err(invalid(finding.expected("a call that is pending"), status, status));
    }
    let mut end = Map::new();
    end.insert("error".to_owned(), error.clone());
    end.insert("end".to_owned(), now.clone());
    if status == "error" {
        return transition_value(state, "error", &end);
    }
    let mut start = Map::new();
    start.insert("start".to_owned(), now.clone());
    match transition_value(state, "running", &start)? {
        Moved::State(running) => transition_value(&running, "error", &end),
        Moved::Same => Ok(Moved::Same),
    }
}

fn row_of(status: &str) -> Result<&'static StateRow, Error> {
    let row = STATES.iter().find(|(known, _)| *known == status);
    row.map(|(_, row)| row).ok_or_else(|| Error::Part(vec![no_state(&Value::from(status))]))
}

fn status_of(state: &Value) -> Result<&'static str, Error> {
    let status = state.get("status").and_then(Value::as_str).unwrap_or("");
    if let Some((status, _)) = STATES.iter().find(|(known, _)| *known == status) {
        return Ok(status);
    }
    let mut found = check(binding(TYPE, LATEST_VERSION)?, state);
    found.retain(Finding::is_error);
    Err(Error::Part(if found.is_empty() { vec![no_state(state)] } else { found }))
}

fn no_state(state: &Value) -> Finding {
    let message = "Not one of the tool states";
    Finding::error("shape/type", "", message).expected("a state").actual(clip(state))
}

/// Returns a state without what is not known; fails with [`Error::Part`] where it is not valid.
pub(crate) fn owned(state: &Value) -> Result<Value, Error> {
    let binding = binding(TYPE, LATEST_VERSION)?;
    closed(binding, state).map_err(|error| match error {
        Error::Write(found) => Error::Part(found),
        other => other,
    })
}

fn invalid(finding: Finding, current: &str, attempted: &str) -> Error {
    let (current, attempted) = (current.to_owned(), attempted.to_owned());
    Error::Transition(Box::new(InvalidTransition { finding, current, attempted }))
}

fn not_allowed(current: &str, to: &str) -> Error {
    let followers = followers(current).join(", ");
    let expected = if followers.is_empty() { "no other state".to_owned() } else { followers };
    let message = format!("A call that is {current} cannot become {}", clip_text(to));
    let finding = Finding::error("session/invalid-transition", "/status", &message);
    invalid(finding.expected(expected).actual(clip_text(to)), current, to)
}

fn state_changed(current: &str, member: &str) -> Error {
    let message = format!("A call that is {current} already has another {member}");
    let finding = Finding::error("session/state-changed", &format!("/{member}"), &message);
    invalid(finding.expected("the same content"), current, current)
}

// --- the same status again, or a state that was made elsewhere -------------------------------------

/// Returns the same status with what is given.
pub(crate) fn again(state: &Map, given: &Map) -> Result<Moved<Value>, Error> {
    if given.is_empty() {
        return Ok(Moved::Same);
    }
    let after = owned(&Value::Object(rewritten(state, given)?))?;
    same_status(state, after)
}

/// Returns the state that is there with what may change in it; refuses everything else.
fn same_status(state: &Map, after: Value) -> Result<Moved<Value>, Error> {
    let status = state.get("status").and_then(Value::as_str).unwrap_or("");
    let changed = changed(state, &after);
    let open = row_of(status)?.may_change;
    if let Some(name) = changed.iter().find(|name| !open.contains(&name.as_str())) {
        return Err(state_changed(status, name));
    }
    Ok(if changed.is_empty() { Moved::Same } else { Moved::State(after) })
}

/// Returns the names of the members that are not the same, in their order.
fn changed(before: &Map, after: &Value) -> BTreeSet<String> {
    let empty = Map::new();
    let members = after.as_object().unwrap_or(&empty);
    let names = before.keys().chain(members.keys());
    let is_changed = |name: &&String| !same_member(before.get(name), members.get(name));
    names.filter(is_changed).cloned().collect()
}

/// Returns a state that was made elsewhere, if it may follow `before`; input, start and approval
/// stay, and only a call that waits gets its decision.
pub(crate) fn followed(before: &Value, after: &Value) -> Result<Moved<Value>, Error> {
    let (current, to) = (status_of(before)?, status_of(after)?);
    if to != current && !followers(current).contains(&to) {
        return Err(not_allowed(current, to));
    }
    let made = owned(after)?;
    let empty = Map::new();
    let state = before.as_object().unwrap_or(&empty);
    if to == current {
        return same_status(state, made);
    }
    let changed = changed(state, &made);
    if current == "running" && changed.contains("approval") {
        return Err(state_changed(current, "approval"));
    }
    if changed.contains("input") {
        return Err(state_changed(current, "input"));
    }
    let start = |state: &Value| state.pointer("/time/start").cloned();
    if current == "running" && to != "pending" && start(before) != start(&made) {
        return Err(state_changed(current, "time"));
    }
    check_approval(before, &made)?;
    Ok(Moved::State(made))
}

fn same_member(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Tells whether two JSON values are equal: numbers as numbers, members without order.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.is_same_double(*other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let fits = |(name, member): (&String, &Value)| {
                other.get(name).is_some_and(|each| same(member, each))
            };
            one.len() == other.len() && one.iter().all(fits)
        }
        _ => one == other,
    }
}
