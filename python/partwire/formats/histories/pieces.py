"""What histories of several dialects have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..core.reading import Json, Members, Reading
from .answers import Answers

__all__ = ["REASONS", "add_spoken", "add_whole", "answered", "figures", "made_id"]

REASONS: Final = ("finishReason", "providerFinishReason")


def add_spoken(role: str, parts: list[Json], reading: Reading) -> None:
    """Add what a user, or the system, said; results among it are messages of the role tool.

    A message has one result of each call: another one begins a message of its own.
    """
    run: list[Json] = []
    ids: set[str] = set()
    is_tool = False
    for part in parts:
        is_result = part["kind"] == "tool_result"
        call_id = part["payload"]["toolCallId"] if is_result else ""
        if run and (is_result != is_tool or call_id in ids):
            reading.add("tool" if is_tool else role, run)
            run, ids = [], set()
        is_tool = is_result
        run.append(part)
        if is_result:
            ids.add(call_id)
    if run or not parts:
        reading.add("tool" if is_tool else role, run)


def answered(answers: Answers, own: str) -> str:
    """Return the id of the call that a result of the provider's id ``own`` answers."""
    call = answers.calls.of_id(own)
    return own if call is None else call.call_id


def figures(usage: Members, names: tuple[str, ...]) -> Json:
    """Take the counts of these names; what is not a count stays, and is reported."""
    found: Json = {}
    for name in names:
        count = usage.count(name)
        if count is not None:
            found[name] = count
    return found


def add_whole(
    answers: Answers, body: Json, place: str, said: Mapping[str, str], reading: Reading
) -> Json:
    """Add the message of an answer as the provider gave it, and return it.

    ``said`` names what it says of itself: member of the message's meta → its place. What is made up
    for the adapter is taken away again, and what it does not take is reported.
    """
    message = answers.add(body, place, is_whole=True)
    meta = message.pop("meta", None) or {}
    kept = {name: value for name, value in meta.items() if name in said or name not in REASONS}
    if kept:
        message["meta"] = kept
    for name, at in said.items():
        if name not in kept:
            reading.note("foreign-member", at)
    return message


def made_id(place: str) -> str:
    """Return an id for a result whose call is not there; its place tells it from others."""
    return f"call_{re.sub('[^A-Za-z0-9]+', '_', place).strip('_')}"
