//! Streams of deltas and the messages that they make, and histories of messages.

pub(crate) mod assembler;
mod history;
mod lines;
#[cfg(feature = "stream")]
mod stream;

pub use crate::tables::history_repairs::INTERRUPTED;
pub use assembler::arguments::{ParseError, ParsedArguments, parse_arguments};
pub use assembler::checks::{Status, is_timestamp};
pub use assembler::limits::Limits;
pub use assembler::partial_json::PartialJson;
pub use assembler::slots::ToolCallBuffer;
pub use assembler::snapshot::{OpenCall, OpenMedia, PartialValue, Progress, Snapshot};
pub use assembler::{Ending, MessageAssembler};
pub use history::changes::{HistoryChange, Policy, Repaired};
pub use history::check::{HistoryChecker, HistoryOptions, check_history};
pub use history::repair::{RepairOptions, repair_history};
pub use lines::{Assemble, read_delta};
#[cfg(feature = "stream")]
pub use stream::{AssembleStream, assemble_stream};
