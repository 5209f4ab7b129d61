"""The step between v0.2 and v0.3: up nothing changes but the declared version; down, what v0.2 has
no place for is left out and reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from partwire.reading.plain import whole_number
from partwire.tables.losses import KIND_CODES
from partwire.tables.tool_states import DENIED_PLACEHOLDER

from .errors import lossy_error
from .members import Hook, Hooks, Json, Walk
from .opaque_state import OFFSET, has_form
from .v0_1_to_v0_2 import QUEUE_MESSAGES

__all__ = ["DOWN", "NEW", "OLD", "UP", "changes", "keeps"]

OLD: Final = "v0.2"
NEW: Final = "v0.3"

_OLDER_STATES: Final = {"awaiting_approval": "pending", "denied": "error"}


def _declared(version: str) -> Callable[[Json], Json]:
    return lambda message: {**message, "schema_version": version}


def _declared_down(name: str) -> Hook:
    return lambda walk, message, pointer: {
        **walk.members(message, name, pointer),
        "schema_version": OLD,
    }


def _message_down(walk: Walk, message: Json, pointer: str) -> Json:
    """Return a message without the parts that v0.2 does not know."""
    given = message["parts"]
    places: dict[int, int] = {}
    for index, part in enumerate(given):
        code = KIND_CODES.get(part["kind"])
        if code is None:
            places[index] = len(places)
        else:
            walk.log.note(code, f"{pointer}/parts/{index}")
    made = walk.members({**message, "parts": []}, "Message", pointer)
    made["parts"] = parts = []
    is_same = len(places) == len(given)
    ends = {**places, len(given): len(places)}
    for index, place in places.items():
        at = f"{pointer}/parts/{index}"
        part = given[index] if is_same else _state_placed(walk, given[index], index, ends, at)
        parts.append(walk.walk(part, "MessagePart", at))
        if not is_same:
            walk.moved[f"{pointer}/parts/{place}"] = at
    return made


def _state_placed(walk: Walk, part: Json, index: int, places: dict[int, int], pointer: str) -> Json:
    """Return a part whose items of state say where the parts that they belong to are now.

    An item of a part that is left out is left out, too.
    """
    payload = part.get("payload")  # an unknown part may have none
    opaque = payload.get("opaque") if isinstance(payload, dict) else None
    if payload is None or opaque is None or not has_form(opaque["data"], part["kind"]):
        return part
    items, given, end = [], opaque["data"].get("items", []), max(places)
    for item in given:
        target = index + (whole_number(item.get(OFFSET)) or 0)
        if not 0 <= target <= end:
            items.append(item)
        elif target in places:
            offset = places[target] - places[index]
            items.append(item if offset == target - index else {**item, OFFSET: offset})
    if items == given:
        return part
    lost = len(items) < len(given)
    walk.log.note("opaque" if lost else "opaque-moved", f"{pointer}/payload/opaque")
    data = {name: each for name, each in opaque["data"].items() if name != "items" or items}
    if items:
        data["items"] = items
    payload = {name: each for name, each in payload.items() if name != "opaque"}
    if data:
        payload["opaque"] = {**opaque, "data": data}
    return {**part, "payload": payload}


def _variant_down(name: str) -> Hook:
    def down(walk: Walk, value: Json, pointer: str) -> Any:
        code = KIND_CODES.get(value["kind"])
        if code is None:
            return walk.variant(value, name, pointer)
        walk.log.note(code, pointer)
        raise lossy_error(walk.log.losses)  # nothing is left that v0.2 could have

    return down


def _waiting_down(walk: Walk, state: Json, pointer: str) -> Json:
    """Return the state of a call that waits for a person as one that is pending."""
    walk.log.note("approval", f"{pointer}/approval")
    if "metadata" in state:
        walk.log.note("unknown-member", f"{pointer}/metadata")
    return {"status": _OLDER_STATES[state["status"]], "input": state["input"], "raw": state["raw"]}


def _details_down(walk: Walk, details: Json, pointer: str) -> Json:
    """Return what is said of a refused move, by the name that the state has in v0.2."""
    status = _OLDER_STATES.get(details["currentStatus"])
    if status is not None:
        walk.log.note("approval", f"{pointer}/currentStatus")
        details = {**details, "currentStatus": status}
    return walk.members(details, "InvalidStateTransitionDetails", pointer)


def _denied_down(walk: Walk, state: Json, pointer: str) -> Json:
    """Return the state of a denied call as an error, at the time of the decision."""
    walk.log.note("approval", f"{pointer}/approval")
    time = state["approval"].get("time", {})
    decided = time.get("decided", time.get("requested", 0))
    made = {
        "status": _OLDER_STATES[state["status"]],
        "input": state["input"],
        "error": state.get("error", DENIED_PLACEHOLDER),
        "time": {"start": int(decided), "end": int(decided)},
    }
    return {**made, "metadata": state["metadata"]} if "metadata" in state else made


UP: Final[Mapping[str, Callable[[Any], Any]]] = {
    f"envelope.{name}": _declared(NEW) for name in ("Envelope", *QUEUE_MESSAGES)
}
"""What is done with a document of a type beside taking over its members."""

DOWN: Final[Mapping[str, Hooks]] = {
    "message": {
        "Message": _message_down,
        "MessagePart": _variant_down("MessagePart"),
        "MessageDelta": _variant_down("MessageDelta"),
    },
    "session": {
        "ToolStateAwaitingApproval": _waiting_down,
        "ToolStateDenied": _denied_down,
        "InvalidStateTransitionDetails": _details_down,
    },
    "envelope": {name: _declared_down(name) for name in ("Envelope", *QUEUE_MESSAGES)},
}
"""By family, what is done at a definition beside taking over its members."""


def changes(family: str, _value: Any) -> bool:
    """Tell whether either way may change a document, or struct, that v0.2 takes as it is."""
    return family == "envelope"


def keeps(family: str, _text: bytes) -> bool:
    """Tell whether neither way changes a document that v0.2 takes as it is."""
    return family != "envelope"
