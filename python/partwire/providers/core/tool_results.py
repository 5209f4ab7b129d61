"""Results of tools that the provider ran: what anybody can read of them, and their data.

Source: decision 0040.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from .opaque import storable
from .raw_events import as_json_text

__all__ = ["ReadResult", "read_result"]

_SEALED: Final = "encrypted_"  # members that only the provider can read begin so
_STREAMS: Final = (("stdout", "stderr"), ("stdOut", "stdErr"))


class ReadResult(NamedTuple):
    """The text of a result, and the value that it comes from; None where that says no more."""

    content: str
    structured: Any


def read_result(value: Any) -> ReadResult:
    """Return what a provider's value says: as text, and as data without what is sealed."""
    data = _unsealed(storable(value))
    content = _text(data)
    return ReadResult(content, None if data == content else data)


def _unsealed(value: Any) -> Any:
    """Return a storable value, which is not nested deeply, without its sealed members."""
    if isinstance(value, list):
        return [_unsealed(item) for item in value]
    if isinstance(value, dict):
        return {k: _unsealed(v) for k, v in value.items() if not k.startswith(_SEALED)}
    return value


def _text(data: Any) -> str:
    if data is None:
        return ""
    if isinstance(data, str):
        return data
    if isinstance(data, list):
        text = _of_blocks(data)
    else:
        text = _of_object(data) if isinstance(data, dict) else None
    return as_json_text(data) or "" if text is None else text


def _of_object(data: dict[str, Any]) -> str | None:
    """Return the code of an error, or what a program wrote."""
    code = data.get("error_code")
    if isinstance(code, str):
        return code
    for names in _STREAMS:
        written = [data[name] for name in names if isinstance(data.get(name), str)]
        if written:
            return "".join(written)
    return None


def _of_blocks(items: Sequence[Any]) -> str | None:
    """Return the texts of blocks, joined, or a line for each page."""
    if not all(isinstance(item, dict) for item in items):
        return None
    texts = [item["text"] for item in items if isinstance(item.get("text"), str)]
    if texts or not items:
        return "".join(texts)
    pages = [_words(item, "title", "url") for item in items]
    return "\n".join(map(" ".join, pages)) if all(pages) else None


def _words(page: dict[str, Any], *names: str) -> list[str]:
    return [page[name] for name in names if isinstance(page.get(name), str) and page[name]]
