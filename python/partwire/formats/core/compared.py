"""What is read back of a document, beside the messages that it was written of.

A writer guesses nothing: what differs between the two is what its format does not say, a loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import groupby
from typing import Any, Final

from partwire.json.pointer import escape_pointer

from .lost import Losses
from .reading import Json

__all__ = ["Losses", "compare", "compare_streams"]

_HEAD: Final = {
    "runId": "run-id",
    "messageId": "message-id",
    "turnId": "turn-id",
    "author": "author",
    "timestamp": "timestamp",
}
_PAYLOAD: Final = {
    "opaque": "opaque",
    "citations": "citation",
    "format": "text-format",
    "outcome": "result-outcome",
    "structured": "result-structured",
    "rawArgsText": "raw-args-text",
    "transcript": "transcript",
}
_KEYS: Final = ("toolCallId", "approvalId")


def compare(
    messages: Mapping[int, Json],
    back: Sequence[Json],
    losses: Losses,
    *,
    own: str,
    left_out: Set[tuple[int, int]] = frozenset(),
    cut: Mapping[tuple[int, int], int] | None = None,
    heads: bool = False,
) -> None:
    """Report what differs between messages, by their number, and what is read back of them.

    ``left_out`` are parts that were not written, by the place of their message among these and
    their own; ``cut`` says of those that were written as several into how many. ``own`` is the
    member of ``meta`` in which the format's reader keeps what a message has no place for.
    ``heads``: run and time are written, and so what is read back is not made up.
    """
    pairs = _paired(list(messages.values()), back)
    gone_of: dict[int, set[int]] = {}
    pieces_of: dict[int, dict[int, int]] = {}
    for of, part in left_out:
        gone_of.setdefault(of, set()).add(part)
    for (of, part), count in (cut or {}).items():
        pieces_of.setdefault(of, {})[part] = count
    for at, (number, message) in enumerate(messages.items()):
        place, other = f"/{number}", pairs[at]
        if other is None:
            losses.note("message-form", place)
            continue
        _compare_heads(message, other, place, losses, own, heads=heads)
        gone, pieces = gone_of.get(at, set()), pieces_of.get(at, {})
        for part in gone:
            losses.note("part-left-out", f"{place}/parts/{part}")
        if not _compare_parts(message["parts"], other["parts"], gone, pieces, place, losses):
            losses.note("message-form", place)


def _paired(messages: list[Json], back: Sequence[Json]) -> list[Json | None]:
    """Return for each message what is read back of it; None where that is others, or nothing.

    Messages of results that are read back as one of them all are others.
    """
    roles = [message["role"] for message in messages]
    theirs = [each["role"] for each in back]
    if roles == theirs:
        return list(back)
    runs = [(role, len(list(run))) for role, run in groupby(roles)]
    counts = [n for role, n in runs for n in ([n] if role == "tool" else [1] * n)]
    joined = [role for role, n in runs for _ in range(1 if role == "tool" else n)]
    if joined != theirs:
        return [None] * len(messages)
    pairs = zip(back, counts, strict=True)
    return [each if n == 1 else None for each, n in pairs for _ in range(n)]


def _compare_heads(
    message: Json, back: Json, place: str, losses: Losses, own: str, *, heads: bool = False
) -> None:
    for name, code in _HEAD.items():
        is_made = name in ("runId", "timestamp") and not heads
        if name in message and (is_made or back.get(name) != message[name]):
            losses.note(code, f"{place}/{name}")
    if "messageId" in back and "messageId" not in message:
        losses.note("message-id", f"{place}/messageId")  # one was made up
    mine, theirs = message.get("meta", {}), back.get("meta", {})
    for name, value in mine.items():
        is_same = name in theirs and theirs[name] == value
        if not is_same and (name != own or _own(theirs, own) != _own(mine, own)):
            losses.note("meta", f"{place}/meta/{escape_pointer(name)}")
    if "meta" in message and not mine and "meta" not in back:
        losses.note("meta", f"{place}/meta")
    if [name for name in theirs if name not in mine and name != own]:
        losses.note("meta", f"{place}/meta")


def _own(meta: Json, own: str) -> Any:
    """Return the format's own member of meta without a step's number, which the place says."""
    value = meta.get(own, {})
    if isinstance(value, dict):
        return {name: said for name, said in value.items() if name != "step"}
    return value


def _compare_parts(
    mine: list[Json],
    theirs: list[Json],
    left_out: set[int],
    cut: dict[int, int],
    place: str,
    losses: Losses,
) -> bool:
    """Compare part by part; return whether each has its own."""
    kept = [at for at in range(len(mine)) if at not in left_out]
    wanted = [_key(mine[at]) for at in kept for _ in range(cut.get(at, 1))]
    found = [_key(part) for part in theirs]
    if Counter(wanted) != Counter(found):
        return False
    if wanted != found:
        losses.note("part-order", f"{place}/parts")
    queues: dict[Any, list[Json]] = {}
    for part in reversed(theirs):
        queues.setdefault(_key(part), []).append(part)
    for at in kept:
        backs = [queues[_key(mine[at])].pop() for _ in range(cut.get(at, 1))]
        where = f"{place}/parts/{at}"
        if len(backs) > 1:
            losses.note("part-form", where)
        else:
            _compare_payloads(mine[at]["payload"], backs[0]["payload"], where, losses)
    return True


def _key(part: Json) -> tuple[str, ...]:
    payload = part["payload"]
    return (part["kind"], *(str(payload[name]) for name in _KEYS if name in payload))


def _compare_payloads(mine: Json, theirs: Json, place: str, losses: Losses) -> None:
    for name in {**mine, **theirs}:
        if name in mine and name in theirs and mine[name] == theirs[name]:
            continue
        code = _PAYLOAD.get(name, "part-form")
        if name == "outcome" and name not in mine:
            code = "outcome-form"
        losses.note(code, f"{place}/payload/{name}")


def compare_streams(
    messages: list[Json], back: list[Json], losses: Losses, *, own: str, heads: bool
) -> None:
    """Report what differs between the messages of a run and what is read back of its events.

    Pointers begin with the number of the message among those of the run. ``heads``: run and time
    are written, and so what is read back is not made up.
    """
    theirs = iter(back)
    other = next(theirs, None)
    for number, message in enumerate(messages):
        place = f"/{number}"
        if other is None or other["role"] != message["role"]:
            losses.note("message-form", place)
            continue
        _compare_heads(message, other, place, losses, own, heads=heads)
        mine, read_back = message["parts"], other["parts"]
        found = Counter(map(_key, read_back))
        left_out: set[int] = set()
        for at, part in enumerate(mine):
            if found[_key(part)] > 0:
                found[_key(part)] -= 1
            else:
                left_out.add(at)
        gone = {_key(mine[at]) for at in left_out}
        other = next(theirs, None)
        apart: set[tuple[str, ...]] = set()
        while other is not None and _is_rest(other, message, gone):
            apart.update(map(_key, other["parts"]))
            other = next(theirs, None)
        for at in left_out:
            if _key(mine[at]) not in apart:
                losses.note("part-left-out", f"{place}/parts/{at}")
        is_whole = _compare_parts(mine, read_back, left_out, {}, place, losses)
        if apart or not is_whole:
            losses.note("message-form", place)


def _is_rest(other: Json, message: Json, gone: Set[tuple[str, ...]]) -> bool:
    """Return whether a message has results that another one lacks: each came in its own."""
    return (
        other["role"] == message["role"] == "tool"
        and bool(other["parts"])
        and gone >= {_key(part) for part in other["parts"]}
    )
