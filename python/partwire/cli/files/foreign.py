"""Files of formats of others: the hint where a command takes them for documents of the contract."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any, Final

import click

from ...errors import PartwireError
from ...files.inputs import Source
from ...files.limits import document_bytes
from ...formats import Sniffed, sniff, sniff_events
from ...json.text import decode_json
from ...providers.framing import JSONArrayDecoder, JSONLinesDecoder, SSEDecoder
from ...reading.pipeline import validate
from ...tables.limits import MAX_HEAD_BYTES

__all__ = ["foreign_hint", "read_events", "shown_formats", "tell_of_formats"]

_LOOKED_AT: Final = 200
"""Documents, or events, that are looked at for a hint."""


def foreign_hint(source: Source) -> str | None:
    """Say which format a file has, and which command reads it; None where nothing shows one.

    It reads the file once more: for whoever has an error to report.
    """
    if source.size_bytes() is None:  # stdin, or a pipe: it is gone
        return None
    found, is_stream = shown_formats(source)
    return _said(source, found, _ASSEMBLE if is_stream else _CONVERT)


def shown_formats(source: Source) -> tuple[list[Sniffed], bool]:
    """Return the formats that a file may have by its first documents or events, and whether it is
    a stream of them. It reads the file once more.
    """
    values: list[Any] = []
    found: list[Sniffed] = []
    with suppress(PartwireError), source.entries() as entries:
        values += (decode_json(each.data) for each in islice(entries.documents(), _LOOKED_AT))
        is_one = len(values) == 1 and not entries.is_array
        found = sniff(values[0] if is_one else values)
        if _SESSION in [each.format for each in found] and _is_ours(values[0]):
            return [], False
    if not values or isinstance(values[0], str):  # lines of LangGraph, which begin as an array
        values.clear()
        with suppress(PartwireError):  # of what is cut, or ends in [DONE], the first ones are kept
            events = islice(read_events(source.chunks()), _LOOKED_AT)
            values += (decode_json(data) for data, _ in events if data[:1] in (b"{", b"["))
    if not found or [each.format for each in found] == _shown_by(values[:1]):
        return sniff_events(values), True
    return found, False


_SESSION: Final = "opencode"
"""Its messages are near enough to those of our sessions to look like them."""


def _is_ours(value: Any) -> bool:
    """Return whether a document is a message of a session of the contract."""
    return not validate(value, "session.WithParts")


def _shown_by(events: list[Any]) -> list[str]:
    return [each.format for each in sniff_events(events)]


def tell_of_formats(sources: Iterable[Source]) -> None:
    """Say on stderr which of the first files have a format of others."""
    for source in islice(sources, _MOST_HINTS):
        if hint := foreign_hint(source):
            click.echo(hint, err=True)


_MOST_HINTS: Final = 5
_CONVERT: Final = "partwire convert --from {} --to message"
_ASSEMBLE: Final = "partwire assemble --from {}"


def _said(source: Source, found: list[Sniffed], command: str) -> str | None:
    if len(found) != 1 or not found[0].place:
        return None
    name, place = found[0]
    file = shlex.quote(source.label)
    return f"{source.label} looks like {name} ({place}): {command.format(name)} {file}"


# --- events --------------------------------------------------------------------------------------


def read_events(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield the text of each event, and whether its end was seen."""
    head = first = b""
    while len(first) < 2 and len(head) < MAX_HEAD_BYTES and (chunk := next(chunks, b"")):
        head += chunk
        first = head.strip(b"\xef\xbb\xbf \t\r\n")[:2]
    if first[:1] in (b"{", b"["):
        # An array whose first item is text is itself an event: a line of those of LangGraph.
        is_array = first[:1] == b"[" and first != b'["'
        lines = (JSONArrayDecoder if is_array else JSONLinesDecoder)(document_bytes())
        for chunk in chain((head,), chunks):
            yield from ((line.data, True) for line in lines.feed(chunk))
        yield from ((line.data, line.terminated) for line in lines.close())
    else:
        events = SSEDecoder(document_bytes())
        for chunk in chain((head,), chunks):
            yield from ((event.data.encode(), True) for event in events.feed(chunk))
        yield from ((event.data.encode(), event.terminated) for event in events.close())
