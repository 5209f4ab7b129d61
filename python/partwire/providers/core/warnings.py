"""Warnings of a provider, or of a gateway before it, as its events have them."""

from __future__ import annotations

from typing import Any

from .findings import FindingLog
from .writer import DeltaWriter

__all__ = ["read_warnings"]


def read_warnings(holder: dict[str, Any], place: str, writer: DeltaWriter, log: FindingLog) -> None:
    """Write the ``warnings`` of an event, or of what it holds at ``place``."""
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
            writer.warn(each.get("code"), each.get("message"), each.get("place"))
        else:
            log.invalid(f"{place}/warnings/{number}", "an object or text", each)
