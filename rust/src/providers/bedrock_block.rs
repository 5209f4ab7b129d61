//! One content block of the Converse format that begins with `contentBlockStart`.

use crate::providers::bedrock_blocks::{DELTA, single};
use crate::providers::bedrock_bytes::join_base64;
use crate::providers::delta_writer::{DeltaWriter, OpenCall};
use crate::providers::raw::{Raw, RawObject};
use crate::providers::raw_dump::as_json_text;
use crate::providers::raw_events::decode_event;
use crate::providers::raw_text::RawText;

/// A block that is neither text nor reasoning.
#[derive(Debug)]
pub(crate) struct Block {
    /// Among those of the message.
    pub number: usize,
    pub kind: RawText,
    pub call: Option<OpenCall>,
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
        let (kind, call) = (kind.clone(), None);
        Self { number, kind, call, body, has_args: false, input, results, bytes }
    }

    /// Reads a piece of the block's kind.
    pub(crate) fn piece(&mut self, writer: &mut DeltaWriter, value: &Raw) {
        match (self.kind.as_text().whole(), value) {
            (Some("toolUse"), Raw::Object(value)) => self.read_input(writer, value.get("input")),
            (Some("toolResult"), Raw::Array(pieces)) => add_results(&mut self.results, pieces),
            (Some("image"), Raw::Object(value)) => self.read_image(value),
            _ => {
                let place = format!("{DELTA}/{}", self.kind.as_text().well_formed());
                writer.log.invalid(&place, "a piece of its block", value);
            }
        }
    }

    /// Ends the block: its call, or what is to be kept of it.
    pub(crate) fn stop(mut self, writer: &mut DeltaWriter) {
        let Some(call) = self.call else {
            self.keep_whole(writer);
            return;
        };
        let given = self.body.object().map_or(Raw::Null, |body| body.get("input").clone());
        if given.says_something() && !self.has_args {
            self.write_input(writer, &given);
        }
        writer.end_call(call);
    }

    fn read_input(&mut self, writer: &mut DeltaWriter, piece: &Raw) {
        if let Some(text) = piece.text() {
            self.has_args |= !text.is_empty();
            match self.call {
                Some(call) => writer.args(call, text),
                None => self.input.push(text),
            }
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
        match self.call {
            Some(call) => writer.args(call, &text),
            None => self.input.push(text.as_text()),
        }
    }

    fn read_image(&mut self, value: &RawObject) {
        let source = value.get("source").object();
        if let Some(Raw::Text(bytes)) = source.map(|source| source.get("bytes")) {
            self.bytes.push(bytes.clone());
        } else if let Raw::Object(body) = &mut self.body {
            *body = std::mem::take(body).merged(value);
        }
    }

    /// Keeps a block that is no part of ours, as a message of the provider's writes it.
    fn keep_whole(mut self, writer: &mut DeltaWriter) {
        if let Raw::Object(body) = &mut self.body {
            match self.kind.as_text().whole() {
                Some("toolUse") => {
                    let input = input_of(self.input, body);
                    body.set("input", input);
                }
                Some("toolResult") => {
                    let mut content = body.get("content").array().unwrap_or_default().to_vec();
                    content.append(&mut self.results);
                    body.set("content", Raw::Array(content));
                }
                Some("image") if !self.bytes.is_empty() => {
                    let bytes = join_base64(&self.bytes).into();
                    body.set("source", single(&"bytes".into(), &bytes).into());
                }
                _ => {}
            }
        }
        let kind = self.kind.as_text().well_formed().into_owned();
        writer.keep(&kind, &single(&self.kind, &self.body).into(), None);
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
