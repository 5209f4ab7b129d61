//! Gemini's `streamGenerateContent`, of Google AI and of Vertex AI: raw events → deltas.
//!
//! End marker: a `finishReason` on candidate 0, or a `blockReason` of the prompt. Both may come
//! again, and more behind them: `done` comes at the end of the input. What the format says:
//!
//! - Each event is a whole response with what is new; one event alone is a response that did not
//!   stream. Protocol buffers leave out what is 0: a candidate without `index` is the first.
//! - `thought` parts are thinking. `thoughtSignature` is wanted back in the part that it came in:
//!   it is kept with its text or call, or with the part where that is nothing else (or empty text).
//! - A `functionCall` comes whole, or its arguments by path in `partialArgs` until one comes
//!   without `willContinue`. Most have no id: one is minted.
//! - `executableCode`, `toolCall` and their results are calls and results of server tools, and keep
//!   their parts whole. `inlineData` and `fileData` are media. Any other part is kept whole, in
//!   place.
//! - Grounding and citations are kept as they came, and are citations of the text too (`citations`).
//! - `usageMetadata` counts all so far. The last one that has counts is taken as a whole: what it
//!   leaves out is 0. Thoughts are counted apart from the candidates; ours count both as output.
//! - A blocked prompt is an answer that was filtered (`content_filter`), without content.
//! - Python's client and some relays write names with underscores.
//!
//! Source: <https://ai.google.dev/api/generate-content>.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::errors::clip_text;
use crate::json::raw::{Raw, RawObject};
use crate::json::raw_text::RawText;
use crate::providers::core::dialect::{Dialect, Stream};
use crate::providers::core::errors::error_body;
use crate::providers::core::ids::AnswerIds;
use crate::providers::core::usage::{Figures, Parts, usage_summary};
use crate::providers::gemini::citations::GeminiCitations;
use crate::providers::gemini::parts::GeminiParts;
use crate::tables::finish_reasons::GEMINI;
use crate::tables::provider_names::{
    GEMINI_EVENTS as KNOWN, GEMINI_SNAKE_CASE as SNAKE, GEMINI_STATE as STATE,
    GEMINI_UNSPECIFIED as NOT_SAID,
};
use crate::tables::usage_figures::GEMINI as FIGURES;

const REASON: &str = "/candidates/0/finishReason";

/// One Gemini response.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // each is a separate fact
pub(crate) struct Gemini {
    parts: GeminiParts,
    citations: GeminiCitations,
    ids: AnswerIds,
    /// Model and request id are known.
    is_named: bool,
    has_begun: bool,
    is_in_snake_case: bool,
    blocked: Option<String>,
    /// The last of each of `STATE`.
    kept: HashMap<&'static str, Raw>,
    // Some event has counted them.
    had_thoughts: bool,
    was_cached: bool,
}

impl Dialect for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn read(&mut self, stream: &mut Stream, event: &RawObject) {
        let mut event = Cow::Borrowed(event);
        loop {
            self.is_in_snake_case |= SNAKE.iter().any(|name| event.has(name));
            if self.is_in_snake_case {
                event = Cow::Owned(camel(&event));
            }
            // Code Assist wraps each event.
            match self.read_event(stream, &event) {
                Some(inner) => event = Cow::Owned(inner),
                None => return,
            }
        }
    }

    fn finish(&mut self, stream: &mut Stream) {
        if let Some(said) = stream.finish_reason.clone() {
            let key = said.to_uppercase();
            let reason = stream.known_reason(GEMINI, &key, Some(&said), REASON);
            self.end(stream, reason, &said);
        } else if let Some(said) = self.blocked.take() {
            self.end(stream, "content_filter", &said);
        } else {
            self.truncated(stream, "a finishReason or a blockReason");
        }
    }

    fn flush(&mut self, stream: &mut Stream) {
        self.citations.write(&mut stream.writer);
    }

    fn is_whole(&self, stream: &Stream) -> bool {
        stream.finish_reason.is_some() || self.blocked.is_some()
    }
}

impl Gemini {
    /// Reads an event; returns the one that it only wraps.
    fn read_event(&mut self, stream: &mut Stream, event: &RawObject) -> Option<RawObject> {
        if !self.is_named {
            let (model, response) = (event.get("modelVersion"), event.get("responseId"));
            self.is_named = stream.writer.identify(model, response);
        }
        let candidates = event.get("candidates");
        let id = event.get("responseId");
        if self.ids.is_other(id, self.is_whole(stream)) && say_anything(candidates) {
            let first = self.ids.first.clone();
            self.refuse_second(stream, "/responseId", &first, id);
            return None;
        }
        if let Some(candidates) = candidates.array() {
            self.has_begun = true;
            self.read_candidates(stream, candidates);
            if stream.writer.ended {
                return None;
            }
        } else if !candidates.is_null() {
            stream.writer.log.invalid("/candidates", "an array", candidates);
        } else if !has_any(event, KNOWN) {
            return self.read_bare(stream, event);
        }
        if !event.get("usageMetadata").is_null() {
            self.read_usage(stream, event.get("usageMetadata"));
        }
        if !event.get("promptFeedback").is_null() {
            self.read_feedback(stream, event.get("promptFeedback"));
        }
        if event.get("error").says_something() {
            self.fail_with(stream, event.get("error"));
        }
        None
    }

    /// Reads an event that has no member of the format; returns the one that it only wraps.
    fn read_bare(&mut self, stream: &mut Stream, event: &RawObject) -> Option<RawObject> {
        if let Some(error) = error_body(event) {
            self.fail_with(stream, &error);
            return None;
        }
        let inner = event.get("response").object();
        if let Some(inner) = inner.filter(|inner| has_any(inner, KNOWN) || has_any(inner, SNAKE)) {
            return Some(inner.clone());
        }
        if self.has_begun || !self.is_other_dialect(stream, event) {
            let mut names: Vec<String> =
                event.iter().map(|(name, _)| name.as_text().well_formed().into_owned()).collect();
            names.sort_unstable();
            names.truncate(8);
            stream.writer.log.note(
                "adapter/unknown-event",
                "The event is not a piece of a response; it is passed over",
                "",
                Some("candidates, promptFeedback or usageMetadata"),
                Some(&clip_text(&names.join(", "))),
            );
        }
        None
    }

    fn read_candidates(&mut self, stream: &mut Stream, candidates: &[Raw]) {
        let mut first_came = false;
        for (position, candidate) in (0..).zip(candidates) {
            if stream.writer.ended {
                return;
            }
            let place = format!("/candidates/{position}");
            let Some(members) = candidate.object() else {
                stream.writer.log.invalid(&place, "an object", candidate);
                continue;
            };
            let place = format!("{place}/index");
            let given = members.get("index");
            let index = given.int().unwrap_or_else(|| {
                if !given.is_null() {
                    stream.writer.log.invalid(&place, "a number", given);
                }
                if first_came { position } else { 0 }
            });
            if index == 0 {
                first_came = true;
                self.read_candidate(stream, members);
            } else {
                stream.writer.log.note(
                    "adapter/other-choice",
                    "Only candidate 0 becomes the message; this one is passed over",
                    &place,
                    Some("0"),
                    Some(&index.to_string()),
                );
            }
        }
    }

    fn read_candidate(&mut self, stream: &mut Stream, candidate: &RawObject) {
        let content = candidate.get("content");
        if let Some(members) = content.object() {
            let parts = members.get("parts");
            if let Some(parts) = parts.array() {
                self.parts.read(&mut stream.writer, &mut self.citations.text, parts);
                if self.parts.clashes {
                    let words = Some("A tool call came twice, with different arguments");
                    return self.end_with(stream, "provider_internal", words);
                }
            } else if !parts.is_null() {
                stream.writer.log.invalid("/candidates/0/content/parts", "an array", parts);
            }
        } else if !content.is_null() {
            stream.writer.log.invalid("/candidates/0/content", "an object", content);
        }
        read_reason(stream, candidate.get("finishReason"));
        for name in STATE {
            if candidate.get(name).says_something() {
                self.keep(stream, name, candidate.get(name));
            }
        }
    }

    fn keep(&mut self, stream: &mut Stream, name: &'static str, value: &Raw) {
        // Some repeat it in every event.
        if self.kept.insert(name, value.clone()).as_ref() != Some(value) {
            stream.writer.keep(name, value, None);
            self.citations.take(&stream.writer, name, value);
        }
    }

    fn read_feedback(&mut self, stream: &mut Stream, feedback: &Raw) {
        let Some(members) = feedback.object() else {
            stream.writer.log.invalid("/promptFeedback", "an object", feedback);
            return;
        };
        let reason = members.get("blockReason");
        if let Some(said) = said(reason) {
            self.blocked = Some(said);
            self.keep(stream, "promptFeedback", feedback);
        } else if !reason.is_null() && reason.text().is_none() {
            stream.writer.log.invalid("/promptFeedback/blockReason", "a string", reason);
        }
    }

    fn read_usage(&mut self, stream: &mut Stream, usage: &Raw) {
        let Some(figures) = figures_of(stream, usage) else { return };
        let total = figures.get(&["totalTokenCount"]);
        let (read, mut written) =
            (figures.of("promptTokenCount"), figures.of("candidatesTokenCount"));
        if read == 0 && written == 0 {
            if total.is_some_and(|total| total > 0) {
                stream.writer.log.note(
                    "adapter/incomplete-usage",
                    "The usage has too few figures to be reported",
                    "/usageMetadata",
                    Some("tokens of the prompt and of the candidates"),
                    None,
                );
            }
            return; // Vertex AI names the kind of traffic in every event, the counts in the last
        }
        let mut thoughts = figures.get(&["thoughtsTokenCount"]);
        let tools = figures.of("toolUsePromptTokenCount");
        if total != Some(read + written + tools) {
            written += thoughts.unwrap_or(0); // else they are part of the candidates'
        }
        let total = total.unwrap_or(read + written + tools);
        let mut cached = figures.get(&["cachedContentTokenCount"]);
        // What the last usage leaves out is 0, also where an earlier one had it.
        for (figure, came) in
            [(&mut cached, &mut self.was_cached), (&mut thoughts, &mut self.had_thoughts)]
        {
            *came |= figure.is_some();
            *figure = figure.or(came.then_some(0));
        }
        let parts = Parts { reasoning: thoughts, cache_read: cached, cache_write: None };
        stream.writer.usage(usage_summary(read, written, total, parts));
    }

    fn end(&mut self, stream: &mut Stream, reason: &'static str, said: &str) {
        self.parts.finish(&mut stream.writer, reason == "stop");
        self.citations.write(&mut stream.writer);
        stream.writer.done(reason, Some(said));
    }
}

/// Tells whether candidates have any content.
fn say_anything(candidates: &Raw) -> bool {
    let candidates = candidates.array().unwrap_or_default().iter().filter_map(Raw::object);
    let contents = candidates.filter_map(|candidate| candidate.get("content").object());
    let mut parts = contents.flat_map(|content| content.get("parts").array().unwrap_or_default());
    parts.any(|part| {
        let mut members = part.object().into_iter().flat_map(RawObject::iter);
        members.any(|(_, value)| value.says_something())
    })
}

fn has_any(event: &RawObject, names: &[&str]) -> bool {
    names.iter().any(|name| event.has(name))
}

/// Returns a reason that says something.
fn said(reason: &Raw) -> Option<String> {
    let said = reason.text().filter(|said| NOT_SAID.iter().all(|each| said != each))?;
    Some(said.well_formed().into_owned())
}

fn read_reason(stream: &mut Stream, reason: &Raw) {
    if let Some(said) = said(reason) {
        stream.finish_reason = Some(said);
    } else if !reason.is_null() && reason.text().is_none() {
        stream.writer.log.invalid(REASON, "a string", reason);
    }
}

/// Returns the figures of one usage, which are all that count of it.
fn figures_of(stream: &mut Stream, usage: &Raw) -> Option<Figures> {
    let Some(members) = usage.object() else {
        stream.writer.log.invalid("/usageMetadata", "an object", usage);
        return None;
    };
    let mut figures = Figures::default();
    if let Some(bad) = figures.take(members, FIGURES) {
        let place = format!("/usageMetadata/{bad}");
        stream.writer.log.invalid(&place, "a count", members.get(bad));
    }
    Some(figures)
}

// -------------------------------------------------------------------------------------------------
// Names as Gemini's REST API writes them.

const MAX_DEPTH: usize = 64;
// The user's own JSON.
const VERBATIM: [&str; 3] = ["args", "response", "part_metadata"];

/// Returns a copy of an event with names in camel case.
pub(crate) fn camel(event: &RawObject) -> RawObject {
    members_of(event, 0)
}

fn members_of(members: &RawObject, depth: usize) -> RawObject {
    let renamed = members.iter().map(|(name, member)| {
        let is_verbatim = VERBATIM.iter().any(|each| name == *each);
        let copy = if is_verbatim { member.clone() } else { value_of(member, depth + 1) };
        (camel_name(name), copy)
    });
    renamed.collect()
}

fn value_of(value: &Raw, depth: usize) -> Raw {
    match value {
        Raw::Array(items) if depth < MAX_DEPTH => {
            Raw::Array(items.iter().map(|item| value_of(item, depth + 1)).collect())
        }
        Raw::Object(members) if depth < MAX_DEPTH => members_of(members, depth).into(),
        other => other.clone(),
    }
}

/// Returns a name with `_a` as `A`.
fn camel_name(name: &RawText) -> RawText {
    let mut points = name.as_text().points().peekable();
    let mut made = Vec::new();
    while let Some(point) = points.next() {
        let next = points.peek().and_then(|next| char::from_u32(*next));
        let next = next.filter(|next| point == u32::from('_') && next.is_ascii_lowercase());
        if let Some(letter) = next {
            made.push(letter.to_ascii_uppercase().into());
            points.next();
        } else {
            made.push(point);
        }
    }
    RawText::of_points(made)
}
