//! What readers of every format share.

pub(crate) mod calls;
pub(crate) mod lost;
pub(crate) mod members;
pub(crate) mod parts;
pub(crate) mod reading;
pub(crate) mod source;
