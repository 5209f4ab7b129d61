//! What all encoders of requests share: inputs, turns, media, provider state and notes.

pub(crate) mod blocks;
pub(crate) mod call_ids;
pub(crate) mod calls_and_results;
pub(crate) mod chat;
mod citations;
pub(crate) mod encoder;
pub(crate) mod inputs;
pub(crate) mod media;
pub(crate) mod notes;
mod server_tools;
pub(crate) mod state;
mod stretches;
mod turn_reader;
pub(crate) mod turns;
pub(crate) mod values;
