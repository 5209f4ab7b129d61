//! One document that is read: its losses, and the messages made so far.
//!
//! Nothing is lost in silence by construction: an object of the source is opened as [`Members`],
//! what a reader takes from it is gone from it, and what is left when it is closed is reported.

use crate::contract::current::message::Message;
use crate::convert::losses::{Loss, in_order};
use crate::errors::{Error, clip};
use crate::formats::core::lost::Losses;
use crate::formats::core::members::{Items, Members, misshapen, opened};
use crate::json::{Map, Value};
use crate::message::is_timestamp;
use crate::reading::read::read_as;

const EPOCH: &str = "1970-01-01T00:00:00Z";
const RUN: &str = "run";

/// What the caller says for a source that does not say it; made up, and reported, where absent.
///
/// ```
/// use partwire::formats::Context;
///
/// let context = Context::new().run_id("run_1").timestamp("2026-01-02T03:04:05Z");
/// # _ = context;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    run_id: Option<String>,
    timestamp: Option<String>,
}

impl Context {
    /// Returns a context that says nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The run that the messages belong to.
    #[must_use]
    pub fn run_id(mut self, value: impl Into<String>) -> Self {
        self.run_id = Some(value.into());
        self
    }

    /// The time of what has none, RFC 3339.
    #[must_use]
    pub fn timestamp(mut self, value: impl Into<String>) -> Self {
        self.timestamp = Some(value.into());
        self
    }
}

/// The messages of a document, and what they do not say of it.
#[derive(Clone, Debug, PartialEq)]
pub struct FormatResult {
    /// The messages.
    pub messages: Vec<Message>,
    /// What they lost, had to invent, or say in another way, by place in the document.
    pub losses: Vec<Loss>,
}

/// The reading of one document.
pub(crate) struct Reading {
    pub run_id: String,
    pub timestamp: String,
    pub messages: Vec<Map>,
    format: &'static str,
    losses: Losses,
    lacks_run: bool,
    is_run_given: bool,
    is_time_given: bool,
}

impl Reading {
    /// Fails with [`Error::Usage`] for a run or a time that cannot be one.
    pub(crate) fn new(format: &'static str, context: &Context) -> Result<Self, Error> {
        let Context { run_id, timestamp } = context;
        if let Some(given) = run_id.as_ref().filter(|given| given.is_empty()) {
            let expected = "text that is not empty";
            return Err(Error::argument("run_id is wrong", expected, &given.into()));
        }
        if let Some(given) = timestamp.as_ref().filter(|given| !is_timestamp(given)) {
            let expected = "an RFC 3339 time";
            return Err(Error::argument("timestamp is wrong", expected, &given.into()));
        }
        Ok(Self {
            run_id: run_id.clone().unwrap_or_else(|| RUN.to_owned()),
            timestamp: timestamp.clone().unwrap_or_else(|| EPOCH.to_owned()),
            messages: Vec::new(),
            format,
            losses: Losses::default(),
            lacks_run: false,
            is_run_given: run_id.is_some(),
            is_time_given: timestamp.is_some(),
        })
    }

    // --- losses ----------------------------------------------------------------------------------

    /// Notes a loss at a place of the source.
    pub(crate) fn note(&mut self, code: &str, place: &str) {
        self.losses.note(code, place);
    }

    /// Returns the error for a document that is not of the format; `actual` is clipped already.
    pub(crate) fn refuse(&self, place: &str, expected: &str, actual: String) -> Error {
        misshapen(self.format, place, expected, actual)
    }

    // --- the source ------------------------------------------------------------------------------

    /// Opens an object; fails where it is something else.
    pub(crate) fn members<'a>(
        &self,
        value: &'a Value,
        place: impl Into<String>,
    ) -> Result<Members<'a>, Error> {
        opened(self.format, value, place.into())
    }

    /// Opens each object of an array, one after the other; fails for anything else.
    pub(crate) fn items<'a>(
        &self,
        value: &'a Value,
        place: impl Into<String>,
    ) -> Result<Items<'a>, Error> {
        let (format, place) = (self.format, place.into());
        match value {
            Value::Array(items) => Ok(Items { format, place, rest: items.iter().enumerate() }),
            other => Err(self.refuse(&place, "an array", clip(other))),
        }
    }

    // --- the messages ----------------------------------------------------------------------------

    /// Adds a message, with the members that are not null, and returns it.
    pub(crate) fn add(&mut self, role: &str, parts: Vec<Value>, members: Map) -> &mut Map {
        let mut message = Map::new();
        message.insert("runId", self.run_id.as_str().into());
        message.insert("role", role.into());
        message.insert("parts", Value::Array(parts));
        message.extend(members.into_iter().filter(|(_, value)| !value.is_null()));
        self.lacks_run = true;
        if !message.contains_key("timestamp") {
            let code = if self.is_time_given { "given" } else { "timestamp-invented" };
            self.note(code, "");
            message.insert("timestamp", self.timestamp.as_str().into());
        }
        let number = self.messages.len();
        self.messages.push(message);
        #[allow(clippy::indexing_slicing)] // it has just been put there
        &mut self.messages[number]
    }

    /// Returns the messages, and the losses in the order of the document.
    pub(crate) fn finish(self) -> Result<FormatResult, Error> {
        let (messages, losses) = self.values();
        let messages = messages.into_iter().map(|each| read_as(Value::Object(each)));
        Ok(FormatResult { messages: messages.collect::<Result<_, _>>()?, losses })
    }

    /// Returns what `finish` returns, without a look at the messages.
    pub(crate) fn values(mut self) -> (Vec<Map>, Vec<Loss>) {
        if self.lacks_run {
            self.note(if self.is_run_given { "given" } else { "run-id-invented" }, "");
        }
        (self.messages, in_order(self.losses.found()))
    }
}
