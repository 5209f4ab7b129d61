"""Reading and writing documents of a format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..json.text import decode_json
from ..losses import Loss, LossSeverity
from ..providers.requests import encode_request
from ..reading.inputs import text_of
from .core.reading import FormatResult, Reading
from .core.source import source_of
from .core.writing import Written
from .registry import format_named

__all__ = ["read", "write"]

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
) -> FormatResult:
    """Return the messages of a document of ``format``, and what they do not say.

    ``data`` is JSON text or a value; it is never changed. Bytes in a value are read as Base64.
    ``run_id`` and ``timestamp`` (RFC 3339) are for sources that do not say them; without them they
    are made up, and reported.
    Pointers of the losses lead into ``data``. Raises UsageError ``usage/unknown-format`` and
    ``usage/invalid-argument``, and ReadError for what is not JSON (``document/…``) or not of the
    format (``format/wrong-shape``).
    """
    chosen = format_named(format)
    reading = Reading(chosen.name, run_id=run_id, timestamp=timestamp)
    text = text_of(data)
    chosen.reader()(source_of(data) if text is None else decode_json(text), reading)
    return reading.finish()


def write(format: str, messages: Sequence[Any]) -> Written:  # noqa: A002 - as in read
    """Return messages as a document of ``format``, and what it does not say of them.

    Of the dialect of a provider that is the history of a request body: its messages and its system
    prompt, as :func:`~partwire.providers.encode_request` writes them, whose rules are the codes of
    the losses. Pointers lead into ``messages``. Raises UsageError ``usage/unknown-format``, and
    ReadError for what is not a message.
    """
    chosen = format_named(format)
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
