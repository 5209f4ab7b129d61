//! OpenAI Responses and its vendors: stream and request.

mod calls;
mod citations;
mod content;
mod items;
mod media;
mod output;
pub(crate) mod request;
mod server_items;
pub(crate) mod stream;
mod text;
