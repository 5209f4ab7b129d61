//! Generated tables: what all languages look up.

pub(crate) mod finish_reasons;
