//! Anthropic Messages: its stream and its request.

mod blocks;
mod citations;
pub(crate) mod request;
pub(crate) mod stream;
