//! A whole chunk stream in, its response out.

use std::collections::{HashMap, HashSet};

use crate::blocks::chunk_state::{ChunkState, End};
use crate::contract::current::blocks::{
    ContentBlock, Message, MessageContent, ModelResponse, Role, StreamChunk, TextBlock,
    ToolUseBlock, tags,
};
use crate::errors::{Error, Finding, ResponseFailed, clip_text};
use crate::message::assembler::limits::Limits;
use crate::tables::limits::MAX_UNKNOWN;

#[cfg(feature = "stream")]
pub use stream::{Collect, collect};

/// Collects one stream of chunks into a response; a refused chunk changes nothing.
///
/// Blocks are in the order of their start, `tool_use` where it came; a block without text is left
/// out.
///
/// ```
/// use partwire::blocks::ChunkCollector;
/// use partwire::types::blocks::StreamChunk;
///
/// # fn main() -> Result<(), partwire::Error> {
/// let mut collector = ChunkCollector::new();
/// for line in [
///     r#"{"type":"content_block_start","index":0}"#,
///     r#"{"type":"content_block_delta","index":0,"delta":"Hello"}"#,
///     r#"{"type":"content_block_stop","index":0}"#,
///     r#"{"type":"message_stop","usage":{"input_tokens":1,"output_tokens":1}}"#,
/// ] {
///     collector.feed(&partwire::read::<StreamChunk>(line.as_bytes())?)?;
/// }
/// assert_eq!(collector.close()?.content.len(), 1);
/// # Ok(())
/// # }
/// ```
pub struct ChunkCollector {
    state: ChunkState,
    content: Vec<Block>,
    /// The place of the block of an index.
    places: HashMap<u64, usize>,
    unknown: HashSet<String>,
    findings: Vec<Finding>,
}

enum Block {
    Text(String),
    Call(ToolUseBlock),
}

impl Default for ChunkCollector {
    fn default() -> Self {
        Self::new()
    }
}

impl ChunkCollector {
    /// Returns a collector with the limits that the contract recommends.
    #[must_use]
    pub fn new() -> Self {
        Self::of(ChunkState::default())
    }

    /// Returns a collector with other limits; fails with [`Error::Usage`] for one that is not a
    /// count.
    pub fn with(limits: Limits) -> Result<Self, Error> {
        ChunkState::new(limits).map(Self::of)
    }

    fn of(state: ChunkState) -> Self {
        let (content, places) = (Vec::new(), HashMap::new());
        Self { state, content, places, unknown: HashSet::new(), findings: Vec::new() }
    }

    /// Warnings: one `blocks/unknown-chunk` for each unknown type.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Takes the next chunk.
    ///
    /// Fails with [`Error::Stream`] `blocks/invalid-chunk`, `blocks/after-terminal`,
    /// `blocks/block-not-open`, `blocks/index-not-increasing`, `blocks/block-open`,
    /// `blocks/duplicate-tool-use` or `stream/limit-exceeded`; `seq` is the chunk's number from 0.
    pub fn feed(&mut self, chunk: &StreamChunk) -> Result<(), Error> {
        self.state.take(chunk)?;
        match chunk {
            StreamChunk::ContentBlockStart(chunk) => {
                self.places.insert(chunk.index, self.content.len());
                self.content.push(Block::Text(String::new()));
            }
            StreamChunk::ContentBlockDelta(chunk) => {
                let place = self.places.get(&chunk.index);
                if let Some(Block::Text(text)) = place.and_then(|at| self.content.get_mut(*at)) {
                    text.push_str(&chunk.delta);
                }
            }
            StreamChunk::ToolUse(chunk) => self.content.push(Block::Call(ToolUseBlock {
                r#type: tags::ToolUse,
                tool_use_id: chunk.tool_use_id.clone(),
                tool_name: chunk.tool_name.clone(),
                parameters: std::mem::take(&mut self.state.arguments.value),
            })),
            StreamChunk::Unknown(unknown) => self.report(unknown.tag()),
            _ => {}
        }
        Ok(())
    }

    fn report(&mut self, tag: &str) {
        if self.findings.len() >= MAX_UNKNOWN || !self.unknown.insert(tag.to_owned()) {
            return;
        }
        let message = "A chunk of an unknown type: its content is ignored";
        let finding = Finding::of("blocks/unknown-chunk", "/type", message);
        let finding = finding.expected("a type of this version");
        self.findings.push(finding.actual(clip_text(tag)));
    }

    /// Returns the content so far: of a stream that is cut or has failed, what arrived.
    #[must_use]
    pub fn content(&self) -> Vec<ContentBlock> {
        let blocks = self.content.iter().filter_map(|block| match block {
            Block::Text(text) if text.is_empty() => None,
            Block::Text(text) => {
                Some(ContentBlock::Text(TextBlock { r#type: tags::Text, text: text.clone() }))
            }
            Block::Call(call) => Some(ContentBlock::ToolUse(call.clone())),
        });
        blocks.collect()
    }

    /// Says that no more chunks come; returns the response.
    ///
    /// Fails with [`Error::Response`] `blocks/failed` after an `error` chunk, and with
    /// [`Error::Stream`] `blocks/truncated` where neither `message_stop` nor `error` came.
    pub fn close(&self) -> Result<ModelResponse, Error> {
        match &self.state.last {
            None => Err(self.state.truncated()),
            Some(End::Stop(last)) => Ok(ModelResponse {
                content: self.content(),
                usage: last.usage.clone(),
                model: None,
                stop_reason: None,
            }),
            Some(End::Error(error)) => {
                let message = format!("The response failed: {}", clip_text(&error.message));
                let finding = Finding::error("blocks/failed", "/message", &message)
                    .expected("message_stop")
                    .actual("error");
                let content = MessageContent::Array(self.content());
                let partial = Message { role: Role::Assistant, content };
                let error = error.clone();
                Err(Error::Response(Box::new(ResponseFailed { finding, error, partial })))
            }
        }
    }
}

/// Returns the response that `chunks` are; fails as [`ChunkCollector`].
pub fn collect_chunks<'a>(
    chunks: impl IntoIterator<Item = &'a StreamChunk>,
    limits: Limits,
) -> Result<ModelResponse, Error> {
    let mut collector = ChunkCollector::with(limits)?;
    for chunk in chunks {
        collector.feed(chunk)?;
    }
    collector.close()
}

#[cfg(feature = "stream")]
mod stream {
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use futures_core::Stream;

    use super::{ChunkCollector, Error, ModelResponse, StreamChunk};

    /// Returns the response of a stream, such as a
    /// [`StreamingResponse`](crate::blocks::adapter::StreamingResponse); fails as [`ChunkCollector`].
    ///
    /// Reads no further than the chunk that ends the stream, and drops the stream then, which tells
    /// its sender. An item that is an error ends it with that error.
    pub fn collect<S>(stream: S) -> Collect<S>
    where
        S: Stream<Item = Result<StreamChunk, Error>> + Unpin,
    {
        Collect::new(stream, ChunkCollector::new())
    }

    /// The future of [`collect`].
    pub struct Collect<S> {
        stream: Option<S>,
        collector: ChunkCollector,
    }

    impl<S> Collect<S> {
        /// Returns the future with a collector that has other limits.
        #[must_use]
        pub fn new(stream: S, collector: ChunkCollector) -> Self {
            Self { stream: Some(stream), collector }
        }
    }

    impl<S> Future for Collect<S>
    where
        S: Stream<Item = Result<StreamChunk, Error>> + Unpin,
    {
        type Output = Result<ModelResponse, Error>;

        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
            let Self { stream, collector } = &mut *self;
            loop {
                let Some(chunks) = stream else {
                    return Poll::Ready(collector.close());
                };
                let Poll::Ready(item) = Pin::new(chunks).poll_next(context) else {
                    return Poll::Pending;
                };
                let is_over = match item {
                    None => Ok(true),
                    Some(chunk) => chunk.and_then(|chunk| {
                        collector.feed(&chunk)?;
                        Ok(matches!(chunk, StreamChunk::MessageStop(_) | StreamChunk::Error(_)))
                    }),
                };
                match is_over {
                    Ok(false) => {}
                    Ok(true) => *stream = None,
                    Err(error) => {
                        *stream = None;
                        return Poll::Ready(Err(error));
                    }
                }
            }
        }
    }
}
