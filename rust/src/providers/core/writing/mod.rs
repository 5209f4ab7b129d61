//! The pieces of the writer: stream, text, calls, whole parts, media, and the deltas themselves.

pub(crate) mod calls;
pub(crate) mod deltas;
pub(crate) mod media;
pub(crate) mod stream;
pub(crate) mod text;
pub(crate) mod whole_parts;
