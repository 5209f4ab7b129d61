"""The meaning rules of schemas, ``x-rules``, made to hold: small changes to drawn documents."""

from __future__ import annotations

from typing import Any

from .schemas import Schema

__all__ = ["at", "put", "settle"]


def at(value: Any, pointer: str) -> Any:
    """Return what is at ``pointer`` (members only), or None."""
    for name in pointer.split("/")[1:]:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def put(value: dict[str, Any], pointer: str, new: Any) -> None:
    """Set the member at ``pointer``, if there is an object to have it."""
    holder = at(value, pointer.rpartition("/")[0])
    if isinstance(holder, dict):
        holder[pointer.rpartition("/")[2]] = new


def settle(made: dict[str, Any], schema: Schema) -> None:
    """Make ``made`` follow the meaning rules of its type as far as a small change does it."""
    for rule in schema.get("x-rules", ()):
        items = at(made, rule.get("items", ""))
        if isinstance(items, list):
            _settle_items(made, items, rule)
        elif rule["op"] == "not-less":
            low, high = at(made, rule["than"]), at(made, rule["value"])
            if isinstance(low, (int, float)) and isinstance(high, (int, float)) and high < low:
                put(made, rule["value"], low)
        elif rule["op"] == "present-when":
            where, wanted = next(iter(rule["when"].items()))
            if at(made, where) is wanted and rule["member"][1:] not in made:
                put(made, where, not wanted)


def _settle_items(made: dict[str, Any], items: list[Any], rule: Schema) -> None:
    if rule["op"] == "tag-table":
        row = rule["table"].get(str(at(made, rule["tag"])), ())
        items[:] = [item for item in items if at(item, f"/{rule['itemTag']}") in row]
    elif rule["op"] == "unique":
        seen: list[Any] = []
        for item in list(items):
            key = at(item, rule["key"])
            selected = all(at(item, k) == v for k, v in rule.get("where", {}).items())
            if key in seen and selected:
                items.remove(item)
            elif selected:
                seen.append(key)
    else:
        wanted = (
            at(made, rule["to"]) if "to" in rule else at(items[0] if items else {}, rule["key"])
        )
        for item in items:
            put(item, rule["key"], wanted)
