//! What every adapter is: raw events of one provider's stream in, deltas of the contract out.

use std::collections::{HashMap, HashSet};

use crate::json::{Value, to_value};

use crate::contract::current::message::{Author, MessageDelta, TextFormat};
use crate::contract::types::Map;
use crate::contract::versions::Version;
use crate::errors::{Error, Finding, clip_text};
use crate::json::raw::{Raw, RawObject};
use crate::json::raw_reader::{decode_event, values_on_lines};
use crate::json::raw_text::is_space;
use crate::providers::core::dialect::{Dialect, Stream};
use crate::providers::core::errors::{ProviderError, RETRYABLE, error_body, retryable};
use crate::providers::core::ids::{CallIds, UsedIds, cut};
use crate::providers::core::kept_state::{KeptState, OpaqueItem};
use crate::providers::core::secrets::without_secrets;
use crate::providers::core::writer::{DeltaWriter, Words};
use crate::providers::core::writing::deltas::{Clock, DeltaMaker, Ids, set_raw};
use crate::tables::limits::{DEFAULT_LIMITS, MAX_BARE_CHARS, MAX_ID_CHARS};

const DONE: &str = "[DONE]";

/// What a caller may set of an adapter's stream.
#[derive(Clone, Debug, Default)]
pub struct AdapterOptions {
    /// The ids that the run has used already: a call that repeats one gets a new id.
    pub used_tool_call_ids: HashSet<String>,
    /// Each raw event is carried once, as `providerRaw: {"events": […]}` of the first delta that
    /// comes with or after it, without credentials.
    pub keep_raw: bool,
    /// The caller's id of the message; every delta says it.
    pub message_id: Option<String>,
    /// The caller's id of the turn; every delta says it.
    pub turn_id: Option<String>,
    /// Who writes the message, such as `Some("Ada".into())`; the start says it.
    pub author: Option<Author>,
    /// The form of the JSON that the request asked for; the start says it.
    pub format: Option<TextFormat>,
    /// The contract version of the deltas, v0.2 or v0.3. With v0.2 what is new in v0.3 is state of
    /// the provider, as it was, and author and format are refused.
    pub version: Version,
}

/// Turns the raw events of one response into deltas; sans-IO, for one stream.
///
/// Nothing that a provider sends is an [`Error`]: what does not fit becomes a finding, or the
/// stream ends as an `error` delta.
pub struct ProviderAdapter {
    dialect: Box<dyn Dialect>,
    stream: Stream,
    raw: Option<Vec<Value>>,
    /// How many deltas are there that are not taken, and not of the event that is being read.
    settled: usize,
}

impl ProviderAdapter {
    pub(crate) fn new(
        dialect: Box<dyn Dialect>,
        run_id: &str,
        clock: Clock,
        options: AdapterOptions,
    ) -> Result<Self, Error> {
        check_id("run", run_id)?;
        options.message_id.iter().try_for_each(|id| check_id("message", id))?;
        options.turn_id.iter().try_for_each(|id| check_id("turn", id))?;
        check_words(&options)?;
        let AdapterOptions { used_tool_call_ids, keep_raw, message_id, turn_id, .. } = options;
        let AdapterOptions { author, format, version, .. } = options;
        let words = Words { says_new: version != Version::V0_2, author, format };
        let maker = DeltaMaker::new(Ids { run_id: run_id.to_owned(), message_id, turn_id }, clock);
        let call_ids = CallIds::new(run_id, used_tool_call_ids);
        let writer = DeltaWriter::new(maker, call_ids, KeptState::new(dialect.name()), words);
        let stream = Stream { writer, finish_reason: None, error: None };
        Ok(Self { dialect, stream, raw: keep_raw.then(Vec::new), settled: 0 })
    }

    /// Puts ids of calls in the place of those that the run has used already; returns these.
    pub(crate) fn exchange_used_ids(&mut self, used: UsedIds) -> UsedIds {
        self.stream.writer.call_ids.exchange(used)
    }

    /// The name of its dialect.
    #[must_use]
    pub fn dialect(&self) -> &'static str {
        self.dialect.name()
    }

    /// What did not fit, in order of arrival; at most 200, repeats kept once.
    ///
    /// A pointer begins with the number of the raw event, from 0.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.stream.writer.log.findings
    }

    /// What the provider wants back unchanged (signatures, encrypted reasoning, server-side tool
    /// blocks, citations), in order of arrival; the deltas carry all of it.
    #[must_use]
    pub fn opaque(&self) -> &[OpaqueItem] {
        &self.stream.writer.state.items
    }

    /// Minted tool call id → the provider's own id, None where it sent none.
    #[must_use]
    pub fn provider_ids(&self) -> &HashMap<String, Option<String>> {
        &self.stream.writer.state.provider_ids
    }

    /// The model that the provider names, `""` until it does.
    #[must_use]
    pub fn model_id(&self) -> &str {
        &self.stream.writer.model_id
    }

    /// The provider's id of the response, `""` until it comes.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.stream.writer.request_id
    }

    /// The provider's own finish reason.
    #[must_use]
    pub fn finish_reason(&self) -> Option<&str> {
        self.stream.finish_reason.as_deref()
    }

    /// The provider's own error.
    #[must_use]
    pub fn error(&self) -> Option<&ProviderError> {
        self.stream.error.as_ref()
    }

    /// Tells whether `done` or `error` has been given.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.stream.writer.ended
    }

    /// Returns the deltas of one raw event: a JSON object as the provider sent it.
    pub fn feed(&mut self, event: impl Into<Raw>) -> Vec<MessageDelta> {
        self.read(&event.into());
        self.take()
    }

    /// Returns the deltas of one event as it stood on the wire, not decoded.
    ///
    /// `event` is the name that the framing gave it, `""` for none, a hint only: what the JSON says
    /// counts. Reads `[DONE]`, several events in an array or on a line each, and what is not JSON.
    pub fn feed_text(&mut self, data: &str, event: &str) -> Vec<MessageDelta> {
        self.read_text(data, event);
        self.take()
    }

    /// Returns the deltas of an error that the framing names, not the event itself.
    ///
    /// `value` is what it says: an object with `code` or `type` and `message`, or a text.
    pub fn feed_error(&mut self, value: impl Into<Raw>) -> Vec<MessageDelta> {
        let value = value.into();
        self.read_error(&value, &value);
        self.take()
    }

    /// Returns the deltas of JSON that is bare among server-sent events.
    ///
    /// Google's servers, and some proxies, write their errors so: one of those counts. Anything else
    /// is a finding; what is not JSON is lost, as an event that is cut.
    pub fn feed_bare(&mut self, text: &str) -> Vec<MessageDelta> {
        self.read_bare(text);
        self.take()
    }

    /// Returns the deltas of an event that is cut, so that nothing of it can be read.
    pub fn feed_torn(&mut self) -> Vec<MessageDelta> {
        self.read_torn();
        self.take()
    }

    /// Says what the stream itself may not: the model, and the provider's id of the response.
    ///
    /// Names that the stream has given already stay. Some providers have them in the HTTP response
    /// or in the request alone (Bedrock).
    pub fn identify(&mut self, model_id: &str, request_id: &str) -> Vec<MessageDelta> {
        if !self.ended() {
            self.stream.writer.identify(&model_id.into(), &request_id.into());
        }
        self.take()
    }

    /// Says that the input has ended; returns the last deltas: done, or `truncated_stream`.
    pub fn close(&mut self) -> Vec<MessageDelta> {
        if !self.ended() {
            self.dialect.finish(&mut self.stream);
        }
        self.take()
    }

    /// Ends the stream because its bytes cannot be read on; `finding` says why.
    pub fn fail(&mut self, finding: Finding) -> Vec<MessageDelta> {
        self.read_failure(finding);
        self.take()
    }

    /// Ends the stream for a reason outside of it: the connection failed, the call was refused.
    ///
    /// `error_code` is one of the contract's; without `may_retry` the code's own counts. Nothing
    /// comes of it where the stream has ended. Fails with [`Error::Usage`] for an unknown code.
    pub fn abort(
        &mut self,
        error_code: &str,
        message: &str,
        may_retry: Option<bool>,
    ) -> Result<Vec<MessageDelta>, Error> {
        if retryable(error_code).is_none() {
            let codes: Vec<&str> = RETRYABLE.iter().map(|(code, _)| *code).collect();
            let actual = Value::from(error_code);
            return Err(Error::argument("No such error code", &codes.join(", "), &actual));
        }
        if !self.ended() {
            self.dialect.flush(&mut self.stream);
            self.dialect.fail(&mut self.stream, error_code, Some(message), may_retry);
        }
        Ok(self.take())
    }

    // --- without taking the deltas: for who reads more than one event at once -------------------

    /// Returns the deltas since the last time.
    pub(crate) fn take(&mut self) -> Vec<MessageDelta> {
        self.settle();
        self.settled = 0;
        self.stream.writer.take()
    }

    /// Says that an event has been read: its raw form goes with the first delta since the last one.
    fn settle(&mut self) {
        let made = self.stream.writer.made();
        let raw = self.raw.as_mut().filter(|raw| !raw.is_empty());
        if let (Some(first), Some(raw)) = (made.get_mut(self.settled), raw) {
            let events = Value::Array(std::mem::take(raw));
            set_raw(first, Map::from_iter([("events".to_owned(), events)]));
        }
        self.settled = made.len();
    }

    fn read(&mut self, event: &Raw) {
        self.count(event);
        match event {
            _ if self.ended() => self.after_end(event),
            Raw::Object(members) => self.dialect.read(&mut self.stream, members),
            other => {
                self.note_invalid("The event is not an object", "a JSON object", &other.clip());
            }
        }
        self.settle();
    }

    /// Reads an error; the raw event is kept as `shown`.
    pub(crate) fn read_error(&mut self, value: &Raw, shown: &Raw) {
        self.count(shown);
        if self.ended() {
            self.after_end(value);
        } else {
            self.dialect.fail_with(&mut self.stream, value);
        }
        self.settle();
    }

    pub(crate) fn read_text(&mut self, data: &str, event: &str) {
        match decode_event(data) {
            Some(Raw::Object(value)) if event != "error" => self.read_object(value, event),
            value => self.read_odd(data, value, event),
        }
    }

    /// Reads an event whose framing gave it a name, or "".
    pub(crate) fn read_object(&mut self, mut value: RawObject, event: &str) {
        if !event.is_empty() && value.get("type").str() != Some(event) {
            value = self.dialect.with_hint(value, event);
        }
        self.read(&value.into());
    }

    pub(crate) fn read_bare(&mut self, text: &str) {
        let end = text.char_indices().nth(MAX_BARE_CHARS).map_or(text.len(), |(at, _)| at);
        let values = values_on_lines(text.get(..end).unwrap_or_default());
        let is_broken = values.iter().any(Option::is_none);
        let bodies = values.into_iter().flatten().flat_map(|value| match value {
            Raw::Array(items) => items,
            other => vec![other],
        });
        for body in bodies {
            if let Some(error) = body.object().and_then(error_body) {
                return self.read_error(&error, &body);
            }
        }
        self.count(&text.into());
        let message = "JSON stands bare among the events, and is not an error; it is passed over";
        self.note_invalid(message, "an event, or an error", &clip_text(text));
        if is_broken {
            self.lose();
        }
        self.settle();
    }

    pub(crate) fn read_torn(&mut self) {
        let log = &mut self.stream.writer.log;
        log.events += 1;
        let expected = Some("a whole event");
        log.note("adapter/invalid-event", "The event is cut", "", expected, None);
        self.lose();
        self.settle();
    }

    pub(crate) fn read_failure(&mut self, finding: Finding) {
        // Damage happens on the way; the other refusals would come again.
        let is_damage = finding.rule == "framing/checksum-mismatch";
        let code = if is_damage { "connection" } else { "unknown" };
        let message = format!("{} [{}]", finding.message, finding.rule);
        self.stream.writer.log.add(finding);
        if !self.ended() {
            self.dialect.end_with(&mut self.stream, code, Some(&message));
        }
        self.settle();
    }

    fn count(&mut self, event: &Raw) {
        self.stream.writer.log.events += 1;
        if let Some(raw) = &mut self.raw {
            raw.push(without_secrets(event));
        }
    }

    fn read_odd(&mut self, data: &str, value: Option<Raw>, event: &str) {
        let text = data.trim_matches(is_space);
        if let (None, Some((before, last))) = (&value, text.rsplit_once('\n')) {
            if before.split('\n').all(is_event) {
                // Some servers end events with one line end: to the framing they are one event,
                // and the last one's name is that of all.
                let name = if last.trim_matches(is_space) == DONE { "" } else { event };
                before.split('\n').for_each(|line| self.read_text(line, ""));
                return self.read_text(last, name);
            }
        }
        if event == "error" && !text.is_empty() && !self.ended() {
            let value = value.unwrap_or_else(|| text.into());
            return self.read_error(&value, &value);
        }
        match value {
            Some(Raw::Array(items)) if is_events(&items) => {
                for item in &items {
                    self.read(item);
                }
            }
            Some(value) => self.read(&value),
            None => self.read_plain(data, text),
        }
    }

    /// Reads text that is not JSON.
    fn read_plain(&mut self, data: &str, text: &str) {
        if text.is_empty() {
            self.stream.writer.log.events += 1;
        } else {
            self.count(&data.into());
        }
        if text == DONE {
            if !self.ended() {
                self.dialect.done_mark(&mut self.stream);
            }
        } else if !text.is_empty() {
            self.note_invalid("The event is not JSON", "a JSON object", &clip_text(text));
            // A broken object may have carried content.
            if text.starts_with(['{', '[']) {
                self.lose();
            }
        }
        self.settle();
    }

    fn note_invalid(&mut self, message: &str, expected: &str, actual: &str) {
        let log = &mut self.stream.writer.log;
        log.note("adapter/invalid-event", message, "", Some(expected), Some(actual));
    }

    /// Takes an event for lost, which may have carried content.
    fn lose(&mut self) {
        if !self.ended() && !self.dialect.is_whole(&self.stream) {
            let message = Some("An event is cut or broken: its content is lost");
            self.dialect.end_with(&mut self.stream, "truncated_stream", message);
        }
    }

    fn after_end(&mut self, event: &Raw) {
        if let Raw::Object(members) = event {
            if self.dialect.may_follow(&mut self.stream, members) {
                return;
            }
        }
        self.stream.note_after_end();
    }
}

/// Tells whether a line is a whole event, or `[DONE]`.
fn is_event(line: &str) -> bool {
    line.trim_matches(is_space) == DONE || matches!(decode_event(line), Some(Raw::Object(_)))
}

fn is_events(items: &[Raw]) -> bool {
    !items.is_empty() && items.iter().all(|item| item.object().is_some())
}

/// Refuses what cannot be said of a stream.
fn check_words(options: &AdapterOptions) -> Result<(), Error> {
    let is_name = |name: &String| !name.is_empty() && cut(name, MAX_ID_CHARS) == *name;
    if let Some(author) = &options.author {
        let path = author.agent_path.as_deref();
        let most = usize::try_from(DEFAULT_LIMITS.agents).unwrap_or(usize::MAX);
        let is_path = path
            .is_none_or(|path| !path.is_empty() && path.len() <= most && path.iter().all(is_name));
        let says = author.name.is_some() || path.is_some();
        if !says || !is_path || !author.name.iter().all(is_name) {
            let expected = "an Author: name or agentPath (the names on the way to it), none empty";
            return Err(Error::argument(
                "No such author",
                expected,
                &to_value(author).unwrap_or_default(),
            ));
        }
    }
    if let Some(format) = &options.format {
        if !format.name.iter().chain(&format.schema_ref).all(is_name) {
            let expected = "a TextFormat: an object, with name and schemaRef where they are known";
            return Err(Error::argument(
                "No such format",
                expected,
                &to_value(format).unwrap_or_default(),
            ));
        }
    }
    if options.version < Version::V0_2 {
        let finding = Finding::error("usage/unknown-version", "", "No version that adapters write");
        let finding = finding.expected("v0.2, v0.3").actual(clip_text(options.version.as_str()));
        return Err(Error::Usage(vec![finding]));
    }
    if options.version == Version::V0_2 && (options.author.is_some() || options.format.is_some()) {
        let expected = "v0.3, whose start says them, or neither author nor format";
        let message = "This version has no author and no format";
        return Err(Error::argument(message, expected, &options.version.as_str().into()));
    }
    Ok(())
}

/// Refuses what cannot be an id; `what` is what it would be the id of.
fn check_id(what: &str, id: &str) -> Result<(), Error> {
    if !id.is_empty() {
        return Ok(());
    }
    let message = format!("A stream belongs to a {what}");
    let expected = format!("a {what} id: a string of well-formed Unicode that is not empty");
    Err(Error::argument(&message, &expected, &id.into()))
}
