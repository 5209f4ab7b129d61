//! Conversions between families, through messages, and between versions ([`versions`]); what they
//! lose is said as data.
//!
//! ```
//! use partwire::convert::{ConvertOptions, convert};
//! use partwire::json;
//!
//! # fn main() -> Result<(), partwire::Error> {
//! let message = json!({
//!     "runId": "run-1",
//!     "role": "user",
//!     "parts": [{"kind": "text", "payload": {"text": "Hello"}}],
//!     "timestamp": "2026-01-02T03:04:05Z",
//! });
//! let made = convert(&message, "message.Message", "blocks", &ConvertOptions::default())?;
//! assert_eq!(made.value, json!([{"role": "user", "content": "Hello"}]));
//! let lost: Vec<&str> = made.losses.iter().map(|loss| loss.code).collect();
//! assert_eq!(lost, ["run-id", "timestamp"]);
//! # Ok(())
//! # }
//! ```

mod families;
pub(crate) mod losses;
pub mod versions;

pub use crate::tables::losses::LOSSES;
pub use families::context::Context;
pub use families::conversion::{BridgeResult, losses_for};
pub use families::convert::{
    CONVERSIONS, ConvertOptions, blocks_to_messages, convert, messages_to_blocks,
    messages_to_session, response_to_tool_result, result_to_tool_result, session_to_messages,
    source_types, tool_result_to_response, tool_result_to_result,
};
pub(crate) use families::times;
