//! Asynchronous streams: assembling from one, and the channel of an adapter.
#![cfg(feature = "tokio")]

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use async_trait::async_trait;
use futures_core::Stream;
use partwire::types::blocks::{Message as BlocksMessage, StreamChunk};
use partwire::types::message::MessageDelta;
use partwire::{
    Error, Mode, ModelAdapter, ModelResponse, StreamingResponse, assemble_stream, channel, read,
    read_delta,
};

/// A stream that is not ready before every item.
struct Slow(VecDeque<Result<MessageDelta, Error>>, bool);

impl Stream for Slow {
    type Item = Result<MessageDelta, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.1 = !self.1;
        if self.1 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(self.0.pop_front())
    }
}

fn delta(seq: u64, kind: &str, payload: &str) -> Result<MessageDelta, Error> {
    let line = format!(
        r#"{{"kind":"{kind}","runId":"r","seq":{seq},"timestamp":"2026-01-02T03:04:05Z","payload":{payload}}}"#
    );
    read_delta(line.as_bytes(), Mode::Strict)
}

fn deltas() -> VecDeque<Result<MessageDelta, Error>> {
    VecDeque::from([
        delta(0, "start", r#"{"modelId":"m","requestId":"q"}"#),
        delta(1, "text", r#"{"textDelta":"Hel"}"#),
        delta(2, "text", r#"{"textDelta":"lo"}"#),
        delta(3, "done", r#"{"finishReason":"stop"}"#),
    ])
}

#[tokio::test]
async fn a_stream_becomes_a_message() {
    let message = assemble_stream(Slow(deltas(), false)).await.unwrap();
    let value = partwire::json::to_value(&message).unwrap();
    assert_eq!(value["parts"][0]["payload"]["text"], "Hello");
    assert_eq!(value["parts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_cut_stream_is_no_message() {
    let mut cut = deltas();
    cut.pop_back();
    assert_eq!(assemble_stream(Slow(cut, false)).await.unwrap_err().rule(), "stream/truncated");
}

#[tokio::test]
async fn a_refused_item_ends_it() {
    let mut twice = deltas();
    twice.insert(2, delta(1, "text", r#"{"textDelta":"Hel"}"#));
    let error = assemble_stream(Slow(twice, false)).await.unwrap_err();
    assert_eq!(error.rule(), "stream/seq-not-increasing");
    assert_eq!(error.findings()[0].line, Some(3));
    let mut failing = deltas();
    failing.insert(1, delta(1, "text", "[]"));
    assert_eq!(assemble_stream(Slow(failing, false)).await.unwrap_err().rule(), "shape/type");
}

fn chunk(text: &str) -> Result<StreamChunk, Error> {
    read(text.as_bytes())
}

#[tokio::test]
async fn a_full_channel_waits_for_its_reader() {
    let (sender, mut response) = channel(1);
    let first = chunk(r#"{"type":"content_block_start","index":0}"#);
    sender.try_send(first.clone()).unwrap();
    assert!(sender.try_send(first.clone()).is_err());
    assert_eq!(response.next().await, Some(first));
    drop(sender);
    assert_eq!(response.next().await, None);
}

#[tokio::test]
async fn a_sender_learns_that_nobody_reads() {
    let (sender, response) = StreamingResponse::channel(0);
    drop(response);
    assert!(sender.send(chunk(r#"{"type":"content_block_stop","index":0}"#)).await.is_err());
    drop(channel(usize::MAX));
}

struct Echo {
    name: &'static str,
}

#[async_trait]
impl ModelAdapter for Echo {
    type Error = Error;

    async fn send_message(
        &self,
        _: &[BlocksMessage],
        _: Option<&str>,
        _: u64,
    ) -> Result<ModelResponse, Error> {
        read(br#"{"content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":1,"output_tokens":1}}"#)
    }

    async fn stream_message(
        &self,
        _: &[BlocksMessage],
        _: Option<&str>,
        _: u64,
    ) -> Result<StreamingResponse, Error> {
        let (sender, response) = channel(2);
        tokio::spawn(async move {
            for index in 0..5 {
                let text = format!(r#"{{"type":"content_block_stop","index":{index}}}"#);
                if sender.send(chunk(&text)).await.is_err() {
                    return;
                }
            }
        });
        Ok(response)
    }

    fn model_name(&self) -> &str {
        self.name
    }

    fn supports_streaming(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn an_adapter_can_be_any_of_several() {
    let adapter: Box<dyn ModelAdapter<Error = Error>> = Box::new(Echo { name: "echo" });
    assert!(adapter.supports_streaming());
    assert_eq!(adapter.model_name(), "echo");
    let mut response = adapter.stream_message(&[], None, 10).await.unwrap();
    let mut indices = Vec::new();
    while let Some(Ok(StreamChunk::ContentBlockStop(stop))) = response.next().await {
        indices.push(stop.index);
    }
    assert_eq!(indices, [0, 1, 2, 3, 4]);
}
