//! Content blocks of the Anthropic Messages format: which of them are parts, and which are kept.

use std::collections::HashMap;

use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_reader::decode_event;
use crate::json::raw_text::{RawText, Text};
use crate::providers::anthropic::citations::citation_of;
use crate::providers::core::ordered::Ordered;
use crate::providers::core::tool_results::read_result;
use crate::providers::core::writer::{DeltaWriter, Kind, OpenCall};
use crate::providers::core::writing::whole_parts::ServerResult;
use crate::tables::provider_names::ANTHROPIC_SERVER_CALLS as SERVER_CALLS;

// Members of a tool_use block that the message holds; the others go back with the call.
const CALL_MEMBERS: [&str; 4] = ["type", "id", "name", "input"];
const SERVER_RESULT: &str = "_tool_result";
/// How the type of an error's content ends.
const FAILED: &str = "_tool_result_error";
const RESULT_ID: &str = "/content_block/tool_use_id";

/// One content block that has begun.
struct Block {
    kind: String,
    /// As `content_block_start` gave it.
    body: RawObject,
    /// Character of the part at which the block's text begins.
    start: usize,
    call: Option<OpenCall>,
    has_args: bool,
    /// Of a block that is kept whole: input, summary.
    content: RawText,
    citations: Vec<Raw>,
    signature: RawText,
}

/// The blocks of one message, by their index.
pub(crate) struct AnthropicBlocks {
    blocks: Ordered<Block>,
    /// Server calls by their ids, and the index that each had.
    calling: HashMap<String, (i128, OpenCall)>,
    pub last_index: i128,
}

impl Default for AnthropicBlocks {
    fn default() -> Self {
        Self { blocks: Ordered::default(), calling: HashMap::new(), last_index: -1 }
    }
}

impl AnthropicBlocks {
    /// How many are open.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Reads one `content_block_start`, or a block of a whole message.
    pub(crate) fn start(&mut self, writer: &mut DeltaWriter, index: i128, body: &Raw) {
        let Raw::Object(members) = body else {
            return writer.log.invalid("/content_block", "an object", body);
        };
        if self.blocks.has(index) {
            note_order(writer, "A block begins on the index of one that is open", index);
            self.stop(writer, index);
        }
        let mut block = Block::new(writer, members);
        match block.kind.as_str() {
            "text" => {
                let text = writer.log.string(members.get("text"), "/content_block/text");
                writer.text(text);
                match members.get("citations") {
                    Raw::Array(citations) => block.citations.clone_from(citations),
                    Raw::Null => {}
                    odd => writer.log.invalid("/content_block/citations", "an array", odd),
                }
            }
            "thinking" => {
                let text = writer.log.string(members.get("thinking"), "/content_block/thinking");
                writer.thinking(text);
                let place = "/content_block/signature";
                block.signature.push(writer.log.string(members.get("signature"), place));
            }
            "tool_use" => block.open_call(writer),
            _ if writer.says_new && block.is_server_call() => block.open_call(writer),
            "redacted_thinking" => {}
            _ if writer.says_new && block.is_result() => {}
            _ => block.note_foreign(writer),
        }
        if let Some(call) = block.call.filter(|_| block.is_server_call()) {
            self.calling.insert(writer.id_of(call).to_owned(), (index, call));
        }
        self.blocks.add(index, block);
        self.last_index = index;
    }

    /// Reads one `content_block_stop`.
    pub(crate) fn stop(&mut self, writer: &mut DeltaWriter, index: i128) {
        match self.blocks.remove(index) {
            Some(block) if writer.says_new && block.is_result() => {
                self.end_result(writer, &block);
            }
            Some(block) => block.end(writer),
            None => note_order(writer, "A block ends that is not open", index),
        }
    }

    /// Reads the end of a result of a tool that the provider ran: its call has ended by then.
    fn end_result(&mut self, writer: &mut DeltaWriter, block: &Block) {
        let own = writer.log.string(block.body.get("tool_use_id"), RESULT_ID);
        let answered = writer.answers(Some(own)).and_then(|id| self.calling.remove(&id));
        let is_open = |(index, call): &(i128, OpenCall)| {
            self.blocks.get(*index).is_some_and(|block| block.call == Some(*call))
        };
        if let Some((index, _)) = answered.filter(is_open) {
            let actual = Raw::from(own).clip();
            let message = "A result comes while the block of its call is open";
            writer.log.note("adapter/block-order", message, RESULT_ID, None, Some(&actual));
            self.stop(writer, index);
        }
        block.end_result(writer, own);
    }

    /// Ends what the provider left open.
    pub(crate) fn stop_all(&mut self, writer: &mut DeltaWriter) {
        for index in self.blocks.numbers() {
            // A result may have ended the block of its call.
            if self.blocks.has(index) {
                self.stop(writer, index);
            }
        }
    }

    /// Reads one `content_block_delta`.
    ///
    /// The text of a block that never began is text all the same; that of a block of another type
    /// is kept beside the message.
    pub(crate) fn piece(&mut self, writer: &mut DeltaWriter, index: i128, delta: &RawObject) {
        let block = self.blocks.get_mut(index);
        let is_open = block.is_some();
        let fits = |kind: &str| block.as_ref().is_none_or(|block| block.kind == kind);
        match delta.get("type").str() {
            Some("text_delta") if fits("text") => match delta.get("text") {
                Raw::Text(text) => writer.text(text),
                other => writer.log.invalid("/delta/text", "a string", other),
            },
            Some("thinking_delta") if fits("thinking") => match delta.get("thinking") {
                Raw::Text(text) => writer.thinking(text),
                other => writer.log.invalid("/delta/thinking", "a string", other),
            },
            kind => match block {
                Some(block) => block.other_piece(writer, delta, kind.unwrap_or("")),
                None => writer.keep("unknown", &delta.clone().into(), None),
            },
        }
        if !is_open {
            note_order(writer, "A piece belongs to a block that is not open", index);
        }
    }
}

impl Block {
    fn new(writer: &DeltaWriter, body: &RawObject) -> Self {
        let kind = body.get("type").text().map(|kind| kind.well_formed().into_owned());
        let kind = kind.unwrap_or_default();
        // Text that follows text of its kind joins the part: the block begins inside it.
        let start = if is_written(writer, &kind) { writer.chars } else { 0 };
        Self {
            kind,
            body: body.clone(),
            start,
            call: None,
            has_args: false,
            content: RawText::default(),
            citations: Vec::new(),
            signature: RawText::default(),
        }
    }

    fn is_server_call(&self) -> bool {
        SERVER_CALLS.contains(&self.kind.as_str())
    }

    /// Tells whether this is the result of a tool that the provider runs.
    fn is_result(&self) -> bool {
        self.kind.ends_with(SERVER_RESULT)
    }

    /// Notes a block that is not a part of ours; it is kept whole when it ends.
    fn note_foreign(&self, writer: &mut DeltaWriter) {
        let kind = self.kind.as_str();
        if self.is_server_call() || self.is_result() {
            let name = self.body.get("name");
            let own = Raw::from(kind);
            writer.log.note(
                "adapter/server-tool-call",
                "The provider executes this tool itself; it is not a tool call of the message",
                "/content_block/type",
                None,
                Some(&if name.says_something() { name } else { &own }.clip()),
            );
        } else if kind != "compaction" {
            writer.log.note(
                "adapter/unsupported-content",
                "The contract has no part for this block; it is kept beside the message",
                "/content_block/type",
                None,
                Some(&self.body.get("type").clip()),
            );
        }
    }

    fn open_call(&mut self, writer: &mut DeltaWriter) {
        let Some(name) = self.body.get("name").some_text() else {
            return writer.log.note(
                "adapter/unnamed-tool-call",
                "A tool call without a name cannot be called; it is left out of the message",
                "/content_block/name",
                Some("the tool's name"),
                Some(&self.body.get("name").clip()),
            );
        };
        let id = writer.log.string(self.body.get("id"), "/content_block/id");
        let id = Some(id).filter(|id| !id.is_empty());
        if self.is_server_call() {
            self.call = Some(writer.open_server_call(id, name));
            return;
        }
        let call = writer.open_call(id, name);
        self.call = Some(call);
        let mut extras = self.body.clone();
        extras.retain(|name, value| {
            !value.is_null() && !CALL_MEMBERS.iter().any(|each| *name == **each)
        });
        if !extras.is_empty() && !is_direct(&extras) {
            writer.keep_with(call, "call", &extras.into());
        }
    }

    /// Reads the end of the block.
    fn end(self, writer: &mut DeltaWriter) {
        let Some(call) = self.call else {
            return match self.kind.as_str() {
                "text" | "thinking" => self.keep_text_state(writer),
                _ => self.keep_whole(writer),
            };
        };
        let given = self.body.get("input").clone();
        if given.says_something() && !self.has_args {
            if given.object().is_none() {
                writer.log.invalid("/content_block/input", "an object", &given);
            }
            self.write_input(writer, &given);
        }
        if self.is_server_call() {
            writer.keep_with(call, &self.kind, &self.whole());
        }
        writer.end_call(call);
    }

    /// Writes the result of a tool that the provider ran, or keeps what answers no call.
    fn end_result(&self, writer: &mut DeltaWriter, own: Text<'_>) {
        let value = self.body.get("content");
        let kind = value.object().and_then(|value| value.get("type").text());
        let is_error = matches!(self.body.get("is_error"), Raw::Bool(true))
            || kind.is_some_and(|kind| kind.ends_with(FAILED));
        let (content, structured) = read_result(value);
        let outcome = Some(if is_error { "error" } else { "success" }.to_owned());
        let result = ServerResult { is_error, content, outcome, structured };
        let own = Some(own).filter(|own| !own.is_empty());
        let whole = self.whole();
        if !writer.server_result(own, result, &[(&self.kind, &whole)]) {
            self.note_foreign(writer);
            writer.keep(&self.kind, &whole, None);
        }
    }

    fn keep_text_state(&self, writer: &mut DeltaWriter) {
        let begin = is_written(writer, &self.kind).then_some(self.start);
        let start = writer.cite_block(&self.citations, begin, citation_of);
        if !self.signature.is_empty() {
            writer.keep("signature", &self.signature.clone().into(), start);
        }
    }

    /// Keeps a block that is not a part of ours.
    fn keep_whole(&self, writer: &mut DeltaWriter) {
        let kind = if self.kind.is_empty() { "unknown" } else { &self.kind };
        writer.keep(kind, &self.whole(), None);
    }

    /// Returns the block as the non-streaming format writes it.
    fn whole(&self) -> Raw {
        let (mut body, text) = (self.body.clone(), &self.content);
        if self.kind == "compaction" && !text.is_empty() {
            let given = body.get("content").text().unwrap_or(Text::from(""));
            let mut whole = RawText::from(given);
            whole.push(text.as_text());
            body.set("content", whole.into());
        } else if !text.is_empty() {
            let value = decode_event(&text.as_text().well_formed());
            body.set("input", value.unwrap_or_else(|| Raw::Text(text.clone())));
        }
        body.into()
    }

    // --- pieces ----------------------------------------------------------------------------------

    fn other_piece(&mut self, writer: &mut DeltaWriter, delta: &RawObject, kind: &str) {
        match (kind, self.kind.as_str()) {
            ("input_json_delta", own) if own != "text" && own != "thinking" => {
                self.read_input(writer, delta.get("partial_json"));
            }
            ("signature_delta", "thinking") => {
                let text = writer.log.string(delta.get("signature"), "/delta/signature");
                self.signature.push(text);
            }
            ("citations_delta", "text") => self.citations.push(delta.get("citation").clone()),
            ("compaction_delta", "compaction") => {
                self.content.push(writer.log.string(delta.get("content"), "/delta/content"));
                let mut more = delta.clone();
                more.retain(|name, _| !(*name == *"type" || *name == *"content"));
                self.body = std::mem::take(&mut self.body).merged(&more);
            }
            _ => {
                writer.log.note(
                    "adapter/unknown-event",
                    "This piece is of no known type, or not of its block's; it is kept beside",
                    "/delta/type",
                    Some("a delta of the block's type"),
                    Some(&delta.get("type").clip()),
                );
                writer.keep("unknown", &delta.clone().into(), None);
            }
        }
    }

    fn read_input(&mut self, writer: &mut DeltaWriter, piece: &Raw) {
        match (piece, self.call) {
            (Raw::Null, _) => {}
            (Raw::Text(text), call) => {
                self.has_args |= !text.is_empty();
                if call.is_none() || self.is_server_call() {
                    self.content.push(text.as_text());
                }
                if let Some(call) = call {
                    writer.args(call, text);
                }
            }
            (other, _) => {
                writer.log.invalid("/delta/partial_json", "a string", other);
                self.has_args = true;
                if self.call.is_some() && self.is_server_call() {
                    self.content.push(Text::from(&as_json_text(other)));
                }
                self.write_input(writer, other);
            }
        }
    }

    /// Writes arguments that came as a value in place of text.
    fn write_input(&self, writer: &mut DeltaWriter, value: &Raw) {
        let Some(call) = self.call else { return };
        match value {
            Raw::Text(text) if text.is_empty() => {}
            Raw::Text(text) => writer.args(call, text),
            other => writer.args(call, &as_json_text(other)),
        }
    }
}

/// Tells whether text of a kind of blocks is being written.
fn is_written(writer: &DeltaWriter, kind: &str) -> bool {
    match writer.kind {
        Some(Kind::Text) => kind == "text",
        Some(Kind::Thinking) => kind == "thinking",
        None => false,
    }
}

/// Tells whether members say what every call does that the model itself makes.
fn is_direct(extras: &RawObject) -> bool {
    let caller = extras.get("caller").object();
    let says = |caller: &RawObject| caller.len() == 1 && caller.get("type").str() == Some("direct");
    extras.len() == 1 && caller.is_some_and(says)
}

fn note_order(writer: &mut DeltaWriter, message: &str, index: i128) {
    let actual = index.to_string();
    writer.log.note("adapter/block-order", message, "/index", None, Some(&actual));
}
