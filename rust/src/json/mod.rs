//! JSON values that keep what was written: members in the order of the text, integers as integers.
//!
//! They are the crate's own: Cargo unites the features of `serde_json` over all crates of a program,
//! and what a document says must not depend on whether another crate asks for `preserve_order` or
//! `arbitrary_precision`. Values of `serde_json` become these, and these become those, by [`From`].

pub(crate) mod base64;
pub(crate) mod canonical;
pub(crate) mod documents;
pub(crate) mod fields;
pub(crate) mod json_text;
mod literal;
mod map;
mod number;
pub(crate) mod pointer;
pub(crate) mod raw;
pub(crate) mod raw_reader;
pub(crate) mod raw_text;
mod read_value;
pub(crate) mod text;
mod value;
mod write_value;

#[doc(inline)]
pub use crate::__json as json;
pub use map::{IntoIter, Iter, IterMut, Map};
pub use number::Number;
pub use read_value::from_value;
pub use value::{Place, Value};
pub use write_value::to_value;
