//! Warnings of a provider, or of a gateway before it, as they are in its events.

use crate::json::raw::{Raw, RawObject};
use crate::providers::core::writer::DeltaWriter;

/// Writes the `warnings` of an event, or of what it holds at `place`.
pub(crate) fn read_warnings(holder: &RawObject, place: &str, writer: &mut DeltaWriter) {
    let given = holder.get("warnings");
    if given.is_null() || !writer.says_new {
        return;
    }
    let Some(items) = given.array() else {
        writer.log.invalid(&format!("{place}/warnings"), "an array", given);
        return;
    };
    let nothing = Raw::default();
    for (number, each) in items.iter().enumerate() {
        if each.text().is_some() {
            writer.warn(&nothing, each, &nothing);
        } else if let Some(each) = each.object() {
            writer.warn(each.get("code"), each.get("message"), each.get("place"));
        } else {
            let place = format!("{place}/warnings/{number}");
            writer.log.invalid(&place, "an object or text", each);
        }
    }
}
