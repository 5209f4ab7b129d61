"""Approvals between messages and sessions: two parts there, a member of the call's state here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .conversion import Json, Work

__all__ = ["approval_of", "approval_parts", "asked_in", "decided_at", "in_order", "unsaid"]

_ASKED: Final = {"reason": "reason", "choices": "choices"}
_DECIDED: Final = {
    "decision": "decision",
    "choice": "choice",
    "note": "reason",
    "decidedBy": "decidedBy",
    "arguments": "arguments",
}
"""By the names of a session, those of the two parts."""


def approval_parts(part: Json, place: str, work: Work) -> tuple[Json, Json | None]:
    """Return request and answer of a tool part's approval; None where nothing was decided."""
    approval, at = part["state"]["approval"], f"{place}/state/approval"
    time = approval.get("time", {})
    head = {"approvalId": approval["id"], "toolCallId": part["callID"]}
    asked = {**head, **_renamed(approval, _ASKED)}
    if "requested" in time:
        asked["requestedAt"] = work.text(time["requested"], f"{at}/time/requested")
    request = {"kind": "approval_request", "payload": asked}
    if "decision" not in approval:
        return request, None
    decided = {**head, **_renamed(approval, _DECIDED)}
    if "decided" in time:
        decided["decidedAt"] = work.text(time["decided"], f"{at}/time/decided")
    return request, {"kind": "approval_response", "payload": decided}


def decided_at(approval: Json) -> tuple[int, str] | None:
    """Return when it was decided, else asked, in milliseconds, and which of the two it is."""
    time = approval.get("time", {})
    return next(((time[name], name) for name in ("decided", "requested") if name in time), None)


def unsaid(approval: Json) -> Json:
    """Return what the two parts do not say of an approval."""
    is_decided = "decision" in approval
    said = {"id", "time", *_ASKED, *(_DECIDED if is_decided else ())}
    rest = {name: each for name, each in approval.items() if name not in said}
    if "time" in approval:
        times = {"requested", "decided"} if is_decided else {"requested"}
        left = {name: each for name, each in approval["time"].items() if name not in times}
        if left or not approval["time"]:
            rest["time"] = left
    return rest


def approval_of(
    request: Json, answer: Json | None, places: tuple[str, str], work: Work, rest: Any = None
) -> Json:
    """Return an approval of the payloads of its parts, and of what they do not say.

    ``places`` are the pointers of the payloads.
    """
    given: Json = rest or {}
    time: Json = dict(given.get("time", {}))
    made = {"id": request["approvalId"], **_named(request, _ASKED)}
    if "requestedAt" in request:
        time["requested"] = work.ms(request["requestedAt"], f"{places[0]}/requestedAt")
    if answer is not None:
        made.update(_named(answer, _DECIDED))
        if "decidedAt" in answer:
            time["decided"] = work.ms(answer["decidedAt"], f"{places[1]}/decidedAt")
    made = {**given, **made}
    return {**made, "time": time} if time or "time" in given else made


def in_order(approval: Json, place: str, work: Work) -> Json:
    """Return an approval whose decision is not before its question; ``place`` is the answer's."""
    time = approval.get("time", {})
    if time.keys() < {"requested", "decided"} or time["decided"] >= time["requested"]:
        return approval
    work.note("timestamp-range", f"{place}/decidedAt")
    return {**approval, "time": {**time, "decided": time["requested"]}}


def asked_in(parts: list[Json]) -> dict[str, int]:
    """Return by call of a message which of its parts is the request, the first if there are more.

    Requests for calls that stand elsewhere, or behind them, are not there.
    """
    calls: set[str] = set()
    found: dict[str, int] = {}
    for number, part in enumerate(parts):
        if part["kind"] == "tool_call":
            calls.add(part["payload"]["toolCallId"])
        elif part["kind"] == "approval_request" and part["payload"]["toolCallId"] in calls:
            found.setdefault(part["payload"]["toolCallId"], number)
    return found


def _renamed(source: Json, names: Mapping[str, str]) -> Json:
    return {new: source[old] for old, new in names.items() if old in source}


def _named(source: Json, names: Mapping[str, str]) -> Json:
    return {old: source[new] for old, new in names.items() if new in source}
