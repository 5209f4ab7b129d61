"""Provider state that stands at another part than it belongs to, as late state of a stream does."""

from __future__ import annotations

from partwire.reading.plain import whole_number

from .members import Json
from .opaque_state import CARRIERS, OFFSET, TEXTS, has_form

__all__ = ["settled"]


def settled(parts: list[Json], role: str) -> tuple[list[tuple[int, Json]], list[int]]:
    """Return parts of v0.2 with each item of state where it belongs, and which parts that changed.

    Each part comes with the index that it had; a part that is new has the last one's.
    ``partOffset`` of an item says how many parts further on that is; v0.1, which has all state in
    one place, says it by the index. What belongs behind the last part of an assistant gets a part
    of its own, and a part that was there for such state alone is left out; other roles may have no
    such part, and the item stays where it is.
    """
    places: dict[int, list[Json]] = {}
    givers: dict[int, str] = {}  # the provider of what a part is given
    changed: set[int] = set()
    for index, part in enumerate(parts):
        for given in _items(part):
            item, target = given, _target(given, index, parts, role)
            if target != index:
                item = {name: member for name, member in given.items() if name != OFFSET}
                givers[target] = part["payload"]["opaque"]["provider"]
                changed |= {index, target}
            places.setdefault(target, []).append(item)
    if not changed:
        return list(enumerate(parts)), []
    last = parts[-1]["kind"]
    behind: Json = {"kind": "text" if last == "thinking" else "thinking", "payload": {"text": ""}}
    made = [*parts, behind] if len(parts) in changed else list(parts)
    for index in changed:
        made[index] = _with(made[index], places.get(index, []), givers.get(index, ""))
    end = len(parts) - 1
    kept = [(min(n, end), part) for n, part in enumerate(made) if n not in changed or _says(part)]
    return kept, sorted(index for index in changed if index <= end)


def _items(part: Json) -> list[Json]:
    opaque = part["payload"].get("opaque") if part["kind"] in CARRIERS else None
    if opaque is None or not has_form(opaque["data"], part["kind"]):
        return []
    items: list[Json] = opaque["data"].get("items", [])
    return items


def _target(item: Json, index: int, parts: list[Json], role: str) -> int:
    """Return the index of the part that an item belongs to; its own, where that cannot have it."""
    target = index + (whole_number(item.get(OFFSET)) or 0)
    if not 0 <= target <= len(parts):
        return index
    if target == len(parts):
        return target if role == "assistant" else index
    if parts[target]["kind"] not in CARRIERS:
        return index
    opaque = parts[target]["payload"].get("opaque")
    if opaque is None:
        return target
    is_fit = has_form(opaque["data"], parts[target]["kind"])
    provider = parts[index]["payload"]["opaque"]["provider"]
    return target if is_fit and opaque["provider"] == provider else index


def _with(part: Json, items: list[Json], provider: str) -> Json:
    """Return a part with other items of state."""
    payload = dict(part["payload"])
    opaque = payload.pop("opaque", {"provider": provider, "data": {}})
    data = {**opaque["data"], "items": items}
    if items or len(data) > 1:
        payload["opaque"] = {**opaque, "data": data}
    return {**part, "payload": payload}


def _says(part: Json) -> bool:
    """Tell whether a part says anything without the state that it gave away."""
    payload = part["payload"]
    return part["kind"] not in TEXTS or payload["text"] != "" or "opaque" in payload
