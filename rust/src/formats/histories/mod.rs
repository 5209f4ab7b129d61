//! What providers are sent, stored: answers are read by the adapters of their dialects.

pub(crate) mod answers;
pub(crate) mod anthropic;
pub(crate) mod bedrock;
pub(crate) mod cohere;
pub(crate) mod gemini;
mod gemini_names;
pub(crate) mod openai_answer;
pub(crate) mod openai_chat;
pub(crate) mod openai_media;
pub(crate) mod openai_responses;
pub(crate) mod pieces;
