// Generated from schemas/catalog.json.
// Do not edit: change the catalog, then run `python -m codegen`.

//! The current version: the one place that names it.

use crate::contract::versions::Version;

pub use crate::v0_3::{blocks, envelope, message, session, vocabulary};

/// The contract version that is spoken where none is named.
pub const LATEST_VERSION: Version = Version::V0_3;

impl Default for Version {
    fn default() -> Self {
        LATEST_VERSION
    }
}
