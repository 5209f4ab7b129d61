//! Requests: the contract's messages, tools and configuration → a provider's request body.
//!
//! Sans-IO and pure. A new provider is one module and one row in the registry.

// Vendors are called as they call themselves.
#![allow(clippy::doc_markdown)]

mod anthropic_content;
mod anthropic_messages;
mod bedrock_content;
mod bedrock_converse;
mod bedrock_media;
mod blocks;
mod call_ids;
mod calls_and_results;
mod chat_messages;
mod chat_state;
mod cohere;
mod cohere_messages;
mod encoder;
mod gemini;
mod gemini_content;
mod inputs;
mod media;
mod notes;
mod openai_chat;
mod openai_responses;
mod registry;
mod responses_input;
mod responses_output;
mod responses_pairs;
mod state;
mod stretches;
mod turn_reader;
mod turns;
mod values;

pub use encoder::{EncodedRequest, EncodedText};
pub use inputs::RequestInput;
pub use registry::{dialects, encode_request, encode_request_text};
