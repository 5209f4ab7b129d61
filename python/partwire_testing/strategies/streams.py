"""Whole streams of deltas that assemble to a message."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from partwire.contract.current import LATEST_VERSION

from .delta_making import Delta, DeltaMaker, argument_texts, delta_maker, renumbered

__all__ = ["streams"]

_MAX_DELTAS: Final = 14  # before calls are closed and the stream ends
_KINDS: Final = ("text", "thinking", "tool_call_start", "tool_call_args", "tool_call_end", "usage")
_STEPS: Final = ("done", *_KINDS, *_KINDS)
"""What may come next; kinds are listed twice so that few streams are short."""


def streams(
    version: str = LATEST_VERSION, *, unknown_members: bool = False
) -> st.SearchStrategy[list[Delta]]:
    """Return streams that assemble: lists of deltas as JSON values, from start to done.

    Text, thinking, usage and tool calls come in any order, calls beside one another, their
    arguments in any pieces; numbers have gaps; ids of message and turn are there or not. What
    is in each delta is drawn after its schema. Arguments that are not a JSON object occur, which
    the message then says (``toolCallParseErrors``). With ``unknown_members`` objects may have
    members that nobody declared. Raises UsageError for an unknown version.
    """
    maker = delta_maker(version, unknown_members)

    @st.composite
    def draw_one(draw: st.DrawFn) -> list[Delta]:
        return renumbered(draw, _Stream(draw, maker).drawn())

    return draw_one()


class _Stream:
    """One stream that is being drawn: what is open, and what of it is still to be said."""

    def __init__(self, draw: st.DrawFn, maker: DeltaMaker) -> None:
        self._draw = draw
        self._maker = maker
        self._head = maker.head(draw)
        self._used: set[str] = set()
        self._open: dict[str, str] = {}
        """Call id → the text of its arguments that has not come yet."""
        self._deltas: list[Delta] = []

    def drawn(self) -> list[Delta]:
        """Draw the whole stream."""
        self._say("start")
        while len(self._deltas) <= _MAX_DELTAS and self._draw(_step(self)):
            pass
        for call_id in self._draw(st.permutations(list(self._open))):
            self._end_call(call_id)
        self._say("done")
        return self._deltas

    def take(self, kind: str) -> None:
        """Say what comes next; what needs an open call begins one where none is."""
        if not kind.startswith("tool_call_"):
            self._say(kind)
        elif kind == "tool_call_start" or not self._open:
            self._start_call()
        else:
            call_id = self._draw(st.sampled_from(list(self._open)))
            if kind == "tool_call_args":
                self._say_arguments(call_id)
            else:
                self._end_call(call_id)

    def _say(self, kind: str, **payload: str) -> None:
        self._deltas.append(self._maker.delta(self._draw, kind, self._head, **payload))

    def _start_call(self) -> None:
        call_id = self._maker.new_call_id(self._draw, self._used)
        self._open[call_id] = self._draw(argument_texts)
        self._say("tool_call_start", toolCallId=call_id)

    def _say_arguments(self, call_id: str) -> None:
        rest = self._open[call_id]
        size = self._draw(st.integers(0, len(rest)))
        self._open[call_id] = rest[size:]
        self._say("tool_call_args", toolCallId=call_id, argsTextDelta=rest[:size])

    def _end_call(self, call_id: str) -> None:
        rest = self._open.pop(call_id)
        if rest:
            self._say("tool_call_args", toolCallId=call_id, argsTextDelta=rest)
        self._say("tool_call_end", toolCallId=call_id)


@st.composite
def _step(draw: st.DrawFn, stream: _Stream) -> bool:
    """One step as its own draw: a failing test is shrunk by leaving whole steps out."""
    kind = draw(st.sampled_from(_STEPS))
    if kind == "done":
        return False
    stream.take(kind)
    return True
