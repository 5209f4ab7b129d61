"""Provider state of a message: ``meta.opaque`` of v0.1, and ``opaque`` on the parts of v0.2.

v0.1 says ``meta.opaque = {dialect, parts: {"<index>": [items]}, toolCallIds?: {id: own | null}}``,
by the index of the part; what stands at the number of parts stands behind the last one. v0.2 says
``opaque = {provider, data: {items, toolCallId?}}`` on the part itself. Whatever does not have
these forms stays where it is on the way up, so that down again gives the same document.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from partwire.json.text import MAX_DEPTH
from partwire.reading.plain import whole_number

from .members import Json

__all__ = [
    "CARRIERS",
    "OFFSET",
    "TEXTS",
    "State",
    "has_form",
    "index_of",
    "lift_state",
    "placed",
    "read_state",
    "shifted",
]

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}").fullmatch
TEXTS: Final = frozenset({"text", "thinking"})
CARRIERS: Final = TEXTS | {"tool_call"}
OFFSET: Final = "partOffset"
"""The member of an item that says how many parts further on it belongs, in v0.2 alone."""
_DEPTH: Final = 8
"""How deep an item of a part stands in a message of v0.2."""


class State(NamedTuple):
    """``meta.opaque`` of v0.1, taken apart; ``ids`` is None where it has no toolCallIds."""

    dialect: str
    parts: dict[str, Any]
    ids: dict[str, Any] | None

    def to_wire(self) -> Json:
        """Return it as ``meta.opaque`` says it."""
        made: Json = {"dialect": self.dialect, "parts": self.parts}
        return made if self.ids is None else {**made, "toolCallIds": self.ids}


def read_state(value: Any) -> State | None:
    """Return ``meta.opaque`` taken apart; None where it is of another form."""
    if not isinstance(value, dict) or not value.keys() <= {"dialect", "parts", "toolCallIds"}:
        return None
    dialect, parts, ids = value.get("dialect"), value.get("parts"), value.get("toolCallIds", {})
    if not isinstance(dialect, str) or not dialect:
        return None
    if not isinstance(parts, dict) or not isinstance(ids, dict):
        return None
    return State(dialect, dict(parts), dict(ids) if "toolCallIds" in value else None)


def has_form(data: Any, kind: str) -> bool:
    """Tell whether ``data`` of an opaque on a part of ``kind`` is what an adapter writes."""
    if not data.keys() <= {"items", "toolCallId"}:
        return False
    items = data.get("items", [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return False
    if "toolCallId" not in data:
        return bool(items)
    own = data["toolCallId"]
    return kind == "tool_call" and (own is None or isinstance(own, str))


def placed(item: Json, start: int, end: int) -> Json:
    """Return an item that is at these characters of its part."""
    return {**item, "start": start, "end": end}


def shifted(item: Json, by: int, size: int) -> Json:
    """Return an item of a part of ``size`` characters that now begins at ``by`` in another."""
    start, end = whole_number(item.get("start")), whole_number(item.get("end"))
    if start is not None and end is not None:
        return placed(item, start + by, end + by)
    return placed(item, by, by + size)


def lift_state(message: Json) -> Json:
    """Return a message of v0.1 with its provider state on the parts, as v0.2 has it.

    What cannot stand on a part stays in ``meta.opaque``. What stands behind the last part gets an
    empty part of its own.
    """
    meta = message.get("meta")
    state = None if meta is None else read_state(meta.get("opaque"))
    if meta is None or state is None:
        return message
    given = message["parts"]
    parts = [_lifted(part, str(at), given[at + 1 : at + 2], state) for at, part in enumerate(given)]
    behind = _behind(message, state)
    if behind is not None:
        parts.append(behind)
    if all(part is old for part, old in zip(parts, given, strict=False)) and behind is None:
        return message
    others = {name: member for name, member in meta.items() if name != "opaque"}
    if state.parts or state.ids or (state.ids is not None and not meta["opaque"]["toolCallIds"]):
        others["opaque"] = state.to_wire()
    made = {**message, "parts": parts, "meta": others}
    if not others:
        del made["meta"]
    return made


def _lifted(part: Json, index: str, following: list[Json], state: State) -> Json:
    """Return ``part`` with its state, which is taken out of ``state``; itself if it has none."""
    kind: str = part["kind"]
    payload: Any = part.get("payload")  # an unknown part may have none
    items: list[Any] = []
    if index in state.parts and _may_carry(part, following) and _are_items(state.parts[index]):
        items = state.parts.pop(index)
    data: Json = {"items": items}
    if kind == "tool_call" and state.ids is not None:
        call_id = payload["toolCallId"]
        own = state.ids.get(call_id, False)
        if own is None or isinstance(own, str):
            data["toolCallId"] = state.ids.pop(call_id)
    if not items and len(data) == 1:
        return part
    opaque = {"provider": state.dialect, "data": data}
    return {**part, "payload": {**payload, "opaque": opaque}}


def _may_carry(part: Json, following: list[Json]) -> bool:
    """Tell whether down again gives this part, alone and by itself, the same items."""
    kind = part["kind"]
    if kind in TEXTS:
        joined = bool(following) and following[0]["kind"] == kind
        return part["payload"]["text"] != "" and not joined
    return kind in CARRIERS


def _behind(message: Json, state: State) -> Json | None:
    """Return the empty part for what stands behind the last part, taken out of ``state``."""
    parts = message["parts"]
    items = state.parts.get(str(len(parts)), [])
    if message["role"] != "assistant" or not _are_items(items):
        return None
    if not all(_stands_before(item) for item in items):
        return None
    last = parts[-1]["kind"] if parts else ""
    del state.parts[str(len(parts))]
    # Of the other kind than the last one: of the same kind, it would be a part of it.
    return {
        "kind": "text" if last == "thinking" else "thinking",
        "payload": {"text": "", "opaque": {"provider": state.dialect, "data": {"items": items}}},
    }


def _stands_before(item: Json) -> bool:
    return all(whole_number(item.get(name)) == 0 for name in ("start", "end"))


def _are_items(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    # Down, an item with an offset would go elsewhere.
    fit = all(isinstance(item, dict) and OFFSET not in item for item in value)
    return fit and not _too_deep(value)


def _too_deep(items: list[Any]) -> bool:
    """Tell whether the items would be nested beyond the limit where they come to stand."""
    level: list[Any] = items
    for _ in range(MAX_DEPTH - _DEPTH):
        level = [
            member
            for node in level
            if isinstance(node, (dict, list))
            for member in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True


def index_of(key: str) -> int | None:
    """Return the index that a member of ``parts`` names; None where it is none."""
    return int(key) if _INDEX(key) else None
