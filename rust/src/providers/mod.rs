//! Providers: raw events of each provider's stream → deltas of the contract, sans-IO.
//!
//! [`open_adapter`] gives the adapter of a dialect, which takes events; from bytes, chunk by chunk
//! as they come, [`ByteAdapter`] feeds it. A new provider is a dialect and a row in the registry.

// Vendors are called as they call themselves.
#![allow(clippy::doc_markdown)]

mod adapter;
mod answer_ids;
mod anthropic_blocks;
mod anthropic_messages;
mod arguments;
mod aws_frames;
pub(crate) mod base64;
mod bedrock_block;
mod bedrock_blocks;
mod bedrock_bytes;
mod bedrock_converse;
mod byte_adapter;
mod call_ids;
mod chat_calls;
mod chat_content;
mod chat_details;
mod chat_usage;
mod cohere;
mod cohere_blocks;
mod cohere_calls;
mod delta_maker;
mod delta_writer;
mod dialect;
mod error_bodies;
mod error_codes;
mod error_names;
mod findings;
mod finish_reasons;
mod gemini;
mod gemini_arguments;
mod gemini_names;
mod gemini_parts;
mod gemini_paths;
mod gemini_tree;
mod kept_state;
mod openai_chat;
mod openai_responses;
mod ordered;
mod raw;
mod raw_dump;
mod raw_events;
mod raw_text;
mod registry;
mod responses_calls;
mod responses_content;
mod responses_items;
mod responses_state;
mod responses_text;
mod secrets;
mod sha256;
mod sniff;
mod usage;
mod writing;

pub use adapter::{AdapterOptions, ProviderAdapter};
pub use byte_adapter::{ByteAdapter, Framing};
pub use delta_maker::Clock;
pub use error_codes::{ProviderError, RETRYABLE};
pub use kept_state::OpaqueItem;
pub use raw::{Raw, RawObject};
pub use raw_text::{RawText, Text};
pub use registry::{dialects, open_adapter};

// What requests share with adapters.
pub(crate) use base64::{decode as decode_base64, encode as encode_base64};
pub(crate) use call_ids::cut;
pub(crate) use raw_text::is_space;
pub(crate) use sha256::sha256;
