"""Operations on histories: check_history, repair_history."""

from __future__ import annotations

from partwire.errors import PartwireError
from partwire.message import check_history, repair_history

from ..values import Json, findings_of, lines_of, refusal_of, text_of

__all__ = ["check", "repair"]

_CHANGE = ("rule", "pointer", "action", "result")


def check(given: Json, version: str) -> Json:
    """Return all findings of a history."""
    messages = lines_of(given["messages"])
    ongoing = given.get("ongoing", False)
    return {"findings": findings_of(check_history(messages, ongoing=ongoing, version=version))}


def repair(given: Json, version: str) -> Json:
    """Return the repaired history line by line, and the changes."""
    messages = lines_of(given["messages"])
    try:
        ongoing = given.get("ongoing", False)
        repaired, changes = repair_history(
            messages, given.get("policy"), ongoing=ongoing, version=version
        )
    except PartwireError as error:
        return refusal_of(error)
    wires = [change.to_wire() for change in changes]
    return {
        "messages": [text_of(bytes(line)) for line in repaired],
        "changes": [{name: wire[name] for name in _CHANGE if name in wire} for wire in wires],
    }
