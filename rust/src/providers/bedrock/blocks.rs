//! Content blocks of the Converse format: which of them are parts, and which are kept.

use std::collections::{HashMap, HashSet};

use crate::json::base64::{decode, encode};
use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_reader::decode_event;
use crate::json::raw_text::{RawText, Text};
use crate::providers::bedrock::citations::citation_of;
use crate::providers::core::tool_results::read_result;
use crate::providers::core::writer::{DeltaWriter, Kind, OpenCall};
use crate::providers::core::writing::media::OpenMedia;
use crate::providers::core::writing::whole_parts::ServerResult;
use crate::tables::media_types::BEDROCK;

const SERVER: &str = "server_tool_use";
pub(crate) const DELTA: &str = "/contentBlockDelta/delta";
const START: &str = "/contentBlockStart/start";
const RESULT_ID: &str = "/contentBlockStart/start/toolResult/toolUseId";

/// A block of text or of reasoning: it begins with its first piece.
#[derive(Debug)]
struct Run {
    index: i128,
    kind: Kind,
    /// The character of the part at which the block's text begins.
    start: usize,
    citations: Vec<Raw>,
    signature: RawText,
    redacted: Vec<RawText>,
}

/// The blocks of one message, by their index.
#[derive(Debug)]
pub(crate) struct BedrockBlocks {
    run: Option<Run>,
    blocks: HashMap<i128, Block>,
    /// Server calls by their ids, and the index that each had.
    calling: HashMap<String, (i128, OpenCall)>,
    /// Text and reasoning that another block ended; a stop is due.
    left: HashSet<i128>,
    begun: usize,
    pub last_index: i128,
}

impl Default for BedrockBlocks {
    fn default() -> Self {
        let (blocks, calling, left) = (HashMap::new(), HashMap::new(), HashSet::new());
        Self { run: None, blocks, calling, left, begun: 0, last_index: -1 }
    }
}

impl BedrockBlocks {
    /// Tells whether a block is open.
    pub(crate) fn is_open(&self) -> bool {
        self.run.is_some() || !self.blocks.is_empty()
    }

    /// Reads one `contentBlockStart`.
    pub(crate) fn start(&mut self, writer: &mut DeltaWriter, index: i128, start: &Raw) {
        let none = RawObject::default();
        let start = start.object().unwrap_or_else(|| {
            writer.log.invalid(START, "an object", start);
            &none
        });
        if self.blocks.contains_key(&index) || self.is_running(index) {
            note_order(writer, "A block begins on the index of one that is open", index);
            self.stop(writer, index);
            if self.blocks.contains_key(&index) {
                self.stop(writer, index); // text went on in it
            }
        }
        self.leave_run(writer);
        self.left.remove(&index);
        self.last_index = index;
        // One, or none for text.
        for (name, body) in start.iter() {
            if name == "text" || name == "reasoningContent" {
                self.piece(writer, index, &single(name, body));
                continue;
            }
            let mut block = Block::new(self.begun, name, body.clone());
            block.begin(writer);
            if let Some(call) = block.call.filter(|_| block.is_server()) {
                self.calling.insert(writer.id_of(call).to_owned(), (index, call));
            }
            self.blocks.insert(index, block);
            self.begun += 1;
            break;
        }
    }

    /// Reads one `contentBlockStop`.
    pub(crate) fn stop(&mut self, writer: &mut DeltaWriter, index: i128) {
        if self.is_running(index) {
            self.leave_run(writer);
            self.left.remove(&index);
        } else if let Some(block) = self.blocks.remove(&index) {
            self.stop_block(writer, block);
        } else if index > self.last_index {
            self.last_index = index; // text that is empty has neither start nor pieces
        } else if !self.left.remove(&index) && index != self.last_index {
            note_order(writer, "A block ends that is not open", index);
        }
    }

    /// Ends what the provider left open.
    pub(crate) fn stop_all(&mut self, writer: &mut DeltaWriter) {
        self.leave_run(writer);
        let mut open: Vec<(usize, i128)> =
            self.blocks.iter().map(|(index, block)| (block.number, *index)).collect();
        open.sort_unstable();
        for (_, index) in open {
            // A result may have ended the block of its call.
            if let Some(block) = self.blocks.remove(&index) {
                self.stop_block(writer, block);
            }
        }
    }

    fn stop_block(&mut self, writer: &mut DeltaWriter, block: Block) {
        if writer.says_new && block.kind == *"toolResult" && block.body.object().is_some() {
            self.stop_result(writer, block);
        } else {
            block.stop(writer);
        }
    }

    /// Reads the end of a result of a tool that the provider ran: its call has ended by then.
    fn stop_result(&mut self, writer: &mut DeltaWriter, block: Block) {
        let body = block.body.object().cloned().unwrap_or_default();
        let own = writer.log.string(body.get("toolUseId"), RESULT_ID);
        let answered = writer.answers(Some(own)).and_then(|id| self.calling.remove(&id));
        let is_open = |(index, call): &(i128, OpenCall)| {
            self.blocks.get(index).is_some_and(|block| block.call == Some(*call))
        };
        if let Some((index, _)) = answered.filter(is_open) {
            note_order(writer, "A result comes while the block of its call is open", index);
            if let Some(block) = self.blocks.remove(&index) {
                block.stop(writer);
            }
        }
        block.stop_result(writer, own);
    }

    fn is_running(&self, index: i128) -> bool {
        self.run.as_ref().is_some_and(|run| run.index == index)
    }

    /// Returns the run of this kind at `index`, a new one where another one is open.
    fn enter(&mut self, writer: &mut DeltaWriter, index: i128, kind: Kind) -> &mut Run {
        if !self.run.as_ref().is_some_and(|run| run.index == index && run.kind == kind) {
            self.leave_run(writer);
            if self.blocks.contains_key(&index) {
                note_order(writer, "A piece is not of its block's type", index);
            }
            self.last_index = self.last_index.max(index);
        }
        self.run.get_or_insert_with(|| Run {
            index,
            kind,
            // Text that follows text of its kind joins the part: the block begins inside it.
            start: if writer.kind == Some(kind) { writer.chars } else { 0 },
            citations: Vec::new(),
            signature: RawText::default(),
            redacted: Vec::new(),
        })
    }

    /// Ends the open text or reasoning: keeps what belongs to it.
    fn leave_run(&mut self, writer: &mut DeltaWriter) {
        let Some(run) = self.run.take() else { return };
        self.left.insert(run.index);
        let begin = (writer.kind == Some(run.kind)).then_some(run.start);
        let start = writer.cite_block(&run.citations, begin, citation_of);
        if !run.signature.is_empty() {
            writer.keep("signature", &Raw::Text(run.signature), start);
        }
        let redacted = join_base64(&run.redacted);
        if !redacted.is_empty() {
            let redacted = single(&"redactedContent".into(), &redacted.into());
            writer.keep("redactedContent", &wrapped("reasoningContent", redacted), None);
        }
    }

    /// Reads one `contentBlockDelta`, whatever block it says it belongs to.
    pub(crate) fn piece(&mut self, writer: &mut DeltaWriter, index: i128, delta: &RawObject) {
        if let Some(text) = delta.get("text").text() {
            self.enter(writer, index, Kind::Text);
            writer.text(text);
        }
        for (name, value) in delta.iter() {
            match (name.as_text().whole(), value) {
                (Some("reasoningContent"), Raw::Object(value)) => {
                    self.read_reasoning(writer, index, value);
                }
                (Some("citation"), _) => {
                    self.enter(writer, index, Kind::Text).citations.push(value.clone());
                }
                (Some("text"), Raw::Text(_)) => {}
                (Some("text"), _) => {
                    writer.log.invalid(&format!("{DELTA}/text"), "a string", value);
                }
                _ => self.block_piece(writer, index, name, value),
            }
        }
    }

    fn read_reasoning(&mut self, writer: &mut DeltaWriter, index: i128, value: &RawObject) {
        let run = self.enter(writer, index, Kind::Thinking);
        for (name, piece) in value.iter() {
            match (name.as_text().whole(), piece) {
                (Some("text"), Raw::Text(piece)) => writer.thinking(piece),
                (Some("signature"), Raw::Text(piece)) => run.signature.push(piece.as_text()),
                (Some("redactedContent"), Raw::Text(piece)) => run.redacted.push(piece.clone()),
                (Some(kind @ ("text" | "signature" | "redactedContent")), _) => {
                    let place = format!("{DELTA}/reasoningContent/{kind}");
                    writer.log.invalid(&place, "a string", piece);
                }
                _ => {
                    let unknown = wrapped("reasoningContent", single(name, piece));
                    keep_unknown(writer, &unknown, name.as_text());
                }
            }
        }
    }

    fn block_piece(&mut self, writer: &mut DeltaWriter, index: i128, name: &RawText, value: &Raw) {
        let piece = single(name, value).into();
        // Those whose pieces belong to what contentBlockStart said.
        if !["toolUse", "toolResult", "image"].iter().any(|each| name == *each) {
            keep_unknown(writer, &piece, name.as_text());
            return;
        }
        let block = self.blocks.get_mut(&index).filter(|block| block.kind == *name);
        if let Some(block) = block {
            block.piece(writer, value);
        } else {
            note_order(writer, "A piece belongs to a block that is not open", index);
            writer.keep("unknown", &piece, None);
        }
    }

    /// Reads the content blocks of a response that is not a stream.
    pub(crate) fn read_whole(&mut self, writer: &mut DeltaWriter, content: &[Raw]) {
        for (index, block) in (0..).zip(content) {
            let Some(members) = block.object() else {
                let place = format!("/output/message/content/{index}");
                writer.log.invalid(&place, "an object", block);
                continue;
            };
            for (name, value) in members.iter() {
                self.read_whole_block(writer, index, name, value);
            }
            self.stop(writer, index);
        }
    }

    fn read_whole_block(
        &mut self,
        writer: &mut DeltaWriter,
        index: i128,
        name: &RawText,
        value: &Raw,
    ) {
        match (name.as_text().whole(), value) {
            (Some("text"), _) => self.piece(writer, index, &single(name, value)),
            (Some("reasoningContent"), Raw::Object(members)) => {
                let mut said = members.clone();
                if let Some(given) = members.get("reasoningText").object() {
                    said.retain(|name, _| name != "reasoningText");
                    said = given.clone().merged(&said);
                }
                self.piece(writer, index, &single(name, &said.into()));
            }
            (Some("citationsContent"), Raw::Object(members)) => {
                let at = format!("/output/message/content/{index}/citationsContent");
                for item in list(writer, members, "citations", &at) {
                    self.piece(writer, index, &single(&"citation".into(), item));
                }
                for (number, item) in list(writer, members, "content", &at).iter().enumerate() {
                    if let Some(item) = item.object() {
                        self.piece(writer, index, item);
                    } else {
                        let place = format!("{at}/content/{number}");
                        writer.log.invalid(&place, "an object", item);
                    }
                }
            }
            _ => self.start(writer, index, &single(name, value).into()),
        }
    }
}

fn list<'a>(writer: &mut DeltaWriter, holder: &'a RawObject, name: &str, place: &str) -> &'a [Raw] {
    let value = holder.get(name);
    if value.array().is_none() && !value.is_null() {
        writer.log.invalid(&format!("{place}/{name}"), "an array", value);
    }
    value.array().unwrap_or_default()
}

/// Starts the tool call that a block is; None if it has no name.
fn open_call(writer: &mut DeltaWriter, body: &RawObject) -> Option<OpenCall> {
    let given = body.get("name");
    let Some(name) = given.some_text() else {
        writer.log.note(
            "adapter/unnamed-tool-call",
            "A tool call without a name cannot be called; it is left out of the message",
            &format!("{START}/toolUse/name"),
            Some("the tool's name"),
            Some(&given.clip()),
        );
        return None;
    };
    let id = writer.log.string(body.get("toolUseId"), &format!("{START}/toolUse/toolUseId"));
    let id = Some(id).filter(|id| !id.is_empty());
    if is_server(body) {
        return Some(writer.open_server_call(id, name));
    }
    Some(writer.open_call(id, name))
}

fn is_server(body: &RawObject) -> bool {
    body.get("type").str() == Some(SERVER)
}

/// Announces the image that a block is.
fn open_image(writer: &mut DeltaWriter, body: &RawObject) -> OpenMedia {
    let media = writer.open_media(None, mime_type(body).as_deref().map(Text::from), None);
    let source = body.get("source").object();
    let data = source.map_or(&Raw::Null, |source| source.get("bytes"));
    if !data.is_null() && !writer.media_data(media, data, &Raw::Null, "") {
        writer.log.invalid(&format!("{START}/image/source/bytes"), "Base64", data);
    }
    media
}

fn mime_type(body: &RawObject) -> Option<String> {
    let format = body.get("format").some_text()?.well_formed().into_owned();
    let is = |(_, member, name): &&(&str, &str, &str)| *member == "image" && *name == format;
    let known = BEDROCK.iter().find(is).map(|(known, _, _)| (*known).to_owned());
    Some(known.unwrap_or_else(|| format!("image/{format}")))
}

/// Notes a block that is not a part of ours; it is kept whole when it ends.
fn note_foreign(writer: &mut DeltaWriter, kind: &RawText, body: &Raw) {
    let spelled = Raw::Text(kind.clone());
    if kind == "toolUse" || kind == "toolResult" {
        let named =
            |body: &'_ RawObject| body.find("name").unwrap_or_else(|| body.get("type")).clip();
        writer.log.note(
            "adapter/server-tool-call",
            "The provider executes this tool itself; it is not a tool call of the message",
            START,
            None,
            Some(&body.object().map_or_else(|| spelled.clip(), named)),
        );
    } else {
        writer.log.note(
            "adapter/unsupported-content",
            "The contract has no part for this block; it is kept beside the message",
            START,
            None,
            Some(&spelled.clip()),
        );
    }
}

fn keep_unknown(writer: &mut DeltaWriter, piece: &Raw, kind: Text<'_>) {
    writer.log.note(
        "adapter/unknown-event",
        "This piece is of no known type; it is kept beside the message",
        DELTA,
        Some("a piece of the block's type"),
        Some(&Raw::from(kind).clip()),
    );
    writer.keep("unknown", piece, None);
}

fn note_order(writer: &mut DeltaWriter, message: &str, index: i128) {
    let actual = index.to_string();
    writer.log.note("adapter/block-order", message, "/contentBlockIndex", None, Some(&actual));
}

/// Returns an object of one member.
pub(crate) fn single(name: &RawText, member: &Raw) -> RawObject {
    [(name.clone(), member.clone())].into_iter().collect()
}

fn wrapped(name: &str, inner: RawObject) -> Raw {
    single(&name.into(), &inner.into()).into()
}

// -------------------------------------------------------------------------------------------------
// One content block of the Converse format that begins with `contentBlockStart`.

/// A block that is neither text nor reasoning.
#[derive(Debug)]
pub(crate) struct Block {
    /// Among those of the message.
    pub number: usize,
    pub kind: RawText,
    pub call: Option<OpenCall>,
    media: Option<OpenMedia>,
    /// As `contentBlockStart` gave it.
    body: Raw,
    has_args: bool,
    // Pieces of a block that is kept whole, by its kind.
    input: RawText,
    results: Vec<Raw>,
    bytes: Vec<RawText>,
}

impl Block {
    pub(crate) fn new(number: usize, kind: &RawText, body: Raw) -> Self {
        let (input, results, bytes) = (RawText::default(), Vec::new(), Vec::new());
        let (kind, call, media) = (kind.clone(), None, None);
        Self { number, kind, call, media, body, has_args: false, input, results, bytes }
    }

    /// Begins the part that the block is, or notes that it is none of ours.
    fn begin(&mut self, writer: &mut DeltaWriter) {
        let says_new = writer.says_new;
        match (self.kind.as_text().whole(), &self.body) {
            (Some("toolUse"), Raw::Object(body)) if says_new || !is_server(body) => {
                self.call = open_call(writer, body);
            }
            (Some("image"), Raw::Object(body)) if says_new => {
                self.media = Some(open_image(writer, body));
            }
            (Some("toolResult"), Raw::Object(_)) if says_new => {}
            (_, body) => note_foreign(writer, &self.kind, body),
        }
    }

    /// Tells whether the provider runs this call itself.
    fn is_server(&self) -> bool {
        self.body.object().is_some_and(is_server)
    }

    /// Reads a piece of the block's kind.
    pub(crate) fn piece(&mut self, writer: &mut DeltaWriter, value: &Raw) {
        match (self.kind.as_text().whole(), value) {
            (Some("toolUse"), Raw::Object(value)) => self.read_input(writer, value.get("input")),
            (Some("toolResult"), Raw::Array(pieces)) => add_results(&mut self.results, pieces),
            (Some("image"), Raw::Object(value)) => self.read_image(writer, value),
            _ => {
                let place = format!("{DELTA}/{}", self.kind.as_text().well_formed());
                writer.log.invalid(&place, "a piece of its block", value);
            }
        }
    }

    /// Ends the block: its call, or what is to be kept of it.
    pub(crate) fn stop(mut self, writer: &mut DeltaWriter) {
        if let Some(media) = self.media {
            return self.stop_image(writer, media);
        }
        let Some(call) = self.call else {
            return self.keep_whole(writer);
        };
        let given = self.body.object().map_or(Raw::Null, |body| body.get("input").clone());
        if given.says_something() && !self.has_args {
            self.write_input(writer, &given);
        }
        if self.is_server() {
            writer.keep_with(call, "toolUse", &self.whole());
        }
        writer.end_call(call);
    }

    fn stop_image(self, writer: &mut DeltaWriter, media: OpenMedia) {
        let mime_type = self.body.object().and_then(mime_type);
        if !writer.end_media(media, mime_type.as_deref().map(Text::from), None, &[]) {
            note_foreign(writer, &self.kind, &self.body);
            self.keep_whole(writer);
        }
    }

    /// Writes the result of a tool that the provider ran, or keeps what answers no call.
    fn stop_result(self, writer: &mut DeltaWriter, own: Text<'_>) {
        let whole = self.whole();
        let body = whole.object().and_then(|whole| whole.get("toolResult").object());
        let Some(body) = body else { return };
        let content = body.get("content");
        let single = content.array().filter(|items| items.len() == 1);
        let single = single.and_then(|items| items.first()).and_then(Raw::object);
        let json = single.filter(|item| item.len() == 1).and_then(|item| item.find("json"));
        let is_error = body.get("status").str() == Some("error");
        let (content, structured) = read_result(json.unwrap_or(content));
        let outcome = Some(if is_error { "error" } else { "success" }.to_owned());
        let result = ServerResult { is_error, content, outcome, structured };
        let own = Some(own).filter(|own| !own.is_empty());
        if !writer.server_result(own, result, &[("toolResult", &whole)]) {
            note_foreign(writer, &self.kind, &self.body);
            writer.keep("toolResult", &whole, None);
        }
    }

    fn read_input(&mut self, writer: &mut DeltaWriter, piece: &Raw) {
        if let Some(text) = piece.text() {
            self.has_args |= !text.is_empty();
            self.add_input(writer, &text.into());
        } else if !piece.is_null() {
            writer.log.invalid(&format!("{DELTA}/toolUse/input"), "a string", piece);
            self.write_input(writer, piece);
        }
    }

    /// Writes arguments that came as a value in place of text.
    fn write_input(&mut self, writer: &mut DeltaWriter, value: &Raw) {
        let text = match value {
            Raw::Text(text) => text.clone(),
            other => as_json_text(other).into(),
        };
        if text.is_empty() {
            return;
        }
        self.has_args = true;
        self.add_input(writer, &text);
    }

    fn add_input(&mut self, writer: &mut DeltaWriter, text: &RawText) {
        if self.call.is_none() || self.is_server() {
            self.input.push(text.as_text());
        }
        if let Some(call) = self.call {
            writer.args(call, text);
        }
    }

    fn read_image(&mut self, writer: &mut DeltaWriter, value: &RawObject) {
        let source = value.get("source").object();
        if let Some(data @ Raw::Text(bytes)) = source.map(|source| source.get("bytes")) {
            if let Some(media) = self.media {
                if writer.media_data(media, data, &Raw::Null, "") {
                    return;
                }
                writer.log.invalid(&format!("{DELTA}/image/source/bytes"), "Base64", data);
            }
            self.bytes.push(bytes.clone());
        } else if let Raw::Object(body) = &mut self.body {
            *body = std::mem::take(body).merged(value);
        }
    }

    /// Keeps a block that is not a part of ours.
    fn keep_whole(&self, writer: &mut DeltaWriter) {
        let kind = self.kind.as_text().well_formed().into_owned();
        writer.keep(&kind, &self.whole(), None);
    }

    /// Returns the block as a message of the provider's writes it.
    fn whole(&self) -> Raw {
        let mut body = self.body.clone();
        if let Raw::Object(body) = &mut body {
            match self.kind.as_text().whole() {
                Some("toolUse") => {
                    let input = input_of(self.input.clone(), body);
                    body.set("input", input);
                }
                Some("toolResult") => {
                    let mut content = body.get("content").array().unwrap_or_default().to_vec();
                    content.extend(self.results.iter().cloned());
                    body.set("content", Raw::Array(content));
                }
                Some("image") if !self.bytes.is_empty() => {
                    let bytes = join_base64(&self.bytes).into();
                    body.set("source", single(&"bytes".into(), &bytes).into());
                }
                _ => {}
            }
        }
        single(&self.kind, &body).into()
    }
}

/// Returns the input of a tool: what its pieces say, else what the block began with.
fn input_of(pieces: RawText, body: &RawObject) -> Raw {
    if pieces.is_empty() {
        return body.find("input").cloned().unwrap_or_else(|| RawObject::default().into());
    }
    let value = decode_event(&pieces.as_text().well_formed());
    value.unwrap_or(Raw::Text(pieces))
}

/// Adds the results of one event; text goes on where the last one's text stopped.
fn add_results(results: &mut Vec<Raw>, pieces: &[Raw]) {
    let mut pieces = pieces.iter();
    let text_of =
        |piece: &Raw| piece.object().and_then(|piece| piece.get("text").text().map(RawText::from));
    if let (Some(Raw::Object(last)), Some(more)) =
        (results.last_mut(), pieces.clone().next().and_then(text_of))
        && let Some(Raw::Text(text)) = last.get_mut("text")
    {
        text.push(more.as_text());
        pieces.next();
    }
    results.extend(pieces.cloned());
}

// -------------------------------------------------------------------------------------------------
// Bytes of the Converse format: Base64 in JSON.

/// Returns the Base64 of bytes that came in pieces, each of them Base64 on its own.
///
/// A single piece stays as it is; pieces that are not Base64 are put one behind the other.
pub(crate) fn join_base64(pieces: &[RawText]) -> RawText {
    if pieces.len() > 1 {
        let decoded = |piece: &RawText| piece.as_text().whole().and_then(decode);
        if let Some(data) = pieces.iter().map(decoded).collect::<Option<Vec<_>>>() {
            return encode(&data.concat()).into();
        }
    }
    let mut joined = RawText::default();
    for piece in pieces {
        joined.push(piece.as_text());
    }
    joined
}
