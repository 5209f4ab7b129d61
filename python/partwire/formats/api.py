"""Reading and writing documents of a format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from ..json.text import decode_json
from ..losses import Loss, LossSeverity
from ..reading.inputs import is_file, refused, text_of
from .core.json_lines import decode_lines
from .core.reading import FormatResult, Reading
from .core.source import source_of
from .core.streams import StreamReader, StreamWriter
from .core.writing import Written, messages_of
from .native_reading import read_native
from .registry import Format, format_named

if TYPE_CHECKING:
    from .ag_ui.stream_write import AgUiStreamWriter

__all__ = ["read", "reader", "write", "writer"]

# A body has more than the history; these members are it.
_HISTORY: Final = frozenset(
    {"system", "messages", "systemInstruction", "contents", "instructions", "input"}
)
_SEVERITIES: Final[dict[str, LossSeverity]] = {"error": "lossy", "warning": "lossy", "info": "info"}
# Of the configuration, which a history does not have.
_NOT_OF_HISTORIES: Final = frozenset({"encode/default-max-tokens", "encode/stand-in-tool"})


def read(
    format: str,  # noqa: A002 - it is what the caller calls it
    data: Any,
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    invented_run_id: str | None = None,
) -> FormatResult:
    """Return the messages of a document of ``format``, and what they do not say.

    ``data`` is JSON text or a value; it is never changed. Bytes in a value are read as Base64. Of a
    session of lines (``FORMATS[…].is_session``) it is JSON Lines, or a list of lines, each as text
    or as a value; pointers begin with the number of the line, from 0, and a line that is not JSON
    is the loss ``broken-line``.
    ``run_id`` and ``timestamp`` (RFC 3339) are for sources that do not say them; without them they
    are made up, and reported: the run as ``invented_run_id``, or ``run``.
    Pointers of the losses lead into ``data``. Raises UsageError ``usage/unknown-format`` and
    ``usage/invalid-argument``, and ReadError for what is not JSON (``document/…``) or not of the
    format (``format/wrong-shape``).
    """
    chosen = format_named(format)
    reading = Reading(
        chosen.name, run_id=run_id, timestamp=timestamp, invented_run_id=invented_run_id
    )
    text = text_of(data)
    if (made := read_native(data, text, reading)) is not None:
        return made
    chosen.function("read")(_source(chosen, data, text), reading)
    return reading.finish()


def _source(chosen: Format, data: Any, text: bytes | None) -> Any:
    if text is None and is_file(data):
        raise refused(data)
    if chosen.is_session:
        from .sessions.lines import document_of  # noqa: PLC0415 - few read sessions

        return document_of(data)
    decode = decode_lines if chosen.is_lines else decode_json
    return source_of(data) if text is None else decode(text)


def reader(
    format: str,  # noqa: A002 - as in read
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    invented_run_id: str | None = None,
) -> StreamReader:
    """Return a reader of an event stream of ``format``: events in, deltas and messages out.

    A stream is a run: :class:`RunAssembler` makes messages of what comes. The events of a session
    on disk are its lines, and what comes are whole messages, and a :class:`Branch` where the
    session goes back. The keywords are as in :func:`read`. Raises UsageError
    ``usage/unknown-format`` and ``usage/invalid-argument``.
    """
    chosen = format_named(format)
    made: StreamReader = chosen.function("reader")(
        Reading(chosen.name, run_id=run_id, timestamp=timestamp, invented_run_id=invented_run_id)
    )
    return made


@overload
def writer(
    format: Literal["ag-ui"], *, version: str | None = None, extensions: bool = False
) -> AgUiStreamWriter: ...


@overload
def writer(
    format: str, *, version: str | None = None, extensions: bool = False
) -> StreamWriter: ...


def writer(
    format: str,  # noqa: A002 - as in read
    *,
    version: str | None = None,
    extensions: bool = False,
) -> StreamWriter:
    """Return a writer of an event stream of ``format``: deltas and messages in, events out.

    ``version`` and ``extensions`` are as in :func:`write`, and so are the errors.
    """
    chosen = format_named(format)
    which = chosen.version_of(version)
    made: StreamWriter = chosen.function("writer")(which, extensions=extensions)
    return made


def write(
    format: str,  # noqa: A002 - as in read
    messages: Sequence[Any],
    *,
    version: str | None = None,
    extensions: bool = False,
) -> Written:
    """Return messages as a document of ``format``, and what it does not say of them.

    ``version`` is the format's, by default what most people have. With ``extensions`` members of
    ours say what the format has no place for, and :func:`read` reads them back.

    Of the dialect of a provider that is the history of a request body: its messages and its system
    prompt, as :func:`~partwire.providers.encode_request` writes them, whose rules are the codes of
    the losses. Pointers lead into ``messages``. Raises UsageError ``usage/unknown-format``, and
    ``usage/invalid-argument`` for a format that is only read; ReadError for what is not a message.
    """
    chosen = format_named(format)
    chosen.check("write")
    which = chosen.version_of(version)
    if chosen.writes:
        written: Written = chosen.function("write")(
            messages_of(messages), which, extensions=extensions
        )
        return written
    from ..providers.requests import encode_request  # noqa: PLC0415 - who only reads needs none

    encoded = encode_request(
        chosen.name, messages, config={"provider": chosen.name, "modelId": "any"}
    )
    document = {name: value for name, value in encoded.body.items() if name in _HISTORY}
    losses = [
        Loss(
            found.pointer.removeprefix("/messages"),
            found.rule,
            _SEVERITIES[found.severity],
            found.message,
        )
        for found in encoded.findings
        if found.rule not in _NOT_OF_HISTORIES
    ]
    return Written(document, losses)
