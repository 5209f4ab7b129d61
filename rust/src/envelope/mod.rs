//! Queue messages: read from newer and older peers, retried, and held against each other.
//!
//! What a sender's `schema_version` brings about: a message of a known version, ours or older, is
//! read by its own types and given as ours. One that is newer than all that we know, of the same
//! major, is read by ours and noted where reading is tolerant, and refused where it is strict. Any
//! other is refused.
//!
//! ```
//! use partwire::Mode;
//! use partwire::envelope::{Sent, parse, retry_event};
//! use partwire::types::envelope::TaskEvent;
//!
//! # fn main() -> Result<(), partwire::Error> {
//! let line = br#"{"message_id":"6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
//!     "sent_at":"2025-07-15T02:03:04Z","schema_version":"v0.2","message_type":"TaskEvent",
//!     "task_id":"190efc4c-3094-41d4-a6dc-4a0e140bd73e","payload":{},"retry_count":0,
//!     "max_attempts":3}"#;
//! let task: TaskEvent = parse(line, Mode::Tolerant)?.value;
//! let (message_id, sent_at) =
//!     ("7f8414d7-8e69-4d6e-b516-6c2ef3fca8d8".to_owned(), "2025-07-15T02:04:04Z".to_owned());
//! assert_eq!(retry_event(&task, &Sent { message_id, sent_at }, None)?.retry_count, 1);
//! # Ok(())
//! # }
//! ```

mod allowed_tools;
mod correlation;
mod parsing;
mod prompt_blocks;
mod retry;
#[cfg(feature = "yaml")]
mod yaml;

use crate::json::Value;

pub use allowed_tools::parse_allowed_tools;
pub use correlation::{check_reply, check_reply_value, check_tool_results};
pub use parsing::{MESSAGE_TYPES, parse, parse_value, reading_version, sniff, sniff_value};
pub use prompt_blocks::{
    decode_prompt_block, decode_prompt_blocks, encode_prompt_block, encode_prompt_blocks,
    may_be_base64,
};
pub use retry::{Sent, retry_event, retry_event_value};

use crate::contract::types::Contract;
use crate::errors::{Error, Finding};

/// Returns a message as a JSON value, valid or not.
fn wire_of<T: Contract>(message: &T) -> Result<Value, Error> {
    crate::json::to_value(message).map_err(|cause| {
        let message = format!("No JSON value: {cause}");
        Error::Write(vec![Finding::error("shape/type", "", &message)])
    })
}

/// Tells whether a character is white space in texts of people: the same in every language.
fn is_space(char: char) -> bool {
    char.is_whitespace() || matches!(char, '\u{1c}'..='\u{1f}')
}
