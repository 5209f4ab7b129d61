//! Generated tables: what all languages look up.

pub mod finish_reasons;
pub mod losses;
pub mod provider_errors;
