//! Bedrock Converse: its stream and its request.

mod blocks;
mod citations;
pub(crate) mod frames;
mod media;
pub(crate) mod request;
pub(crate) mod stream;
