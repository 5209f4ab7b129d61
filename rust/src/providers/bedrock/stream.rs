//! Bedrock Converse: raw events → deltas.
//!
//! An event is an object whose member names it: `{"contentBlockDelta": {…}}`; Nova's own format,
//! which InvokeModel streams carry, has the vendor's members beside it. End marker: `messageStop`.
//! Metadata with the usage comes behind it, or, from relays, before; `done` comes once both are
//! there, or at the end of the input. What else is to be known:
//!
//! - Text and reasoning begin without `contentBlockStart`; Nova gives every piece of text its own
//!   block. A mock or relay may leave out `messageStart` and `contentBlockStop`.
//! - `toolUse` of type `server_tool_use` is a call that the provider runs, `toolResult` its result,
//!   whole when its block ends: separate parts, with the block in `opaque`. A result that
//!   answers no call is state of the provider.
//! - `image` blocks are media; one without bytes is state. Signatures and redacted reasoning are
//!   kept in `opaque`.
//! - Citations are written when their block ends, for all of its text: they may come before it.
//! - For version v0.2 server tools, images and citations are state, where they were.
//! - `p` is padding. The guardrail's trace is not kept: it may hold what was masked.
//! - `inputTokens` is without cached tokens, which are reported apart; a total that leaves no room
//!   for them says otherwise.
//! - The stream names neither model nor request: see `identify` of the adapter.
//!
//! Source: <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>.

use crate::json::raw::{Raw, RawObject};
use crate::providers::bedrock::blocks::{BedrockBlocks, single};
use crate::providers::core::dialect::{Dialect, Stream};
use crate::providers::core::errors::{error_body, exception_body};
use crate::providers::core::usage::{Figures, Parts, usage_summary};
use crate::tables::finish_reasons::BEDROCK;
use crate::tables::provider_names::{BEDROCK_EVENTS as EVENTS, BEDROCK_IGNORED as PASSED_OVER};
use crate::tables::usage_figures::BEDROCK as FIGURES;

const METRICS: &str = "amazon-bedrock-invocationMetrics";

/// One Converse stream.
#[derive(Default)]
pub(crate) struct BedrockConverse {
    blocks: BedrockBlocks,
    /// `messageStart` has come.
    has_begun: bool,
    /// An event of this dialect has come.
    is_seen: bool,
    has_stopped: bool,
    figures: Figures,
}

impl Dialect for BedrockConverse {
    fn name(&self) -> &'static str {
        "bedrock-converse"
    }

    fn read(&mut self, stream: &mut Stream, event: &RawObject) {
        let mut unknown = Vec::new();
        for (name, body) in event.iter() {
            let name = name.as_text().well_formed();
            if !self.read_member(stream, &name, body) {
                unknown.push(name);
            }
        }
        if stream.writer.ended {
            return;
        }
        if unknown.len() == event.len() {
            self.read_other(stream, event);
        } else if let Some(name) = unknown.first() {
            note_unknown(stream, name);
        }
        let has_usage = self.figures.get(&["inputTokens", "outputTokens"]).is_some();
        if self.has_stopped && has_usage && !stream.writer.ended {
            self.end(stream);
        }
    }

    fn finish(&mut self, stream: &mut Stream) {
        if self.has_stopped {
            self.end(stream);
        } else {
            self.truncated(stream, "messageStop");
        }
    }

    fn is_whole(&self, _stream: &Stream) -> bool {
        self.has_stopped
    }

    fn may_follow(&mut self, _stream: &mut Stream, event: &RawObject) -> bool {
        event.has("metadata") || event.has(METRICS)
    }

    fn with_hint(&self, event: RawObject, name: &str) -> RawObject {
        if EVENTS.contains(&name) && !EVENTS.iter().any(|each| event.has(each)) {
            return single(&name.into(), &event.into());
        }
        event
    }
}

impl BedrockConverse {
    fn end(&mut self, stream: &mut Stream) {
        let key = stream.finish_reason.clone().unwrap_or_default();
        self.end_with_reason(stream, BEDROCK, &key, "/messageStop/stopReason", self.has_begun);
    }

    /// Reads one member of an event; tells whether it is known.
    fn read_member(&mut self, stream: &mut Stream, name: &str, body: &Raw) -> bool {
        if stream.writer.ended || PASSED_OVER.contains(&name) {
            return true;
        }
        if name == METRICS {
            self.read_metrics(stream, body);
        } else if EVENTS.contains(&name) {
            self.is_seen = true;
            if let Some(members) = body.object() {
                self.read_event(stream, name, members);
            } else {
                stream.writer.log.invalid(&format!("/{name}"), "an object", body);
            }
        } else if name.ends_with("Exception") {
            self.fail_with(stream, &exception_body(name.into(), body).into());
        } else {
            return false;
        }
        true
    }

    fn read_event(&mut self, stream: &mut Stream, name: &str, body: &RawObject) {
        if name == "metadata" {
            self.read_usage(stream, body.get("usage"), "/metadata/usage");
            return;
        }
        if self.has_stopped {
            stream.writer.log.note(
                "adapter/after-end",
                "The message goes on after messageStop; what follows is passed over",
                &format!("/{name}"),
                Some("metadata, or the end of the input"),
                None,
            );
            return;
        }
        match name {
            "messageStart" => self.start_message(stream),
            "messageStop" => self.stop_message(stream, body),
            "contentBlockStart" => {
                let index = index_of(stream, name, body);
                let index = index.unwrap_or(self.blocks.last_index + 1);
                self.blocks.start(&mut stream.writer, index, body.get("start"));
            }
            "contentBlockStop" => {
                let index = index_of(stream, name, body).unwrap_or(self.blocks.last_index);
                self.blocks.stop(&mut stream.writer, index);
            }
            _ => {
                let index = index_of(stream, name, body).unwrap_or(self.blocks.last_index);
                let delta = body.get("delta");
                if let Some(delta) = delta.object() {
                    self.blocks.piece(&mut stream.writer, index, delta);
                } else {
                    let place = "/contentBlockDelta/delta";
                    stream.writer.log.invalid(place, "an object", delta);
                }
            }
        }
    }

    /// Reads an event of which no member is one of the stream's.
    fn read_other(&mut self, stream: &mut Stream, event: &RawObject) {
        let message =
            event.get("output").object().and_then(|output| output.get("message").object());
        if event.has("chunk") {
            self.read_chunk(stream, event);
        } else if let Some(message) = message {
            self.read_body(stream, event, message);
        } else if let Some(error) = error_of(event) {
            self.fail_with(stream, &error);
        } else if let Some((name, _)) = event.iter().next() {
            if self.is_seen || !self.is_other_dialect(stream, event) {
                note_unknown(stream, &name.as_text().well_formed());
            }
        }
    }

    /// Reads `messageStart`; passes over one that is only repeated, ends the stream at others.
    fn start_message(&mut self, stream: &mut Stream) {
        let wrote = stream.writer.wrote.any();
        if self.has_begun && (wrote || self.blocks.is_open()) {
            stream.writer.log.note(
                "adapter/spliced-message",
                "A second message begins inside the first one's stream",
                "/messageStart",
                None,
                None,
            );
            let message = "A second message began inside the first one";
            self.end_with(stream, "provider_internal", Some(message));
        } else if self.has_begun || wrote {
            stream.writer.log.note(
                "adapter/block-order",
                "messageStart came late or twice; it is passed over",
                "/messageStart",
                None,
                None,
            );
        }
        self.has_begun = true;
        stream.writer.start();
    }

    fn stop_message(&mut self, stream: &mut Stream, body: &RawObject) {
        self.has_stopped = true;
        read_reason(stream, body.get("stopReason"), "/messageStop/stopReason");
        if stream.writer.open_calls() > 0 {
            let message = "The message ends while a tool call is open";
            stream.writer.log.note("adapter/block-order", message, "/messageStop", None, None);
        }
        self.blocks.stop_all(&mut stream.writer);
        keep_fields(stream, body);
    }

    /// Reads the response of Converse, or Nova's, that came in place of a stream.
    fn read_body(&mut self, stream: &mut Stream, body: &RawObject, message: &RawObject) {
        if self.is_seen {
            note_unknown(stream, "output");
            return;
        }
        self.is_seen = true;
        let note = "The message came whole, not as a stream";
        stream.writer.log.note("adapter/whole-body", note, "/output", None, None);
        stream.writer.start();
        let content = message.get("content");
        if let Some(content) = content.array() {
            self.blocks.read_whole(&mut stream.writer, content);
        } else if !content.is_null() {
            stream.writer.log.invalid("/output/message/content", "an array", content);
        }
        read_reason(stream, body.get("stopReason"), "/stopReason");
        self.has_stopped = stream.finish_reason.is_some();
        keep_fields(stream, body);
        self.read_usage(stream, body.get("usage"), "/usage");
        if self.has_stopped {
            self.end(stream);
        }
    }

    /// Takes the figures of InvokeModel where the model's own event has none.
    fn read_metrics(&mut self, stream: &mut Stream, metrics: &Raw) {
        let has_figures = self.figures.get(&["inputTokens", "outputTokens"]).is_some();
        let Some(metrics) = metrics.object().filter(|_| !has_figures) else { return };
        let counts = [
            ("inputTokens", "inputTokenCount"),
            ("outputTokens", "outputTokenCount"),
            ("cacheReadInputTokens", "cacheReadInputTokenCount"),
            ("cacheWriteInputTokens", "cacheWriteInputTokenCount"),
        ];
        let counts = counts.map(|(name, given)| (name, metrics.get(given).clone()));
        let counts: RawObject = counts.into_iter().collect();
        self.read_usage(stream, &counts.into(), &format!("/{METRICS}"));
    }

    fn read_usage(&mut self, stream: &mut Stream, usage: &Raw, place: &str) {
        let Some(members) = usage.object() else {
            if !usage.is_null() {
                stream.writer.log.invalid(place, "an object", usage);
            }
            return;
        };
        if let Some(bad) = self.figures.take(members, FIGURES) {
            let place = format!("{place}/{bad}");
            stream.writer.log.invalid(&place, "a count", members.get(bad));
        }
        let (read, written) =
            (self.figures.get(&["inputTokens"]), self.figures.get(&["outputTokens"]));
        if read.is_some() || written.is_some() {
            self.report(stream, read.unwrap_or(0), written.unwrap_or(0));
        } else if !members.is_empty() {
            stream.writer.log.note(
                "adapter/incomplete-usage",
                "The usage has too few figures to be reported",
                place,
                Some("input or output tokens"),
                None,
            );
        }
    }

    fn report(&self, stream: &mut Stream, mut read: u64, written: u64) {
        let get = |names: [&str; 2]| self.figures.get(&names);
        let cache_read = get(["cacheReadInputTokens", "cacheReadInputTokenCount"]);
        let cache_write = get(["cacheWriteInputTokens", "cacheWriteInputTokenCount"]);
        let cached = cache_read.unwrap_or(0) + cache_write.unwrap_or(0);
        let total = self.figures.get(&["totalTokens"]);
        if total.is_none_or(|total| cached > read || total >= read + written + cached) {
            read += cached;
        }
        let total = total.unwrap_or(read + written);
        let parts = Parts { reasoning: None, cache_read, cache_write };
        stream.writer.usage(usage_summary(read, written, total, parts));
    }
}

/// Returns the number of the block that an event is about, and notes that it has none.
fn index_of(stream: &mut Stream, name: &str, body: &RawObject) -> Option<i128> {
    let index = body.get("contentBlockIndex");
    if index.int().is_none() {
        let place = format!("/{name}/contentBlockIndex");
        stream.writer.log.invalid(&place, "the block's number", index);
    }
    index.int()
}

fn read_reason(stream: &mut Stream, reason: &Raw, place: &str) {
    match reason.text() {
        Some(said) if said.is_empty() => {}
        Some(said) => stream.finish_reason = Some(said.well_formed().into_owned()),
        None if reason.is_null() => {}
        None => stream.writer.log.invalid(place, "a string", reason),
    }
}

fn keep_fields(stream: &mut Stream, body: &RawObject) {
    let fields = body.get("additionalModelResponseFields");
    if !fields.is_null() {
        stream.writer.keep("additionalModelResponseFields", fields, None);
    }
}

fn note_unknown(stream: &mut Stream, name: &str) {
    stream.writer.log.note(
        "adapter/unknown-event",
        "The event's name is not known; it is passed over",
        "",
        Some("an event of the dialect"),
        Some(&Raw::from(name).clip()),
    );
}

/// Returns the error that a body without a message is, None if it is not an error.
///
/// AWS's own are `{"message": …}`, with `__type` in some services; `{"Error": {"Code": …,
/// "Message": …}}` is what its Python client keeps of one.
fn error_of(event: &RawObject) -> Option<Raw> {
    let named = |code: Raw, words: &Raw| {
        let members = [("code", code), ("message", words.clone())];
        Some(members.into_iter().collect::<RawObject>().into())
    };
    if let Some(error) = error_body(event) {
        return Some(error);
    }
    let words = event.find("message").unwrap_or_else(|| event.get("Message"));
    if let Some(error) = event.get("Error").object() {
        return named(error.get("Code").clone(), error.get("Message"));
    }
    if let Some(name) = event.get("__type").some_text() {
        let name = name.well_formed();
        let code = name.rsplit_once('#').map_or(&*name, |(_, code)| code);
        return named(code.into(), words);
    }
    let is_alone = event.len() == 1 && words.text().is_some();
    is_alone.then(|| single(&"message".into(), words).into())
}
