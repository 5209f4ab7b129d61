//! Media that is open, and the Base64 of its pieces.

use crate::json::base64;
use crate::json::raw::Raw;

/// Media that has been announced: a handle, which stays good once the media has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenMedia {
    pub(crate) number: usize,
}

/// What a writer keeps of media; it begins, as a part, with its first bytes.
pub(crate) struct Media {
    /// The provider's id until it begins, then its own.
    pub id: Option<String>,
    pub mime_type: String,
    pub name: Option<String>,
    /// The index of its part, once it has begun.
    pub part: Option<i64>,
    /// What has been said in it, and is not written yet.
    pub words: String,
    pub half: Option<u32>,
    /// What the provider wants back with it: kind and data of each item.
    pub kept: Vec<(String, Raw)>,
    pub ended: bool,
}

/// Returns Base64 as the contract writes it: the same bytes, bits beyond them zero.
///
/// None for what is not Base64 of the standard alphabet, padded, without line breaks.
pub(crate) fn whole_base64(value: &Raw) -> Option<String> {
    base64::decode(value.str()?).map(|data| base64::encode(&data))
}
