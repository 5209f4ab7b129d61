//! What all bridges share: reading the source, noting losses, building the result.

use std::collections::BTreeSet;

use crate::json::Value;
use crate::json::fields::Fields;

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::versions::{VERSIONS, Version};
use crate::convert::families::context::Context;
use crate::convert::families::times::{instant_of, text_of};
use crate::convert::losses::{Loss, LossSeverity, in_order};
use crate::errors::{Error, Finding, LossRefusal};
use crate::reading::read::{Mode, read_plain};
use crate::reading::tolerant::{items_of, pointer_before, unknown_members_of, without_items};
use crate::tables::limits::LAST_MS;
use crate::tables::losses::{LOSSES, SINCE};

/// The converted value, and what the conversion changed, by place.
#[derive(Clone, Debug, PartialEq)]
pub struct BridgeResult<T> {
    /// The value.
    pub value: T,
    /// What it lost, had to invent, or says in another way; pointers lead into what was converted.
    pub losses: Vec<Loss>,
}

/// Returns the losses that `version` of the contract knows, in order.
///
/// Who serves a reader of an older version the result as that version has it serves the losses
/// that belong to it: what is new since is about members that the older result does not have.
#[must_use]
pub fn losses_for(losses: &[Loss], version: Version) -> Vec<Loss> {
    let is_later = |code| {
        let since = SINCE.iter().find(|(known, _)| *known == code);
        since
            .is_some_and(|(_, since)| VERSIONS.iter().any(|v| *v > version && v.as_str() == *since))
    };
    losses.iter().filter(|loss| !is_later(loss.code)).cloned().collect()
}

/// One conversion: the source as JSON objects, and the losses so far.
pub(crate) struct Work<'a> {
    pub context: &'a Context,
    pub single: bool,
    pub source: Vec<Value>,
    gone: BTreeSet<String>,
    losses: Vec<Loss>,
}

impl<'a> Work<'a> {
    /// Reads the source tolerantly; variants of unknown tags are taken out, and both they and
    /// members that the type does not name are noted.
    ///
    /// Fails with [`Error::Read`] where a source is not a valid document of its type, and with
    /// [`Error::Usage`] for a wrong context.
    pub(crate) fn new(value: &Value, name: &str, context: &'a Context) -> Result<Self, Error> {
        context.check()?;
        let (items, single) = match value {
            Value::Array(items) => (items.as_slice(), false),
            one => (std::slice::from_ref(one), true),
        };
        let mut plain = Vec::new();
        let mut unknown = BTreeSet::new();
        let mut left_out = Vec::new();
        // One by one: in a list, the deepest documents would be a level too deep.
        for (number, item) in items.iter().enumerate() {
            let place = if single { String::new() } else { format!("/{number}") };
            let bound = binding(name, LATEST_VERSION)?;
            let read = read_plain(item, bound, Mode::Tolerant);
            let (value, found) = read.map_err(|error| placed(error, &place))?;
            unknown.extend(found.into_iter().map(|pointer| format!("/{number}{pointer}")));
            plain.push(value);
            let places = unknown_members_of(&bound.room.schemas, bound.name, item.clone());
            left_out.extend(places.into_iter().map(|pointer| format!("/{number}{pointer}")));
        }
        let plain = Value::Array(plain);
        let gone = items_of(&plain, &unknown);
        let source = match if gone.is_empty() { plain } else { without_items(&plain, &gone, "") } {
            Value::Array(source) => source,
            _ => Vec::new(),
        };
        let mut work = Self { context, single, source, gone, losses: Vec::new() };
        for pointer in work.gone.clone() {
            work.add("unknown-variant", &pointer);
        }
        for pointer in left_out {
            work.add("unknown-member", &pointer);
        }
        Ok(work)
    }

    /// A conversion of nothing, whose losses nobody asks for.
    pub(crate) fn quiet(context: &'a Context) -> Self {
        let (source, losses) = (Vec::new(), Vec::new());
        Self { context, single: false, source, gone: BTreeSet::new(), losses }
    }

    /// Notes a loss at a place of the source.
    pub(crate) fn note(&mut self, code: &str, pointer: &str) {
        if self.gone.is_empty() {
            return self.add(code, pointer);
        }
        let before = pointer_before(pointer, &self.gone);
        self.add(code, &before);
    }

    fn add(&mut self, code: &str, pointer: &str) {
        let Some((code, severity, detail)) = LOSSES.iter().find(|(known, ..)| *known == code)
        else {
            return;
        };
        let inner = pointer.get(1..).unwrap_or("");
        let place = match inner.split_once('/') {
            _ if !self.single => pointer,
            // Of one document, the pointers lead into it; a member may have the empty name.
            Some((_, rest)) => pointer.get(pointer.len() - rest.len() - 1..).unwrap_or(""),
            None => "",
        };
        let (pointer, detail) = (place.to_owned(), (*detail).into());
        self.losses.push(Loss { pointer, code, severity: *severity, detail });
    }

    /// Notes what neither a session nor blocks say of a text, whose payload is at `place`.
    pub(crate) fn note_text(&mut self, payload: &Value, place: &str) {
        for (code, name) in [("citation", "citations"), ("text-format", "format")] {
            if payload.has(name) {
                self.note(code, &format!("{place}/{name}"));
            }
        }
    }

    /// Returns the caller's value, or `invented`; both are noted.
    pub(crate) fn given(
        &mut self,
        name: &str,
        pointer: &str,
        code: &str,
        invented: impl Into<Value>,
    ) -> Value {
        let value = self.context.get(name);
        self.note(if value.is_none() { code } else { "given" }, pointer);
        value.cloned().unwrap_or_else(|| invented.into())
    }

    /// Returns a timestamp in milliseconds, and notes what is lost.
    pub(crate) fn ms(&mut self, text: &str, pointer: &str) -> i64 {
        let instant = instant_of(text);
        let ms = instant.ms.clamp(0, LAST_MS);
        if ms != instant.ms {
            self.note("timestamp-range", pointer);
        } else if !instant.exact {
            self.note("timestamp-precision", pointer);
        } else if text_of(ms) != text {
            self.note("timestamp-form", pointer);
        }
        ms
    }

    /// Returns milliseconds as timestamp, and notes what is lost.
    pub(crate) fn text(&mut self, ms: i64, pointer: &str) -> String {
        if ms > LAST_MS {
            self.note("timestamp-range", pointer);
        }
        text_of(ms.min(LAST_MS))
    }

    /// Returns the result, which is a valid document.
    pub(crate) fn finish(
        self,
        made: Vec<Value>,
        name: &str,
    ) -> Result<BridgeResult<Vec<Value>>, Error> {
        let bound = binding(name, LATEST_VERSION)?;
        let read = |value: Value| read_plain(&value, bound, Mode::Strict).map(|(value, _)| value);
        let values = made.into_iter().map(read).collect::<Result<_, _>>();
        let value = values.map_err(|error| refused(&error))?;
        Ok(BridgeResult { value, losses: in_order(self.losses) })
    }
}

fn placed(error: Error, place: &str) -> Error {
    match error {
        Error::Read(mut found) => {
            for each in &mut found {
                each.pointer.insert_str(0, place);
            }
            Error::Read(found)
        }
        other => other,
    }
}

/// Says why the result's type refuses it: its depth, or an id that the caller made.
fn refused(error: &Error) -> Error {
    let Some(first) = error.findings().first() else {
        return Error::Usage(Vec::new());
    };
    if first.rule == "document/too-deep" {
        // The result may nest the source deeper than it was.
        let message = format!("The result would not be valid: {}", first.message);
        let rule = "bridge/unsupported".to_owned();
        let finding = Finding { rule, message, ..first.clone() };
        return Error::Bridge(Box::new(LossRefusal { findings: vec![finding], losses: vec![] }));
    }
    let message = format!("The context does not fit: {first}");
    let (expected, actual) = (first.expected.clone(), first.actual.clone());
    let finding = Finding::error("usage/invalid-argument", "", &message);
    Error::Usage(vec![Finding { expected, actual, ..finding }])
}

/// Fails with `bridge/lossy` unless all lossy losses are of the codes `accepted`.
pub(crate) fn strictly(losses: &[Loss], accepted: &[String]) -> Result<(), Error> {
    let is_refused = |loss: &&Loss| {
        loss.severity == LossSeverity::Lossy && !accepted.iter().any(|code| code == loss.code)
    };
    let refused = losses.iter().filter(is_refused).map(|loss| {
        let message = format!("{} ({})", loss.detail, loss.code);
        Finding::error("bridge/lossy", &loss.pointer, &message)
    });
    let findings: Vec<Finding> = refused.collect();
    if findings.is_empty() {
        return Ok(());
    }
    Err(Error::Bridge(Box::new(LossRefusal { findings, losses: losses.to_vec() })))
}
