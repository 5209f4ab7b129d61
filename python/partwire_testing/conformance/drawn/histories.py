"""Histories and tool states as requests."""

from __future__ import annotations

import copy
import random
from typing import Any, Final

from partwire.message import REPAIRS
from partwire.reading.pipeline import validate

from ..values import Json, text_of
from .documents import hostile_text
from .history_makers import SEEDS, clean_history, soup
from .json_text import Speller
from .request import Request
from .values import Documents

__all__ = ["history_requests", "transition_request"]

_VERSIONS: Final = ("v0.1", "v0.2", "v0.3", "v0.3")
_STATUSES: Final = (
    "pending",
    "awaiting_approval",
    "running",
    "completed",
    "error",
    "error",
    "denied",
    "denied",
    "cancelled",
    "",
    "toString",
)
_NEW: Final = ("awaiting_approval", "denied")
"""States that come with v0.3: an older version cannot say them."""

_TIMES: Final = (0, 1, 5, 7, 9, 1767323045000, -1, 2**53 - 1, 2**53)
_TEXTS: Final = ("", "x", "7 °C", "Oslo", "\0", "🌍", " ", "Weather in Oslo", "x" * 200)


def history_requests(seed: int, number: int) -> list[Request]:
    """Return the requests of one history: it is checked and repaired."""
    version = _VERSIONS[number % 4]
    documents = Documents(f"history:{seed}:{number}", version)
    rng = documents.rng
    lines = [text_of(line) for line in _history(documents)]
    given: Json = {"messages": lines}
    if rng.random() < 0.4:
        given["ongoing"] = rng.random() < 0.8
    policy = {name: rng.choice(actions) for name, actions in REPAIRS.items() if rng.random() < 0.3}
    return [
        Request("check_history", version, given),
        Request("repair_history", version, given | ({"policy": policy} if policy else {})),
    ]


def _history(documents: Documents) -> list[bytes]:
    rng = documents.rng
    history = clean_history(rng) if rng.random() < 0.6 else soup(rng)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        history = _spoilt(rng, history)
    for _ in range(rng.choice((0, 0, 1, 2))):
        make = rng.choice((documents.valid, documents.mutated))
        history.insert(rng.randrange(len(history) + 1), make("message.Message"))
    return [_line(rng, each) for each in history]


def _spoilt(rng: random.Random, history: list[Json]) -> list[Json]:
    """Return a history with one defect more, where it has what the defect needs."""
    try:
        return rng.choice(list(SEEDS.values()))(copy.deepcopy(history), rng)[0]
    except (IndexError, StopIteration, TypeError, KeyError):
        return history  # no call, no result, or a message that is none


def _line(rng: random.Random, each: Any) -> bytes:
    if rng.random() < 0.03:
        return hostile_text(rng, each)
    return Speller(rng, 0.0).data(each)


# --- tool states ---------------------------------------------------------------------------------


def transition_request(seed: int, number: int) -> Request:
    """Return a tool state and a call that moves it, or may not."""
    version = _VERSIONS[number % 4]
    documents = Documents(f"state:{seed}:{number}", version)
    rng = documents.rng
    state = documents.valid("session.ToolState")
    while validate(state, "session.ToolState"):
        state = documents.valid("session.ToolState")
    call = rng.choice(("transition", "transition", "transition", "expire", "fail_pending"))
    given: Json = {"call": call, "state": state}
    if call == "expire":
        fields: Json = {"now": rng.choice(_TIMES), "timeout_ms": rng.choice(_TIMES)}
        if rng.random() < 0.3:
            fields["error"] = rng.choice(_TEXTS)
        given["fields"] = fields
    elif call == "fail_pending":
        given["fields"] = {"error": rng.choice(_TEXTS), "now": rng.choice(_TIMES)}
    else:
        known = [status for status in _STATUSES if version == "v0.3" or status not in _NEW]
        given["to"] = rng.choice(known)
        given["fields"] = _fields(documents, state, given["to"])
    return Request("transition", version, given)


def _fields(documents: Documents, state: Json, to: str) -> Json:
    """Return what a move is given: mostly what it wants, at times what the state has already."""
    rng = documents.rng
    wanted = {
        "pending": ("input", "raw"),
        "awaiting_approval": ("approval", "metadata"),
        "denied": ("approval", "error", "metadata"),
        "running": ("start", "title", "metadata", "approval"),
        "completed": ("output", "end", "title", "metadata", "attachments", "empty_output", "tool"),
        "error": ("error", "end", "metadata"),
    }.get(to, ())
    time = state.get("time", {})
    makers: dict[str, Any] = {
        "input": lambda: _object(documents),
        "metadata": lambda: _object(documents),
        "start": lambda: rng.choice(_TIMES),
        "end": lambda: rng.choice(_TIMES),
        "attachments": lambda: [
            documents.valid("session.FilePart") for _ in range(rng.randrange(3))
        ],
        "empty_output": lambda: rng.choice(("reject", "placeholder")),
        "approval": lambda: _approval(documents, state),
    }
    fields: Json = {}
    names = ("input", "raw", "start", "end", "output", "error", "title", "tool", "metadata")
    for name in (*names, "approval") if documents.version == "v0.3" else names:
        if rng.random() < (0.8 if name in wanted else 0.03):
            known = state.get(name, time.get(name))
            make = makers.get(name, lambda: rng.choice(_TEXTS))
            fields[name] = known if known is not None and rng.random() < 0.5 else make()
    for name in ("attachments", "empty_output"):
        if rng.random() < (0.3 if name in wanted else 0.02):
            fields[name] = makers[name]()
    for name in fields:
        # What a caller without types may hand in; attachments are typed objects in some languages.
        if name not in ("attachments", "approval") and rng.random() < 0.03:
            fields[name] = documents.json()
    return fields


def _approval(documents: Documents, state: Json) -> Json:
    """Return an approval, mostly an answer to what the state asks."""
    rng = documents.rng
    made: Json = documents.valid("session.ToolApproval")
    asked = state.get("approval", {}).get("id")
    if asked is not None and rng.random() < 0.8:
        made["id"] = asked
    if rng.random() < 0.6:
        made["decision"] = "approved"
    return made


def _object(documents: Documents) -> Json:
    return {
        documents.rng.choice(_TEXTS): documents.json() for _ in range(documents.rng.randrange(3))
    }
