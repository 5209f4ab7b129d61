//! Anthropic Messages: its stream and its request.

mod blocks;
pub(crate) mod request;
pub(crate) mod stream;
