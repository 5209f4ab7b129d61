"""Arguments, results and files, as UI messages and model messages have them."""

from __future__ import annotations

import re
from typing import Any, Final

from partwire.json.text import json_text

from ..core.parts import call_part, inline, media_part, result_part, text_part, url_part
from ..core.reading import Json, Members, Reading
from .server_tools import call_state

__all__ = [
    "DENIED",
    "call_of",
    "denied_result",
    "error_result",
    "file_of",
    "result_of",
    "typed_result",
]

DENIED: Final = "Tool call execution denied."
"""What the SDK gives the model for a call that a person denied without a reason."""

_DATA_URL: Final = re.compile(r"data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,(.*)", re.DOTALL)
_TYPE: Final = re.compile(r"[!-.0-~]+/[!-~][^\n]*")

_FILES: Final = frozenset(
    {
        "file",
        "file-data",
        "file-reference",
        "file-url",
        "image-data",
        "image-file-reference",
        "image-url",
        "media",
    }
)
"""Content of results that is a file: of 7 the first alone."""


# --- calls ----------------------------------------------------------------------------------------


def call_of(call_id: str, name: str, given: Any, *, server: bool, opaque: Json | None) -> Json:
    """Return a call; arguments that are not an object are text."""
    arguments = {} if given is None else given
    if not isinstance(arguments, (str, dict)):
        arguments = json_text(arguments)
    part = call_part(call_id, name, arguments)
    if server:
        part["kind"] = "server_tool_call"
        if opaque is None:
            opaque = call_state(call_id, name, part["payload"]["arguments"])
    if opaque is not None:
        part["payload"]["opaque"] = opaque
    return part


# --- results --------------------------------------------------------------------------------------


def result_of(call_id: str, output: Any, place: str, reading: Reading, **members: Any) -> Json:
    """Return the result that any value is."""
    if output is None:
        reading.note("result-null", place)
    if isinstance(output, list):  # of any values, not of parts
        return result_part(call_id, json_text(output), structured=output, **members)
    return result_part(call_id, output, **members)


def error_result(call_id: str, text: str) -> Json:
    """Return the result of a call that failed."""
    return result_part(call_id, text, is_error=True, outcome="error")


def denied_result(call_id: str, reason: str | None) -> Json:
    """Return the result of a call that a person denied."""
    return result_part(call_id, reason or DENIED, is_error=True, outcome="denied")


def typed_result(call_id: str, output: Members, reading: Reading) -> Json | None:
    """Return the result of a model message, whose output says its type; None for another type."""
    kind, at = output.text("type"), output.at("value")
    part: Json | None = None
    if kind in ("text", "error-text") and (text := output.text("value")) is not None:
        part = result_part(call_id, text)
    elif kind in ("json", "error-json") and "value" in output:
        value = output.value("value")
        part = result_of(call_id, value, at, reading)
        if isinstance(value, str):
            part["payload"]["structured"] = value
    elif kind == "execution-denied":
        return denied_result(call_id, output.text("reason"))
    elif kind == "content" and (value := output.list("value")) is not None:
        found = [_content(each, place, reading) for place, each in reading.items(value, at)]
        part = result_part(call_id, [each for each in found if each is not None])
    if part is not None and kind in ("error-text", "error-json"):
        part["payload"] |= {"isError": True, "outcome": "error"}
    return part


def _content(block: Members, place: str, reading: Reading) -> Json | None:
    """Return a part of the content of a result."""
    kind = block.text("type") or ""
    part: Json | None = None
    if kind == "text" and (text := block.text("text")) is not None:
        part = text_part(text)
    elif kind in _FILES:
        part = file_of(block, place, reading, is_image=kind.startswith("image"))
    elif kind in ("file-id", "image-file-id") and (file_id := _id_of(block)):
        reading.note("mime-invented", place)
        mime = "image/*" if kind.startswith("image") else "application/octet-stream"
        part = media_part(mime, {"kind": "ref", "ref": file_id}, None)
    if part is None:
        reading.note("foreign-part", place)
        return None
    block.close()
    return part


def _id_of(block: Members) -> str | None:
    given = block.value("fileId")
    if isinstance(given, dict) and len(given) == 1:
        (given,) = given.values()
    return given if isinstance(given, str) else None


# --- files ----------------------------------------------------------------------------------------


def file_of(block: Members, place: str, reading: Reading, *, is_image: bool) -> Json | None:
    """Return the part of a file; None where it does not say what is in it.

    The bytes, their URL, or the provider's name of them stand in ``url``, ``data`` or ``image``:
    as text, as ``{type, …}``, or in ``providerReference``.
    """
    mime = block.text("mediaType") or block.text("mimeType")
    name = block.text("filename")
    member = next((each for each in ("url", "data", "image") if each in block), "url")
    where, given = block.at(member), block.value(member)
    if isinstance(given, dict):
        return _tagged(Members(given, where, reading), mime, name, reading, is_image=is_image)
    if isinstance(given, str) and given:
        if member == "url" and not given.startswith("data:") and "://" not in given[:64]:
            return media_part(_mime(mime, None, reading, where), _ref(given), name)
        return _source(given, mime, name, where, reading, is_image=is_image)
    reference = block.object("providerReference")
    if reference is not None and given in ("", None):
        place = block.at("providerReference")
        return _reference(Members(reference, place, reading), mime, name, reading)
    return None


def _tagged(
    source: Members, mime: str | None, name: str | None, reading: Reading, *, is_image: bool
) -> Json | None:
    kind = source.text("type") or ""
    part: Json | None = None
    if kind in ("data", "url") and (given := source.text(kind)):
        part = _source(given, mime, name, source.at(kind), reading, is_image=is_image)
    elif kind == "text" and (text := source.text("text")) is not None:
        part = _text_file(text, mime or "text/plain", name)
    elif kind == "reference" and (reference := source.object("reference")):
        inner = Members(reference, source.at("reference"), reading)
        part = _reference(inner, mime, name, reading)
    if part is not None:
        source.close()
    return part


def _reference(
    reference: Members, mime: str | None, name: str | None, reading: Reading
) -> Json | None:
    """Return a file by the name that a provider has for it; others' names of it are reported."""
    for provider in ("openai", "anthropic", "google", *reference.names()):
        if found := reference.text(provider):
            reading.note("file-provider", reference.at(provider))
            reference.close()
            return media_part(_mime(mime, None, reading, reference.place), _ref(found), name)
    return None


def _ref(ref: str) -> Json:
    return {"kind": "ref", "ref": ref}


def _source(
    given: str, mime: str | None, name: str | None, place: str, reading: Reading, *, is_image: bool
) -> Json | None:
    found = _DATA_URL.fullmatch(given)
    if found is not None:
        said, beside, is_base64, data = found.groups()
        if not is_base64:
            return None
        if beside or (said and mime and said != mime):
            reading.note("mime-beside", place)
        return inline(_mime(mime or said, None, reading, place), data, name)
    if "://" not in given[:64]:
        made = inline(_mime(mime, "image/*" if is_image else None, reading, place), given, name)
        return made or media_part(_mime(mime, None, reading, place), _ref(given), name)
    kind = mime if mime and _TYPE.fullmatch(mime) else None
    image = (kind or ("image/*" if is_image else "")).startswith("image/") and not name
    part = url_part(given, kind, place, reading, image=image)
    if name:
        part["payload"]["name"] = name
    return part


def _mime(given: str | None, default: str | None, reading: Reading, place: str) -> str:
    if given and _TYPE.fullmatch(given):
        return given
    reading.note("mime-invented", place)
    return default or "application/octet-stream"


def _text_file(text: str, mime: str, name: str | None) -> Json:
    import base64  # noqa: PLC0415

    data = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()
    return media_part(mime, {"kind": "inline", "data": data}, name)
