"""What a history checker keeps of a run: open calls, early results, and which turn it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, Protocol

__all__ = ["Place", "RecentIds", "RunState", "Turns", "pointer_position"]


class Place(NamedTuple):
    """A part of a history, by index of message and part; ``line`` is the message's, in a file."""

    message: int
    part: int
    line: int | None = None

    @property
    def pointer(self) -> str:
        """The pointer to the tool call id of the part."""
        return f"/{self.message}/parts/{self.part}/payload/toolCallId"


_NOWHERE: Final = Place(-1, -1)


class _HasPointer(Protocol):
    @property
    def pointer(self) -> str: ...


def pointer_position(found: _HasPointer) -> tuple[int, int]:
    """Return message and part, to sort by; what is about a whole message comes first."""
    _, message, *rest = found.pointer.split("/")
    return int(message), int(rest[1]) if rest[:1] == ["parts"] and len(rest) > 1 else -1


class Turns:
    """Counts the turns of one run.

    A turn begins where the user speaks, or the assistant after anybody else. The tool speaks with
    results of the turn's own calls alone, so that one stray result makes no other one late; the
    system does not count.
    """

    __slots__ = ("now", "speaker")

    def __init__(self) -> None:
        self.now = 0
        self.speaker = ""

    def hear(self, role: str) -> None:
        """Note what a message of ``role`` says; results are for :meth:`hear_result`."""
        if role in ("user", "assistant") and role != self.speaker:
            self.now += 1
            self.speaker = role

    def hear_result(self) -> None:
        """Note a result of a call of this turn."""
        self.speaker = "tool"


class _OpenCall(NamedTuple):
    place: Place
    turn: int
    has_early_result: bool


class RunState(Turns):
    """One run while it has open calls or early results; false once it has neither."""

    __slots__ = ("_answered", "_calls", "_early")

    def __init__(self) -> None:
        super().__init__()
        self._answered = _NOWHERE  # the last of the answered calls, as they stand
        self._calls: dict[str, _OpenCall] = {}
        self._early: dict[str, list[Place]] = {}

    def __bool__(self) -> bool:
        return bool(self._calls or self._early)

    def place_of(self, call_id: str) -> Place | None:
        """Return where the open call of this id stands, or None."""
        call = self._calls.get(call_id)
        return None if call is None else call.place

    def open_call(self, call_id: str, place: Place) -> list[Place]:
        """Open a call; return where results stand that came before it."""
        early = self._early.pop(call_id, [])
        self._calls[call_id] = _OpenCall(place, self.now, bool(early))
        return early

    def answer(self, call_id: str) -> Literal["in time", "out of order", "late"] | None:
        """Close the open call of this id; None if there is none."""
        call = self._calls.pop(call_id, None)
        if call is None:
            return None
        if call.turn != self.now:
            return "late"
        self.hear_result()
        if call.place[:2] < self._answered[:2]:
            return "out of order"
        self._answered = call.place
        return "in time"

    def hold(self, call_id: str, place: Place) -> None:
        """Keep a result whose call may still come."""
        self._early.setdefault(call_id, []).append(place)

    def early_results(self) -> Iterator[tuple[str, Place]]:
        """Yield id and place of the results whose call has not come."""
        for call_id, places in self._early.items():
            yield from ((call_id, place) for place in places)

    def unanswered(self, ongoing: bool) -> Iterator[tuple[str, Place]]:
        """Yield id and place of the open calls; with ``ongoing``, of those passed over."""
        for call_id, call in self._calls.items():
            waits = ongoing and call.turn == self.now
            if not call.has_early_result and not waits:
                yield call_id, call.place


class RecentIds:
    """The ids (as digests of 64 bits) that were added last: at least ``size``, at most twice that.

    All of them if ``size`` is None.
    """

    __slots__ = ("_older", "_recent", "_size")

    def __init__(self, size: int | None) -> None:
        self._size = size
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._recent: set[int] = set()
        self._older: set[int] = set()

    def add(self, key: tuple[str, str]) -> None:
        """Remember ``key``."""
        self._recent.add(hash(key))
        if len(self._recent) == self._size:
            # Two generations: forgetting one by one would need the order of all.
            self._older = self._recent
            self._recent = set()

    def __contains__(self, key: tuple[str, str]) -> bool:
        digest = hash(key)
        return digest in self._recent or digest in self._older
