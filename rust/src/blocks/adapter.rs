//! What adapters of models look like, and the channel that their streams come through.

use std::pin::Pin;
use std::task::{Context, Poll};

use async_trait::async_trait;
use futures_core::Stream;
use tokio::sync::mpsc;

use crate::contract::current::blocks::{Message, StreamChunk};
use crate::errors::Error;

/// What a model answers at once.
pub type ModelResponse = crate::contract::current::blocks::ModelResponse;

/// A model behind an API.
#[async_trait]
pub trait ModelAdapter: Send + Sync {
    /// What goes wrong with the API.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Sends a conversation and returns the whole answer.
    async fn send_message(
        &self,
        messages: &[Message],
        system_prompt: Option<&str>,
        max_tokens: u64,
    ) -> Result<ModelResponse, Self::Error>;

    /// Sends a conversation and returns the answer as it comes.
    async fn stream_message(
        &self,
        messages: &[Message],
        system_prompt: Option<&str>,
        max_tokens: u64,
    ) -> Result<StreamingResponse, Self::Error>;

    /// Returns the name of the model.
    fn model_name(&self) -> &str;

    /// Tells whether [`stream_message`](Self::stream_message) is there to be called.
    fn supports_streaming(&self) -> bool;
}

/// What puts chunks into a [`StreamingResponse`]; the stream ends when it is dropped.
pub type ChunkSender = mpsc::Sender<Result<StreamChunk, Error>>;

/// The chunks of an answer as they come, over a bounded channel: a sender waits for its reader.
///
/// Dropping it tells the sender: its next send fails.
#[derive(Debug)]
pub struct StreamingResponse {
    chunks: mpsc::Receiver<Result<StreamChunk, Error>>,
}

/// Returns both ends of a stream that holds at most `capacity` chunks (at least one).
#[must_use]
pub fn channel(capacity: usize) -> (ChunkSender, StreamingResponse) {
    // More than this many permits is what the channel panics at.
    let capacity = capacity.clamp(1, tokio::sync::Semaphore::MAX_PERMITS);
    let (sender, chunks) = mpsc::channel(capacity);
    (sender, StreamingResponse { chunks })
}

impl StreamingResponse {
    /// Returns both ends of a stream; see [`channel`].
    #[must_use]
    pub fn channel(capacity: usize) -> (ChunkSender, Self) {
        channel(capacity)
    }

    /// Returns the next chunk; None at the end.
    pub async fn next(&mut self) -> Option<Result<StreamChunk, Error>> {
        self.chunks.recv().await
    }
}

impl Stream for StreamingResponse {
    type Item = Result<StreamChunk, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.chunks.poll_recv(context)
    }
}
