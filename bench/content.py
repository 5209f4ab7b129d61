"""The content that every contestant assembles: the same pieces, whatever the event format."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

__all__ = ["MIXES", "Content", "Outcome", "ToolUse", "make_content"]

MIXES: Final = {
    "text": "text only",
    "args": "one call, long arguments",
    "parallel": "64 parallel calls",
}
_PARALLEL_CALLS: Final = 64
_PIECE_CHARS: Final = 6
_SEED: Final = 20261103
_PROSE: Final = (
    "the of and to in is that it for on with as are this be from by at an or which can has its "
    "stream message part delta call value text result field schema reader writer token order "
    "café naïve — “quoted” data, however. Then; 42 3.14 (see below)\n\n - `code` **bold**"
)
_WORDS: Final = tuple(_PROSE.split(" "))


class Outcome(NamedTuple):
    """What an assembled message says, in one form for all contestants.

    ``calls`` holds (id, tool name, parsed arguments) in the order in which the calls began.
    """

    text: str
    calls: tuple[tuple[str, str, Any], ...]


@dataclass(frozen=True)
class ToolUse:
    """One tool call of the content; ``arguments_text`` is JSON text of an object."""

    call_id: str
    name: str
    arguments_text: str


@dataclass(frozen=True)
class Content:
    """What one stream carries.

    ``pieces`` are (index into ``calls``, piece of its arguments), or (-1, piece of text), in
    order of arrival; ``size`` is their number. Every format adds its own events for the beginning
    and the end of the stream and of each call.
    """

    mix: str
    calls: tuple[ToolUse, ...]
    pieces: tuple[tuple[int, str], ...]

    @property
    def size(self) -> int:
        """Number of content deltas."""
        return len(self.pieces)

    @property
    def deltas(self) -> int:
        """Number of all deltas in our own format: beginnings, ends and usage included."""
        return len(self.pieces) + 2 * len(self.calls) + 3

    @cached_property
    def text(self) -> str:
        """The whole text."""
        return "".join(piece for call, piece in self.pieces if call < 0)

    @cached_property
    def expected(self) -> Outcome:
        """What every contestant has to arrive at."""
        decode = msgspec.json.decode
        calls = ((call.call_id, call.name, decode(call.arguments_text)) for call in self.calls)
        return Outcome(self.text, tuple(calls))


def make_content(mix: str, size: int) -> Content:
    """Return ``size`` pieces of the given mix; the same call always gives the same content."""
    if mix == "text":
        return Content(mix, (), tuple((-1, piece) for piece in _text_pieces(size)))
    if mix == "args":
        call, pieces = _tool_use(0, size)
        return Content(mix, (call,), tuple((0, piece) for piece in pieces))
    if mix == "parallel":
        return _parallel(size)
    raise ValueError(f"no mix named {mix!r}; there are {', '.join(MIXES)}")


def _parallel(size: int) -> Content:
    """Deal the pieces to the calls in turn, as providers with parallel calls do."""
    shares = [len(range(index, size, _PARALLEL_CALLS)) for index in range(_PARALLEL_CALLS)]
    made = [_tool_use(index, share) for index, share in enumerate(shares)]
    pieces = tuple(
        (place % _PARALLEL_CALLS, made[place % _PARALLEL_CALLS][1][place // _PARALLEL_CALLS])
        for place in range(size)
    )
    return Content("parallel", tuple(call for call, _ in made), pieces)


def _text_pieces(size: int) -> list[str]:
    chooser = random.Random(_SEED)
    return [word + " " for word in chooser.choices(_WORDS, k=size)]


def _tool_use(index: int, size: int) -> tuple[ToolUse, list[str]]:
    """Return a call and its arguments text cut into ``size`` pieces (size 0: no arguments)."""
    text = _arguments_text(index, size * _PIECE_CHARS) if size else "{}"
    return ToolUse(f"call_{index:04d}", f"edit_file_{index % 7}", text), _cut(text, size, index)


def _arguments_text(index: int, length: int) -> str:
    """Return an object of about ``length`` characters: half a long string, half rows."""
    if length < 120:
        return '{"q":"' + "x" * max(length - 8, 0) + '"}'
    chooser = random.Random(_SEED + index)
    words: list[str] = []
    left = length // 2
    while left > 0:
        words.append(chooser.choice(_WORDS))
        left -= len(words[-1]) + 1
    rows: list[dict[str, Any]] = []
    left = length // 2
    while left > 0:
        row = {"id": len(rows), "name": chooser.choice(_WORDS), "share": 0.25, "ok": True}
        rows.append(row)
        left -= len(msgspec.json.encode(row)) + 1
    body = {"path": f"src/module_{index}.py", "content": " ".join(words), "rows": rows}
    return msgspec.json.encode(body).decode()


def _cut(text: str, size: int, seed: int) -> list[str]:
    """Cut ``text`` into exactly ``size`` pieces of uneven length."""
    if size == 0:
        return []
    chooser = random.Random(_SEED + seed)
    step = len(text) / size
    jitter = step * 0.4
    inner = [int(place * step + chooser.uniform(-jitter, jitter)) for place in range(1, size)]
    edges = [0, *inner, len(text)]
    return [text[start:end] for start, end in itertools.pairwise(edges)]
