//! OpenAI Responses and its vendors: stream and request.

mod calls;
mod content;
mod items;
mod output;
pub(crate) mod request;
pub(crate) mod stream;
mod text;
