"""Warnings of a provider, or of a gateway before it, as its events have them."""

from __future__ import annotations

from typing import Any

from .findings import FindingLog
from .writer import DeltaWriter

__all__ = ["read_warnings"]


def read_warnings(
    holder: dict[str, Any], place: str, writer: DeltaWriter, log: FindingLog, code: str = "code"
) -> None:
    """Write the ``warnings`` of an event, or of what it holds at ``place``.

    ``code`` is the member that says the code where none is called so.
    """
    given = holder.get("warnings")
    if given is None or not writer.says_new:
        return
    if type(given) is not list:
        log.invalid(f"{place}/warnings", "an array", given)
        return
    for number, each in enumerate(given):
        if isinstance(each, str):
            writer.warn(None, each)
        elif isinstance(each, dict):
            names = (code if each.get("code") is None else "code", "message", "place")
            for name in names:
                log.string(each.get(name), f"{place}/warnings/{number}/{name}")
            writer.warn(*map(each.get, names))
        else:
            log.invalid(f"{place}/warnings/{number}", "an object or text", each)
