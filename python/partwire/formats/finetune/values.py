"""What the shapes of training data have in common: calls as text, files by path, tools."""

from __future__ import annotations

import json
from typing import Any, Final

from partwire.errors import PartwireError
from partwire.json.text import decode_json, json_text

from ..core.parts import guessed_type, url_part
from ..core.reading import Json, Reading

__all__ = [
    "KINDS",
    "OWN",
    "calls_in",
    "calls_text",
    "file_part",
    "listed_tools",
    "value_in",
]

OWN: Final = "finetune"

KINDS: Final = ("image", "video", "audio")
"""Media that a conversation may have; each may have a place in a text, such as ``<image>``."""


def value_in(text: str) -> Any:
    """Return the value of JSON text; None for other text."""
    try:
        return decode_json(text.encode())
    except (PartwireError, UnicodeEncodeError):
        return None


def calls_in(text: str) -> list[Json] | None:
    """Return the calls that a text is, one or a list; None for other text."""
    value = value_in(text)
    calls = value if type(value) is list else [value]
    is_right = bool(calls) and all(
        type(call) is dict
        and isinstance(call.get("name"), str)
        and call["name"]
        and isinstance(call.get("arguments"), (dict, str))
        for call in calls
    )
    return calls if is_right else None


def calls_text(calls: list[Json]) -> str:
    """Return calls as text: one as an object, several as a list."""
    made = [
        {"name": call["toolName"], "arguments": call.get("rawArgsText", call["arguments"])}
        for call in calls
    ]
    return json.dumps(made[0] if len(made) == 1 else made, ensure_ascii=False)


def file_part(where: str, kind: str, place: str, reading: Reading) -> Json:
    """Return the part of a file at a path, or behind a URL; its type is guessed by its name."""
    if "://" in where[:64]:
        return url_part(where, None, place, reading, image=kind == "image")
    guessed = guessed_type(where) or f"{kind}/*"
    reading.note("mime-invented", place)
    return {"kind": "file_ref", "payload": {"path": where, "mimeType": guessed}}


def listed_tools(tools: Any, *, as_text: bool) -> Any:
    """Return tools as one shape has them: a list of functions, or the JSON text of one.

    What does not look like tools stays as it is.
    """
    if isinstance(tools, str) == as_text:
        return tools
    listed = value_in(tools) if isinstance(tools, str) else tools
    if type(listed) is not list or not all(type(tool) is dict for tool in listed):
        return tools
    if as_text:
        return json_text([tool.get("function", tool) for tool in listed])
    return [
        tool if "function" in tool else {"type": "function", "function": tool} for tool in listed
    ]
