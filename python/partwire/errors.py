"""Findings and exceptions: the one shape in which partwire says that something does not fit.

Findings are data; exceptions carry them. Every rule id is in ``schemas/rules/``.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Literal, NamedTuple

from partwire.tables.limits import CLIP_CHARS

__all__ = [
    "Finding",
    "FramingError",
    "PartwireError",
    "ReadError",
    "Severity",
    "StreamFailed",
    "StreamProtocolError",
    "UsageError",
    "WriteError",
    "bad_argument",
    "clip",
    "counted",
    "printable",
]

Severity = Literal["error", "warning", "info"]
"""How much a finding weighs: an error refuses, the others are for people to know."""


class Finding(NamedTuple):
    """One result of a check.

    ``pointer`` is an RFC 6901 JSON Pointer into the document (``""`` is the whole document).
    ``line`` is 1-based and set where the document is a line of a file, or a file that people keep
    by hand. ``actual`` is clipped to 80 characters (:func:`clip`), so that a finding never carries
    a payload.
    Source: semantics, errors.
    """

    rule: str
    message: str
    pointer: str = ""
    severity: Severity = "error"
    expected: str | None = None
    actual: str | None = None
    source: str | None = None
    line: int | None = None

    def to_wire(self) -> dict[str, Any]:
        """Return the finding as a JSON object; fields that are None are left out."""
        return {name: value for name, value in self._asdict().items() if value is not None}

    def sentence(self) -> str:
        """Return all that the finding says, but its rule and its place among the files."""
        text = self.message
        if self.pointer:
            text += f" at {self.pointer}"
        if self.expected:
            text += f"; expected {self.expected}"
        if self.actual:
            text += f"; actual {self.actual}"
        return text

    def __str__(self) -> str:
        """One line: a member name of the document cannot begin another."""
        place = self.source or ("" if self.line is None else "line")
        if self.line is not None:
            place += f":{self.line}" if self.source else f" {self.line}"
        told = self
        if self.expected is not None and len(self.expected) > _MOST_EXPECTED:
            told = self._replace(expected=self.expected[: _MOST_EXPECTED - 1] + "…")
        if self.actual is not None and self.actual in self.message:
            told = told._replace(actual=None)  # said already
        head = f"{place}: " if place else ""
        return _CONTROLS.sub(_spelled, f"{head}{told.sentence()} [{self.rule}]")


_MOST_EXPECTED = 2 * CLIP_CHARS
_CONTROLS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069]")


def _spelled(match: re.Match[str]) -> str:
    return repr(match[0])[1:-1]


def clip(value: object, limit: int = CLIP_CHARS) -> str:
    """Return ``value`` as one line of JSON text of at most ``limit`` characters.

    Strings are cut before they are encoded: clipping a large value costs no large copy.
    """
    if isinstance(value, str):
        text = printable(json.dumps(value[: limit + 1], ensure_ascii=False))
    elif isinstance(value, (dict, list)):
        kind, noun = ("object", "member") if isinstance(value, dict) else ("array", "item")
        text = f"{kind} with {counted(len(value), noun)}"
    elif value is None or isinstance(value, (bool, int, float)):
        text = _number_text(value)
    else:
        text = f"a Python {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def counted(number: int, noun: str) -> str:
    """Return a number with what it counts: ``1 level``, ``2,000 levels``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def printable(text: str) -> str:
    """Return ``text`` with lone surrogates spelled out, so that it can be encoded."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _number_text(value: bool | int | float | None) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 512:
        # int -> str is quadratic and, past 4300 digits, refused by CPython.
        return f"an integer of {value.bit_length()} bits"
    return json.dumps(value)


_MOST_SAID = 3
"""How many findings an exception spells out where it is printed."""


class PartwireError(Exception):
    """Base of every exception that partwire raises on purpose; anything else is a bug.

    ``findings`` holds all that was found, as data; ``str(error)`` says the first three of them.
    """

    def __init__(self, *findings: Finding) -> None:
        if not findings:
            raise TypeError("a PartwireError carries at least one finding")
        super().__init__(*findings)
        self.findings: tuple[Finding, ...] = findings
        if len(findings) > _MOST_SAID:
            more = len(findings) - _MOST_SAID
            self.add_note(f"and {more} more finding{'' if more == 1 else 's'}, in .findings")

    @property
    def rule(self) -> str:
        """The rule id of the first finding."""
        return self.findings[0].rule

    def __str__(self) -> str:
        """The first findings, one a line; a note of the exception counts the others."""
        return "\n".join(str(finding) for finding in self.findings[:_MOST_SAID])


class ReadError(PartwireError, ValueError):
    """A document that is not JSON, or that its type refuses."""


class UsageError(PartwireError, ValueError):
    """A call that names a type, version, mode or family that does not exist."""


class UnknownArgumentError(UsageError, TypeError):
    """A call with a keyword that does not exist."""


def bad_argument(
    message: str, expected: str | None, actual: object, rule: str = "usage/invalid-argument"
) -> UsageError:
    """Return the error for a call that cannot be meant, whatever the state is."""
    return UsageError(Finding(rule, message, expected=expected, actual=clip(actual)))


class FramingError(PartwireError, ValueError):
    """Bytes that cannot be cut into raw events, or an event beyond the size limit."""


class StreamProtocolError(PartwireError):
    """A delta, or a call, that the stream's state does not allow; the state is unchanged.

    ``seq`` is the refused delta's sequence number, or None where no delta was involved.
    """

    def __init__(self, finding: Finding, *, seq: int | None = None) -> None:
        super().__init__(finding)
        self.seq = seq

    @property
    def expected(self) -> str | None:
        """What the state allowed."""
        return self.findings[0].expected

    @property
    def actual(self) -> str | None:
        """What came instead."""
        return self.findings[0].actual


class StreamFailed(PartwireError):
    """The stream ended with an ``error`` delta: there is no final message.

    ``error`` is the error delta's payload, ``partial`` the message as far as it arrived
    (marked incomplete in its ``meta``).
    """

    def __init__(self, finding: Finding, *, error: Any, partial: Any) -> None:
        super().__init__(finding)
        self.error = error
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        """Let the error cross processes; without this, pickle forgets the keywords."""
        rebuild = functools.partial(StreamFailed, error=self.error, partial=self.partial)
        return rebuild, self.args, self.__dict__


class WriteError(PartwireError, ValueError):
    """A value that cannot be written: its document would not be valid."""
