//! Histories of messages: what no single message shows, and how it is repaired.

pub(crate) mod check;
mod draft;
pub(crate) mod policy;
pub(crate) mod repair;
mod runs;
