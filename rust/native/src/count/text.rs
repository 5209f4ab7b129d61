//! Texts: how they are compared, and what is kept of them.

use std::borrow::Cow;

use crate::scan::decode_into;

/// Characters that are kept of a text.
const LONGEST: usize = 128;

/// Tells whether two short texts are the same: less work than a call that compares any.
#[inline(always)]
pub fn same(one: &[u8], other: &[u8]) -> bool {
    let size = one.len();
    if size != other.len() {
        return false;
    }
    let word = |bytes: &[u8], at: usize| {
        let mut eight = [0; 8];
        eight.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(eight)
    };
    match size {
        0..8 => one.iter().zip(other).all(|(one, other)| one == other),
        8..=16 => word(one, 0) == word(other, 0) && word(one, size - 8) == word(other, size - 8),
        _ => one == other,
    }
}

/// Returns the content of a string, escapes included; None for another JSON value.
pub fn content(raw: &str) -> Option<&str> {
    raw.strip_prefix('"')?.strip_suffix('"')
}

/// Returns what a string's content says, cut to what is kept of it.
///
/// What is borrowed is the content itself: it has no escapes, and needs none.
pub fn clipped(content: &str) -> Cow<'_, str> {
    if content.contains('\\') {
        let mut decoded = String::new();
        decode_into(content, &mut decoded);
        return Cow::Owned(cut(&decoded).unwrap_or(decoded));
    }
    cut(content).map_or(Cow::Borrowed(content), Cow::Owned)
}

/// Returns what is kept of a text; None if that is all.
fn cut(text: &str) -> Option<String> {
    if text.len() <= LONGEST || text.chars().nth(LONGEST).is_none() {
        return None;
    }
    Some(text.chars().take(LONGEST - 1).chain(['…']).collect())
}

#[cfg(test)]
mod tests {
    use super::{clipped, same};

    #[test]
    fn texts_are_compared_as_a_whole() {
        for size in 0..40 {
            let name = vec![b'a'; size];
            assert!(same(&name, &name));
            for at in 0..size {
                let mut other = name.clone();
                other[at] = b'b';
                assert!(!same(&name, &other));
            }
            assert!(!same(&name, &[name.as_slice(), b"a"].concat()));
        }
    }

    #[test]
    fn long_texts_are_cut() {
        let longest = "é".repeat(128);
        assert_eq!(clipped(&longest), longest);
        assert_eq!(clipped(&"\\u00e9".repeat(128)), longest);
        let cut = format!("{}…", "é".repeat(127));
        assert_eq!(clipped(&"é".repeat(129)), cut);
        assert_eq!(clipped(&"\\u00e9".repeat(129)), cut);
    }
}
