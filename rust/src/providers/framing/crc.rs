//! CRC-32 as zlib, PNG and AWS event streams count it: polynomial 0x04C11DB7, bits reversed.

use std::array::from_fn;
use std::sync::LazyLock;

const REVERSED: u32 = 0xedb8_8320;

static TABLE: LazyLock<[u32; 256]> = LazyLock::new(|| {
    from_fn(|byte| {
        let start = u32::try_from(byte).unwrap_or(0);
        (0..8).fold(start, |crc, _| (crc >> 1) ^ (if crc & 1 == 1 { REVERSED } else { 0 }))
    })
});

/// Returns the checksum of `data`.
pub(crate) fn crc32(data: &[u8]) -> u32 {
    let table = &*TABLE;
    !data.iter().fold(u32::MAX, |crc, byte| {
        let [low, ..] = crc.to_le_bytes();
        (crc >> 8) ^ table.get(usize::from(low ^ byte)).copied().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_check_value_of_the_algorithm() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
