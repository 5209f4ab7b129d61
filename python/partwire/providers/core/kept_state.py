"""What a provider wants back, from its event to the delta that carries it.

An item goes with the delta that ends the part which it belongs to: text and thinking are ended by
a delta with empty text, a call by its ``tool_call_end``. What comes when its part is over, or
stands behind the last part, goes with the last delta that can carry any, and says by
``partOffset`` where it belongs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence, Set
from typing import Any

from msgspec import UNSET, UnsetType

from partwire.contract.current.message import Opaque

from .opaque import OpaqueItem, storable, well_formed

__all__ = ["KeptState"]


class KeptState:
    """The state of one stream: all of it in order of arrival, and what no delta has carried yet.

    ``items`` and ``provider_ids`` (minted tool call id → the provider's own, None where it sent
    none) are all. Source: semantics, model and adapters.
    """

    __slots__ = ("_dialect", "_due", "items", "provider_ids")

    def __init__(self, dialect: str) -> None:
        self.items: list[OpaqueItem] = []
        self.provider_ids: dict[str, str | None] = {}
        self._dialect = dialect
        self._due: dict[int, list[OpaqueItem]] = {}  # by part

    def __bool__(self) -> bool:
        """Whether there is anything that no delta has carried yet."""
        return bool(self._due)

    def keep(self, item: OpaqueItem) -> None:
        """Keep an item until a delta can carry it."""
        self.items.append(item)
        self._due.setdefault(item.part, []).append(item)

    def carry(self, items: list[OpaqueItem]) -> Opaque:
        """Keep items that something carries itself, and return them as it does."""
        self.items += items
        return Opaque(
            provider=self._dialect, data={"items": [_wire(item, item.part) for item in items]}
        )

    def of_part(self, part: int, call_id: str | None = None) -> Opaque | UnsetType:
        """Return what the delta carries that ends ``part``; for a call, also its own id."""
        return self._opaque(self._due.pop(part, []), part, call_id)

    def rest(
        self, part: int, call_id: str | None = None, left_out: Set[int] = frozenset()
    ) -> Opaque | UnsetType:
        """Return all that is due, as the last delta that can carry it does, which ends ``part``.

        ``left_out`` are the parts of calls that a partial message lacks: what belongs to such a
        call goes with it, and the parts behind it move up.
        """
        mine = self._due.pop(part, [])
        mine += (item for items in self._due.values() for item in items)
        self._due = {}
        gone = sorted(left_out)
        moved = [
            item._replace(part=_moved(item.part, gone))
            for item in mine
            if item.start is not None or item.part not in left_out
        ]
        return self._opaque(moved, _moved(part, gone), call_id)

    def _opaque(
        self, items: list[OpaqueItem], part: int, call_id: str | None
    ) -> Opaque | UnsetType:
        minted = call_id is not None and call_id in self.provider_ids
        if not items and not minted:
            return UNSET
        data: dict[str, Any] = {"items": [_wire(item, part) for item in items]}
        if minted and call_id is not None:
            own = self.provider_ids[call_id]
            data["toolCallId"] = own and well_formed(own)
        return Opaque(provider=self._dialect, data=data)


def _moved(part: int, gone: Sequence[int]) -> int:
    """Return the index of a part where others are left out; ``gone`` is sorted."""
    return part - bisect_left(gone, part)


def _wire(item: OpaqueItem, part: int) -> dict[str, Any]:
    """Return an item as ``part`` carries it: JSON that documents may hold."""
    wire: dict[str, Any] = {"kind": well_formed(item.kind), "data": storable(item.data)}
    if item.start is not None:
        wire |= {"start": item.start, "end": item.end}
    if item.part != part:
        wire["partOffset"] = item.part - part
    return wire
