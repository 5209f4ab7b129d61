//! Framing: the bytes of a stream → raw events, sans-IO.
//!
//! Every decoder has `feed` and `close`; cutting the bytes elsewhere changes nothing. What holds
//! for all of them is written at [`Feeder`].

mod feeder;
mod json_array;
mod json_lines;
mod sse;

pub use feeder::{DEFAULT_LIMIT_BYTES, Decode, Feeder};
pub use json_array::{Elements, JsonArrayDecoder};
pub use json_lines::{JsonLinesDecoder, Lines, RawLine};
pub use sse::{Events, SseDecoder, SseEvent};
