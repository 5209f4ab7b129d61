//! What an assistant said, stored: read by the adapter of its dialect, as the answer that it was.

use crate::contract::current::message::{Message, MessageDelta, MessagePart};
use crate::errors::Error;
use crate::formats::core::calls::{Calls, OpenCall};
use crate::formats::core::parts::text_part;
use crate::formats::core::reading::Reading;
use crate::formats::core::source::is_nested;
use crate::json::{Map, Value, to_value};
use crate::message::{Limits, MessageAssembler};
use crate::providers::core::ids::UsedIds;
use crate::providers::{AdapterOptions, ProviderAdapter, open_adapter};
use crate::tables::limits::MAX_LIMIT_DEPTH;

/// Findings of an adapter behind which something of the answer is not in the message.
const PARTS_LOST: &[&str] =
    &["adapter/invalid-event", "adapter/unnamed-tool-call", "adapter/tool-call-mismatch"];

/// Adapters keep state that is nested no deeper.
pub(crate) const MOST_LEVELS: usize = 64;

/// What an answer says of itself, in the order of every language's assembler; the rest of a message's
/// meta is of the stream.
const META: &[&str] = &[
    "modelId",
    "requestId",
    "warnings",
    "finishReason",
    "providerFinishReason",
    "usage",
    "incomplete",
];

const MANY: u64 = (1 << 53) - 1;

/// The document is in memory already: only its depth has a limit.
const LIMITS: Limits = Limits {
    text_bytes: MANY,
    arguments_bytes: MANY,
    tool_calls: MANY,
    parts: MANY,
    arguments_depth: MAX_LIMIT_DEPTH,
    id_chars: MANY,
    opaque_bytes: MANY,
    opaque_depth: MAX_LIMIT_DEPTH,
    payload_bytes: MANY,
    payload_depth: MAX_LIMIT_DEPTH,
    media_bytes: MANY,
    agents: MANY,
};

/// The answers of one history: ids of calls are unique among all of them.
pub(crate) struct Answers {
    pub calls: Calls,
    /// Something of the last answer is not in its message.
    pub was_damaged: bool,
    dialect: &'static str,
    used: UsedIds,
    number: usize,
}

/// An adapter that has read an answer, and what it wrote.
struct Fed {
    adapter: ProviderAdapter,
    deltas: Vec<MessageDelta>,
}

impl Answers {
    pub(crate) fn new(dialect: &'static str) -> Self {
        let (calls, used) = (Calls::default(), UsedIds::default());
        Self { calls, was_damaged: false, dialect, used, number: 0 }
    }

    /// Adds the message of an answer that stands at `place`, and returns it.
    ///
    /// Without a place the caller says itself where something of it is lost, if `was_damaged`.
    pub(crate) fn add<'r>(
        &mut self,
        body: &Map,
        place: Option<&str>,
        members: Map,
        reading: &'r mut Reading,
    ) -> Result<&'r mut Map, Error> {
        let (_, message) = self.said(body, place, false, reading)?;
        let parts = parts_of(&message);
        Ok(reading.add("assistant", parts, members))
    }

    /// Adds the message of an answer as the provider gave it, so that what it says of itself, such
    /// as its usage, is the message's.
    pub(crate) fn add_whole<'r>(
        &mut self,
        body: &Map,
        place: Option<&str>,
        mut members: Map,
        reading: &'r mut Reading,
    ) -> Result<&'r mut Map, Error> {
        let (adapter, message) = self.said(body, place, true, reading)?;
        let parts = parts_of(&message);
        members.insert("meta", meta_of(&message, &adapter).into());
        Ok(reading.add("assistant", parts, members))
    }

    /// Adds the message of an answer that is one text: what `add` makes, in a tenth of the time.
    pub(crate) fn add_text(&mut self, text: &str, members: Map, reading: &mut Reading) {
        self.number += 1;
        self.was_damaged = false;
        reading.add("assistant", vec![text_part(text)], members);
    }

    /// Tells whether something of an answer would not be in its message.
    pub(crate) fn is_damaged(&self, body: &Map, reading: &Reading) -> Result<bool, Error> {
        if is_nested(body, MOST_LEVELS) {
            return Ok(true);
        }
        Ok(is_damaged(&self.feed(body, UsedIds::default(), false, reading)?.adapter))
    }

    /// Returns the message of an answer; its calls are open from now on.
    fn said(
        &mut self,
        body: &Map,
        place: Option<&str>,
        is_whole: bool,
        reading: &mut Reading,
    ) -> Result<(ProviderAdapter, Message), Error> {
        self.number += 1;
        let used = std::mem::take(&mut self.used);
        let Fed { mut adapter, deltas } = self.feed(body, used, is_whole, reading)?;
        self.used = adapter.exchange_used_ids(UsedIds::default());
        let message = assembled(&deltas).map_err(|error| placed(error, place.unwrap_or("")))?;
        for part in &message.parts {
            match part {
                MessagePart::ToolCall(call) => {
                    let call_id = call.payload.tool_call_id.clone();
                    self.used.ids.insert(call_id.clone());
                    let own = adapter.provider_ids().get(&call_id).cloned();
                    let own = own.unwrap_or_else(|| Some(call_id.clone()));
                    let name = call.payload.tool_name.clone();
                    self.calls.add(OpenCall { call_id, name, own });
                }
                MessagePart::ServerToolCall(call) => {
                    self.used.ids.insert(call.payload.tool_call_id.clone());
                }
                _ => {}
            }
        }
        self.was_damaged = is_damaged(&adapter);
        if let Some(place) = place.filter(|_| self.was_damaged || is_nested(body, MOST_LEVELS)) {
            reading.note("malformed-part", place);
        }
        Ok((adapter, message))
    }

    /// Feeds an answer to an adapter; `used` are the ids that its calls may not have, which the
    /// adapter has from then on.
    fn feed(
        &self,
        body: &Map,
        used: UsedIds,
        is_whole: bool,
        reading: &Reading,
    ) -> Result<Fed, Error> {
        let (run_id, timestamp) = (&reading.run_id, reading.timestamp.clone());
        let options = AdapterOptions::default();
        let mut adapter = open_adapter(self.dialect, run_id, move || timestamp.clone(), options)?;
        adapter.exchange_used_ids(used);
        let request_id = if is_whole { String::new() } else { format!("{run_id}.{}", self.number) };
        let mut deltas = adapter.identify("", &request_id);
        deltas.extend(adapter.feed(Value::Object(body.clone())));
        deltas.extend(adapter.close());
        Ok(Fed { adapter, deltas })
    }
}

fn is_damaged(adapter: &ProviderAdapter) -> bool {
    adapter.findings().iter().any(|found| PARTS_LOST.contains(&found.rule.as_str()))
}

/// Returns the message of deltas; of an answer that failed, what there is of it.
fn assembled(deltas: &[MessageDelta]) -> Result<Message, Error> {
    let mut assembler = MessageAssembler::with(None, LIMITS)?;
    deltas.iter().try_for_each(|delta| assembler.consume(delta))?;
    assembler.close()?;
    match assembler.build_final_message() {
        Err(Error::Failed(failed)) => Ok(failed.partial),
        made => made,
    }
}

/// Returns what the assembler refuses as an error of the document: arguments that are text are
/// nested too deep.
fn placed(error: Error, place: &str) -> Error {
    match error {
        Error::Stream(refusal) => {
            let mut finding = refusal.finding;
            place.clone_into(&mut finding.pointer);
            finding.line = None;
            Error::Read(vec![finding])
        }
        other => other,
    }
}

fn parts_of(message: &Message) -> Vec<Value> {
    message.parts.iter().map(|part| to_value(part).unwrap_or_default()).collect()
}

/// Returns what an answer says of itself, without what stands in for what it does not say.
fn meta_of(message: &Message, adapter: &ProviderAdapter) -> Option<Map> {
    let meta = to_value(message.meta.as_ref()?).ok()?;
    let is_made = |name: &str| {
        (name == "modelId" && adapter.model_id().is_empty())
            || (name == "requestId" && adapter.request_id().is_empty())
    };
    let said = META.iter().filter(|name| !is_made(name));
    let said: Map =
        said.filter_map(|name| Some(((*name).to_owned(), meta.get(name)?.clone()))).collect();
    (!said.is_empty()).then_some(said)
}
