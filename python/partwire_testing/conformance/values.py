"""What crosses the protocol: texts that stand for bytes, findings without words, clocks."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from partwire.contract.current import LATEST_VERSION
from partwire.convert import VERSIONS, DeltaDowngrade, downgrade
from partwire.errors import Finding, PartwireError
from partwire.losses import Loss
from partwire.message import Limits
from partwire.reading.pipeline import Unknown, to_wire

__all__ = [
    "BadInput",
    "Json",
    "Skip",
    "bytes_of",
    "clock_of",
    "findings_of",
    "instant",
    "limits_of",
    "lines_of",
    "losses_of",
    "place_of",
    "refusal_of",
    "served",
    "served_deltas",
    "text_of",
]


# --- results for readers of older versions --------------------------------------------------------


def served(value: Any, version: str) -> Any:
    """Return a struct or snapshot of ours as the JSON value that ``version`` has for it.

    A queue message that is written for an older peer stays as it is.
    """
    known = VERSIONS[: VERSIONS.index(version) + 1]
    if version == LATEST_VERSION or isinstance(value, Unknown):
        return to_wire(value)
    if getattr(value, "schema_version", None) in known:
        return to_wire(value)
    return to_wire(downgrade(value, version).value)


def served_deltas(deltas: Iterable[Any], version: str) -> list[Any]:
    """Return a stream of deltas as ``version`` has it."""
    if version == LATEST_VERSION:
        return [to_wire(delta) for delta in deltas]
    older = DeltaDowngrade(version)
    return [to_wire(made) for delta in deltas for made in older.feed(delta)]


# --- values ---------------------------------------------------------------------------------------

Json = dict[str, Any]


class Skip(Exception):
    """A run that this implementation cannot do here; its one argument says why."""


class BadInput(Exception):
    """An input that is not what the protocol says; its one argument says what is wrong."""


def text_of(data: bytes) -> Any:
    """Return bytes as a Text of the protocol: a string, or base64 for what is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def bytes_of(text: Any) -> bytes:
    """Return the bytes that a Text of the protocol stands for; raise BadInput for no Text."""
    try:
        if isinstance(text, str):
            return text.encode("utf-8")
        if isinstance(text, dict) and set(text) == {"base64"}:
            return base64.b64decode(text["base64"], validate=True)
    except (UnicodeEncodeError, binascii.Error, TypeError, ValueError) as error:
        raise BadInput(f"no text: {error}") from None
    raise BadInput("no text: neither a string nor {base64}")


def lines_of(lines: Any) -> list[bytes]:
    """Return the bytes of every line."""
    if not isinstance(lines, list):
        raise BadInput("no lines: not an array")
    return [bytes_of(line) for line in lines]


def findings_of(findings: Iterable[Finding]) -> list[Json]:
    """Return findings as the protocol has them: rule, pointer and severity."""
    return [
        {"rule": each.rule, "pointer": each.pointer, "severity": each.severity} for each in findings
    ]


def losses_of(losses: Iterable[Loss]) -> list[Json]:
    """Return losses as the protocol has them: code, pointer and severity."""
    return [
        {"code": each.code, "pointer": each.pointer, "severity": each.severity} for each in losses
    ]


def place_of(error: PartwireError) -> Json:
    """Return rule and pointer of the first finding of an error."""
    first = error.findings[0]
    return {"rule": first.rule, "pointer": first.pointer}


def refusal_of(error: PartwireError) -> Json:
    """Return an error of the contract as a result."""
    return {"error": {**place_of(error), "findings": findings_of(error.findings)}}


def limits_of(given: Json) -> Limits:
    """Return the limits of an input; what is absent keeps its default."""
    return Limits(**given.get("limits", {}))


def clock_of(given: Json) -> Callable[[], str]:
    """Return a clock: ``start`` first, and every further reading ``step_ms`` later."""
    at = datetime.fromisoformat(given["start"])
    step = timedelta(milliseconds=given["step_ms"])

    def read() -> str:
        nonlocal at
        now, at = at, at + step
        return instant(now)

    return read


def instant(at: datetime) -> str:
    """Return a time in UTC as RFC 3339 has it, with milliseconds where there are any."""
    text = at.strftime("%Y-%m-%dT%H:%M:%S")
    return text + (f".{at.microsecond // 1000:03d}Z" if at.microsecond else "Z")
