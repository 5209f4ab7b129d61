//! Documents of one family as those of another, through messages.

mod blocks;
pub(crate) mod context;
pub(crate) mod conversion;
pub(crate) mod convert;
mod envelope;
mod from_session;
mod ids;
mod session_approvals;
mod session_parts;
mod session_record;
mod session_tokens;
pub(crate) mod times;
mod to_session;
