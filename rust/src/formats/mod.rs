//! Formats of others: histories that people have stored, read as messages of the contract.
//!
//! Sans-IO and pure. What a format says and a message cannot is a loss, never silence: readers take
//! what they know from an object, and whatever is left in it is reported.
//!
//! ```
//! use partwire::formats::{Context, read};
//!
//! # fn main() -> Result<(), partwire::Error> {
//! let stored = r#"[{"role": "user", "content": "Hi", "cached": true}]"#;
//! let made = read("openai-chat", stored, &Context::new().run_id("run_1"))?;
//! assert_eq!(made.messages.len(), 1);
//! let lost: Vec<(&str, &str)> =
//!     made.losses.iter().map(|loss| (loss.code, loss.pointer.as_str())).collect();
//! assert_eq!(lost, [("timestamp-invented", ""), ("given", ""), ("foreign-member", "/0/cached")]);
//! # Ok(())
//! # }
//! ```

// Vendors are called as they call themselves.
#![allow(clippy::doc_markdown)]

mod core;
mod histories;
pub(crate) mod registry;

use crate::errors::Error;

use self::registry::reading_of;

pub use self::core::reading::{Context, FormatResult};
pub use self::core::source::Data;
pub use self::registry::{FORMATS, Format};

/// Returns the messages of a document of a format, and what they do not say.
///
/// `format` is a name of [`FORMATS`], or an alias such as `anthropic`. `data` is JSON text, or a
/// [`Value`](crate::Value). What the source does not say of run and time is what `context` says;
/// without it they are made up, and reported. Losses are in the order of the document, and their
/// pointers lead into it.
///
/// Fails with [`Error::Usage`] `usage/unknown-format` and `usage/invalid-argument`, and with
/// [`Error::Read`] for what is not JSON (`document/…`), or not of the format
/// (`format/wrong-shape`).
pub fn read<'a>(
    format: &str,
    data: impl Into<Data<'a>>,
    context: &Context,
) -> Result<FormatResult, Error> {
    reading_of(format, data.into(), context)?.finish()
}
