//! Generated tables: what all languages look up.

pub mod credentials;
pub mod event_dialects;
pub mod finish_reasons;
pub mod history_repairs;
pub mod limits;
pub mod losses;
pub mod media_types;
pub mod provider_errors;
pub mod provider_names;
pub mod stream;
pub mod tool_states;
pub mod usage_figures;
