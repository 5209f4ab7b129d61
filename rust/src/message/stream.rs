//! Assembling from an asynchronous stream, whatever runs it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::contract::current::message::{Message, MessageDelta};
use crate::errors::Error;
use crate::message::assembler::MessageAssembler;
use crate::message::lines::Assemble;
use crate::reading::read::Mode;

/// Returns the message of an asynchronous stream of deltas; see [`Assemble`].
///
/// An item that is an error ends it with that error. A stream that ends without done or error is
/// `stream/truncated`.
pub fn assemble_stream<S>(stream: S) -> AssembleStream<S>
where
    S: Stream<Item = Result<MessageDelta, Error>> + Unpin,
{
    AssembleStream::new(stream, MessageAssembler::new())
}

/// The future of [`assemble_stream`].
pub struct AssembleStream<S> {
    stream: S,
    assemble: Option<Assemble>,
}

impl<S> AssembleStream<S> {
    /// Returns the future with an assembler that has other limits, or is of one run.
    #[must_use]
    pub fn new(stream: S, assembler: MessageAssembler) -> Self {
        Self { stream, assemble: Some(Assemble::new(assembler, Mode::Strict)) }
    }
}

impl<S> Future for AssembleStream<S>
where
    S: Stream<Item = Result<MessageDelta, Error>> + Unpin,
{
    type Output = Result<Message, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { stream, assemble } = &mut *self;
        let mut assembling = assemble.take().unwrap_or_default();
        loop {
            let Poll::Ready(item) = Pin::new(&mut *stream).poll_next(context) else {
                *assemble = Some(assembling);
                return Poll::Pending;
            };
            let taken = match item {
                None => return Poll::Ready(assembling.finish()),
                Some(delta) => delta.and_then(|delta| assembling.delta(&delta)),
            };
            if let Err(error) = taken {
                return Poll::Ready(Err(error));
            }
        }
    }
}
