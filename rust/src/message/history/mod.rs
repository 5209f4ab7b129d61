//! Histories of messages: what no single message shows, and how it is repaired.

mod approvals;
pub(crate) mod changes;
pub(crate) mod check;
mod draft;
mod messages;
mod order;
pub(crate) mod repair;
mod runs;
