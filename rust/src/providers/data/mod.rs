//! Tables: what providers call their errors and finish reasons.

pub(crate) mod error_names;
