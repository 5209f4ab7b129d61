//! The contract's versions, the types of each and their schemas.

pub(crate) mod catalog;
pub(crate) mod current;
#[allow(missing_docs)] // beside the crate, only the native core sees it
pub(crate) mod schema;
pub(crate) mod severity;
pub(crate) mod types;
#[cfg(feature = "validate")]
mod verdict;
pub(crate) mod versions;
