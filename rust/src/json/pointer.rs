//! JSON Pointers (RFC 6901).

/// Returns a member name as one reference token of a JSON Pointer (RFC 6901).
pub(crate) fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns the name that a reference token spells.
pub(crate) fn unescape_pointer(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}
