//! The rules of a chunk stream, and as much of its state as they need.
//!
//! - A block starts, grows and stops. Several may be open at once; each start has a higher index
//!   than the one before it, so the order of the starts is the order of the content.
//! - A `tool_use` is a separate block: it is where it comes, and its id is used once.
//! - `message_stop` comes with no block open. Nothing follows `message_stop` or `error`; a stream
//!   without either is cut.

use std::collections::{BTreeSet, HashSet};

use crate::json::Value;

use crate::contract::current::blocks::{
    ContentBlockDeltaChunk, ErrorChunk, MessageStopChunk, StreamChunk, ToolUseChunk,
};
use crate::contract::types::{Map, Unknown};
use crate::errors::{Error, Finding, StreamRefusal, clip, clip_text};
use crate::json::json_text::library_text;
use crate::message::assembler::arguments::parse_arguments;
use crate::message::assembler::checks::{limit_exceeded, refusal};
use crate::message::assembler::limits::Limits;
use crate::reading::read::to_value;

const MAX_INDEX: u64 = (1 << 53) - 1;
const INVALID: &str = "Not a chunk of the contract";
const TYPES: [&str; 6] = [
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "tool_use",
    "message_stop",
    "error",
];

/// The chunk that ended a stream.
pub(crate) enum End {
    Stop(MessageStopChunk),
    Error(ErrorChunk),
}

impl End {
    fn tag(&self) -> &'static str {
        match self {
            Self::Stop(_) => "message_stop",
            Self::Error(_) => "error",
        }
    }
}

/// The arguments of a `tool_use`: their text, and the value of that text.
#[derive(Default)]
pub(crate) struct Arguments {
    pub text: String,
    pub value: Map,
}

/// Checks the chunks of one stream; a refused chunk changes nothing.
pub(crate) struct ChunkState {
    /// How many chunks came, refused ones included; those are distinguished by their number from 0.
    pub count: u64,
    pub last: Option<End>,
    /// Of the last `tool_use`.
    pub arguments: Arguments,
    limits: Limits,
    open: BTreeSet<u64>,
    /// The least index that the next start may have.
    next: u64,
    blocks: u64,
    ids: HashSet<String>,
    text_left: u64,
}

impl Default for ChunkState {
    fn default() -> Self {
        Self::of(Limits::default())
    }
}

impl ChunkState {
    /// Fails with [`Error::Usage`] for a limit that is not a count.
    pub(crate) fn new(limits: Limits) -> Result<Self, Error> {
        limits.checked().map(Self::of)
    }

    fn of(limits: Limits) -> Self {
        Self {
            count: 0,
            last: None,
            arguments: Arguments::default(),
            limits,
            open: BTreeSet::new(),
            next: 0,
            blocks: 0,
            ids: HashSet::new(),
            text_left: limits.text_bytes,
        }
    }

    /// Takes the next chunk and returns its number.
    pub(crate) fn take(&mut self, chunk: &StreamChunk) -> Result<u64, Error> {
        let number = self.count;
        self.count += 1;
        if let Some(last) = &self.last {
            let message = format!("The stream has ended with {}", last.tag());
            let finding = Finding::error("blocks/after-terminal", "/type", &message)
                .expected("no more chunks")
                .actual(clip_text(chunk.tag()));
            return Err(refusal(finding, Some(number)));
        }
        match chunk {
            StreamChunk::ContentBlockStart(chunk) => self.on_start(chunk.index, number)?,
            StreamChunk::ContentBlockDelta(chunk) => self.on_delta(chunk, number)?,
            StreamChunk::ContentBlockStop(chunk) => {
                self.check_open(chunk.index, number)?;
                self.open.remove(&chunk.index);
            }
            StreamChunk::ToolUse(given) => self.on_tool_use(given, chunk, number)?,
            StreamChunk::MessageStop(given) => self.on_message_stop(given, chunk, number)?,
            StreamChunk::Error(given) => {
                check_document(chunk, number)?;
                self.last = Some(End::Error(given.clone()));
            }
            StreamChunk::Unknown(unknown) => check_unknown(unknown, number)?,
        }
        Ok(number)
    }

    /// Returns the error for a stream that stops here.
    pub(crate) fn truncated(&self) -> Error {
        let message = "The stream stops without message_stop or error";
        let finding = Finding::error("blocks/truncated", "", message)
            .expected("message_stop or error")
            .actual(format!("the end after {} chunk(s)", self.count));
        refusal(finding, None)
    }

    // --- one method per type: check all, then change --------------------------------------------

    fn on_start(&mut self, index: u64, number: u64) -> Result<(), Error> {
        if index > MAX_INDEX {
            let expected = "an integer from 0 to 2^53 - 1";
            return Err(invalid("/index", expected, index.to_string(), number));
        }
        if index < self.next {
            let message = "The index does not increase";
            let finding = Finding::error("blocks/index-not-increasing", "/index", message)
                .expected(format!("at least {}", self.next))
                .actual(index.to_string());
            return Err(refusal(finding, Some(number)));
        }
        self.check_parts(number)?;
        self.open.insert(index);
        self.next = index + 1;
        self.blocks += 1;
        Ok(())
    }

    fn on_delta(&mut self, chunk: &ContentBlockDeltaChunk, number: u64) -> Result<(), Error> {
        self.check_open(chunk.index, number)?;
        let size = chunk.delta.len() as u64;
        if size > self.text_left {
            return Err(limit_exceeded("text_bytes", self.limits.text_bytes, number, "/delta"));
        }
        self.text_left -= size;
        Ok(())
    }

    fn on_tool_use(
        &mut self,
        given: &ToolUseChunk,
        chunk: &StreamChunk,
        number: u64,
    ) -> Result<(), Error> {
        check_document(chunk, number)?;
        let (limits, id) = (self.limits, &given.tool_use_id);
        if self.ids.contains(id) {
            let message = "The tool use id has been used already";
            let finding = Finding::error("blocks/duplicate-tool-use", "/tool_use_id", message)
                .expected("a different id")
                .actual(clip_text(id));
            return Err(refusal(finding, Some(number)));
        }
        if id.chars().count() as u64 > limits.id_chars {
            return Err(limit_exceeded("id_chars", limits.id_chars, number, "/tool_use_id"));
        }
        if self.ids.len() as u64 >= limits.tool_calls {
            return Err(limit_exceeded("tool_calls", limits.tool_calls, number, ""));
        }
        self.check_parts(number)?;
        self.arguments = self.parsed(&given.parameters, number)?;
        self.ids.insert(id.clone());
        self.blocks += 1;
        Ok(())
    }

    /// Returns arguments as the contract takes their text.
    fn parsed(&self, parameters: &Map, number: u64) -> Result<Arguments, Error> {
        let limits = self.limits;
        let text = library_text(parameters);
        if text.len() as u64 > limits.arguments_bytes {
            let most = limits.arguments_bytes;
            return Err(limit_exceeded("arguments_bytes", most, number, "/parameters"));
        }
        let most = limits.arguments_depth;
        let depth = usize::try_from(most).unwrap_or(usize::MAX);
        match parse_arguments(&text, depth) {
            Some(parsed) => Ok(Arguments { text, value: parsed.value }),
            None => Err(limit_exceeded("arguments_depth", most, number, "/parameters")),
        }
    }

    fn on_message_stop(
        &mut self,
        given: &MessageStopChunk,
        chunk: &StreamChunk,
        number: u64,
    ) -> Result<(), Error> {
        check_document(chunk, number)?;
        if let Some(first) = self.open.first() {
            let message = format!("{} block(s) are still open", self.open.len());
            let finding = Finding::error("blocks/block-open", "", &message)
                .expected("content_block_stop for each")
                .actual(format!("open: {first}"));
            return Err(refusal(finding, Some(number)));
        }
        self.last = Some(End::Stop(given.clone()));
        Ok(())
    }

    // --- steps ----------------------------------------------------------------------------------

    fn check_open(&self, index: u64, number: u64) -> Result<(), Error> {
        if self.open.contains(&index) {
            return Ok(());
        }
        let which = self.open.first().map_or(String::new(), |first| format!(": {first}"));
        let message = "The block is not open";
        let finding = Finding::error("blocks/block-not-open", "/index", message)
            .expected(format!("an open block{which}"))
            .actual(index.to_string());
        Err(refusal(finding, Some(number)))
    }

    fn check_parts(&self, number: u64) -> Result<(), Error> {
        if self.blocks >= self.limits.parts {
            return Err(limit_exceeded("parts", self.limits.parts, number, ""));
        }
        Ok(())
    }
}

fn invalid(pointer: &str, expected: &str, actual: String, number: u64) -> Error {
    let finding = Finding::error("blocks/invalid-chunk", pointer, INVALID);
    refusal(finding.expected(expected).actual(actual), Some(number))
}

/// Refuses what no reader would have let pass: types cannot say everything.
fn check_document(chunk: &StreamChunk, number: u64) -> Result<(), Error> {
    let Err(error) = to_value(chunk) else {
        return Ok(());
    };
    let mut finding = error.findings().first().cloned().unwrap_or_else(|| {
        Finding::error("blocks/invalid-chunk", "", INVALID) // an error has findings
    });
    finding.message = format!("{INVALID}: {}", finding.message);
    "blocks/invalid-chunk".clone_into(&mut finding.rule);
    Err(Error::Stream(Box::new(StreamRefusal { finding, seq: Some(number), limit: None })))
}

/// Lets pass what only tolerant reading lets in.
fn check_unknown(chunk: &Unknown, number: u64) -> Result<(), Error> {
    let tag = chunk.get("type");
    if tag.and_then(Value::as_str).is_some_and(|tag| !TYPES.contains(&tag)) {
        return Ok(());
    }
    let expected = "a type that this version does not know";
    Err(invalid("/type", expected, tag.map_or("none".to_owned(), clip), number))
}
