"""What can go wrong with a stream on its way into an archive, and what has to come of it.

The law: the lines of a stream count in the order of ``seq``, in whatever order they are stored. Of
several with one ``seq`` the first one counts; others that say the same are repeats. A line that is
refused is quarantined, and so are the lines of its stream behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final, Literal

from .streams import Delta, Ending, Stream

__all__ = ["FAULTS", "OnUnknown", "Stored", "stored"]

OnUnknown = Literal["refuse", "tolerate", "drop"]


@dataclass(slots=True)
class Stored:
    """A stream as it is stored, and what has to come of it.

    Lines that are neither quarantined nor repeats are in the message.
    """

    lines: list[str]
    deltas: list[Delta]
    """Those that make the message; none, and there is no message."""
    ending: Ending = "done"
    end_stamp: str = ""
    quarantined: int = 0
    repeats: int = 0
    late: list[str] = field(default_factory=list)
    """Lines that are stored some time after the others."""


_Fault = Callable[[Random, Stream, list[str], OnUnknown], Stored]


def stored(rng: Random, stream: Stream, fault: str, on_unknown: OnUnknown) -> Stored:
    """Return a stream with a fault; "" is for none."""
    lines = stream.lines()
    if not fault:
        return Stored(lines, stream.deltas, end_stamp=stream.stamps[len(lines) - 1])
    made = _FAULTS[fault](rng, stream, lines, on_unknown)
    if made.ending == "done":
        made.end_stamp = stream.stamps[len(lines) - 1]
    return made


def _cut(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    end = rng.randrange(1, len(lines))
    return Stored(lines[:end], stream.deltas[:end], "truncated")


def _failed(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    end = rng.randrange(1, len(lines))
    error = stream.line(end + 1, "error", '"errorCode":"overloaded","message":"Try again later"')
    return Stored([*lines[:end], error], stream.deltas[:end], "error", stream.stamps[end])


# --- the same, in another order or several times --------------------------------------------------


def _repeated(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    found: list[str] = []
    for line in lines:
        found += [line] * (2 if rng.random() < 0.1 else 1)
    at = rng.randrange(len(found))
    found.insert(at, found[at])
    return Stored(found, stream.deltas, repeats=len(found) - len(lines))


def _repeated_late(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    late = rng.choices(lines, k=rng.randint(1, 5))
    return Stored(lines, stream.deltas, repeats=len(late), late=late)


def _twice(_rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    return Stored(lines, stream.deltas, repeats=len(lines), late=lines)


def _resumed(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    """Break off, and go on a while later from some lines before."""
    end = rng.randrange(1, len(lines))
    again = rng.randrange(end + 1)
    return Stored(lines[:end], stream.deltas, repeats=end - again, late=lines[again:])


def _reordered(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    """Store lines near their places."""
    places = sorted(range(len(lines)), key=lambda at: at + rng.uniform(-4, 4))
    return Stored([lines[at] for at in places], stream.deltas)


# --- lines that are quarantined -------------------------------------------------------------------


def _conflicting(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    """Say something else with the seq of another delta, and later."""
    at = rng.choice(stream.texts())
    other = stream.line(at + 1, "text", '"textDelta":"something else"')
    return Stored([*lines[: at + 1], other, *lines[at + 1 :]], stream.deltas, quarantined=1)


def _after_end(_rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    more = stream.line(len(lines) + 1, "text", '"textDelta":"after the end"')
    return Stored([*lines, more], stream.deltas, quarantined=1)


def _without(stream: Stream, lines: list[str], at: int, instead: str) -> Stored:
    """Store a line that says of no stream instead of one: its stream lacks that one alone."""
    deltas = [*stream.deltas[:at], *stream.deltas[at + 1 :]]
    return Stored([*lines[:at], instead, *lines[at + 1 :]], deltas, quarantined=1)


def _broken(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    at = rng.choice(stream.texts())
    return _without(stream, lines, at, lines[at][: rng.randrange(1, len(lines[at]) - 1)] + "\n")


def _nameless(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    at = rng.choice(stream.texts())
    return _without(stream, lines, at, lines[at].replace(f'"runId":"{stream.run_id}",', "", 1))


def _refused(stream: Stream, lines: list[str], at: int, instead: str) -> Stored:
    """Store a line that its stream refuses instead of one: what is behind it is quarantined."""
    found = [*lines[:at], instead, *lines[at + 1 :]]
    return Stored(found, stream.deltas[:at], "truncated", quarantined=len(lines) - at)


def _wrong(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    at = rng.choice(stream.texts())
    return _refused(stream, lines, at, stream.line(at + 1, "text", '"textDelta":5'))


def _bad_utf8(rng: Random, stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    at = rng.choice(stream.texts())
    line = stream.line(at + 1, "text", '"textDelta":"not UTF-8: \udcff\udcfe"')
    return _refused(stream, lines, at, line)


def _unknown(rng: Random, stream: Stream, lines: list[str], on_unknown: OnUnknown) -> Stored:
    at = rng.choice(stream.texts())
    line = stream.line(at + 1, "heartbeat", '"at":[1,2]')
    if on_unknown == "refuse":
        return _refused(stream, lines, at, line)
    made = _without(stream, lines, at, line)
    made.quarantined = int(on_unknown == "drop")
    return made


def _headless(_rng: Random, _stream: Stream, lines: list[str], _: OnUnknown) -> Stored:
    return Stored(lines[1:], [], quarantined=len(lines) - 1)


_FAULTS: Final[dict[str, _Fault]] = {
    "cut": _cut,
    "failed": _failed,
    "repeated": _repeated,
    "repeated_late": _repeated_late,
    "twice": _twice,
    "resumed": _resumed,
    "reordered": _reordered,
    "conflicting": _conflicting,
    "after_end": _after_end,
    "broken": _broken,
    "nameless": _nameless,
    "wrong": _wrong,
    "bad_utf8": _bad_utf8,
    "unknown": _unknown,
    "headless": _headless,
}

FAULTS: Final[tuple[str, ...]] = tuple(_FAULTS)
"""All faults, by name."""
