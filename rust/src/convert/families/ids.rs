//! UUIDs: their form, and those that are made of what is there (version 5, RFC 9562).

use serde_json::Value;

use crate::json::json_text::json_text;

const NAMESPACE: [u8; 16] = [
    0x5f, 0x0f, 0x3d, 0x0e, 0x6a, 0x0a, 0x5c, 0x55, 0x9b, 0x7c, 0x2f, 0x8f, 0x6d, 0x1c, 0x7a, 0x10,
];

/// Returns the UUID that always belongs to `parts`.
pub(crate) fn derived_id(parts: &[&str]) -> String {
    let name = json_text(&parts.iter().map(|part| Value::from(*part)).collect());
    let words = sha1(&[&NAMESPACE, name.as_bytes()].concat());
    let [a, b, c, d, _] = words;
    let b = (b & 0xffff_0fff) | 0x5000;
    let c = (c & 0x3fff_ffff) | 0x8000_0000;
    let (b1, b2, c1, c2) = (b >> 16, b & 0xffff, c >> 16, c & 0xffff);
    format!("{a:08x}-{b1:04x}-{b2:04x}-{c1:04x}-{c2:04x}{d:08x}")
}

/// Tells whether `text` is a UUID in the contract's form.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// The five words of SHA-1, which version 5 is made of; nothing is kept secret by it.
fn sha1(data: &[u8]) -> [u32; 5] {
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let bits = (data.len() as u64).wrapping_mul(8);
    let mut padded = data.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - data.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let end = padded.len() - 8;
    padded.truncate(end);
    padded.extend(bits.to_be_bytes());
    for block in padded.chunks_exact(64) {
        state = mixed(state, block);
    }
    state
}

fn mixed(state: [u32; 5], block: &[u8]) -> [u32; 5] {
    let [mut one, mut two, mut three, mut four, mut five] = state;
    for (round, word) in schedule(block).into_iter().enumerate() {
        let (mix, constant): (u32, u32) = match round {
            0..20 => ((two & three) | (!two & four), 0x5a82_7999),
            20..40 => (two ^ three ^ four, 0x6ed9_eba1),
            40..60 => ((two & three) | (two & four) | (three & four), 0x8f1b_bcdc),
            _ => (two ^ three ^ four, 0xca62_c1d6),
        };
        let next = one.rotate_left(5).wrapping_add(mix).wrapping_add(five);
        let next = next.wrapping_add(constant).wrapping_add(word);
        (one, two, three, four, five) = (next, one, two.rotate_left(30), three, four);
    }
    let mut made = [one, two, three, four, five];
    for (word, before) in made.iter_mut().zip(state) {
        *word = word.wrapping_add(before);
    }
    made
}

/// Returns the words of the 80 rounds: those of the block, and what is made of them.
fn schedule(block: &[u8]) -> Vec<u32> {
    let four = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| (word << 8) | u32::from(*byte));
    let mut words: Vec<u32> = block.chunks_exact(4).map(four).collect();
    while words.len() < 80 {
        let back = |by: usize| words.len().checked_sub(by).and_then(|at| words.get(at));
        let made = [3, 8, 14, 16].into_iter().filter_map(back).fold(0, |made, word| made ^ word);
        words.push(made.rotate_left(1));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{derived_id, is_uuid, sha1};

    #[test]
    fn the_hash_is_sha1() {
        let hex = |data: &[u8]| sha1(data).map(|word| format!("{word:08x}")).concat();
        assert_eq!(hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let text = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(text), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        // One byte around each length at which a block is added.
        assert_eq!(hex(&[b'a'; 55]), "c1c8bbdc22796e28c0e15163d20899b65621d65a");
        assert_eq!(hex(&[b'a'; 64]), "0098ba824b5c16427bd7a1122a5a442a25ec644d");
    }

    #[test]
    fn ids_of_the_same_parts_are_the_same() {
        assert!(is_uuid(&derived_id(&["call", "toolu_1"])));
        assert_eq!(derived_id(&["call", "é"]), derived_id(&["call", "é"]));
        assert_ne!(derived_id(&["call", "a"]), derived_id(&["calla"]));
        assert!(!is_uuid("5f0f3d0e6a0a5c559b7c2f8f6d1c7a10"));
        assert!(!is_uuid("5f0f3d0e-6a0a-5c55-9b7c-2f8f6d1c7a1g"));
    }
}
