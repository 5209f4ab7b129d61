//! What all adapters share: the writer of deltas, errors, usage, kept state and ids.

pub(crate) mod adapter;
pub(crate) mod citations;
pub(crate) mod cited_text;
pub(crate) mod dialect;
pub(crate) mod errors;
pub(crate) mod findings;
pub(crate) mod ids;
pub(crate) mod kept_state;
pub(crate) mod openai_usage;
pub(crate) mod ordered;
mod secrets;
pub(crate) mod sniff;
pub(crate) mod tool_results;
pub(crate) mod usage;
pub(crate) mod writer;
pub(crate) mod writing;
