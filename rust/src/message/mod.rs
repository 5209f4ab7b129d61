//! Streams of deltas and the messages that they make, and histories of messages.

pub(crate) mod arguments;
pub(crate) mod assembler;
pub(crate) mod checks;
pub(crate) mod history;
mod history_draft;
pub(crate) mod history_policy;
mod history_reading;
pub(crate) mod history_repair;
mod history_runs;
mod history_turns;
pub(crate) mod limits;
pub(crate) mod lines;
mod opaque;
pub(crate) mod partial_json;
mod partial_tokens;
pub(crate) mod slots;
pub(crate) mod snapshot;
mod state;
