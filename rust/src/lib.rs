//! Messages of language models, the streams that they arrive in, and the states of tool calls:
//! types, checks, assembler and history checks of the partwire contract.
//!
//! Types are in [`types`], one module per family, and those of each version in its own module,
//! such as [`v0_1`]. Whatever comes in is read by [`read`] or [`read_tolerant`], a stream is put
//! together by [`MessageAssembler`], histories in formats of others are messages by
//! [`formats::read`], and whatever does not fit is an [`Error`] with [`Finding`]s: a
//! rule, a place, and what was expected.
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
#![cfg_attr(docsrs, feature(doc_cfg))]
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

// What tests share says `partwire`, in the crate and beside it.
#[cfg(test)]
extern crate self as partwire;

// What the pages show compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../docs/rust.md")]
pub struct Pages;

pub mod blocks;
// Neither clock nor chance is in the standard library of the bare web target.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub mod build;
mod contract;
pub mod convert;
pub mod envelope;
mod errors;
pub mod formats;
/// What the native core of the Python package is made of; it may change with every release.
#[doc(hidden)]
pub mod internal {
    pub use crate::contract::catalog::schemas_of;
    pub use crate::contract::schema::{Member, Node, ObjectNode, Op, Path, Pattern, Rule, Schemas};
    pub use crate::formats::registry::read_values;
    pub use crate::json::raw::rounded;
}
pub mod json;
mod message;
pub mod providers;
mod reading;
pub mod session;
#[path = "generated/severities.rs"]
mod severities;
#[rustfmt::skip]
#[allow(clippy::pedantic)]
#[path = "generated/tables/mod.rs"]
mod tables;
/// The types of the current version, one module per family: paths that stay when that changes.
pub mod types {
    pub use crate::contract::current::{blocks, envelope, message, session, vocabulary};
}
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic)]
#[path = "generated/v0_1/mod.rs"]
pub mod v0_1;
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic)]
#[path = "generated/v0_2/mod.rs"]
pub mod v0_2;
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic)]
#[path = "generated/v0_3/mod.rs"]
pub mod v0_3;

#[cfg(feature = "tokio")]
pub use blocks::adapter::{ChunkSender, ModelAdapter, ModelResponse, StreamingResponse, channel};
pub use contract::current::LATEST_VERSION;
pub use contract::types::{Contract, Unknown};
pub use contract::versions::{VERSIONS, Version};
pub use convert::losses::{Loss, LossSeverity};
pub use errors::{
    Error, Finding, InvalidTransition, LossRefusal, ResponseFailed, Severity, StreamFailed,
    StreamRefusal,
};
pub use json::canonical::canonical;
pub use json::documents::decode_json;
pub use json::{Map, Value, json};
pub use message::{
    Assemble, Ending, HistoryChange, HistoryChecker, HistoryOptions, INTERRUPTED, Limits,
    MessageAssembler, OpenCall, OpenMedia, ParseError, ParsedArguments, PartialJson, PartialValue,
    Policy, Progress, RepairOptions, Repaired, Snapshot, Status, ToolCallBuffer, check_history,
    is_timestamp, parse_arguments, read_delta, repair_history,
};
#[cfg(feature = "stream")]
pub use message::{AssembleStream, assemble_stream};
pub use reading::{
    Mode, Reading, dump, read, read_tolerant, read_value, to_value, unknown_members, validate,
    validate_value,
};
pub use session::{
    EMPTY_OUTPUT_PLACEHOLDER, EmptyOutput, Moved, StateFields, expire, expire_value, fail_pending,
    fail_pending_value, followers, transition, transition_value,
};
pub use tables::limits::{MAX_DEPTH, VALUE_BYTES};
