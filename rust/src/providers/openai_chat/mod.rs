//! Chat completions of OpenAI and of the many that speak its dialect: stream and request.

mod calls;
mod content;
pub(crate) mod request;
mod state;
pub(crate) mod stream;
