//! Messages of language models, the streams that they arrive in, and the states of tool calls:
//! types, checks, assembler and history checks of the partwire contract.
//!
//! Types are in [`v0_1`] and [`v0_2`], one module per family. Whatever comes in is read by
//! [`read`] or [`read_tolerant`], a stream is put together by [`MessageAssembler`], and whatever
//! does not fit is an [`Error`] with [`Finding`]s: a rule, a place, and what was expected.
//!
//! ```
//! use partwire::{MessageAssembler, Mode, read_delta};
//!
//! # fn main() -> Result<(), partwire::Error> {
//! let lines = [
//!     r#"{"kind":"start","runId":"r","seq":0,"timestamp":"2026-01-02T03:04:05Z","payload":{"modelId":"m","requestId":"q"}}"#,
//!     r#"{"kind":"text","runId":"r","seq":1,"timestamp":"2026-01-02T03:04:05Z","payload":{"textDelta":"Hello"}}"#,
//!     r#"{"kind":"done","runId":"r","seq":2,"timestamp":"2026-01-02T03:04:06Z","payload":{"finishReason":"stop"}}"#,
//! ];
//! let mut assembler = MessageAssembler::new();
//! for line in lines {
//!     assembler.consume(&read_delta(line.as_bytes(), Mode::Strict)?)?;
//! }
//! assert_eq!(assembler.build_final_message()?.parts.len(), 1);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]
// What could panic is not written in the first place.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::todo,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

#[cfg(all(test, feature = "validate"))]
mod agreement;
pub mod blocks;
pub mod bridges;
mod canonical;
mod catalog;
mod documents;
pub mod envelope;
mod error;
mod explain;
mod fields;
pub mod framing;
mod json_text;
mod loose;
mod losses;
mod meaning;
mod message;
pub mod migrate;
pub mod providers;
mod reading;
mod relax;
pub mod requests;
mod schema;
pub mod session;
mod text;
mod types;
#[cfg(feature = "validate")]
mod verdict;

#[cfg(feature = "tokio")]
mod adapter;
#[cfg(feature = "stream")]
mod stream;

#[path = "generated/severities.rs"]
mod severities;
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic)]
#[path = "generated/v0_1/mod.rs"]
pub mod v0_1;
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic)]
#[path = "generated/v0_2/mod.rs"]
pub mod v0_2;

#[cfg(feature = "tokio")]
pub use adapter::{ChunkSender, ModelAdapter, ModelResponse, StreamingResponse, channel};
pub use canonical::canonical;
pub use catalog::{LATEST_VERSION, VERSIONS, Version};
pub use documents::{MAX_DEPTH, decode_json};
pub use error::{
    Error, Finding, InvalidTransition, LossRefusal, ResponseFailed, Severity, StreamFailed,
    StreamRefusal,
};
pub use losses::{Loss, LossSeverity};
pub use message::arguments::{ParseError, ParsedArguments, parse_arguments};
pub use message::assembler::{Ending, MessageAssembler, Status};
pub use message::history::{HistoryChecker, HistoryOptions, check_history};
pub use message::history_policy::{HistoryChange, Policy};
pub use message::history_repair::{INTERRUPTED, RepairOptions, Repaired, repair_history};
pub use message::limits::Limits;
pub use message::lines::{Assemble, read_delta};
pub use message::partial_json::PartialJson;
pub use message::slots::ToolCallBuffer;
pub use message::snapshot::{OpenCall, Progress, Snapshot};
pub use reading::{
    Mode, Reading, dump, read, read_tolerant, read_value, to_value, unknown_members, validate,
    validate_value,
};
pub use session::{
    EMPTY_OUTPUT_PLACEHOLDER, EmptyOutput, Moved, StateFields, expire, expire_value, fail_pending,
    fail_pending_value, followers, transition, transition_value,
};
#[cfg(feature = "stream")]
pub use stream::{AssembleStream, assemble_stream};
pub use types::{Contract, Map, Unknown, Value};
