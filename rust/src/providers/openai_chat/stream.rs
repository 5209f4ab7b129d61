//! Chat completion chunks of OpenAI and of the many that speak its dialect: raw events → deltas.
//!
//! End marker: a finish reason on choice 0, or `[DONE]` where none came (then `unknown`). Usage and
//! whatever else follows the finish reason is still read: `done` comes with `[DONE]` or at the end
//! of the input. Behind a `[DONE]` without a finish reason an error still counts: `done` waits for
//! the end of the input. What the format says and what vendors make of it:
//!
//! - Only choice 0 becomes the message; the others are a finding.
//! - Reasoning comes as `reasoning_content`, `reasoning` or `reasoning_details`: the same text under
//!   several names counts once per chunk, the first of them. Mistral sends it, and sometimes text,
//!   as a list of content parts. `<think>` in the text stays text.
//! - A refusal is text of the answer, and turns a `stop` into `refusal`: the contract has no part
//!   for it, and a reader must not miss it.
//! - Annotations, and what chunks say of sources, are citations of the text. Sound, of which no type
//!   is said, and images are media. Tools that Groq runs are server tool calls with their results.
//! - `warnings`, and watsonx's in `system`, are the contract's.
//! - `message` beside a delta repeats it and is passed over; without any delta it is the answer (a
//!   body in place of a stream), or the answer so far, of which what is new is taken.
//! - Usage is in a separate chunk, beside choices, in a choice, or in `x_groq`; the last
//!   figure per field counts. Cached and reasoning tokens are added where they are reported apart.
//! - A chunk behind the finish reason that has another id and says something belongs to a second
//!   answer: an error, since what has been emitted cannot be taken back.
//! - Errors come as `error` in a chunk or a choice, or as a body of the vendor's own.

use crate::json::raw::{Raw, RawObject};
use crate::providers::core::dialect::{Dialect, Stream};
use crate::providers::core::errors::error_body;
use crate::providers::core::ids::AnswerIds;
use crate::providers::core::openai_usage::ChatUsage;
use crate::providers::core::sniff::dialect_of;
use crate::providers::core::writer::DeltaWriter;
use crate::providers::openai_chat::citations::{cite_sources, note_odd_sources};
use crate::providers::openai_chat::content::ChatContent;
use crate::tables::finish_reasons;
use crate::tables::provider_names::{
    CHAT_CHUNK_STATE as CHUNK_STATE, CHAT_CHUNKS as KNOWN, CHAT_UNFINISHED as NO_REASON,
};

/// Reads one chat completion stream.
///
/// Vendors that send no finish reason are known to be complete by `[DONE]` only: the events are
/// given as text, or such a stream counts as truncated.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // four facts, none of which follows from another
pub(crate) struct OpenAiChat {
    content: ChatContent,
    usage: ChatUsage,
    /// Model and request id are known.
    named: bool,
    ids: AnswerIds,
    begun: bool,
    /// Choice 0 has come.
    answered: bool,
    /// `[DONE]` has come without a finish reason.
    marked: bool,
    state: RawObject,
}

impl Dialect for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn read(&mut self, stream: &mut Stream, event: &RawObject) {
        if self.marked {
            return self.read_behind_mark(stream, event);
        }
        if !self.named {
            self.named = stream.writer.identify(event.get("model"), event.get("id"));
        }
        read_all_warnings(&mut stream.writer, event);
        let id = event.get("id");
        if self.ids.is_other(id, self.is_whole(stream)) && say_anything(event.get("choices")) {
            let first = self.ids.first.clone();
            return self.refuse_second(stream, "/id", &first, id);
        }
        if let Raw::Array(choices) = event.get("choices") {
            self.begun = true;
            for (position, choice) in choices.iter().enumerate() {
                match choice {
                    Raw::Object(members) => self.read_choice(stream, members, position),
                    other => {
                        let place = format!("/choices/{position}");
                        stream.writer.log.invalid(&place, "an object", other);
                    }
                }
                if stream.writer.ended {
                    return;
                }
            }
        } else if !self.read_bare(stream, event) {
            return;
        }
        self.read_usage(stream, event.get("usage"), "/usage");
        self.read_extras(stream, event);
        self.read_error(stream, event);
    }

    fn is_whole(&self, stream: &Stream) -> bool {
        stream.finish_reason.is_some()
    }

    fn done_mark(&mut self, stream: &mut Stream) {
        // Without a reason, an error behind it would be all that says how the stream ended.
        if stream.finish_reason.is_none() {
            self.marked = self.answered;
        } else {
            self.end(stream);
        }
    }

    fn finish(&mut self, stream: &mut Stream) {
        if stream.finish_reason.is_none() && !self.marked {
            self.truncated(stream, "a finish reason or [DONE]");
        } else {
            self.end(stream);
        }
    }

    fn flush(&mut self, stream: &mut Stream) {
        let writer = &mut stream.writer;
        self.content.keep_state(writer);
        self.content.calls.finish(writer);
        let (citations, results) = (self.state.get("citations"), self.state.get("search_results"));
        if writer.says_new && cite_sources(writer, citations, results) {
            return;
        }
        for (name, value) in self.state.iter() {
            writer.keep(&name.as_text().well_formed(), value, None);
        }
    }
}

impl OpenAiChat {
    // --- chunks ----------------------------------------------------------------------------------

    /// Reads an event without choices; says whether the rest of it is to be read.
    fn read_bare(&mut self, stream: &mut Stream, event: &RawObject) -> bool {
        if let Some(error) = error_body(event) {
            self.fail_with(stream, &error);
            return false;
        }
        let choices = event.get("choices");
        if !choices.is_null() {
            stream.writer.log.invalid("/choices", "an array", choices);
        } else if !KNOWN.iter().chain(&["warnings"]).any(|name| event.has(name)) {
            return self.read_foreign(stream, event);
        }
        true
    }

    /// Reads what has no member of a chunk; says whether its type says that it is one.
    fn read_foreign(&mut self, stream: &mut Stream, event: &RawObject) -> bool {
        match dialect_of(event) {
            Some((told, _)) if told == self.name() => return true,
            Some((told, place)) if !self.begun => {
                self.wrong_dialect(stream, told, &place);
                return false;
            }
            _ => {}
        }
        let actual = event.find("object").unwrap_or_else(|| event.get("type"));
        stream.writer.log.note(
            "adapter/unknown-event",
            "The event is not a chat completion chunk; it is passed over",
            "/object",
            Some("chat.completion.chunk"),
            Some(&actual.clip()),
        );
        false
    }

    fn read_extras(&mut self, stream: &mut Stream, event: &RawObject) {
        if let Raw::Object(groq) = event.get("x_groq") {
            self.read_usage(stream, groq.get("usage"), "/x_groq/usage");
            self.read_error(stream, groq);
        }
        for &name in CHUNK_STATE {
            // Repeated in every chunk: the last one is kept, at the end.
            if event.get(name).says_something() {
                self.state.set(name, event.get(name).clone());
                if stream.writer.says_new {
                    note_odd_sources(event.get(name), &format!("/{name}"), &mut stream.writer.log);
                }
            }
        }
    }

    fn read_error(&mut self, stream: &mut Stream, members: &RawObject) {
        let error = members.get("error");
        if error.says_something() && !stream.writer.ended {
            self.fail_with(stream, error);
        }
    }

    fn read_choice(&mut self, stream: &mut Stream, choice: &RawObject, position: usize) {
        if !is_first(stream, choice.get("index"), position) {
            return;
        }
        self.answered = true;
        let writer = &mut stream.writer;
        match choice.get("delta") {
            Raw::Object(delta) => self.content.read_delta(writer, delta),
            Raw::Null => self.read_whole(stream, choice),
            other => writer.log.invalid("/choices/0/delta", "an object", other),
        }
        match choice.get("finish_reason") {
            Raw::Null => {}
            Raw::Text(reason) => {
                if !NO_REASON.iter().any(|none| *reason == **none) {
                    self.content.calls.settle(&mut stream.writer);
                    stream.finish_reason = Some(reason.as_text().well_formed().into_owned());
                }
            }
            other => {
                stream.writer.log.invalid("/choices/0/finish_reason", "a string", other);
            }
        }
        self.read_usage(stream, choice.get("usage"), "/choices/0/usage"); // Moonshot
        self.read_error(stream, choice); // OpenRouter
    }

    /// Reads a choice without a delta: a message, or the text of a plain completion, which older
    /// servers send.
    fn read_whole(&mut self, stream: &mut Stream, choice: &RawObject) {
        let writer = &mut stream.writer;
        let message = choice.get("message");
        if !message.is_null() {
            self.content.read_message(writer, message);
        } else if let Some(text) = choice.get("text").text() {
            writer.log.note(
                "adapter/invalid-event",
                "The event is one of a plain completion",
                "/choices/0/text",
                Some("a delta"),
                None,
            );
            self.content.calls.settle(writer);
            self.content.say(writer, text);
        }
    }

    // --- beside the content ----------------------------------------------------------------------

    fn read_usage(&mut self, stream: &mut Stream, usage: &Raw, place: &str) {
        let writer = &mut stream.writer;
        match usage {
            Raw::Null => {}
            Raw::Object(usage) => {
                let expected = "two of prompt, completion and total tokens";
                if let Some(figures) = self.usage.read(usage, &mut writer.log, place, expected) {
                    self.content.calls.settle(writer);
                    writer.usage(figures);
                }
            }
            other => writer.log.invalid(place, "an object", other),
        }
    }

    // --- the end ---------------------------------------------------------------------------------

    fn read_behind_mark(&mut self, stream: &mut Stream, event: &RawObject) {
        match error_body(event) {
            Some(error) => self.fail_with(stream, &error),
            None => stream.note_after_end(),
        }
    }

    fn end(&mut self, stream: &mut Stream) {
        self.flush(stream);
        let said = stream.finish_reason.clone();
        let key = said.as_deref().unwrap_or("").to_lowercase().replace('-', "_");
        let place = "/choices/0/finish_reason";
        let known = stream.known_reason(finish_reasons::CHAT, &key, said.as_deref(), place);
        let is_refusal = known == "stop" && self.content.refused;
        stream.writer.done(if is_refusal { "refusal" } else { known }, said.as_deref());
    }
}

fn read_all_warnings(writer: &mut DeltaWriter, event: &RawObject) {
    writer.read_warnings(event, "", "code");
    if let Some(system) = event.get("system").object() {
        writer.read_warnings(system, "/system", "id"); // watsonx
    }
}

/// Tells whether choices have any content: more than whose answer it is, and why it ended.
fn say_anything(choices: &Raw) -> bool {
    choices.array().unwrap_or_default().iter().filter_map(Raw::object).any(|choice| {
        let delta = choice.get("delta");
        let said = if delta.says_something() { delta } else { choice.get("message") };
        let mut members = said.object().into_iter().flat_map(RawObject::iter);
        members.any(|(name, value)| *name != *"role" && value.says_something())
    })
}

/// Tells whether a choice is choice 0, by its place where it has no number.
fn is_first(stream: &mut Stream, index: &Raw, position: usize) -> bool {
    if *index == Raw::Int(0) || *index == Raw::Bool(false) {
        return true;
    }
    let log = &mut stream.writer.log;
    let place = format!("/choices/{position}/index");
    if index.int().is_none() && !index.is_null() {
        log.invalid(&place, "the choice's number", index);
    }
    let number = index.int().unwrap_or(position as i128);
    if number == 0 {
        return true;
    }
    log.note(
        "adapter/other-choice",
        "Only choice 0 becomes the message; this one is passed over",
        &place,
        Some("0"),
        Some(&number.to_string()),
    );
    false
}
