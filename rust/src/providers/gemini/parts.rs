//! Parts of Gemini's content: which of them are parts of ours, and which are kept beside.

use std::collections::HashMap;

use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_text::{RawText, Text};
use crate::providers::core::writer::{DeltaWriter, Kind, OpenCall};
use crate::providers::gemini::arguments::StreamedArguments;
use crate::tables::provider_names::{GEMINI_BESIDE as BESIDE, GEMINI_SERVER_PARTS as SERVER};

const PARTS: &str = "/candidates/0/content/parts";

/// Writes the parts of candidate 0.
///
/// What is beside a text or a function call in its part (`thoughtSignature` first of all) is
/// kept under its own name, with the text's range or the call. Any other part is kept whole, as
/// `part`, at its place; what is not of the published form, under the member's name.
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
}

impl GeminiParts {
    /// Reads the parts of one event.
    pub(crate) fn read(&mut self, writer: &mut DeltaWriter, parts: &[Raw]) {
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
            if let Some(call) = members.get("functionCall").object() {
                self.read_call(writer, call, members, &format!("{place}/functionCall"));
            } else if let Some(text) = text.filter(|text| is_text(*text, members)) {
                read_text(writer, text, members);
            } else {
                read_other(writer, part, members, &place);
            }
        }
    }

    /// Ends what is open; `stopped`: the model itself came to an end.
    ///
    /// If it did not, arguments whose last piece never came are left without their end.
    pub(crate) fn finish(&mut self, writer: &mut DeltaWriter, stopped: bool) {
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
                streamed.refuse("arguments that are no object");
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

fn read_text(writer: &mut DeltaWriter, text: Text<'_>, part: &RawObject) {
    let is_thought = *part.get("thought") == Raw::Bool(true);
    let kind = if is_thought { Kind::Thinking } else { Kind::Text };
    // Text that follows text of its kind joins the part: this one begins inside it.
    let start = if writer.kind == Some(kind) { writer.chars } else { 0 };
    match kind {
        Kind::Text => writer.text(text),
        Kind::Thinking => writer.thinking(text),
    }
    for (name, member) in beside(part, &["text", "thought"]) {
        writer.keep(&name.as_text().well_formed(), member, Some(start));
    }
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
            "The provider executes this tool itself; it is no tool call of the message",
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
