"""What a finished message has to be beside what its schema says: BR-11, BR-14, placeholders."""

from __future__ import annotations

from typing import Any

from partwire.errors import Finding, clip
from partwire.reading import validate
from partwire.v0_2.structs.session import ToolPart

from .validation import placeholder_findings

__all__ = ["call_id_of", "message_findings"]


def message_findings(
    document: dict[str, Any], *, finished: bool, compacting: bool
) -> list[Finding]:
    """Return what is wrong with a message: the schema's findings first, then those of building.

    ``document`` holds an object ``info`` and an array ``parts``, whatever is in them.
    Source: requirements S002-39 to S002-52.
    """
    found = validate(document, "session.WithParts")
    info, parts = document["info"], document["parts"]
    if "summary" in info and not compacting:
        found.append(_summary_finding())
    if finished and info.get("role") == "assistant":
        found += _completion_findings(info, parts)
    for index, part in enumerate(parts):
        found += placeholder_findings(part, f"/parts/{index}")
    return found


def _summary_finding() -> Finding:
    return Finding(
        "session/summary-without-compaction",
        "A summary is made only when the context is compacted",
        "/info/summary",
        expected="no summary, or a builder made with compacting=True",
    )


def _completion_findings(info: dict[str, Any], parts: list[Any]) -> list[Finding]:
    time = info.get("time")
    if isinstance(time, dict) and "completed" not in time:
        message = "The message is finished, and does not say since when"
        return [
            Finding("session/not-completed", message, "/info/time", expected="a member completed")
        ]
    return [
        Finding(
            "session/completed-early",
            "The message is complete, and a tool call of it is not",
            f"/parts/{index}/state/status",
            expected="completed or error",
            actual=clip(status),
        )
        for index, part in enumerate(parts)
        if (status := _status_of(part)) in ("pending", "running")
    ]


def _status_of(part: Any) -> Any:
    state = part.get("state") if isinstance(part, dict) else None
    return state.get("status") if isinstance(state, dict) else None


def call_id_of(part: Any) -> str | None:
    """Return the call id of a tool part; None for other parts, and for an id that is no string."""
    if isinstance(part, ToolPart):
        return part.call_id
    if isinstance(part, dict) and part.get("type") == "tool":
        given = part.get("callID")
        return given if isinstance(given, str) else None
    return None
