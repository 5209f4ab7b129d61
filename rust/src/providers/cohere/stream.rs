//! Cohere Chat v2: raw events → deltas.
//!
//! End marker: `message-end`; `[DONE]`, which some servers add, ends nothing. What the format says
//! and what servers of it make of it:
//!
//! - `tool-plan-delta` is what the model says before it calls tools: neither its answer nor its
//!   thinking, yet the next request has to repeat it. It is kept in `opaque`, and so are citations
//!   of it and of thinking.
//! - A citation of the answer's text is one for each of its sources. Its places count from the
//!   block's beginning, and hold where `text` is what they say; the first one keeps it as it came.
//! - Content, tool calls and citations count their indexes apart. A call that takes no arguments
//!   has no `tool-call-delta`.
//! - `ERROR`, `ERROR_TOXIC`, `TIMEOUT` and `USER_CANCEL` are finish reasons by name only: the stream
//!   ends as an error, as it does with an `error` beside any reason. `ERROR_LIMIT` is a cut answer,
//!   as `MAX_TOKENS` is.
//! - `usage.tokens` is what the model read and wrote, cached tokens included. `billed_units` leaves
//!   out the provider's own prompt: they are not usage.
//! - The stream names no model. `debug` events and log probabilities are passed over.

use crate::json::raw::{Raw, RawObject};
use crate::providers::cohere::blocks::CohereBlocks;
use crate::providers::cohere::calls::CohereCalls;
use crate::providers::core::dialect::{Dialect, Stream, typed};
use crate::providers::core::errors::{error_body, error_code, read_error};
use crate::providers::core::usage::{Figures, Parts, usage_summary};
use crate::providers::core::writer::DeltaWriter;
use crate::tables::finish_reasons;
use crate::tables::provider_names::COHERE_FAILED as FAILED;
use crate::tables::usage_figures::{COHERE as FIGURES, COHERE_CACHED as CACHED};

const EVENTS: [&str; 12] = [
    "message-start",
    "content-start",
    "content-delta",
    "content-end",
    "tool-plan-delta",
    "tool-call-start",
    "tool-call-delta",
    "tool-call-end",
    "citation-start",
    "citation-end",
    "message-end",
    "debug",
];

/// Reads one Cohere Chat v2 stream.
pub(crate) struct Cohere {
    blocks: CohereBlocks,
    calls: CohereCalls,
    message_id: Raw,
    begun: bool,
    figures: Figures,
}

impl Default for Cohere {
    fn default() -> Self {
        Self {
            blocks: CohereBlocks::default(),
            calls: CohereCalls::default(),
            message_id: Raw::Null,
            begun: false,
            figures: Figures::default(),
        }
    }
}

impl Dialect for Cohere {
    fn name(&self) -> &'static str {
        "cohere-v2"
    }

    fn read(&mut self, stream: &mut Stream, event: &RawObject) {
        let kind = event.get("type");
        let index = event.get("index");
        let writer = &mut stream.writer;
        let (blocks, calls) = (&mut self.blocks, &mut self.calls);
        match kind.str() {
            Some("content-delta") => {
                let content = member(event, "content", writer);
                blocks.piece(writer, index, content);
            }
            Some("content-start") => {
                let content = member(event, "content", writer);
                blocks.start(writer, index, content);
            }
            Some("content-end") => blocks.end(writer, index),
            Some("tool-plan-delta") => {
                let plan = member(event, "tool_plan", writer);
                blocks.plan(writer, plan, "/delta/message/tool_plan");
            }
            Some("tool-call-start") => {
                let call = member(event, "tool_calls", writer);
                calls.begin(writer, blocks, index, call);
            }
            Some("tool-call-delta") => {
                let call = member(event, "tool_calls", writer);
                calls.piece(writer, blocks, index, call);
            }
            Some("tool-call-end") => calls.end(writer, index),
            Some("citation-start") => {
                let citation = member(event, "citations", writer);
                blocks.cite(writer, citation, "/delta/message/citations");
            }
            Some("citation-end" | "debug") => {}
            Some("message-start") => self.start_message(stream, event),
            Some("message-end") => self.end_message(stream, event),
            _ => self.read_other(stream, event, kind),
        }
    }

    fn finish(&mut self, stream: &mut Stream) {
        self.truncated(stream, "message-end");
    }

    fn flush(&mut self, stream: &mut Stream) {
        self.blocks.close_all(&mut stream.writer);
        self.calls.finish(&mut stream.writer);
    }

    fn may_follow(&mut self, _stream: &mut Stream, event: &RawObject) -> bool {
        event.get("type").str() == Some("debug")
    }

    fn with_hint(&self, event: RawObject, name: &str) -> RawObject {
        if EVENTS.contains(&name) { typed(event, name) } else { event }
    }
}

impl Cohere {
    /// Reads what is not an event of a stream: a whole answer, an error, another dialect.
    fn read_other(&mut self, stream: &mut Stream, event: &RawObject, kind: &Raw) {
        let message = event.get("message");
        if let (true, false, Raw::Object(members)) = (kind.is_null(), self.begun, message) {
            return self.read_body(stream, event, members);
        }
        let error = if kind.is_null() || kind.str() == Some("error") {
            // The body of a refused request: {"message": …}.
            let is_words = message.text().is_some();
            error_body(event).or_else(|| is_words.then(|| event.clone().into()))
        } else {
            Some(event.get("error").clone()).filter(Raw::says_something)
        };
        if let Some(error) = error {
            return self.fail_with(stream, &error);
        }
        if self.begun || !self.is_other_dialect(stream, event) {
            stream.unknown_type(kind);
        }
    }

    // --- the message -----------------------------------------------------------------------------

    fn start_message(&mut self, stream: &mut Stream, event: &RawObject) {
        if self.begun {
            return self.read_second(stream, event);
        }
        self.begin(stream, event);
        let delta = event.get("delta");
        let message = delta.object().map_or(&Raw::Null, |delta| delta.get("message"));
        if let Raw::Object(message) = message {
            self.read_message(stream, message, "/delta/message");
        } else if !delta.is_null() {
            stream.writer.log.invalid("/delta/message", "an object", message);
        }
    }

    fn begin(&mut self, stream: &mut Stream, event: &RawObject) {
        self.begun = true;
        self.message_id = event.get("id").clone();
        stream.writer.identify(event.get("model"), &self.message_id);
        stream.writer.start();
    }

    /// Passes over a message-start that is only repeated; ends the stream at any other.
    fn read_second(&mut self, stream: &mut Stream, event: &RawObject) {
        let id = event.get("id");
        let writer = &mut stream.writer;
        let has_content = self.blocks.any() || self.calls.len() > 0 || writer.wrote.any();
        if *id == self.message_id && !has_content {
            let message = "message-start came twice, before any content";
            return writer.log.note("adapter/block-order", message, "/type", None, None);
        }
        let first = self.message_id.clone();
        self.refuse_second(stream, "/id", &first, id);
    }

    /// Reads a whole answer that came in place of a stream.
    fn read_body(&mut self, stream: &mut Stream, body: &RawObject, message: &RawObject) {
        let words = "The message came whole, not as a stream";
        stream.writer.log.note("adapter/whole-body", words, "/message", None, None);
        self.begin(stream, body);
        self.read_message(stream, message, "/message");
        self.read_usage(stream, body.get("usage"), "/usage");
        if read_reason(stream, body.get("finish_reason"), "/finish_reason") {
            self.end(stream, body, "");
        }
    }

    /// Reads a whole message, or the message as message-start has it.
    fn read_message(&mut self, stream: &mut Stream, message: &RawObject, place: &str) {
        let writer = &mut stream.writer;
        self.blocks.plan(writer, message.get("tool_plan"), &format!("{place}/tool_plan"));
        let whole;
        let content = match message.get("content") {
            text @ Raw::Text(_) => {
                let block = [("type", "text".into()), ("text", text.clone())];
                whole = [Raw::Object(block.into_iter().collect())];
                whole.as_slice()
            }
            other => list(writer, other, &format!("{place}/content")),
        };
        for (number, block) in (0..).zip(content) {
            self.blocks.start_at(writer, number, block, &format!("{place}/content/{number}"));
            if self.blocks.has(number) {
                self.blocks.end_at(writer, number);
            }
        }
        let calls = list(writer, message.get("tool_calls"), &format!("{place}/tool_calls"));
        for (number, call) in (0..).zip(calls) {
            let place = format!("{place}/tool_calls/{number}");
            self.calls.start(writer, &mut self.blocks, &Raw::Int(number), call, &place);
            if self.calls.has(number) {
                self.calls.end_at(writer, number);
            }
        }
        let citations = list(writer, message.get("citations"), &format!("{place}/citations"));
        for (number, citation) in citations.iter().enumerate() {
            self.blocks.cite(writer, citation, &format!("{place}/citations/{number}"));
        }
    }

    // --- the end ---------------------------------------------------------------------------------

    fn end_message(&mut self, stream: &mut Stream, event: &RawObject) {
        stream.writer.identify(event.get("model"), event.get("id"));
        let nothing = RawObject::default();
        let delta = event.get("delta");
        let members = delta.object().unwrap_or_else(|| {
            stream.writer.log.invalid("/delta", "an object", delta);
            &nothing
        });
        self.read_usage(stream, members.get("usage"), "/delta/usage");
        read_reason(stream, members.get("finish_reason"), "/delta/finish_reason");
        self.end(stream, members, "/delta");
    }

    /// Ends as done or failed; `said` is what is beside the finish reason.
    fn end(&mut self, stream: &mut Stream, said: &RawObject, place: &str) {
        let own = stream.finish_reason.clone();
        let reason = own.as_deref().unwrap_or("").to_uppercase();
        let mut error = said.get("error");
        if !matches!(error, Raw::Null | Raw::Text(_) | Raw::Object(_)) {
            let place = format!("{place}/error");
            stream.writer.log.invalid(&place, "the error's message", error);
            error = &Raw::Null;
        }
        if error.says_something() || FAILED.contains(&reason.as_str()) {
            return self.fail_generation(stream, &reason, error, said.get("error_type"));
        }
        if self.calls.len() > 0 {
            let message = "The message ends while a tool call is open";
            stream.writer.log.note("adapter/block-order", message, "/type", None, None);
        }
        self.flush(stream);
        let at = format!("{place}/finish_reason");
        self.end_with_reason(stream, finish_reasons::COHERE, &reason, &at, self.begun);
    }

    fn fail_generation(&mut self, stream: &mut Stream, reason: &str, said: &Raw, kind: &Raw) {
        let mut error = read_error(said);
        if let Some(code) = kind.some_text() {
            error.code = Some(code.well_formed().into_owned());
        }
        if error.kind.is_none() && !reason.is_empty() {
            error.kind = Some(reason.to_owned());
        }
        let mut found = error_code(&error);
        if found == "unknown" && reason == "ERROR" {
            found = "provider_internal"; // what the reference says of this reason
        }
        let message = error.message.as_ref().or(error.code.as_ref()).or(error.kind.as_ref());
        let message = message.cloned();
        stream.error = Some(error);
        self.end_with(stream, found, message.as_deref());
    }

    // --- beside the content ----------------------------------------------------------------------

    fn read_usage(&mut self, stream: &mut Stream, usage: &Raw, place: &str) {
        let log = &mut stream.writer.log;
        let usage = match usage {
            Raw::Object(usage) => usage,
            Raw::Null => return,
            other => return log.invalid(place, "an object", other),
        };
        match usage.get("tokens") {
            Raw::Object(tokens) => {
                if let Some(bad) = self.figures.take(tokens, FIGURES) {
                    log.invalid(&format!("{place}/tokens/{bad}"), "a count", tokens.get(bad));
                }
            }
            Raw::Null => {}
            other => log.invalid(&format!("{place}/tokens"), "an object", other),
        }
        if let Some(bad) = self.figures.take(usage, CACHED) {
            log.invalid(&format!("{place}/{bad}"), "a count", usage.get(bad));
        }
        let figure = |name: &str| self.figures.get(&[name]);
        if let (Some(read), Some(written)) = (figure("input_tokens"), figure("output_tokens")) {
            let parts = Parts { cache_read: figure("cached_tokens"), ..Parts::default() };
            stream.writer.usage(usage_summary(read, written, read + written, parts));
        } else if !usage.is_empty() {
            let message = "The usage has too few figures to be reported";
            let expected = Some("tokens with input_tokens and output_tokens");
            log.note("adapter/incomplete-usage", message, place, expected, None);
        }
    }
}

/// Takes the finish reason; says whether there is one.
fn read_reason(stream: &mut Stream, reason: &Raw, place: &str) -> bool {
    match reason {
        Raw::Text(text) if text.is_empty() => {}
        Raw::Text(text) => stream.finish_reason = Some(text.as_text().well_formed().into_owned()),
        Raw::Null => {}
        other => stream.writer.log.invalid(place, "a string", other),
    }
    stream.finish_reason.is_some()
}

/// Returns a member of the event's `delta.message`, null where there is none.
fn member<'a>(event: &'a RawObject, name: &str, writer: &mut DeltaWriter) -> &'a Raw {
    let delta = event.get("delta");
    let Raw::Object(members) = delta else {
        writer.log.invalid("/delta", "an object", delta);
        return &Raw::Null;
    };
    match members.get("message") {
        Raw::Object(message) => message.get(name),
        other => {
            writer.log.invalid("/delta/message", "an object", other);
            &Raw::Null
        }
    }
}

fn list<'a>(writer: &mut DeltaWriter, value: &'a Raw, place: &str) -> &'a [Raw] {
    if value.array().is_none() && !value.is_null() {
        writer.log.invalid(place, "an array", value);
    }
    value.array().unwrap_or(&[])
}
