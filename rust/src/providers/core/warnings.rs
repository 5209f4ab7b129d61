//! Warnings of a provider, or of a gateway before it, as they are in its events.

use crate::json::raw::{Raw, RawObject};
use crate::providers::core::writer::DeltaWriter;

/// Writes the `warnings` of an event, or of what it holds at `place`.
///
/// `code` is the member that says the code where none is called so.
pub(crate) fn read_warnings(holder: &RawObject, place: &str, writer: &mut DeltaWriter, code: &str) {
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
            let names =
                [if each.get("code").is_null() { code } else { "code" }, "message", "place"];
            for name in names {
                writer.log.string(each.get(name), &format!("{place}/warnings/{number}/{name}"));
            }
            let [code, message, at] = names.map(|name| each.get(name));
            writer.warn(code, message, at);
        } else {
            let place = format!("{place}/warnings/{number}");
            writer.log.invalid(&place, "an object or text", each);
        }
    }
}
