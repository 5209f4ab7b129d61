//! Providers: raw events of each provider's stream → deltas of the contract, and messages → the body
//! of a provider's request. Sans-IO.
//!
//! [`open_adapter`] gives the adapter of a dialect, which takes events; from bytes, chunk by chunk
//! as they come, [`ByteAdapter`] feeds it. A new provider is a folder with its stream and its
//! request, and a row in each of the two registries.

// Vendors are called as they call themselves.
#![allow(clippy::doc_markdown)]

mod anthropic;
mod bedrock;
mod byte_adapter;
mod cohere;
pub(crate) mod core;
pub mod framing;
mod gemini;
pub(crate) mod openai_chat;
mod openai_responses;
mod registry;
pub(crate) mod request_core;
pub mod requests;

pub use self::core::adapter::{AdapterOptions, ProviderAdapter};
pub use self::core::errors::{ProviderError, RETRYABLE};
pub use self::core::kept_state::OpaqueItem;
pub use self::core::writing::deltas::Clock;
pub use crate::json::raw::{Raw, RawObject};
pub use crate::json::raw_text::{RawText, Text};
pub use byte_adapter::{ByteAdapter, Framing};
pub use registry::{dialects, open_adapter};
