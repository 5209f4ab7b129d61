//! What providers are sent, stored: answers are read by the adapters of their dialects.

pub(crate) mod answers;
pub(crate) mod anthropic;
pub(crate) mod bedrock;
pub(crate) mod cohere;
pub(crate) mod gemini;
mod gemini_names;
pub(crate) mod pieces;
