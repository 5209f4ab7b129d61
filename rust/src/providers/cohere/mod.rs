//! Cohere Chat v2: its stream and its request.

mod blocks;
mod calls;
pub(crate) mod request;
pub(crate) mod stream;
