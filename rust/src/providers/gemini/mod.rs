//! Gemini, of Google AI and of Vertex AI: its stream and its request.

mod arguments;
mod citations;
mod parts;
pub(crate) mod request;
pub(crate) mod stream;
