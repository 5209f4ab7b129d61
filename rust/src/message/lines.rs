//! Lines of a stream: each is read as a delta, and all of them become a message.

use crate::json::Value;

use crate::contract::catalog::binding;
use crate::contract::current::LATEST_VERSION;
use crate::contract::current::message::{Message, MessageDelta};
use crate::contract::types::Bounded;
use crate::errors::{Error, Finding};
use crate::json::documents::{decode_json, utf8};
use crate::json::text::{may_hide, may_pass_depth};
use crate::message::assembler::MessageAssembler;
use crate::reading::explain::explain;
use crate::reading::read::{Mode, check_beside, into_type, refused};
use crate::reading::tolerant::{relax, unknown_places};
use crate::tables::limits::MAX_DEPTH;

/// Returns the delta of one line, as the assembler takes it: it is checked, but for the form of its
/// timestamp, which the assembler looks at where it goes into the message.
///
/// In tolerant mode a delta of an unknown kind is [`MessageDelta::Unknown`]. Fails with
/// [`Error::Read`] and all findings.
pub fn read_delta(line: &[u8], mode: Mode) -> Result<MessageDelta, Error> {
    if let Ok(text) = utf8(line) {
        let is_plain = |delta: &MessageDelta| {
            !is_checked_whole(delta) && !may_hide(text) && !may_pass_depth(text, MAX_DEPTH)
        };
        if let Some(delta) = decoded(serde_json::from_str(text)).filter(is_plain) {
            return Ok(delta);
        }
    }
    read_with_care(decode_json(line)?, mode)
}

/// Tells whether types say too little of a delta's payload: it has forms, and rules of meaning.
fn is_checked_whole(delta: &MessageDelta) -> bool {
    if let MessageDelta::Start(start) = delta {
        return start.payload.author.is_some();
    }
    matches!(
        delta,
        MessageDelta::TextCitation(_)
            | MessageDelta::ServerToolResult(_)
            | MessageDelta::ApprovalRequest(_)
            | MessageDelta::MediaData(_)
            | MessageDelta::MediaEnd(_)
    )
}

fn decoded(result: serde_json::Result<MessageDelta>) -> Option<MessageDelta> {
    result.ok().filter(Bounded::in_bounds)
}

fn read_with_care(value: Value, mode: Mode) -> Result<MessageDelta, Error> {
    let binding = binding("message.MessageDelta", LATEST_VERSION)?;
    let schemas = &binding.room.schemas;
    let typed = |mut found: Vec<Finding>| {
        found.retain(|each| each.rule != "shape/pattern" || each.pointer != "/timestamp");
        refused(found).map_err(Error::Read)
    };
    if mode == Mode::Strict {
        typed(explain(schemas, binding.name, &value))?;
        return into_type(relax(schemas, binding.name, value).0);
    }
    let (value, notes) = relax(schemas, binding.name, value);
    let unknown = unknown_places(&notes);
    if !unknown.contains("") {
        typed(check_beside(binding, &value, &unknown))?;
    }
    into_type(value)
}

/// Assembles a whole stream: give it the lines or deltas one by one, then [`finish`](Self::finish).
///
/// Findings carry the 1-based number of the line or delta.
#[derive(Default)]
pub struct Assemble {
    assembler: MessageAssembler,
    mode: Mode,
    count: usize,
}

impl Assemble {
    /// Returns an assembling of lines that are read in a mode.
    #[must_use]
    pub fn new(assembler: MessageAssembler, mode: Mode) -> Self {
        Self { assembler, mode, count: 0 }
    }

    /// Takes the next line; fails as [`read_delta`] and [`MessageAssembler::consume`].
    ///
    /// A blank line counts, but is passed over.
    pub fn line(&mut self, line: &[u8]) -> Result<(), Error> {
        self.count += 1;
        if line.iter().all(|byte| b" \t\r\n".contains(byte)) {
            return Ok(());
        }
        let taken = read_delta(line, self.mode).and_then(|delta| self.assembler.consume(&delta));
        taken.map_err(|error| error.at_line(self.count))
    }

    /// Takes the next delta; fails as [`MessageAssembler::consume`].
    pub fn delta(&mut self, delta: &MessageDelta) -> Result<(), Error> {
        self.count += 1;
        self.assembler.consume(delta).map_err(|error| error.at_line(self.count))
    }

    /// Takes JSON Lines in one buffer; see [`line`](Self::line).
    pub fn lines(&mut self, buffer: &[u8]) -> Result<(), Error> {
        buffer.split(|byte| *byte == b'\n').try_for_each(|line| self.line(line))
    }

    /// Warnings of the assembler.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.assembler.findings()
    }

    /// Returns the message of the whole stream; fails as [`MessageAssembler::close`] and
    /// [`MessageAssembler::build_final_message`].
    pub fn finish(mut self) -> Result<Message, Error> {
        self.assembler.close()?;
        self.assembler.build_final_message()
    }
}
