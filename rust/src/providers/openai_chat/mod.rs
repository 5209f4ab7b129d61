//! Chat completions of OpenAI and of the many that speak its dialect: stream and request.

mod calls;
pub(crate) mod citations;
mod content;
mod media;
pub(crate) mod request;
mod server_tools;
mod state;
pub(crate) mod stream;
