"""Content of messages and results: text, or parts of text and media."""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text

from ..core.parts import guessed_type, inline, media_part, text_part, url_part
from ..core.reading import Json, Members, Reading
from .state import OWN, kept_of

__all__ = ["content_of", "parts_of", "result_content", "text_of_parts", "written_parts"]

_MEDIA: Final = ("image", "audio", "video", "document")
_UNKNOWN: Final = "application/octet-stream"
_NAME: Final = "filename"


# --- reading --------------------------------------------------------------------------------------


def content_of(members: Members, reading: Reading) -> list[Json] | None:
    """Take ``content``: the parts of text, or of a list; None where it is neither."""
    place = members.at("content")
    if isinstance(members.peek("content"), str):
        text = members.text("content")
        return [text_part(text)] if text else []
    given = members.list("content")
    return None if given is None else parts_of(given, place, reading)


def parts_of(given: list[Any], place: str, reading: Reading) -> list[Json]:
    """Return the parts of a list; what is not known is reported."""
    made: list[Json] = []
    for at, part in reading.items(given, place):
        found = _part(part, at, reading)
        if found is None:
            reading.note("foreign-part", at)
        else:
            part.close()
            made.append(found)
    return made


def _part(part: Members, place: str, reading: Reading) -> Json | None:
    kind = part.text("type")
    if kind == "text":
        text = part.text("text")
        if text is None:
            return None
        return _with(text_part(text), _own(part))
    if kind == "binary":
        return _binary(part, place, reading)
    if kind not in _MEDIA:
        return None
    at, given = part.at("source"), part.object("source")
    if given is None:
        return None
    source = Members(given, at, reading)
    form, value, mime = source.text("type"), source.text("value"), source.text("mimeType") or None
    if not value:
        return None
    own = _own(part)
    name = _name_in(own.get("metadata"))
    if name:
        del own["metadata"]
    if form == "data":
        made = inline(mime, value, name) if mime else None
    elif form == "url":
        made = _behind(kind, value, mime, at, reading)
    elif form == "file":
        if (provider := source.text("provider")) is not None:
            own["provider"] = provider
        made = media_part(
            _mime(kind, value, mime, at, reading), {"kind": "ref", "ref": value}, None
        )
    else:
        made = None
    if made is None:
        return None
    if _type_of(made["payload"]["mimeType"]) != kind:
        own["type"] = kind
    source.close()
    return _with(_named(made, name), own)


def _name_in(metadata: Any) -> str | None:
    """Return the name of a file, where metadata says no more than that."""
    name = metadata.get(_NAME) if isinstance(metadata, dict) and len(metadata) == 1 else None
    return name if isinstance(name, str) and name else None


def _binary(part: Members, place: str, reading: Reading) -> Json | None:
    """Read content as versions before 1.0 have it: of any type, with an id, a URL or the data."""
    mime, name = part.text("mimeType") or None, part.text(_NAME) or None
    data, url, file = part.text("data"), part.text("url"), part.text("id")
    if data:
        made = inline(mime or _UNKNOWN, data, name)
    elif url:
        made = _behind(_type_of(mime or ""), url, mime, place, reading)
    elif file:
        made = media_part(mime or _UNKNOWN, {"kind": "ref", "ref": file}, None)
    else:
        return None
    if mime is None and not url:
        reading.note("mime-invented", place)
    beside = {"url": url if data else None, "id": file if data or url else None}
    for member, value in beside.items():
        if value:
            reading.note("foreign-member", part.at(member))
    return None if made is None else _named(made, name)


def _own(part: Members) -> Json:
    """Take the members of a part that only this format has."""
    own: Json = {}
    if (part_id := part.text("id")) is not None:
        own["id"] = part_id
    if part.peek("metadata") is not None:
        own["metadata"] = part.value("metadata")
    return own


def _behind(kind: str, url: str, mime: str | None, place: str, reading: Reading) -> Json:
    if kind == "image":
        return url_part(url, mime, place, reading, image=True)
    return media_part(_mime(kind, url, mime, place, reading), {"kind": "url", "url": url}, None)


def _mime(kind: str, where: str, mime: str | None, place: str, reading: Reading) -> str:
    if mime:
        return mime
    reading.note("mime-invented", place)
    return guessed_type(where) or (_UNKNOWN if kind == "document" else f"{kind}/*")


def _named(part: Json, name: str | None) -> Json:
    if not name:
        return part
    made = _as_media(part)
    made["payload"]["name"] = name
    return made


def _with(part: Json, own: Json) -> Json:
    """Return a part with what only this format says of it."""
    if not own:
        return part
    made = part if part["kind"] == "text" else _as_media(part)
    made["payload"]["opaque"] = {"provider": OWN, "data": own}
    return made


def _as_media(part: Json) -> Json:
    """Return media, which may have state and a name, for an image."""
    if part["kind"] != "image":
        return part
    payload = part["payload"]
    name = "data" if "data" in payload else "url"
    source = {"kind": "inline" if name == "data" else "url", name: payload[name]}
    return media_part(payload["mimeType"], source, None)


def _type_of(mime: str) -> str:
    head = mime.partition("/")[0].lower()
    return head if head in _MEDIA else "document"


# --- writing --------------------------------------------------------------------------------------


def text_of_parts(parts: list[Json]) -> str | None:
    """Return the text that parts are; None where they are more than text."""
    if any(part["kind"] != "text" or "opaque" in part["payload"] for part in parts):
        return None
    return "".join(part["payload"]["text"] for part in parts)


def written_parts(parts: list[Json]) -> Any:
    """Return content: text where it is no more than one, else parts; those that have no place are
    left out.
    """
    if len(parts) <= 1 and (text := text_of_parts(parts)) is not None:
        return text
    return [_written(part["kind"], part["payload"]) for part in parts]


def _written(kind: str, payload: Json) -> Json:
    own = kept_of(payload.get("opaque")).own
    said: Json = {name: own[name] for name in ("id", "metadata") if name in own}
    if not isinstance(said.get("id", ""), str):
        del said["id"]
    if kind == "text":
        return {"type": "text", "text": payload["text"], **said}
    mime = payload.get("mimeType")
    source = payload.get("source", payload)
    made: Json
    if "data" in source:
        made = {"type": "data", "value": source["data"], "mimeType": mime}
    elif "url" in source:
        made = {"type": "url", "value": source["url"]}
    else:
        made = {"type": "file", "value": source.get("ref") or source["path"]}
        if isinstance(own.get("provider"), str):
            made["provider"] = own["provider"]
    if mime and not mime.endswith("/*"):
        made["mimeType"] = mime
    if "name" in payload and "metadata" not in said:
        said["metadata"] = {_NAME: payload["name"]}
    form = own.get("type")
    return {"type": form if form in _MEDIA else _type_of(mime or ""), "source": made, **said}


def result_content(payload: Json) -> Any:
    """Return the content of a result: text, parts, or the JSON text of data."""
    content = payload["content"]
    if isinstance(content, list):
        return written_parts(content)
    return content if isinstance(content, str) else json_text(content)
