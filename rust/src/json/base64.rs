//! Base64, which bytes in JSON are: the standard alphabet of RFC 4648 section 4, padded.

use base64::alphabet::STANDARD;
use base64::engine::{Engine, GeneralPurpose, GeneralPurposeConfig};

// Writers differ in the bits that the last character has too many.
const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);

/// Returns the bytes that Base64 text holds; None for any other text.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// Tells whether text is base64 of whole bytes.
pub(crate) fn is_base64(text: &str) -> bool {
    let data = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    text.len() % 4 == 0 && data.bytes().all(is_digit)
}

/// Returns how many bytes Base64 text holds.
pub(crate) fn decoded_length(text: &str) -> usize {
    text.len() / 4 * 3 - text.bytes().rev().take_while(|byte| *byte == b'=').count()
}

/// Returns bytes as Base64 text.
pub(crate) fn encode(data: &[u8]) -> String {
    BASE64.encode(data)
}
