//! Base64: the standard alphabet of RFC 4648 section 4, padded.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns what Base64 text stands for; None for any other text.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if bytes.len() % 4 != 0 {
        return None;
    }
    let mut made = Vec::with_capacity(bytes.len() / 4 * 3);
    let last = bytes.len() / 4;
    for (number, group) in bytes.chunks_exact(4).enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || (padding > 0 && number + 1 < last) {
            return None;
        }
        let mut bits = 0u32;
        for byte in group.iter().take(4 - padding) {
            bits =
                (bits << 6) | u32::try_from(ALPHABET.iter().position(|each| each == byte)?).ok()?;
        }
        let word = (bits << (6 * padding)).to_be_bytes();
        made.extend(word.iter().skip(1).take(3 - padding));
    }
    Some(made)
}

/// Returns bytes as Base64 text.
pub(crate) fn encode(data: &[u8]) -> String {
    let mut made = String::with_capacity(data.len().div_ceil(3) * 4);
    for group in data.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, byte| (bits << 8) | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = usize::try_from((bits >> (18 - 6 * place)) & 63).unwrap_or(0);
            let char = ALPHABET.get(digit).copied().map_or('A', char::from);
            made.push(if place > group.len() { '=' } else { char });
        }
    }
    made
}
