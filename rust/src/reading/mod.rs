//! Reading, checking and writing of documents.

#[cfg(all(test, feature = "validate"))]
mod agreement;
pub(crate) mod explain;
mod meaning;
pub(crate) mod read;
pub(crate) mod tolerant;

pub use read::{
    Mode, Reading, dump, read, read_tolerant, read_value, to_value, unknown_members, validate,
    validate_value,
};
