"""What the inspector's page gets of a file: its bytes, or messages where only Python reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any, Final, NamedTuple

from ...errors import Finding, FramingError, PartwireError, ReadError, UsageError
from ...files.inputs import HeldSource, Source
from ...files.limits import document_bytes
from ...formats import FORMATS, RunAssembler, format_of
from ...formats import read as read_format
from ...inspector.live import Stream, live_address
from ...inspector.page import Exhibit
from ...inspector.tape import Tape
from ...json.text import decode_json
from ...losses import Loss
from ...providers import ADAPTERS, detect_dialect
from ...providers.adapt import looks_like_delta
from ...providers.framing.whole import join_whole
from ...reading.pipeline import dump
from .foreign import shown_formats
from .format_streams import STREAM_FORMATS, FormatStream
from .remote import is_url, opened_url
from .sessions import growing, session_lines, session_of
from .streams import DELTAS

__all__ = ["HELD", "Followed", "exhibits_of", "followed"]

HELD: Final = (DELTAS, "message", "history", "session", "report", "json", *ADAPTERS)
"""What a file may be said to hold, beside the formats: what the page calls it."""

_READ_BY_PAGE: Final = frozenset(
    {"ag-ui", "ai-sdk", "anthropic-messages", "openai-chat", "openai-responses"}
)
"""The formats that the TypeScript package reads, and their streams; all others are read here."""

_FOLLOWED: Final = (
    *ADAPTERS,
    *(name for name in STREAM_FORMATS if name in _READ_BY_PAGE),
    *(name for name, each in FORMATS.items() if each.is_session),
)
"""The formats that can be shown while they come."""


# --- files as they are ----------------------------------------------------------------------------


def exhibits_of(
    sources: list[Source], kind: str | None, warn: Callable[[PartwireError], None]
) -> list[Exhibit]:
    """Return what the page gets of each file, in order; ``kind`` is what they are said to hold.

    Where nothing was said and a file that looks like a format is not of it, ``warn`` takes why, and
    the page gets the file as it is. Raises UsageError ``usage/unreadable-input``, ReadError for
    what is not what it is said to be, and FramingError where it is too much for one page.
    """
    exhibits, left = [], document_bytes()
    for source in sources:
        held = _held(source, left)
        left -= len(held.data)
        try:
            exhibits.append(_exhibit(held, kind))
        except (FramingError, ReadError) as error:
            if kind is not None:
                raise
            warn(error)
            exhibits.append(Exhibit(held.label, data=held.data))
    return exhibits


def _held(source: Source, left: int) -> HeldSource:
    """Return a file in memory; YAML as lines of JSON."""
    size = source.size_bytes()
    with source.labelled():
        if size is not None and size > left and source.compression() is None:
            raise _too_large(f"{size:,} bytes")
        try:
            data = join_whole(source.chunks(), left)
        except FramingError:
            raise _too_large("more") from None
        if not data.strip():
            raise ReadError(Finding("document/empty", "There is nothing in the file"))
        held = HeldSource(source, data, source.form)
        if source.form != "yaml":
            return held
        with held.entries() as entries:
            texts = [each.data for each in entries.documents()]
        return HeldSource(source, b"\n".join(texts), "lines")


def _too_large(actual: str) -> FramingError:
    rule, message = "framing/document-too-large", "The files are too large for one page"
    expected = f"at most {document_bytes():,} bytes of all files together, without compression"
    return FramingError(Finding(rule, message, expected=expected, actual=actual))


def _exhibit(held: HeldSource, kind: str | None) -> Exhibit:
    name = format_of(kind) if kind else _shown(held)
    if name is None or (kind is None and name in _READ_BY_PAGE):  # the page finds out
        return Exhibit(held.label, kind, held.data)
    with held.labelled():
        stored = _stored(held, name)
        if stored is None and (name in ADAPTERS or name in _READ_BY_PAGE):
            return Exhibit(held.label, name, held.data, members=_of_stream(name))
        if name in _READ_BY_PAGE:
            return Exhibit(held.label, name, held.data, members={"history": True})
        messages, losses = stored or _read_stream(held, name)
    text = b"".join(dump(each) + b"\n" for each in messages)
    told = [each.to_wire() for each in losses]
    return Exhibit(held.label, "history", text, members={"readAs": name, "losses": told})


def _of_stream(name: str) -> dict[str, Any]:
    return {"run": True} if name in STREAM_FORMATS else {}


def _shown(held: HeldSource) -> str | None:
    """Return the format that a file shows; None where it shows none, or several, or the stream of
    a provider.
    """
    if (session := session_of(held)) is not None:
        return session
    found, is_stream = shown_formats(held)
    if len(found) != 1 or not found[0].place:
        return None
    # Types of events are short words, which several have.
    return None if is_stream and detect_dialect(held.chunks())[0] else found[0].format


def _stored(held: HeldSource, name: str) -> tuple[list[Any], list[Loss]] | None:
    """Return the messages that are stored in a file, and their losses; None for a stream.

    Raises ReadError for what is neither.
    """
    if _shows_stream(held, name):
        return None
    try:
        return _read_document(held, name)
    except ReadError:
        if name in ADAPTERS or name in STREAM_FORMATS:
            return None
        raise


def _shows_stream(held: HeldSource, name: str) -> bool:
    if name not in ADAPTERS and name not in STREAM_FORMATS:
        return False
    if held.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return True  # server-sent events, or an AWS event stream
    if name in ADAPTERS:
        return detect_dialect(held.chunks())[0] is not None
    found, is_stream = shown_formats(held)
    return is_stream and any(each.format == name for each in found)


def _read_document(held: HeldSource, name: str) -> tuple[list[Any], list[Loss]]:
    if FORMATS[name].is_session:
        return read_format(name, held.data)
    with held.entries() as entries:
        values = [decode_json(each.data) for each in entries.documents()]
    return read_format(name, values[0] if len(values) == 1 and not entries.is_array else values)


def _read_stream(held: HeldSource, name: str) -> tuple[list[Any], list[Loss]]:
    """Read a stream of a format; a message that failed or was cut says so in its meta."""
    stream, assembler = FormatStream(held, name, "run"), RunAssembler()
    assembler.feed_all(stream)
    return assembler.finish(), stream.losses


# --- what grows -----------------------------------------------------------------------------------


class Followed(NamedTuple):
    """A live source: what the page is told of it, and what gives its bytes."""

    exhibit: Exhibit
    stream: Stream


def followed(source: Source, kind: str | None, number: int, stack: ExitStack) -> Followed:
    """Return a file that grows, stdin, or what a service sends, as live source ``number``.

    A session that only Python reads comes as messages. ``stack`` ends what is begun. Raises
    UsageError ``usage/unreadable-input``, and ``usage/invalid-argument`` for a format of which
    there are no streams.
    """
    name = kind and format_of(kind)
    if name and name not in _FOLLOWED:
        raise _not_followed(name)
    stream = _stream_of(source, stack)
    if kind is None:
        kind = _shown_so_far(source)
        name = kind and format_of(kind)
    live = live_address(number)
    if name and FORMATS[name].is_session:
        exhibit = Exhibit(source.label, "history", live=live, members={"readAs": name})
        return Followed(exhibit, lambda: session_lines(source, name, stream()))
    exhibit = Exhibit(source.label, name or kind, live=live, members=_of_stream(name or ""))
    return Followed(exhibit, stream)


def _stream_of(source: Source, stack: ExitStack) -> Stream:
    """Return what gives the bytes; raises before a browser opens, where they cannot be read."""
    is_remote = is_url(source.name)
    is_pipe = source.path is None or (source.size_bytes() is None and source.path.exists())
    if not (is_remote or is_pipe):
        with source.opened():
            growing(source)
        return partial(growing, source)
    # It comes once, and a page may be loaded again.
    coming = opened_url(source.name) if is_remote else source.chunks()
    tape = Tape(coming, document_bytes())
    stack.callback(tape.close)

    def chunks() -> Iterator[bytes]:
        with source.labelled():
            yield from tape.chunks()

    return chunks


def _shown_so_far(source: Source) -> str | None:
    """Return what a file shows by what is in it already; None where that is nothing, and of what
    comes once: it may not have come yet.
    """
    if not source.size_bytes():
        return None
    if (session := session_of(source)) is not None:
        return session
    head = next(source.chunks(), b"")
    if any(map(looks_like_delta, head.split(b"\n")[:_LOOKED_AT])):
        return DELTAS
    if (dialect := detect_dialect((head,))[0]) is not None:
        return dialect if dialect in ADAPTERS else None
    shown = _shown(HeldSource(source, head, source.form))
    return shown if shown in STREAM_FORMATS and shown in _FOLLOWED else None


_LOOKED_AT: Final = 10  # lines: the first one of a file of deltas may be broken


def _not_followed(name: str) -> UsageError:
    message, expected = f"--follow is not for the format {name}", ", ".join((DELTAS, *_FOLLOWED))
    return UsageError(Finding("usage/invalid-argument", message, expected=expected, actual=name))
