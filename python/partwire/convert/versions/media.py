"""Media of v0.2 as the images and files of v0.1."""

from __future__ import annotations

from .members import Json, Walk

__all__ = ["downgrade_media"]


def downgrade_media(walk: Walk, part: Json, pointer: str) -> Json:
    """Return a ``media`` part as ``image`` or ``file_ref`` part.

    What is in the document stays there: bytes of an image are its ``data``, other bytes become a
    ``data:`` URL as path. A URL, and the name of what is kept apart, is a path too.
    """
    payload, place = part["payload"], f"{pointer}/payload"
    closed: Json = walk.members(payload, "MediaPayload", place)
    source = closed["source"]
    mime_type, kind = closed["mimeType"], source["kind"]
    is_image = kind != "ref" and mime_type.lower().startswith("image/")
    made: Json
    if is_image:
        walk.log.note("media-as-image", pointer)
        member = "data" if kind == "inline" else "url"
        made = {"mimeType": mime_type, member: source[member]}
    else:
        walk.log.note("media-as-file", pointer)
        path = f"data:{mime_type};base64,{source['data']}" if kind == "inline" else source[kind]
        made = {"path": path, "mimeType": mime_type}
        if "sizeBytes" in closed:
            made["size"] = closed["sizeBytes"]
    for name in ("name", "sizeBytes", "sha256"):
        if name in closed and (is_image or name != "sizeBytes"):
            walk.log.note("media-detail", f"{place}/{name}")
    return {"kind": "image" if is_image else "file_ref", "payload": made}
