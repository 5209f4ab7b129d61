//! Bytes of the Converse format: Base64 in JSON.

use crate::providers::base64::{decode, encode};
use crate::providers::raw_text::RawText;

/// Returns the Base64 of bytes that came in pieces, each of them Base64 on its own.
///
/// A single piece stays as it is; pieces that are no Base64 are put one behind the other.
pub(crate) fn join_base64(pieces: &[RawText]) -> RawText {
    if pieces.len() > 1 {
        let decoded = |piece: &RawText| piece.as_text().whole().and_then(decode);
        if let Some(data) = pieces.iter().map(decoded).collect::<Option<Vec<_>>>() {
            return encode(&data.concat()).into();
        }
    }
    let mut joined = RawText::default();
    for piece in pieces {
        joined.push(piece.as_text());
    }
    joined
}
