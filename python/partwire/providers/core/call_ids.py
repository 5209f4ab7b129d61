"""Tool calls that are open, and their ids: the provider's own, or minted where it cannot stand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Set
from typing import Final

from ...tables.limits import MADE_ID_CHARS, MAX_ID_CHARS
from .opaque import well_formed

__all__ = ["MAX_ID_CHARS", "CallIds", "OpenCall", "UsedIds", "WaitingCalls"]

_NOT_ID: Final = re.compile(r"[^A-Za-z0-9_-]+")


class OpenCall:
    """A tool call that has started: its id and part, and half a character held back.

    ``server`` says that the provider runs the tool itself.
    """

    __slots__ = ("half", "part", "server", "tool_call_id")

    def __init__(self, tool_call_id: str, part: int, *, server: bool = False) -> None:
        self.tool_call_id = tool_call_id
        self.part = part
        self.server = server
        self.half = ""


class WaitingCalls:
    """The calls of server tools that have no result yet, found by any name that a result has."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._queues = {"": _Queue()}  # all, and by the provider's id

    def add(self, call_id: str, own: str) -> None:
        """Take a call; ``own`` is the provider's id where it is another one, else empty."""
        self._ids.add(call_id)
        for name in ("", own) if own else ("",):
            self._queues.setdefault(name, _Queue()).ids.append(call_id)

    def find(self, said: str) -> str | None:
        """Return the id of the first call that ``said`` names, or of all where it is empty."""
        if said in self._ids:
            return said
        queue = self._queues.get(said)
        return None if queue is None else queue.first(self._ids)

    def remove(self, call_id: str) -> None:
        """Let go of a call, which has its result now; its id never comes again."""
        self._ids.discard(call_id)


class _Queue:
    """Ids in their order; those that wait no more are passed over, once."""

    __slots__ = ("ids", "passed")

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.passed = 0

    def first(self, waiting: Container[str]) -> str | None:
        while self.passed < len(self.ids) and self.ids[self.passed] not in waiting:
            self.passed += 1
        return self.ids[self.passed] if self.passed < len(self.ids) else None


class UsedIds(set[str]):
    """The ids that a run has used: for who opens a stream for each of many answers.

    It is never copied, and ``repeats`` remembers how often a minted id has come again, so that no
    stream counts from the beginning.
    """

    def __init__(self) -> None:
        super().__init__()
        self.repeats: dict[str, int] = {}


class CallIds:
    """The ids that a run has used, ``used`` before this stream, and those of it."""

    def __init__(self, run_id: str, used: Set[str]) -> None:
        self._run_id = run_id
        self._before = used
        self._repeats = used.repeats if isinstance(used, UsedIds) else {}
        self._used: set[str] = set()
        self._calls: dict[str, int] = {}

    def take(self, own: str | None, request_id: str, prefix: str = "call") -> str:
        """Return the id of the next call: its ``own``, or a minted one where that cannot stand.

        Minted ones begin with ``prefix``, and calls of each are counted apart.
        """
        ordinal = self._calls.get(prefix, 0)
        self._calls[prefix] = ordinal + 1
        call_id = own if own and self._may_stand(own) else self._mint(request_id, ordinal, prefix)
        self._used.add(call_id)
        return call_id

    def retire(self, call_id: str) -> None:
        """Keep an id from calls that begin from now on: a result has answered it already."""
        self._used.add(call_id)

    def _may_stand(self, call_id: str) -> bool:
        if self._is_used(call_id) or len(call_id) > MAX_ID_CHARS:
            return False
        return call_id.isascii() or well_formed(call_id) == call_id

    def _is_used(self, call_id: str) -> bool:
        return call_id in self._used or call_id in self._before

    def _mint(self, request_id: str, ordinal: int, prefix: str) -> str:
        """Return ``<prefix>_<request>_<ordinal>``: the same stream always gives the same ids.

        At most 40 letters, digits, "_" and "-", which every provider accepts on the way back.
        """
        source = request_id or self._run_id
        token = _NOT_ID.sub("_", source)
        if token != source or len(token) > MADE_ID_CHARS:
            digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            token = f"{token[: MADE_ID_CHARS - 9]}-{digest}"
        first = f"{prefix}_{token}_{ordinal}"
        repeat = self._repeats.get(first, 1)
        while self._is_used(call_id := first if repeat == 1 else f"{first}-{repeat}"):
            repeat += 1
        if repeat > 1:
            self._repeats[first] = repeat  # those before it stay used
        return call_id
