//! UUIDs: their form, and those that are made of what is there (version 5, RFC 9562).

use crate::json::Value;
use uuid::{Uuid, uuid};

use crate::json::json_text::json_text;

const NAMESPACE: Uuid = uuid!("5f0f3d0e-6a0a-5c55-9b7c-2f8f6d1c7a10");

/// Returns the UUID that always belongs to `parts`.
pub(crate) fn derived_id(parts: &[&str]) -> String {
    let name = json_text(&parts.iter().map(|part| Value::from(*part)).collect());
    Uuid::new_v5(&NAMESPACE, name.as_bytes()).to_string()
}

/// Tells whether `text` is a UUID in the contract's form.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::{derived_id, is_uuid};

    #[test]
    fn ids_of_the_same_parts_are_the_same() {
        let made = derived_id(&["call", "toolu_1"]);
        assert_eq!(made, "b109db14-0e0f-533e-9d41-ab8439be8e6b");
        assert!(is_uuid(&made));
        assert_eq!(derived_id(&["call", "é"]), derived_id(&["call", "é"]));
        assert_ne!(derived_id(&["call", "a"]), derived_id(&["calla"]));
        assert!(!is_uuid("5f0f3d0e6a0a5c559b7c2f8f6d1c7a10"));
        assert!(!is_uuid("5f0f3d0e-6a0a-5c55-9b7c-2f8f6d1c7a1g"));
    }
}
