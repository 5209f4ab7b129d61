//! Media of v0.2 as the images and files of v0.1.

use serde_json::{Value, json};

use super::walking::Walk;
use crate::fields::{Fields, object};

/// Returns a `media` part as `image` or `file_ref` part.
///
/// What is in the document stays there: bytes of an image are its `data`, other bytes become a
/// `data:` URL as path. A URL, and the name of what is kept apart, is a path too.
pub(crate) fn downgrade_media(walk: &mut Walk, part: &Value, pointer: &str) -> Value {
    let place = format!("{pointer}/payload");
    let closed = walk.members(part.at("payload"), "MediaPayload", &place);
    let (source, mime) = (closed.at("source"), closed.text("mimeType"));
    let kind = source.text("kind");
    let is_image = kind != "ref" && mime.to_lowercase().starts_with("image/");
    let made = if is_image {
        walk.log.note("media-as-image", pointer);
        let member = if kind == "inline" { "data" } else { "url" };
        object([("mimeType", mime.into()), (member, source.at(member).clone())])
    } else {
        walk.log.note("media-as-file", pointer);
        let path = match kind {
            "inline" => format!("data:{mime};base64,{}", source.text("data")),
            kind => source.text(kind).to_owned(),
        };
        let mut made = object([("path", path.into()), ("mimeType", mime.into())]);
        let size = closed.get("sizeBytes").cloned();
        made.extend(size.map(|size| ("size".to_owned(), size)));
        made
    };
    for name in ["name", "sizeBytes", "sha256"] {
        if closed.has(name) && (is_image || name != "sizeBytes") {
            walk.log.note("media-detail", format!("{place}/{name}"));
        }
    }
    json!({"kind": if is_image { "image" } else { "file_ref" }, "payload": made})
}
