//! JSON: text and values below every schema.

pub(crate) mod base64;
pub(crate) mod canonical;
pub(crate) mod documents;
pub(crate) mod fields;
pub(crate) mod json_text;
pub(crate) mod pointer;
pub(crate) mod raw;
pub(crate) mod raw_reader;
pub(crate) mod raw_text;
pub(crate) mod text;
