"""The JSON value of a raw event, with findings instead of an exception.

A stream holds many events, and one bad one does not stop the others; so what is wrong is data.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import msgspec

from ...errors import Finding, ReadError
from ...json.text import decode_json, value_findings

__all__ = ["RawValue", "decode_value"]


class RawValue(NamedTuple):
    """``value`` is the JSON value, ``msgspec.UNSET`` if there is none that can be used.

    ``findings`` is empty for a good value. ``document/lone-surrogate`` is the one finding beside
    which a value stands: some providers cut a text between the two halves of a character, each
    half an escape of its own; the halves are in the value, and an adapter joins them.
    """

    value: Any
    findings: tuple[Finding, ...]


def decode_value(
    data: bytes | str, *, line: int | None = None, source: str | None = None
) -> RawValue:
    """Decode one line or the data of one event; ``line`` and ``source`` go into the findings.

    Raises nothing: the rules are those of :func:`partwire.json.text.decode_json`.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        return RawValue(decode_json(raw), ())
    except ReadError as error:
        found = error.findings
    value: Any = msgspec.UNSET
    if found[0].rule == "document/lone-surrogate":
        halves = json.loads(raw)
        found = tuple(value_findings(halves))
        if all(finding.rule == "document/lone-surrogate" for finding in found):
            value = halves
    return RawValue(value, tuple(f._replace(line=line, source=source) for f in found))
