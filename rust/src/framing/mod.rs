//! Framing: the bytes of a stream → raw events, sans-IO.
//!
//! Every decoder has `feed` and `close`; cutting the bytes elsewhere changes nothing. What holds
//! for all of them is written at [`Feeder`].

mod crc;
mod eventstream;
mod feeder;
mod frame_headers;
mod json_array;
mod json_lines;
mod sse;

pub use eventstream::{EventStreamDecoder, EventStreamMessage, Frames, MAX_HEADER_BYTES};
pub use feeder::{DEFAULT_LIMIT_BYTES, Decode, Feeder};
pub(crate) use frame_headers::not_utf8;
pub use frame_headers::{EventStreamHeaders, HeaderValue};
pub use json_array::{Elements, JsonArrayDecoder};
pub use json_lines::{JsonLinesDecoder, Lines, RawLine};
pub use sse::{Events, SseDecoder, SseEvent};
