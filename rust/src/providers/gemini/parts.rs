//! Parts of Gemini's content: which of them are parts of ours, and which are kept beside.

use std::collections::HashMap;

use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_text::{RawText, Text};
use crate::providers::core::cited_text::CitedText;
use crate::providers::core::tool_results::read_result;
use crate::providers::core::writer::{DeltaWriter, Kind, OpenCall};
use crate::providers::core::writing::media::OpenMedia;
use crate::providers::core::writing::whole_parts::{Items, ServerResult};
use crate::providers::gemini::arguments::StreamedArguments;
use crate::tables::provider_names::{
    GEMINI_BESIDE as BESIDE, GEMINI_MEDIA as MEDIA, GEMINI_OUTCOMES as OUTCOMES,
    GEMINI_SERVER_CALLS as SERVER_CALLS, GEMINI_SERVER_PARTS as SERVER,
};

const PARTS: &str = "/candidates/0/content/parts";

/// Writes the parts of candidate 0.
///
/// What is beside a text, a function call or media in its part (`thoughtSignature` first of all) is
/// kept under its own name, with the text's range, the call or the media. Of a tool that the
/// provider runs, call and result keep their parts whole, as `part`; so is any other part, at its
/// place. What is not of the published form is kept under the member's name.
#[derive(Debug, Default)]
pub(crate) struct GeminiParts {
    /// The last one, open or ended.
    call: Option<OpenCall>,
    name: RawText,
    id: Option<RawText>,
    /// While the pieces of the call are still coming.
    streamed: Option<StreamedArguments>,
    /// Id → name and whole arguments.
    came: HashMap<RawText, (RawText, Option<RawText>)>,
    /// A call has come twice, with different arguments.
    pub clashes: bool,
    /// Sound which more of may come, and its type.
    sound: Option<(OpenMedia, RawText)>,
}

impl GeminiParts {
    /// Reads the parts of one event; `answer` takes its text, for citations.
    pub(crate) fn read(&mut self, writer: &mut DeltaWriter, answer: &mut CitedText, parts: &[Raw]) {
        for (number, part) in parts.iter().enumerate() {
            if self.clashes {
                return;
            }
            let place = format!("{PARTS}/{number}");
            let Some(members) = part.object() else {
                writer.log.invalid(&place, "an object", part);
                continue;
            };
            let text = members.get("text").text();
            if !text.is_some_and(Text::is_empty) && !members.has("inlineData") {
                self.end_sound(writer);
            }
            if let Some(call) = members.get("functionCall").object() {
                self.read_call(writer, call, members, &format!("{place}/functionCall"));
            } else if let Some(text) = text.filter(|text| is_text(*text, members)) {
                read_text(writer, answer, text, members);
            } else if !writer.says_new || !self.read_new(writer, part, members, &place) {
                self.end_sound(writer);
                read_other(writer, part, members, &place);
            }
        }
    }

    /// Ends what is open; `stopped`: the model itself came to an end.
    ///
    /// If it did not, arguments whose last piece never came are left without their end.
    pub(crate) fn finish(&mut self, writer: &mut DeltaWriter, stopped: bool) {
        self.end_sound(writer);
        if self.streamed.is_some() {
            writer.log.note(
                "adapter/block-order",
                "The message ends while a tool call is open",
                &format!("{PARTS}/0/functionCall/willContinue"),
                None,
                None,
            );
            self.end_call(writer, stopped);
        }
    }

    // --- what the provider runs, and media -------------------------------------------------------

    /// Reads a call or result of a server tool, or media; tells whether the part is one.
    fn read_new(
        &mut self,
        writer: &mut DeltaWriter,
        whole: &Raw,
        part: &RawObject,
        place: &str,
    ) -> bool {
        let mut names = part.iter().filter_map(|(name, _)| {
            SERVER.iter().chain(MEDIA).find(|each| *name == ***each).copied()
        });
        let Some(name) = names.next() else { return false };
        let Some(value) = part.get(name).object() else { return false };
        let place = format!("{place}/{name}");
        if MEDIA.contains(&name) {
            // Drafts of the answer's images are thoughts.
            let is_answer = *part.get("thought") != Raw::Bool(true);
            if is_answer {
                self.read_media(writer, name, value, whole, part, &place);
            }
            return is_answer;
        }
        self.end_sound(writer);
        if SERVER_CALLS.contains(&name) {
            read_server_call(writer, name, value, whole, &place);
            return true;
        }
        read_server_result(writer, name, value, whole, &place)
    }

    /// Reads media; sound of one type in a row is one, until a piece has something beside it.
    fn read_media(
        &mut self,
        writer: &mut DeltaWriter,
        name: &str,
        value: &RawObject,
        whole: &Raw,
        part: &RawObject,
        place: &str,
    ) {
        let mime_type = writer.log.string(value.get("mimeType"), &format!("{place}/mimeType"));
        let is_more = |sound: &(OpenMedia, RawText)| sound.1.as_text() == mime_type;
        let media = match self.sound.take() {
            Some(sound) if name == "inlineData" && is_more(&sound) => sound.0,
            sound => {
                if let Some((media, _)) = sound {
                    writer.end_media(media, None, None, &[]);
                }
                let place = format!("{place}/displayName");
                let title = writer.log.string(value.get("displayName"), &place);
                open_media(writer, mime_type, title, place.trim_end_matches("/displayName"))
            }
        };
        let names = [name];
        let kept: Vec<(String, &Raw)> = beside(part, &names)
            .map(|(name, member)| (name.as_text().well_formed().into_owned(), member))
            .collect();
        let kept: Vec<(&str, &Raw)> =
            kept.iter().map(|(name, member)| (name.as_str(), *member)).collect();
        let (content, is_read) = if name == "fileData" {
            let uri = writer.log.string(value.get("fileUri"), &format!("{place}/fileUri"));
            ("fileUri", writer.end_media(media, None, Some(uri), &kept))
        } else {
            let data = value.get("data");
            let is_read = writer.media_data(media, data, &Raw::Null, "") && data.says_something();
            if is_read && mime_type.starts_with("audio/".into()) && kept.is_empty() {
                self.sound = Some((media, mime_type.into()));
            } else {
                let kept: Items<'_> = if is_read { &kept } else { &[] };
                writer.end_media(media, None, None, kept);
            }
            ("data", is_read)
        };
        if !is_read {
            let place = format!("{place}/{content}");
            writer.log.invalid(&place, "bytes in Base64, or a URI", value.get(content));
            // Not as "part": no request could send it.
            writer.keep(name, whole, None);
        }
    }

    fn end_sound(&mut self, writer: &mut DeltaWriter) {
        if let Some((media, _)) = self.sound.take() {
            writer.end_media(media, None, None, &[]);
        }
    }

    // --- function calls --------------------------------------------------------------------------

    fn read_call(
        &mut self,
        writer: &mut DeltaWriter,
        call: &RawObject,
        part: &RawObject,
        place: &str,
    ) {
        let name = writer.log.string(call.get("name"), &format!("{place}/name"));
        let id = writer.log.string(call.get("id"), &format!("{place}/id"));
        let id = Some(id).filter(|id| !id.is_empty());
        if self.streamed.is_none() || !self.is_same(name, id) {
            if !name.is_empty() {
                if id.is_some_and(|id| self.came_again(writer, id, name, call, place)) {
                    return;
                }
                self.open(writer, name, id, place);
            } else if self.call.is_none() || says_anything(call) {
                keep_unnamed(writer, call, part, place);
                return;
            }
        }
        if let Some(call) = self.call {
            for (name, member) in beside(part, &["functionCall"]) {
                writer.keep_with(call, &name.as_text().well_formed(), member);
            }
        }
        self.read_arguments(writer, call, place);
    }

    /// Tells whether a function call goes on with the one whose pieces are still coming.
    fn is_same(&self, name: Text<'_>, id: Option<Text<'_>>) -> bool {
        if let (Some(id), Some(own)) = (id, &self.id) {
            return id == own.as_text();
        }
        name.is_empty() || name == self.name.as_text()
    }

    /// Takes a call; tells whether it has come before: by its id and name.
    fn came_again(
        &mut self,
        writer: &mut DeltaWriter,
        id: Text<'_>,
        name: Text<'_>,
        call: &RawObject,
        place: &str,
    ) -> bool {
        let arguments = whole_arguments(call);
        match self.came.get(&id.into()) {
            Some((before, _)) if before.as_text() != name => {}
            Some((_, before)) => {
                self.clashes |= arguments.is_none() || arguments != *before;
                let message = "A tool call that has come already comes again; it is passed over";
                let expected = Some("an id for each call");
                let (place, id) = (format!("{place}/id"), Raw::from(id).clip());
                let log = &mut writer.log;
                log.note("adapter/tool-call-mismatch", message, &place, expected, Some(&id));
                return true;
            }
            None => {}
        }
        self.came.insert(id.into(), (name.into(), arguments));
        false
    }

    fn open(
        &mut self,
        writer: &mut DeltaWriter,
        name: Text<'_>,
        id: Option<Text<'_>>,
        place: &str,
    ) {
        if self.streamed.is_some() {
            let message = "A call begins while more of another one is due";
            writer.log.note("adapter/block-order", message, place, None, None);
            self.end_call(writer, true);
        }
        self.call = Some(writer.open_call(id, name));
        self.name = name.into();
        self.id = id.map(RawText::from);
        self.streamed = Some(StreamedArguments::default());
    }

    /// Reads what a function call says about arguments; ends the call unless more is to come.
    fn read_arguments(&mut self, writer: &mut DeltaWriter, said: &RawObject, place: &str) {
        let (Some(call), Some(streamed)) = (self.call, &mut self.streamed) else { return };
        let goes_on = *said.get("willContinue") == Raw::Bool(true);
        let pieces = said.get("partialArgs");
        if let Some(pieces) = pieces.array() {
            for (number, piece) in pieces.iter().enumerate() {
                let place = format!("{place}/partialArgs/{number}");
                read_piece(writer, call, streamed, piece, &place);
            }
        } else if !pieces.is_null() {
            writer.log.invalid(&format!("{place}/partialArgs"), "an array", pieces);
            streamed.refuse("pieces that cannot be read");
        }
        let args = said.get("args");
        let is_streamed = goes_on || streamed.begun;
        if let Some(members) = args.object() {
            if is_streamed {
                streamed.merge(members);
            } else {
                writer.args(call, &as_json_text(args));
            }
        } else if !args.is_null() {
            writer.log.invalid(&format!("{place}/args"), "an object", args);
            if is_streamed {
                streamed.refuse("arguments that are not an object");
            } else if let Some(text) = args.text() {
                writer_args(writer, call, text);
            } else {
                writer.args(call, &as_json_text(args));
            }
        }
        if !goes_on {
            self.end_call(writer, true);
        }
    }

    /// Ends the call that is open; `whole`: all of it has come.
    fn end_call(&mut self, writer: &mut DeltaWriter, whole: bool) {
        let (Some(mut streamed), Some(call)) = (self.streamed.take(), self.call) else { return };
        if let Some(again) = &streamed.again {
            writer.log.note(
                "adapter/block-order",
                "Arguments came back to a member that was complete; it is written again",
                &format!("{PARTS}/0/functionCall/partialArgs"),
                None,
                Some(&Raw::Text(again.clone()).clip()),
            );
        }
        let text = if whole { streamed.end() } else { streamed.cut() };
        writer_args(writer, call, text.as_text());
        writer.end_call(call);
    }
}

/// Tells whether a part with a text is one of text.
fn is_text(text: Text<'_>, part: &RawObject) -> bool {
    !text.is_empty() || part.len() == 1 || beside(part, &["text", "thought"]).next().is_none()
}

fn read_text(writer: &mut DeltaWriter, answer: &mut CitedText, text: Text<'_>, part: &RawObject) {
    let is_thought = *part.get("thought") == Raw::Bool(true);
    let kind = if is_thought { Kind::Thinking } else { Kind::Text };
    // Text that follows text of its kind joins the part: this one begins inside it.
    let start = if writer.kind == Some(kind) { writer.chars } else { 0 };
    match kind {
        Kind::Text => {
            writer.text(text);
            if !text.is_empty() {
                answer.add(writer.part, start, text);
            }
        }
        Kind::Thinking => writer.thinking(text),
    }
    for (name, member) in beside(part, &["text", "thought"]) {
        writer.keep(&name.as_text().well_formed(), member, Some(start));
    }
}

fn read_server_call(
    writer: &mut DeltaWriter,
    name: &str,
    value: &RawObject,
    whole: &Raw,
    place: &str,
) {
    let id = writer.log.string(value.get("id"), &format!("{place}/id"));
    let id = Some(id).filter(|id| !id.is_empty());
    let call = if name == "executableCode" {
        let call = writer.open_server_call(id, "code_execution");
        let mut given = value.clone();
        given.retain(|name, _| *name != *"id");
        writer.args(call, &as_json_text(&given.into()));
        call
    } else {
        let tool = writer.log.string(value.get("toolType"), &format!("{place}/toolType"));
        let tool = if tool.is_empty() { "unknown".into() } else { tool };
        let call = writer.open_server_call(id, tool);
        let args = value.get("args");
        if !args.is_null() && args.object().is_none() {
            writer.log.invalid(&format!("{place}/args"), "an object", args);
        }
        match args {
            Raw::Null => {}
            Raw::Text(text) => writer_args(writer, call, text.as_text()),
            other => writer.args(call, &as_json_text(other)),
        }
        call
    };
    writer.keep_with(call, "part", whole);
    writer.end_call(call);
}

/// Writes a result; tells whether there is a call that it answers.
fn read_server_result(
    writer: &mut DeltaWriter,
    name: &str,
    value: &RawObject,
    whole: &Raw,
    place: &str,
) -> bool {
    let said = writer.log.string(value.get("outcome"), &format!("{place}/outcome"));
    let outcome = OUTCOMES.iter().find(|(theirs, _)| said == *theirs).map(|(_, ours)| *ours);
    let outcome = outcome.map_or_else(|| said.well_formed().into_owned(), str::to_owned);
    let content = if name == "codeExecutionResult" { "output" } else { "response" };
    let (content, structured) = read_result(value.get(content));
    let id = writer.log.string(value.get("id"), &format!("{place}/id"));
    let is_error = ["error", "timeout"].contains(&outcome.as_str());
    let result = ServerResult { is_error, content, outcome: Some(outcome), structured };
    writer.server_result(Some(id), result, &[("part", whole)])
}

fn open_media(
    writer: &mut DeltaWriter,
    mime_type: Text<'_>,
    title: Text<'_>,
    place: &str,
) -> OpenMedia {
    if mime_type.is_empty() {
        writer.log.note(
            "adapter/unknown-media-type",
            "The media does not say its type; it counts as bytes",
            &format!("{place}/mimeType"),
            None,
            None,
        );
    }
    writer.open_media(None, Some(mime_type), Some(title))
}

/// Keeps a part that is neither text nor a call: whole, at its place.
fn read_other(writer: &mut DeltaWriter, whole: &Raw, part: &RawObject, place: &str) {
    let Some(_) = beside(part, &["thought"]).next() else { return };
    for (name, published) in [("text", "a string"), ("functionCall", "an object")] {
        let member = part.get(name);
        if !member.is_null() && member.str() != Some("") {
            writer.log.invalid(&format!("{place}/{name}"), published, member);
            writer.keep(name, whole, None);
            return;
        }
    }
    writer.keep("part", whole, None);
    let is_content = |name: &RawText| !BESIDE.iter().any(|each| name == *each);
    let content = beside(part, &["thought"]).find(|(name, _)| is_content(name));
    let Some((name, value)) = content else { return };
    if SERVER.iter().any(|each| name == *each) {
        let kind = value.object().map(|value| value.get("toolType"));
        let kind = kind.filter(|kind| kind.says_something());
        writer.log.note(
            "adapter/server-tool-call",
            "The provider executes this tool itself; it is not a tool call of the message",
            &format!("{place}/{}", name.as_text().well_formed()),
            None,
            Some(&kind.map_or_else(|| Raw::Text(name.clone()).clip(), Raw::clip)),
        );
    } else {
        writer.log.note(
            "adapter/unsupported-content",
            "The contract has no part for this content; it is kept beside the message",
            place,
            None,
            Some(&Raw::Text(name.clone()).clip()),
        );
    }
}

/// Keeps a call that has neither a name nor another one that it could go on with.
fn keep_unnamed(writer: &mut DeltaWriter, call: &RawObject, part: &RawObject, place: &str) {
    if says_anything(call) {
        writer.log.note(
            "adapter/unnamed-tool-call",
            "A tool call without a name cannot be called; it is left out of the message",
            &format!("{place}/name"),
            Some("the tool's name"),
            Some(&call.get("name").clip()),
        );
    }
    // Not as "part": no request could send it.
    writer.keep("functionCall", &part.clone().into(), None);
}

fn read_piece(
    writer: &mut DeltaWriter,
    call: OpenCall,
    streamed: &mut StreamedArguments,
    piece: &Raw,
    place: &str,
) {
    let was_broken = streamed.broken.is_some();
    let none = RawObject::default();
    let text = streamed.add(piece.object().unwrap_or(&none));
    writer_args(writer, call, text.as_text());
    if let (false, Some(why)) = (was_broken, streamed.broken) {
        writer.log.note(
            "adapter/invalid-event",
            &format!("The arguments cannot be completed: {why}"),
            place,
            Some("a piece of a value and its path"),
            Some(&piece.clip()),
        );
    }
}

/// Appends argument text, if there is any: none ends no part of text.
fn writer_args(writer: &mut DeltaWriter, call: OpenCall, text: Text<'_>) {
    if !text.is_empty() {
        writer.args(call, text);
    }
}

fn says_anything(call: &RawObject) -> bool {
    call.iter().any(|(_, member)| member.says_something())
}

/// Returns the text of arguments that come with the call, None where they come in pieces.
fn whole_arguments(call: &RawObject) -> Option<RawText> {
    if *call.get("willContinue") == Raw::Bool(true) || !call.get("partialArgs").is_null() {
        return None;
    }
    let args = call.get("args");
    let says = args.says_something();
    Some(if says { as_json_text(args).into() } else { "{}".into() })
}

/// Returns the members of a part that are none of `names`, and not null.
fn beside<'a>(
    part: &'a RawObject,
    names: &'a [&str],
) -> impl Iterator<Item = (&'a RawText, &'a Raw)> {
    part.iter().filter(|(name, member)| !member.is_null() && !names.iter().any(|n| **name == **n))
}
