//! `OpenAI` Responses and its vendors: raw events → deltas.
//!
//! End markers: `response.completed`, `response.incomplete`, `response.failed`; nothing comes after
//! them. What the format says and what vendors make of it:
//!
//! - Items are distinguished by `output_index`, then by id: some relays make up ids at every event.
//!   Streams that are resumed begin anywhere; sequence numbers are not read.
//! - The same text comes up to five times: by deltas, with the part, with the item and with the
//!   whole response. What a later event says beyond the deltas is written; where it says something
//!   else, the deltas stay, with a finding.
//! - `function_call` and `custom_tool_call` are tool calls of ours; a custom tool's input is text
//!   and becomes raw arguments. Tools that the provider runs are server tool calls with their
//!   results, `mcp_approval_request` is one that waits for approval, an image is media: each with its
//!   whole item in `opaque`. What else there is, such as built-in tools of the caller's, is kept
//!   whole beside the message, with a finding.
//! - Reasoning summaries are thinking; raw reasoning is, where an item has no summary.
//! - A refusal is text of the answer, and turns `completed` into `refusal`.
//! - Reasoning items are kept whole, encrypted or not; of messages, ids, phases and annotations,
//!   which are citations as well.
//! - Sound has no item and no type: one media for the response.
//!
//! Source: <https://platform.openai.com/docs/api-reference/responses-streaming>.

use crate::json::raw::{Raw, RawObject};
use crate::json::raw_text::Text;
use crate::providers::core::dialect::{Dialect, Stream, typed};
use crate::providers::core::errors::error_body;
use crate::providers::core::openai_usage::ChatUsage;
use crate::providers::core::writer::DeltaWriter;
use crate::providers::openai_responses::content::ResponsesContent;
use crate::providers::openai_responses::items::Channel;
use crate::tables::finish_reasons::RESPONSES;

/// What an event is about.
enum Event {
    /// A piece of text.
    Delta(Channel),
    /// The text of a part, whole.
    Done(Channel),
    /// A part; what one of plain text is, and whether it begins.
    Part(Channel, bool),
    /// Arguments of a call of a kind, and whether all of them come.
    Arguments(&'static str, bool),
    Added,
    ItemDone,
    Begin,
    /// The status that the event says; the response's own counts where it is one.
    End(&'static str),
    /// Nothing of ours.
    Other,
}

fn event_of(kind: &str) -> Event {
    match kind {
        "response.function_call_arguments.delta" => Event::Arguments("function_call", false),
        "response.function_call_arguments.done" => Event::Arguments("function_call", true),
        "response.custom_tool_call_input.delta" => Event::Arguments("custom_tool_call", false),
        "response.custom_tool_call_input.done" => Event::Arguments("custom_tool_call", true),
        "response.output_item.added" => Event::Added,
        "response.output_item.done" => Event::ItemDone,
        "response.queued" | "response.in_progress" | "response.created" => Event::Begin,
        // The second is OpenRouter's, and that of responses over web sockets.
        "response.completed" | "response.done" => Event::End("completed"),
        "response.incomplete" => Event::End("incomplete"),
        "response.failed" => Event::End("failed"),
        "response.cancelled" => Event::End("cancelled"),
        _ => text_event_of(kind),
    }
}

fn text_event_of(kind: &str) -> Event {
    let Some((what, stage)) = kind.strip_prefix("response.").and_then(|rest| rest.rsplit_once('.'))
    else {
        return Event::Other;
    };
    let channel = match what {
        "output_text" | "content_part" => Channel::Text,
        "refusal" => Channel::Refusal,
        "reasoning_summary_text" | "reasoning_summary" | "reasoning_summary_part" => {
            Channel::Summary
        }
        "reasoning_text" | "reasoning" | "reasoning_part" => Channel::Reasoning,
        _ => return Event::Other,
    };
    match (what.ends_with("_part"), stage) {
        (true, "added") => Event::Part(channel, true),
        (true, "done") => Event::Part(channel, false),
        // OpenRouter's.
        (true, "delta") if what == "content_part" => Event::Delta(channel),
        (false, "delta") => Event::Delta(channel),
        (false, "done") => Event::Done(channel),
        _ => Event::Other,
    }
}

/// Returns the kind of call that the provider runs of whose arguments an event tells, and whether
/// all of them come.
fn server_arguments(kind: &str) -> Option<(&'static str, bool)> {
    match kind {
        "response.mcp_call_arguments.delta" => Some(("mcp_call", false)),
        "response.mcp_call_arguments.done" => Some(("mcp_call", true)),
        "response.code_interpreter_call_code.delta" => Some(("code_interpreter_call", false)),
        "response.code_interpreter_call_code.done" => Some(("code_interpreter_call", true)),
        _ => None,
    }
}

const STATUSES: [&str; 4] = ["completed", "incomplete", "failed", "cancelled"];

/// Tells whether it is the status of a response that has not ended.
fn is_running(status: &Raw) -> bool {
    matches!(status.str(), Some("queued" | "in_progress"))
}

fn is_idle(kind: &str) -> bool {
    matches!(kind, "ping" | "keepalive" | "response.keepalive" | "response.heartbeat")
}

/// Tells whether an event says what the items say as well, when they are whole: the progress of
/// tools, and annotations.
fn is_progress(kind: &str) -> bool {
    let is_word = |text: &str| {
        !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || char == '_')
    };
    let Some((what, last)) = kind.strip_prefix("response.").and_then(|rest| rest.rsplit_once('.'))
    else {
        return false;
    };
    let is_call = |at: usize| {
        let rest = what.get(at + "_call".len()..).unwrap_or_default();
        at > 0 && (rest.is_empty() || (rest.len() > 1 && rest.starts_with('_')))
    };
    let names = ["mcp_list_tools", "output_text.annotation", "compaction", "steer"].contains(&what);
    let calls = is_word(what) && what.match_indices("_call").any(|(at, _)| is_call(at));
    is_word(last) && (names || calls)
}

/// One Responses stream; its finish reason is the status of the response.
#[derive(Default)]
pub(crate) struct OpenAiResponses {
    content: ResponsesContent,
    usage: ChatUsage,
    has_begun: bool,
    /// An event has said that the response begins.
    is_opened: bool,
    /// The id of the response that such an event gave.
    named: Raw,
}

impl Dialect for OpenAiResponses {
    fn name(&self) -> &'static str {
        "openai-responses"
    }

    fn read(&mut self, stream: &mut Stream, event: &RawObject) {
        let writer = &mut stream.writer;
        let content = &mut self.content;
        writer.read_warnings(event, "", "code");
        let given = event.get("type");
        let kind = given.text().map(Text::well_formed);
        match kind.as_deref().map(event_of) {
            None => self.read_bare(stream, event),
            Some(Event::Delta(channel)) => content.text(writer, event, channel),
            Some(Event::Arguments(kind, is_whole)) => {
                content.piece_of_call(writer, event, kind, is_whole);
            }
            Some(Event::Added) => content.added(writer, event),
            Some(Event::ItemDone) => content.done(writer, event),
            Some(Event::Part(plain, starts)) => content.part(writer, event, plain, starts),
            Some(Event::Done(channel)) => {
                content.text_of(writer, event, channel, event.get(channel.whole()), false);
            }
            Some(Event::Begin) => self.read_begin(stream, event),
            Some(Event::End(status)) => {
                self.read_end(stream, event.get("response"), status, "/response");
            }
            Some(Event::Other) => {
                self.read_other(stream, event, kind.as_deref().unwrap_or_default());
                return;
            }
        }
        self.has_begun = true;
    }

    fn finish(&mut self, stream: &mut Stream) {
        self.truncated(stream, "response.completed");
    }

    fn flush(&mut self, stream: &mut Stream) {
        self.content.finish(&mut stream.writer);
    }

    fn collect(&mut self, writer: &mut DeltaWriter) {
        self.content.collect(writer);
    }

    fn may_follow(&mut self, stream: &mut Stream, event: &RawObject) -> bool {
        match event.get("type").str() {
            Some("response.failed") if stream.error.is_some() => {
                stream.finish_reason = Some("failed".to_owned()); // the error has said why
                true
            }
            kind => kind.is_some_and(is_idle),
        }
    }

    fn with_hint(&self, event: RawObject, name: &str) -> RawObject {
        if name.starts_with("response.") { typed(event, name) } else { event }
    }
}

impl OpenAiResponses {
    /// Reads an event that carries no content of ours.
    fn read_other(&mut self, stream: &mut Stream, event: &RawObject, kind: &str) {
        if stream.writer.says_new && self.read_new(&mut stream.writer, event, kind) {
            return;
        }
        if kind == "error" {
            let inner = event.get("error");
            if inner.says_something() {
                self.fail_with(stream, inner);
            } else {
                let mut rest = event.clone();
                rest.retain(|name, _| name != "type");
                self.fail_with(stream, &rest.into());
            }
        } else if kind.starts_with("response.audio.") {
            stream.writer.keep("audio", &event.clone().into(), None);
            stream.writer.log.note(
                "adapter/unsupported-content",
                "The contract has no part for sound; it is kept beside the message",
                "/type",
                None,
                Some(&event.get("type").clip()),
            );
        } else if !is_idle(kind) && !is_progress(kind) {
            self.read_unknown(stream, event);
        }
    }

    /// Reads what v0.3 has a place for, and the items say as well but for sound; tells whether it is
    /// that.
    fn read_new(&mut self, writer: &mut DeltaWriter, event: &RawObject, kind: &str) -> bool {
        let content = &mut self.content;
        if let Some((call, is_whole)) = server_arguments(kind) {
            content.piece_of_call(writer, event, call, is_whole);
        } else if kind == "response.output_text.annotation.added" {
            content.annotation(writer, event);
        } else if kind == "response.image_generation_call.partial_image" {
            content.piece_of_image(writer, event);
        } else if kind.starts_with("response.audio.") {
            content.sound(writer, event, kind);
        } else {
            return false;
        }
        true
    }

    /// Reads an event without a type: a whole response, or an error.
    fn read_bare(&mut self, stream: &mut Stream, event: &RawObject) {
        if event.get("object").str() == Some("response") && !self.has_begun {
            self.has_begun = true;
            let message = "The response came whole, not as a stream";
            stream.writer.log.note("adapter/whole-body", message, "", None, None);
            let status = event.get("status");
            if is_running(status) {
                self.read_response(stream, event, "");
            } else {
                let said = status.text().map(Text::well_formed);
                let said = said.as_deref().unwrap_or("completed");
                self.read_end(stream, &event.clone().into(), said, "");
            }
        } else if let Some(error) = error_body(event) {
            self.fail_with(stream, &error);
        } else {
            self.read_unknown(stream, event);
        }
    }

    fn read_unknown(&mut self, stream: &mut Stream, event: &RawObject) {
        if self.has_begun || !self.is_other_dialect(stream, event) {
            stream.unknown_type(event.get("type"));
        }
    }

    /// Reads the beginning of the response; behind content it may only be said once more.
    fn read_begin(&mut self, stream: &mut Stream, event: &RawObject) {
        let response = event.get("response");
        let named = response.object().map_or(&Raw::Null, |response| response.get("id"));
        self.is_opened = true;
        if self.content.has_items() {
            let is_other = !named.is_null() && !self.named.is_null() && *named != self.named;
            if is_other || event.get("type").str() == Some("response.created") {
                stream.writer.log.note(
                    "adapter/spliced-message",
                    "A second response begins inside the first one's stream",
                    "/response/id",
                    Some(&self.named.clip()),
                    Some(&named.clip()),
                );
                let message = "A second response began inside the first one";
                self.end_with(stream, "provider_internal", Some(message));
                return;
            }
        } else if !named.is_null() {
            self.named = named.clone();
        }
        if let Some(response) = response_of(stream, response, "/response") {
            self.read_response(stream, response, "/response");
        }
    }

    /// Reads what any event says about the response as a whole, but for its usage.
    fn read_response(&mut self, stream: &mut Stream, response: &RawObject, place: &str) {
        read_format(&mut stream.writer, response.get("text"));
        if !place.is_empty() {
            stream.writer.read_warnings(response, place, "code");
        }
        stream.writer.identify(response.get("model"), response.get("id"));
        self.content.declare(response.get("tools"));
        self.content.is_stored |= *response.get("store") == Raw::Bool(true);
    }

    fn read_usage(&mut self, stream: &mut Stream, usage: &Raw, place: &str) {
        let Some(members) = usage.object() else {
            if !usage.is_null() {
                stream.writer.log.invalid(place, "an object", usage);
            }
            return;
        };
        let expected = "two of input, output and total tokens";
        let figures = self.usage.read(members, &mut stream.writer.log, place, expected);
        if let Some(figures) = figures {
            stream.writer.usage(figures);
        }
    }

    /// Reads the last event, or a whole response; `said` is the status that it implies.
    fn read_end(&mut self, stream: &mut Stream, value: &Raw, said: &str, place: &str) {
        let response = response_of(stream, value, place);
        if let Some(response) = response {
            self.read_response(stream, response, place);
        }
        let none = RawObject::default();
        let response = response.unwrap_or(&none);
        let status = response.get("status");
        let said = match status.str() {
            Some(status) if STATUSES.contains(&status) => status,
            _ => {
                if !status.is_null() {
                    let expected = "the status of a response that has ended";
                    stream.writer.log.invalid(&format!("{place}/status"), expected, status);
                }
                said
            }
        };
        stream.finish_reason = Some(said.to_owned());
        let output = response.get("output");
        self.content.output(&mut stream.writer, output, &format!("{place}/output"));
        self.read_usage(stream, response.get("usage"), &format!("{place}/usage"));
        let error = response.get("error");
        if error.says_something() {
            self.fail_with(stream, error);
        } else if said == "failed" {
            let members = [("type", "server_error"), ("message", "The response failed")];
            let error = members.map(|(name, text)| (name, Raw::from(text)));
            self.fail_with(stream, &error.into_iter().collect::<RawObject>().into());
        } else if said == "cancelled" {
            self.end_with(stream, "cancelled", Some("The response was cancelled"));
        } else {
            self.end(stream, response, said, place);
        }
    }

    /// Ends the stream with a response that did not fail.
    fn end(&mut self, stream: &mut Stream, response: &RawObject, said: &str, place: &str) {
        let (status, details) = (response.get("status"), response.get("incomplete_details"));
        let given = details.object().map_or(details, |details| details.get("reason"));
        let is_running = said == "completed" && is_running(status);
        if is_running && !(stream.writer.wrote.any() && self.content.is_whole()) {
            return self.truncated(stream, "the response was completed");
        }
        let has_begun = self.is_opened || self.content.has_items() || !stream.is_empty();
        let says_any = [response.get("id"), status, given].iter().any(|said| said.says_something());
        if !has_begun && !says_any {
            return self.end_of_nothing(stream);
        }
        if self.content.has_open_call() {
            let message = "The response ends while a tool call is open";
            stream.writer.log.note("adapter/block-order", message, "/type", None, None);
        }
        self.flush(stream);
        if is_running {
            // There is a finding about the status already.
            stream.finish_reason = status.str().map(str::to_owned);
            let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
            stream.writer.collecting(&mut collect).done("unknown", status.str());
            return;
        }
        let is_complete = said == "completed" || given.is_null();
        let reason = if is_complete { Raw::from(said) } else { given.clone() };
        let own = reason.text().filter(|_| reason == *status || reason == *given);
        let own = own.map(Text::well_formed);
        let known = self.reason(stream, &reason, &format!("{place}/incomplete_details/reason"));
        let mut collect = |writer: &mut DeltaWriter| self.collect(writer);
        stream.writer.collecting(&mut collect).done(known, own.as_deref());
    }

    /// Returns the contract's finish reason of a response that did not fail.
    fn reason(&self, stream: &mut Stream, reason: &Raw, place: &str) -> &'static str {
        let key = reason.str().unwrap_or_default();
        match stream.reason_of(RESPONSES, key, &reason.clip(), place) {
            "stop" if stream.writer.wrote.tool_call => "tool_calls",
            "stop" if self.content.asks => "awaiting_approval",
            "stop" if self.content.refused => "refusal",
            known => known,
        }
    }
}

/// Reads what form the request asked for; the beginning repeats it.
fn read_format(writer: &mut DeltaWriter, text: &Raw) {
    let Some(asked) = text.object().and_then(|text| text.get("format").object()) else { return };
    match asked.get("type").str() {
        Some("json_schema") => writer.say_format(asked.get("name").text()),
        Some("json_object") => writer.say_format(None),
        _ => {}
    }
}

fn response_of<'a>(stream: &mut Stream, response: &'a Raw, place: &str) -> Option<&'a RawObject> {
    let object = response.object();
    if object.is_none() {
        stream.writer.log.invalid(place, "the response as an object", response);
    }
    object
}
