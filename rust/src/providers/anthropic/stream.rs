//! Anthropic Messages: raw events → deltas.
//!
//! End marker: `message_stop`. What the format says and what relays make of it:
//!
//! - Blocks are distinguished by `index`; a new block on the index of an open one ends that one.
//! - `tool_use` is a tool call of ours. `server_tool_use` and `mcp_tool_use` are calls that the
//!   provider runs, `*_tool_result` their results: separate parts, with the block in `opaque`. A
//!   result that answers no call, or one that has its result, is state of the provider.
//! - Citations are written when their block ends, for all of its text: they may come before it. In
//!   a block without text they are state.
//! - Signatures, redacted thinking, compaction and blocks of unknown types are kept in `opaque`;
//!   none of it is text.
//! - `warnings`, which gateways add to events and messages, are the contract's.
//! - For version v0.2 server tools and citations are state too, where they were.
//! - `usage` of `message_delta` is cumulative and replaces that of `message_start` field by field.
//!   `inputTokens` is input + cache read + cache write, which the provider reports apart.
//! - A second `message_start` with another id, or after content, is a second answer in the first
//!   one's stream: an error, since what has been emitted cannot be taken back.

use crate::json::raw::{Raw, RawObject};
use crate::providers::anthropic::blocks::AnthropicBlocks;
use crate::providers::core::dialect::{Dialect, Stream, typed};
use crate::providers::core::errors::error_body;
use crate::providers::core::usage::{Figures, Parts, usage_summary};
use crate::tables::finish_reasons;
use crate::tables::provider_names::ANTHROPIC_EVENTS as EVENTS;
use crate::tables::usage_figures::{ANTHROPIC as FIGURES, ANTHROPIC_DETAILS as DETAILS};

const METRICS: &str = "amazon-bedrock-invocationMetrics";

/// Reads one Anthropic Messages stream.
pub(crate) struct AnthropicMessages {
    blocks: AnthropicBlocks,
    message_id: Raw,
    begun: bool,
    figures: Figures,
}

impl Default for AnthropicMessages {
    fn default() -> Self {
        let (blocks, figures) = (AnthropicBlocks::default(), Figures::default());
        Self { blocks, message_id: Raw::Null, begun: false, figures }
    }
}

impl Dialect for AnthropicMessages {
    fn name(&self) -> &'static str {
        "anthropic-messages"
    }

    fn read(&mut self, stream: &mut Stream, event: &RawObject) {
        let kind = event.get("type");
        stream.writer.read_warnings(event, "", "code");
        match kind.str() {
            Some("content_block_delta") => self.read_piece(stream, event),
            Some("content_block_start") => {
                let index = self.index(stream, event, 1);
                self.blocks.start(&mut stream.writer, index, event.get("content_block"));
            }
            Some("content_block_stop") => {
                let index = self.index(stream, event, 0);
                self.blocks.stop(&mut stream.writer, index);
            }
            Some("message_delta") => self.read_message_delta(stream, event),
            Some("message_start") => self.start_message(stream, event.get("message"), "/message"),
            Some("message_stop") => self.stop_message(stream, event),
            Some("error") => match event.find("error") {
                Some(error) => self.fail_with(stream, error),
                None => self.fail_with(stream, &event.clone().into()),
            },
            Some("message") => self.read_body(stream, event),
            Some("ping") => {}
            _ => self.read_unknown(stream, event, kind),
        }
    }

    fn finish(&mut self, stream: &mut Stream) {
        self.truncated(stream, "message_stop");
    }

    fn may_follow(&mut self, _stream: &mut Stream, event: &RawObject) -> bool {
        event.get("type").str() == Some("ping")
    }

    fn with_hint(&self, event: RawObject, name: &str) -> RawObject {
        if EVENTS.contains(&name) { typed(event, name) } else { event }
    }
}

impl AnthropicMessages {
    // --- events ----------------------------------------------------------------------------------

    fn read_piece(&mut self, stream: &mut Stream, event: &RawObject) {
        let index = self.index(stream, event, 0);
        match event.get("delta") {
            Raw::Object(delta) => self.blocks.piece(&mut stream.writer, index, delta),
            other => stream.writer.log.invalid("/delta", "an object", other),
        }
    }

    /// Returns the index of an event's block; where it has none, so far behind the last one's.
    fn index(&self, stream: &mut Stream, event: &RawObject, behind: i128) -> i128 {
        let index = event.get("index");
        index.int().unwrap_or_else(|| {
            stream.writer.log.invalid("/index", "the block's number", index);
            self.blocks.last_index.saturating_add(behind)
        })
    }

    fn read_unknown(&mut self, stream: &mut Stream, event: &RawObject, kind: &Raw) {
        if kind.is_null() && event.has("chunk") {
            return self.read_chunk(stream, event);
        }
        if !self.begun && self.is_other_dialect(stream, event) {
            return;
        }
        match error_body(event).filter(|_| kind.is_null()) {
            Some(error) => self.fail_with(stream, &error),
            None => stream.unknown_type(kind),
        }
    }

    // --- the message -----------------------------------------------------------------------------

    fn start_message(&mut self, stream: &mut Stream, message: &Raw, place: &str) {
        let nothing = RawObject::default();
        let members = message.object().unwrap_or_else(|| {
            stream.writer.log.invalid(place, "the message as an object", message);
            &nothing
        });
        let id = members.get("id");
        if self.begun {
            return self.read_second(stream, id);
        }
        self.begun = true;
        self.message_id = id.text().map_or(Raw::Null, Raw::from);
        let writer = &mut stream.writer;
        if !place.is_empty() {
            writer.read_warnings(members, place, "code");
        }
        writer.identify(members.get("model"), id);
        writer.start();
        self.read_usage(stream, members.get("usage"), &format!("{place}/usage"));
        match members.get("content") {
            Raw::Array(blocks) => {
                for (index, block) in (0..).zip(blocks) {
                    self.read_block(stream, index, block);
                }
            }
            text @ Raw::Text(_) => {
                let block = [("type", "text".into()), ("text", text.clone())];
                self.read_block(stream, 0, &Raw::Object(block.into_iter().collect()));
            }
            _ => {}
        }
        read_stop(stream, members);
    }

    fn read_block(&mut self, stream: &mut Stream, index: i128, block: &Raw) {
        self.blocks.start(&mut stream.writer, index, block);
        self.blocks.stop(&mut stream.writer, index);
    }

    /// Passes over a `message_start` that is only repeated; ends the stream at any other.
    fn read_second(&mut self, stream: &mut Stream, id: &Raw) {
        let writer = &mut stream.writer;
        if *id == self.message_id && !writer.wrote.any() && self.blocks.len() == 0 {
            let message = "message_start came twice, before any content";
            return writer.log.note("adapter/block-order", message, "/type", None, None);
        }
        let first = self.message_id.clone();
        self.refuse_second(stream, "/message/id", &first, id);
    }

    /// Reads a whole message that came in place of a stream.
    fn read_body(&mut self, stream: &mut Stream, body: &RawObject) {
        if self.begun {
            return self.read_unknown(stream, body, &"message".into());
        }
        let message = "The message came whole, not as a stream";
        stream.writer.log.note("adapter/whole-body", message, "/type", None, None);
        self.start_message(stream, &body.clone().into(), "");
        if stream.finish_reason.is_some() {
            self.end(stream);
        }
    }

    fn read_message_delta(&mut self, stream: &mut Stream, event: &RawObject) {
        match event.get("delta") {
            Raw::Object(delta) => read_stop(stream, delta),
            Raw::Null => {}
            other => stream.writer.log.invalid("/delta", "an object", other),
        }
        self.read_usage(stream, event.get("usage"), "/usage");
    }

    fn stop_message(&mut self, stream: &mut Stream, event: &RawObject) {
        let is_known = self.figures.get(&["input_tokens"]).is_some();
        if let (Raw::Object(metrics), false) = (event.get(METRICS), is_known) {
            let count = |name: &str| metrics.get(name).clone();
            let counts: RawObject = [
                ("input_tokens", count("inputTokenCount")),
                ("output_tokens", count("outputTokenCount")),
            ]
            .into_iter()
            .collect();
            self.read_usage(stream, &counts.into(), &format!("/{METRICS}"));
        }
        let writer = &mut stream.writer;
        if writer.open_calls() > 0 {
            let message = "The message ends while a tool call is open";
            writer.log.note("adapter/block-order", message, "/type", None, None);
        }
        self.end(stream);
    }

    fn end(&mut self, stream: &mut Stream) {
        self.blocks.stop_all(&mut stream.writer);
        let key = stream.finish_reason.clone().unwrap_or_default();
        self.end_with_reason(stream, finish_reasons::ANTHROPIC, &key, "", self.begun);
    }

    fn read_usage(&mut self, stream: &mut Stream, usage: &Raw, place: &str) {
        let log = &mut stream.writer.log;
        let usage = match usage {
            Raw::Object(usage) => usage,
            Raw::Null => return,
            other => return log.invalid(place, "an object", other),
        };
        let figures = &mut self.figures;
        if let Some(bad) = figures.take(usage, FIGURES) {
            log.invalid(&format!("{place}/{bad}"), "a count", usage.get(bad));
        }
        let at = format!("{place}/output_tokens_details");
        match usage.get("output_tokens_details") {
            whole @ Raw::Object(details) => {
                if figures.take(details, DETAILS).is_some() {
                    log.invalid(&at, "counts", whole);
                }
            }
            Raw::Null => {}
            other => log.invalid(&at, "an object", other),
        }
        if figures.get(&["input_tokens", "output_tokens"]).is_none() {
            return;
        }
        let cache_read = figures.get(&["cache_read_input_tokens"]);
        let cache_write = figures.get(&["cache_creation_input_tokens"]);
        let cached = cache_read.unwrap_or(0) + cache_write.unwrap_or(0);
        let (read, written) = (figures.of("input_tokens") + cached, figures.of("output_tokens"));
        let reasoning = figures.get(&["thinking_tokens"]);
        if reasoning > Some(written) {
            log.usage("more reasoning than output");
        }
        let parts = Parts { reasoning, cache_read, cache_write };
        stream.writer.usage(usage_summary(read, written, read + written, parts));
    }
}

/// Reads why the message stopped, and the members beside it.
fn read_stop(stream: &mut Stream, value: &RawObject) {
    let reason = value.get("stop_reason");
    match reason {
        Raw::Text(text) if text.is_empty() => {}
        Raw::Text(text) => stream.finish_reason = Some(text.as_text().well_formed().into_owned()),
        Raw::Null => {}
        other => stream.writer.log.invalid("/delta/stop_reason", "a string", other),
    }
    for name in ["stop_sequence", "stop_details", "container"] {
        if !value.get(name).is_null() {
            stream.writer.keep(name, value.get(name), None);
        }
    }
}
