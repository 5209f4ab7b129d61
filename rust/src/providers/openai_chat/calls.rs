//! Tool calls of chat completion chunks: which piece belongs to which call.
//!
//! The published rule: `index` distinguishes the calls, id and name come with the first piece only.
//! What vendors make of it, and how it is read here (null, `""` and absent are one):
//!
//! - No index: the id decides; with neither, a piece with a name opens a call and one without
//!   continues the last.
//! - A new id on a taken index is a new call; both stay open, the older one is found by its id. A
//!   new id without a name is the same call: some servers make up an id per chunk.
//! - A known id belongs to its call whatever the index, unless it comes with another name, or with
//!   a name at a new index: then it is another call, and gets a new id.
//! - Name before arguments, after them, or never: a call starts once its name is known; what came
//!   before is held back. One that never gets a name is left out, with a finding.
//! - A name may come in pieces, too: until a call has arguments, another name on its index in a
//!   later chunk goes on with the first one, or is all of it if it begins with the first one. So a
//!   call starts once it has arguments, or something else comes.
//! - Arguments as growing wholes instead of pieces are taken apart: see [`ArgumentPieces`].
//!
//! No call ends before the stream does: the format has no mark for it, and arguments that happen
//! to be valid JSON may still go on.

use std::borrow::Cow;
use std::collections::HashMap;
use std::mem::take;

use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_reader::decode_event;
use crate::json::raw_text::{RawText, Text, is_space};
use crate::providers::core::writer::{DeltaWriter, OpenCall};
use crate::providers::openai_chat::citations::Annotations;

const PLACE: &str = "/choices/0/delta/tool_calls";

/// One call as far as it is known.
#[derive(Default)]
struct Call {
    provider_id: Option<RawText>,
    name: Option<RawText>,
    /// Number of the event that brought the name, or its first piece.
    named_at: u64,
    open: Option<OpenCall>,
    /// Arguments that came before the call could start.
    held: Vec<RawText>,
    pieces: ArgumentPieces,
    /// Number of the event that brought its last piece.
    chunk: u64,
    /// What Google's own endpoint wants back with the call.
    extra: Option<Raw>,
}

/// What a piece says of the call that it belongs to.
struct Piece<'a> {
    index: Option<i128>,
    id: Option<Text<'a>>,
    name: Option<Text<'a>>,
}

/// The tool calls of one stream.
#[derive(Default)]
pub(crate) struct ChatCalls {
    calls: Vec<Call>,
    by_index: HashMap<i128, usize>,
    by_id: HashMap<RawText, usize>,
    /// The one call of the older format.
    legacy: Option<usize>,
    last: Option<usize>,
    /// Opened on the index of another call.
    collided: Option<usize>,
    /// Has a name that may go on.
    waiting: Option<usize>,
    /// Of the text that a call may part.
    pub annotations: Annotations,
}

impl ChatCalls {
    /// Reads the `tool_calls` of one chunk.
    pub(crate) fn read(&mut self, writer: &mut DeltaWriter, entries: &Raw) {
        match entries {
            Raw::Array(entries) => {
                for (number, entry) in entries.iter().enumerate() {
                    match entry {
                        Raw::Object(entry) => self.read_entry(writer, entry),
                        other => invalid(writer, &format!("/{number}"), "an object", other),
                    }
                }
            }
            Raw::Object(entry) => {
                invalid(writer, "", "an array", entries);
                self.read_entry(writer, entry);
            }
            other => invalid(writer, "", "an array", other),
        }
    }

    /// Reads a `function_call`: the one call of the older format, without an id.
    pub(crate) fn read_legacy(&mut self, writer: &mut DeltaWriter, function: &Raw) {
        let Raw::Object(members) = function else {
            return invalid(writer, "", "an object", function);
        };
        let name = member(writer, members, "name");
        let at = self.legacy.unwrap_or_else(|| self.open(None, name));
        self.legacy = Some(at);
        self.add(writer, at, name, members.get("arguments"));
    }

    /// Tells whether a call waits for more of its name.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Starts the call that is waiting: no more of its name comes.
    pub(crate) fn settle(&mut self, writer: &mut DeltaWriter) {
        let waiting = self.waiting.take();
        let Some(call) = waiting.and_then(|at| self.calls.get_mut(at)) else { return };
        let Some(name) = &call.name else { return };
        let events = std::mem::replace(&mut writer.log.events, call.named_at);
        let annotations = &mut self.annotations;
        let mut collect = |writer: &mut DeltaWriter| annotations.write(writer);
        let own = call.provider_id.as_ref().map(RawText::as_text);
        let open = writer.collecting(&mut collect).open_call(own, name);
        writer.log.events = events;
        call.open = Some(open);
        for held in std::mem::take(&mut call.held) {
            write(writer, open, &mut call.pieces, held.as_text());
        }
    }

    /// Writes what is held back; says which calls never got a name.
    pub(crate) fn finish(&mut self, writer: &mut DeltaWriter) {
        self.settle(writer);
        for call in &mut self.calls {
            let Some(open) = call.open else {
                leave_out(writer, call);
                continue;
            };
            if let Some(extra) = &call.extra {
                writer.keep_with(open, "extra_content", extra);
            }
            let (pieces, cumulative) = call.pieces.rest();
            if cumulative {
                note_cumulative(writer);
            }
            for piece in &pieces {
                writer.args(open, piece);
            }
        }
    }

    // --- one piece -------------------------------------------------------------------------------

    fn read_entry(&mut self, writer: &mut DeltaWriter, entry: &RawObject) {
        let function = function_of(writer, entry);
        let id = member(writer, entry, "id");
        let name = member(writer, &function, "name");
        let index = index_of(writer, entry.get("index"));
        let piece = Piece { index, id, name };
        let at = self.find(writer, &piece).unwrap_or_else(|| {
            let at = self.open(id, name);
            if index.is_some_and(|index| self.by_index.contains_key(&index)) {
                self.collided = Some(at);
            }
            at
        });
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        if let (Some(id), Some(call)) = (id, self.calls.get_mut(at)) {
            let own = call.provider_id.get_or_insert_with(|| id.into());
            self.by_id.insert(own.clone(), at);
        }
        let extra = entry.get("extra_content");
        if let (true, Some(call)) = (extra.says_something(), self.calls.get_mut(at)) {
            call.extra = Some(extra.clone());
        }
        self.add(writer, at, name, function.get("arguments"));
    }

    /// Returns the call that a piece continues, None if it opens one.
    fn find(&self, writer: &mut DeltaWriter, piece: &Piece<'_>) -> Option<usize> {
        let call_at = |at: Option<usize>| at.and_then(|at| self.calls.get(at));
        let at_index = piece.index.and_then(|index| self.by_index.get(&index).copied());
        if let Some(id) = piece.id {
            // Of two calls with one id, the one at this index.
            let own = call_at(at_index).and_then(|call| call.provider_id.as_ref());
            let is_here = own.is_some_and(|own| own.as_text() == id);
            let known = if is_here { at_index } else { self.by_id.get(&id.into()).copied() };
            if let (Some(at), Some(call)) = (known, call_at(known)) {
                let is_here = at_index == Some(at);
                let takes_more = is_here && self.takes_more(writer, at);
                let is_another = is_another(writer, call, is_here, takes_more, piece);
                return (!is_another).then_some(at);
            }
        }
        if let Some(call) = call_at(at_index) {
            let takes_more = at_index.is_some_and(|at| self.takes_more(writer, at));
            return if goes_on(writer, call, takes_more, piece) { at_index } else { None };
        }
        if piece.id.is_some() || piece.name.is_some() {
            return None;
        }
        if piece.index.is_some() && self.last.is_some() {
            // The head of a call on a taken index, its arguments on the next one.
            return self.collided.filter(|_| self.collided == self.last);
        }
        if piece.index.is_none() { self.last } else { None }
    }

    /// Tells whether another name goes on with that of a call: it may be a piece.
    fn takes_more(&self, writer: &DeltaWriter, at: usize) -> bool {
        let chunk = self.calls.get(at).map(|call| call.chunk);
        self.waiting == Some(at) && chunk != Some(writer.log.events)
    }

    /// Takes a name, or a piece of one, of a call that has not started.
    fn take_name(&mut self, writer: &DeltaWriter, at: usize, name: Text<'_>) {
        let is_first = self.waiting != Some(at);
        self.waiting = Some(at);
        let Some(call) = self.calls.get_mut(at) else { return };
        if is_first {
            call.named_at = writer.log.events;
        }
        match &mut call.name {
            Some(before) if !is_first && !name.starts_with(before.as_text()) => before.push(name),
            before => *before = Some(name.into()),
        }
    }

    fn open(&mut self, id: Option<Text<'_>>, name: Option<Text<'_>>) -> usize {
        let (provider_id, name) = (id.map(RawText::from), name.map(RawText::from));
        self.calls.push(Call { provider_id, name, ..Call::default() });
        self.calls.len() - 1
    }

    fn add(
        &mut self,
        writer: &mut DeltaWriter,
        at: usize,
        name: Option<Text<'_>>,
        arguments: &Raw,
    ) {
        self.last = Some(at);
        if self.waiting != Some(at) {
            self.settle(writer);
        }
        let is_open = self.calls.get(at).is_some_and(|call| call.open.is_some());
        if let (Some(name), false) = (name, is_open) {
            self.take_name(writer, at, name);
        }
        if let Some(call) = self.calls.get_mut(at) {
            call.chunk = writer.log.events;
        }
        let text = match arguments {
            Raw::Null => Cow::Owned(RawText::default()),
            Raw::Text(text) => Cow::Borrowed(text),
            other => {
                // Whole, so never cumulative.
                invalid(writer, "/function/arguments", "JSON text in a string", other);
                Cow::Owned(as_json_text(other).into())
            }
        };
        let has_held = self.calls.get(at).is_some_and(|call| !call.held.is_empty());
        if has_held || !text.is_empty() {
            self.settle(writer);
        }
        let Some(call) = self.calls.get_mut(at) else { return };
        match call.open {
            _ if text.is_empty() => {}
            None => call.held.push(text.into_owned()),
            Some(open) if call.pieces.plain() => writer.args(open, text.as_text()),
            Some(open) => write(writer, open, &mut call.pieces, text.as_text()),
        }
    }
}

fn write(writer: &mut DeltaWriter, open: OpenCall, pieces: &mut ArgumentPieces, text: Text<'_>) {
    let was = pieces.cumulative();
    for piece in pieces.add(text) {
        writer.args(open, &piece);
    }
    if pieces.cumulative() && !was {
        note_cumulative(writer);
    }
}

/// Tells whether a piece with the id of a known call is of another one.
fn is_another(
    writer: &DeltaWriter,
    known: &Call,
    is_here: bool,
    takes_more: bool,
    piece: &Piece<'_>,
) -> bool {
    let (Some(name), own) = (piece.name, known.name.as_ref().map(RawText::as_text)) else {
        return false;
    };
    if own.is_some_and(|own| own != name) {
        return !takes_more;
    }
    if piece.index.is_none() {
        return known.chunk == writer.log.events; // twice in one chunk
    }
    !is_here && own.is_some()
}

/// Tells whether a piece at the index of a call is of that call.
fn goes_on(writer: &mut DeltaWriter, call: &Call, takes_more: bool, piece: &Piece<'_>) -> bool {
    if let (Some(id), Some(own)) = (piece.id, &call.provider_id) {
        if piece.name.is_some() {
            return false;
        }
        writer.log.note(
            "adapter/tool-call-mismatch",
            "A piece of a tool call has another id than its first piece; the first one counts",
            &format!("{PLACE}/id"),
            Some(&Raw::from(own.as_text()).clip()),
            Some(&Raw::from(id).clip()),
        );
        return true;
    }
    match (piece.name, &call.name) {
        (Some(name), Some(own)) => takes_more || name == own.as_text(),
        _ => true,
    }
}

fn leave_out(writer: &mut DeltaWriter, call: &Call) {
    let id = call.provider_id.clone().map_or(Raw::Null, Raw::Text);
    writer.log.note(
        "adapter/unnamed-tool-call",
        "A tool call without a name cannot be called; it is left out of the message",
        PLACE,
        Some("the tool's name"),
        Some(&id.clip()),
    );
    let mut arguments = RawText::default();
    call.held.iter().for_each(|held| arguments.push(held.as_text()));
    let data: RawObject = [("id", id), ("arguments", arguments.into())].into_iter().collect();
    writer.keep("unnamed_tool_call", &data.into(), None);
}

// --- members -------------------------------------------------------------------------------------

/// Returns the object that holds name and arguments.
fn function_of<'a>(writer: &mut DeltaWriter, entry: &'a RawObject) -> Cow<'a, RawObject> {
    let function = entry.get("function");
    if let Raw::Object(function) = function {
        return Cow::Borrowed(function);
    }
    if let Raw::Object(custom) = entry.get("custom") {
        writer.log.note(
            "adapter/unsupported-content",
            "The input of a custom tool is text, not JSON; it stands as raw arguments",
            PLACE,
            None,
            None,
        );
        let (name, input) = (custom.get("name").clone(), custom.get("input").clone());
        return Cow::Owned([("name", name), ("arguments", input)].into_iter().collect());
    }
    if !function.is_null() {
        invalid(writer, "/function", "an object", function);
    }
    Cow::Borrowed(entry) // some servers leave the layer out
}

fn index_of(writer: &mut DeltaWriter, value: &Raw) -> Option<i128> {
    let is_number = |text: &&str| text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit());
    let index = value.int().or_else(|| value.str().filter(is_number)?.parse().ok());
    if index.is_none() && !value.is_null() {
        invalid(writer, "/index", "the call's number", value);
    }
    index
}

/// Returns a string member that says something.
fn member<'a>(writer: &mut DeltaWriter, value: &'a RawObject, name: &str) -> Option<Text<'a>> {
    let text = value.get(name);
    if text.text().is_none() && !text.is_null() {
        invalid(writer, &format!("/{name}"), "a string", text);
    }
    text.some_text()
}

// --- findings ------------------------------------------------------------------------------------

fn invalid(writer: &mut DeltaWriter, place: &str, expected: &str, actual: &Raw) {
    writer.log.note(
        "adapter/invalid-event",
        "A tool call does not have the form that the provider publishes",
        &format!("{PLACE}{place}"),
        Some(expected),
        Some(&actual.clip()),
    );
}

fn note_cumulative(writer: &mut DeltaWriter) {
    writer.log.note(
        "adapter/cumulative-arguments",
        "The arguments come as growing wholes, not as pieces; each whole is taken apart",
        &format!("{PLACE}/function/arguments"),
        Some("pieces"),
        None,
    );
}

// -------------------------------------------------------------------------------------------------
// Argument text that comes piece by piece, or as a whole that grows with every chunk.
//
// A few servers repeat in each chunk all arguments so far; adding those up gives `{..}{..}{..}`.
// What distinguishes the two is never that a piece is JSON on its own ("{}" may be inside of a
// string), only that chunks extend all that came before: twice in a row, or once where the text
// ends there and the last chunk is a whole object. Until that is clear nothing is written that
// could not be taken for either.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// No text yet.
    #[default]
    Open,
    /// One piece, written.
    One,
    /// One piece written, and others, each of which begins with all before it, held back.
    Held,
    Plain,
    Cumulative,
}

/// The argument text of one call; [`add`](Self::add) returns what may be written.
#[derive(Debug, Default)]
pub(crate) struct ArgumentPieces {
    state: State,
    /// First piece, then, if cumulative, all that has been written.
    whole: RawText,
    held: Vec<RawText>,
    growths: usize,
}

impl ArgumentPieces {
    /// Tells whether pieces are pieces, for certain: they may be written as they come.
    pub(crate) fn plain(&self) -> bool {
        self.state == State::Plain
    }

    /// Tells whether each chunk repeats all before it, for certain.
    pub(crate) fn cumulative(&self) -> bool {
        self.state == State::Cumulative
    }

    /// Takes the text of one chunk, not empty; returns what may be written of it, in order.
    pub(crate) fn add(&mut self, text: Text<'_>) -> Vec<RawText> {
        match self.state {
            State::Plain => vec![text.into()],
            State::Open => {
                // Only text that opens an object can be distinguished later.
                self.state = if opens_object(text) { State::One } else { State::Plain };
                self.whole = text.into();
                vec![text.into()]
            }
            State::Cumulative => self.grow(text),
            State::One | State::Held => self.hold(text),
        }
    }

    fn hold(&mut self, text: Text<'_>) -> Vec<RawText> {
        let before = self.held.last().unwrap_or(&self.whole).as_text();
        if !text.starts_with(before) {
            return self.give_up(text);
        }
        self.growths += usize::from(text != before);
        self.held.push(text.into());
        self.state = State::Held;
        if self.growths == 2 {
            self.state = State::Cumulative;
            self.held.clear();
            return self.grow(text);
        }
        Vec::new()
    }

    /// Returns what is still held back now that the text has ended, and if it was cumulative.
    pub(crate) fn rest(&mut self) -> (Vec<RawText>, bool) {
        let held = take(&mut self.held);
        let Some(last) = held.last() else { return (Vec::new(), false) };
        self.state = State::Plain;
        // As pieces an object would begin with a part of one: the two readings cannot both be JSON.
        let last = last.as_text();
        if matches!(decode_event(&last.well_formed()), Some(Raw::Object(_))) {
            return (behind(last, self.whole.as_text()), true);
        }
        (held, false)
    }

    fn grow(&mut self, text: Text<'_>) -> Vec<RawText> {
        let whole = self.whole.as_text();
        if !text.starts_with(whole) {
            if whole.starts_with(text) {
                return Vec::new(); // an older whole again
            }
            return self.give_up(text);
        }
        let tail = behind(text, whole);
        self.whole = text.into();
        tail
    }

    fn give_up(&mut self, text: Text<'_>) -> Vec<RawText> {
        let mut held = take(&mut self.held);
        self.state = State::Plain;
        self.whole = RawText::default();
        held.push(text.into());
        held
    }
}

fn opens_object(text: Text<'_>) -> bool {
    let is_blank = |point: &u32| char::from_u32(*point).is_some_and(is_space);
    text.points().find(|point| !is_blank(point)) == Some(u32::from('{'))
}

/// Returns what a text has behind its beginning, as no piece or one.
fn behind(text: Text<'_>, head: Text<'_>) -> Vec<RawText> {
    let tail = text.after(head.chars());
    if tail.is_empty() { Vec::new() } else { vec![tail] }
}
