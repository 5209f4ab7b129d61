//! Generated tables: what all languages look up.

pub mod finish_reasons;
