//! What is held of many documents: by key, or a sample of what is told apart by long names.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by short keys.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixed>>;

/// A hasher of short keys.
#[derive(Default)]
pub struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// Bytes at the end of a document that its mark is made of.
const TAIL: usize = 32;

/// A document that shows what is counted: of those that have it, the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Example {
    /// What tells a document from others, wherever it stands.
    pub mark: u32,
    /// The number of the document.
    pub at: u64,
}

impl Example {
    pub fn new(text: &str, at: u64) -> Self {
        Self { mark: crc32fast::hash(&text.as_bytes()[text.len().saturating_sub(TAIL)..]), at }
    }
}

/// Rows by the digests of names, of which those with the least digests are kept: all, or as good as
/// drawn by lot.
pub struct Sample<V> {
    rows: Map<u64, V>,
    most: usize,
    bound: u64,
}

impl<V> Sample<V> {
    /// Makes a sample of so many rows at most.
    pub fn new(most: usize) -> Self {
        Self { rows: Map::default(), most, bound: u64::MAX }
    }

    /// Says from which digest on rows are not in the sample; the highest number leaves none out.
    pub fn set_bound(&mut self, bound: u64) {
        self.bound = bound;
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the row of a name; None if it is not in the sample.
    pub fn row(&mut self, name: &[u8], new: impl FnOnce() -> V) -> Option<&mut V> {
        let digest = digest(name);
        if digest >= self.bound && self.bound < u64::MAX {
            return None;
        }
        Some(self.rows.entry(digest).or_insert_with(new))
    }

    /// Takes out the rows with the least digests: one more than are kept, so that it is seen that
    /// there are more.
    pub fn take_out(&mut self) -> Vec<(u64, V)> {
        let mut found: Vec<_> = self.rows.drain().collect();
        if found.len() > self.most + 1 {
            found.select_nth_unstable_by_key(self.most, |row| row.0);
            found.truncate(self.most + 1);
        }
        found
    }
}

/// Returns the digest of a name, as Python has it.
fn digest(name: &[u8]) -> u64 {
    let reversed: Vec<u8> = name.iter().rev().copied().collect();
    let mut mixed = u64::from(crc32fast::hash(name)) << 32 | u64::from(crc32fast::hash(&reversed));
    mixed = (mixed ^ mixed >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed = (mixed ^ mixed >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ mixed >> 33
}

#[cfg(test)]
mod tests {
    use super::{Sample, digest};

    #[test]
    fn digests_are_those_of_python() {
        assert_eq!(digest(b"run-1\x1fcall-17"), 0xc7d8_b019_fccc_e568);
    }

    #[test]
    fn a_sample_has_the_least_digests() {
        let names: Vec<String> = (0..100).map(|name| name.to_string()).collect();
        let mut all = Sample::new(100);
        let mut some = Sample::new(9);
        for name in &names {
            assert!(all.row(name.as_bytes(), || ()).is_some());
            assert!(some.row(name.as_bytes(), || ()).is_some());
        }
        let mut all: Vec<u64> = all.take_out().into_iter().map(|row| row.0).collect();
        all.sort_unstable();
        assert_eq!(all.len(), 100);
        let mut least: Vec<u64> = some.take_out().into_iter().map(|row| row.0).collect();
        least.sort_unstable();
        assert_eq!(least, all[..10]);
        some.set_bound(all[9]);
        let held = names.iter().filter(|name| some.row(name.as_bytes(), || ()).is_some());
        assert_eq!(held.count(), 9);
    }
}
