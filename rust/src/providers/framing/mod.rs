//! Framing: the bytes of a stream → raw events, sans-IO.
//!
//! Every decoder has `feed` and `close`; cutting the bytes elsewhere changes nothing. What holds
//! for all of them is written at [`Feeder`].

pub(crate) mod eventstream;
pub(crate) mod feeder;
pub(crate) mod json_array;
pub(crate) mod json_lines;
pub(crate) mod sse;

pub use crate::tables::limits::{DEFAULT_LIMIT_BYTES, MAX_HEADER_BYTES};
pub use eventstream::{
    EventStreamDecoder, EventStreamHeaders, EventStreamMessage, Frames, HeaderValue,
};
pub use feeder::{Decode, Feeder};
pub use json_array::{Elements, JsonArrayDecoder};
pub use json_lines::{JsonLinesDecoder, Lines, RawLine};
pub use sse::{Events, SseDecoder, SseEvent};
