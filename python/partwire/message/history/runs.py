"""What a history checker keeps of a run: open calls and requests, early results, the turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol

__all__ = [
    "CallKey",
    "Place",
    "RecentIds",
    "Request",
    "RunState",
    "Turns",
    "pointer_position",
]


class Place(NamedTuple):
    """A part of a history, by index of message and part; ``line`` is the message's, in a file."""

    message: int
    part: int
    line: int | None = None

    @property
    def pointer(self) -> str:
        """The pointer to the tool call id of the part."""
        return self.to("/payload/toolCallId")

    def to(self, member: str) -> str:
        """Return the pointer to a member of the part."""
        return f"/{self.message}/parts/{self.part}{member}"


class CallKey(NamedTuple):
    """What a call and its result have in common; no result answers a call of the other kind."""

    id: str
    is_server: bool


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
    system does not count, nor do approvals and results of the provider.
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


class Request(NamedTuple):
    """A request for approval: the call that it is about, and the ids of its choices."""

    key: CallKey
    choices: Sequence[str]


class _OpenCall(NamedTuple):
    place: Place
    turn: int
    has_early_result: bool


class RunState(Turns):
    """One run while it has open calls or requests, or early results; false once it has none."""

    __slots__ = ("_answered", "_calls", "_early", "_requests", "_unapproved")

    def __init__(self) -> None:
        super().__init__()
        self._answered = _NOWHERE  # the last of the answered calls, as they stand
        self._calls: dict[CallKey, _OpenCall] = {}
        self._early: dict[CallKey, list[Place]] = {}
        self._requests: dict[str, Request] = {}  # approvals that are asked for
        self._unapproved: dict[CallKey, set[str]] = {}  # those that an open call waits for

    def __bool__(self) -> bool:
        return bool(self._calls or self._early or self._requests)

    def open_key(self, call_id: str) -> CallKey | None:
        """Return the key of the last open call of this id, of either kind."""
        keys = (CallKey(call_id, is_server) for is_server in (False, True))
        found = (key for key in keys if key in self._calls)
        return max(found, key=lambda key: self._calls[key].place[:2], default=None)

    def is_open(self, key: CallKey) -> bool:
        """Return whether the call of this key waits for its result."""
        return key in self._calls

    def place_of(self, key: CallKey) -> Place:
        """Return where an open call stands."""
        return self._calls[key].place

    def open_call(self, key: CallKey, place: Place) -> list[Place]:
        """Open a call; return where results stand that came before it."""
        early = self._early.pop(key, [])
        self._calls[key] = _OpenCall(place, self.now, bool(early))
        return early

    def answer(self, key: CallKey) -> Literal["in time", "out of order", "late"] | None:
        """Close the open call of this key; None if there is none."""
        call = self._calls.pop(key, None)
        if call is None:
            return None
        if key.is_server:  # the provider's results may come in any later message
            return "in time"
        if call.turn != self.now:
            return "late"
        self.hear_result()
        if call.place[:2] < self._answered[:2]:
            return "out of order"
        self._answered = call.place
        return "in time"

    def hold(self, key: CallKey, place: Place) -> None:
        """Keep a result whose call may still come."""
        self._early.setdefault(key, []).append(place)

    def early_results(self) -> Iterator[tuple[str, Place]]:
        """Yield id and place of the results whose call has not come."""
        for key, places in self._early.items():
            yield from ((key.id, place) for place in places)

    def unanswered(self, ongoing: bool) -> Iterator[tuple[CallKey, Place]]:
        """Yield key and place of the open calls; with ``ongoing``, of those passed over."""
        for key, call in self._calls.items():
            waits = ongoing and call.turn == self.now
            if not call.has_early_result and not waits:
                yield key, call.place

    def ask(self, approval_id: str, request: Request) -> None:
        """Note a request for the approval of a call."""
        self._requests[approval_id] = request
        if request.key in self._calls:
            self._unapproved.setdefault(request.key, set()).add(approval_id)

    def asked(self, approval_id: str) -> Request | None:
        """Return the open request of this id, or None."""
        return self._requests.get(approval_id)

    def decide(self, approval_id: str, *, is_approved: bool) -> None:
        """Close an open request."""
        request = self._requests.pop(approval_id)
        if is_approved:
            self._unapproved.get(request.key, set()).discard(approval_id)

    def take_unapproved(self, key: CallKey) -> bool:
        """Return whether a call that is answered now waited for an approval."""
        return bool(self._unapproved.pop(key, None))


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

    def add(self, key: tuple[Any, ...]) -> None:
        """Remember ``key``."""
        self._recent.add(hash(key))
        if len(self._recent) == self._size:
            # Two generations: forgetting one by one would need the order of all.
            self._older = self._recent
            self._recent = set()

    def __contains__(self, key: tuple[Any, ...]) -> bool:
        digest = hash(key)
        return digest in self._recent or digest in self._older
