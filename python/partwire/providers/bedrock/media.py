"""Images, documents, video and audio as Converse takes them; bytes for AWS's Python client."""

from __future__ import annotations

import base64
import re
from typing import Any, Final, NamedTuple

from partwire.tables.media_types import BEDROCK

from ..request_core.inputs import fresh

__all__ = ["MediaForm", "bedrock_arguments", "document_name", "media_form"]

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9\-()\[\] ]+")
_MAX_NAME_CHARS: Final = 200
_MEDIA: Final = frozenset({"image", "document", "video", "audio"})


class MediaForm(NamedTuple):
    """The member of a content block, and the provider's name of the format."""

    member: str
    name: str


def media_form(mime_type: str) -> MediaForm | None:
    """Return how the provider calls a media type, None if it does not take it.

    Text of any other type is plain text.
    """
    if mime_type in BEDROCK:
        return MediaForm(*BEDROCK[mime_type])
    return MediaForm("document", "txt") if mime_type.startswith("text/") else None


def document_name(name: str, used: dict[str, int]) -> str:
    """Return a name that the provider takes and that no other document has.

    Letters, digits, hyphens, brackets and single blanks. The ending goes: the format says it.
    ``used`` takes it: name → the last number that its repetitions have.
    """
    stem = name.rpartition(".")[0] or name
    plain = " ".join(_NOT_IN_NAMES.sub(" ", stem).split())[: _MAX_NAME_CHARS - 8].strip()
    made = base = plain or "document"
    number = used.get(base, 1)
    while made in used:
        number += 1
        made = f"{base} {number}"
    used[base] = number
    used.setdefault(made, 1)
    return made


def bedrock_arguments(body: dict[str, Any]) -> dict[str, Any]:
    """Return a Converse body as the keyword arguments of AWS's Python client.

        client.converse_stream(**bedrock_arguments(encoded.body))

    JSON has Base64 where the client wants ``bytes``: in images, documents, video, audio and
    redacted reasoning, also inside tool results. Everything else stays as it is; the body is not
    changed. Text in those places that is not Base64 stays text, which the client refuses.
    """
    arguments: dict[str, Any] = fresh(body)
    for message in arguments.get("messages", ()):
        if isinstance(message, dict):
            _blocks(message.get("content"))
    _blocks(arguments.get("system"))
    return arguments


def _blocks(content: Any) -> None:
    for block in content if isinstance(content, list) else ():
        for member, body in block.items() if isinstance(block, dict) else ():
            if not isinstance(body, dict):
                continue
            if member in _MEDIA:
                _decode(body.get("source"), "bytes")
            elif member == "reasoningContent":
                _decode(body, "redactedContent")
            elif member == "toolResult":
                _blocks(body.get("content"))
            elif member == "guardContent":
                _blocks([body])


def _decode(holder: Any, name: str) -> None:
    if isinstance(holder, dict) and isinstance(holder.get(name), str):
        try:
            holder[name] = base64.b64decode(holder[name], validate=True)
        except ValueError:
            return
