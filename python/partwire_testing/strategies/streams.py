"""Whole streams of deltas that assemble to a message."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from partwire.contract.current import LATEST_VERSION

from .delta_making import Delta, DeltaMaker, argument_texts, delta_maker, renumbered

__all__ = ["streams"]

_ELSEWHERE: Final = {"kind": "ref", "ref": "media/1"}
_MAX_DELTAS: Final = 14  # before calls are closed and the stream ends
_KINDS: Final = ("text", "thinking", "tool_call_start", "tool_call_args", "tool_call_end", "usage")
_NEWER_KINDS: Final = (
    "server_tool_call_start",
    "server_tool_call_args",
    "server_tool_call_end",
    "server_tool_result",
    "text_citation",
    "approval_request",
    "media_start",
    "media_data",
    "media_end",
    "warning",
)


def streams(
    version: str = LATEST_VERSION, *, unknown_members: bool = False
) -> st.SearchStrategy[list[Delta]]:
    """Return streams that assemble: lists of deltas as JSON values, from start to done.

    Text, thinking, usage, tool calls and, of versions that have them, calls and results of tools
    that the provider runs, citations, requests for approval, media and warnings come in any order,
    calls and media beside one another, their content in any pieces; numbers have gaps; ids of
    message and turn are there or not. What
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
        self._server: set[str] = set()
        """Calls that the provider runs."""
        self._ended: list[str] = []
        self._answered: set[str] = set()
        self._approvals: set[str] = set()
        self._media: dict[str, bool] = {}
        """Open media → whether it has bytes."""
        self._used_media: set[str] = set()
        self._deltas: list[Delta] = []
        kinds = [*_KINDS, *(kind for kind in _NEWER_KINDS if kind in maker.kinds)]
        # Kinds are listed twice so that few streams are short.
        self.steps = ["done", *kinds, *kinds]

    def drawn(self) -> list[Delta]:
        """Draw the whole stream."""
        self._say("start")
        while len(self._deltas) <= _MAX_DELTAS and self._draw(_step(self)):
            pass
        for call_id in self._draw(st.permutations(list(self._open))):
            self._end_call(call_id)
        for media_id in self._draw(st.permutations(list(self._media))):
            self._end_media(media_id)
        self._say("done")
        return self._deltas

    def take(self, kind: str) -> None:
        """Say what comes next; what needs something open begins it where nothing is."""
        if kind.startswith(("tool_call_", "server_tool_call_")):
            self._take_call(kind)
        elif kind.startswith("media_"):
            self._take_media(kind)
        elif kind == "server_tool_result":
            self._say_result()
        elif kind == "approval_request":
            self._ask()
        elif kind == "text_citation":
            self._cite()
        else:
            self._say(kind)

    def _take_call(self, kind: str) -> None:
        is_server, step = kind.startswith("server_"), kind.rpartition("_")[2]
        alike = [each for each in self._open if (each in self._server) is is_server]
        if step == "start" or not alike:
            self._start_call(is_server)
            return
        call_id = self._draw(st.sampled_from(alike))
        if step == "args":
            self._say_arguments(call_id)
        else:
            self._end_call(call_id)

    def _say(self, kind: str, **payload: Any) -> Delta:
        made = self._maker.delta(self._draw, kind, self._head, **payload)
        self._deltas.append(made)
        return made

    def _say_of_call(self, call_id: str, step: str, **payload: str) -> None:
        kind = "server_tool_call" if call_id in self._server else "tool_call"
        self._say(f"{kind}_{step}", toolCallId=call_id, **payload)

    def _start_call(self, is_server: bool) -> None:
        call_id = self._maker.new_call_id(self._draw, self._used)
        self._open[call_id] = self._draw(argument_texts)
        if is_server:
            self._server.add(call_id)
        self._say_of_call(call_id, "start")

    def _say_arguments(self, call_id: str) -> None:
        rest = self._open[call_id]
        size = self._draw(st.integers(0, len(rest)))
        self._open[call_id] = rest[size:]
        self._say_of_call(call_id, "args", argsTextDelta=rest[:size])

    def _end_call(self, call_id: str) -> None:
        rest = self._open.pop(call_id)
        if rest:
            self._say_of_call(call_id, "args", argsTextDelta=rest)
        self._say_of_call(call_id, "end")
        self._ended.append(call_id)

    def _say_result(self) -> None:
        """Say the result of a call that has ended, or of one of another stream."""
        ended = [each for each in self._ended if each in self._server]
        waiting = [each for each in ended if each not in self._answered]
        taken = {*self._open, *self._ended} - {*waiting} | self._answered
        drawn = st.sampled_from(waiting) if waiting else self._maker.call_ids
        call_id = self._draw(drawn.filter(lambda each: each not in taken))
        self._used.add(call_id)
        self._answered.add(call_id)
        self._say("server_tool_result", toolCallId=call_id)

    def _ask(self) -> None:
        """Ask about a call that has ended; one is made where none has."""
        if not self._ended:
            self._start_call(is_server=False)
            self._end_call(list(self._open)[-1])
        call_id = self._draw(st.sampled_from(self._ended))
        approval_id = self._maker.new_call_id(self._draw, self._approvals)
        self._say("approval_request", approvalId=approval_id, toolCallId=call_id)

    def _cite(self) -> None:
        """Cite the last text; one is said where none has been."""
        texts = [each["payload"]["textDelta"] for each in self._deltas if each["kind"] == "text"]
        if not any(texts):
            self._say("text", textDelta="a")
        del self._say("text_citation", partIndex=0)["payload"]["partIndex"]

    def _take_media(self, kind: str) -> None:
        if kind == "media_start" or not self._media:
            media_id = self._maker.new_call_id(self._draw, self._used_media)
            self._media[media_id] = False
            self._say("media_start", mediaId=media_id)
            return
        media_id = self._draw(st.sampled_from(list(self._media)))
        if kind == "media_end":
            self._end_media(media_id)
            return
        payload = self._say("media_data", mediaId=media_id)["payload"]
        has_bytes = self._media[media_id] and "data" not in payload
        self._media[media_id] = has_bytes or bool(payload.get("data") or payload.get("dataDelta"))

    def _end_media(self, media_id: str) -> None:
        has_bytes = self._media.pop(media_id)
        self._say("media_end", mediaId=media_id, **({} if has_bytes else {"source": _ELSEWHERE}))


@st.composite
def _step(draw: st.DrawFn, stream: _Stream) -> bool:
    """One step as its own draw: a failing test is shrunk by leaving whole steps out."""
    kind = draw(st.sampled_from(stream.steps))
    if kind == "done":
        return False
    stream.take(kind)
    return True
