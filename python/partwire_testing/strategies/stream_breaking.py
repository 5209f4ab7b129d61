"""Whole streams that break one rule, with the rule and the line where it has to be reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from partwire.contract.current import LATEST_VERSION
from partwire.errors import bad_argument
from partwire.message import Limits
from partwire.message.assembler.checks import STEPS, Status

from .breaking import broken_documents
from .delta_making import IDS, Delta, DeltaMaker, delta_maker
from .streams import streams

__all__ = ["NEEDED_KINDS", "SHAPE", "STREAM_RULES", "BrokenStream", "broken_streams"]

SHAPE: Final = "shape"
"""Streams with a line that is not a delta: rules ``shape/…``."""


class BrokenStream(NamedTuple):
    """A stream that has no message, and why.

    ``rule`` is what is reported of the delta on ``line`` (1-based, JSON Lines), the first that is
    refused; ``line`` is None where every delta is taken and only the end says it. A delta that is
    none (``shape/…``) may have other findings beside. Assembled strictly, with default limits.
    """

    deltas: list[Any]
    rule: str
    line: int | None


class _Breaker:
    """Draws the broken form of a stream that was valid."""

    def __init__(self, draw: st.DrawFn, maker: DeltaMaker, deltas: list[Delta]) -> None:
        self.draw = draw
        self.maker = maker
        self.deltas = deltas
        self._ids = {name: deltas[0][name] for name in ("runId", *IDS) if name in deltas[0]}

    def inner(self) -> int:
        """Draw the place of a delta behind the start; a new one may be before it."""
        return self.draw(st.integers(1, len(self.deltas) - 1))

    def insert(self, at: int, kind: str, **payload: Any) -> int:
        """Insert a delta and return its line."""
        made = self.maker.delta(self.draw, kind, self._ids, **payload)
        made["seq"] = self.deltas[at - 1]["seq"] + 1 if at else self.deltas[0]["seq"]
        for each in self.deltas[at:]:
            each["seq"] += 1
        self.deltas.insert(at, made)
        return at + 1

    def call(self, arguments: str | None = None) -> tuple[str, int, int]:
        """Return a tool call, with the places of its start and its end; there may be none yet."""
        starts = self.places("tool_call_start")
        if arguments is None and starts:
            call_id = self.draw(st.sampled_from(list(starts)))
            return call_id, starts[call_id], self.places("tool_call_end")[call_id]
        call_id = self.new_call_id()
        at = self.inner()
        self.insert(at, "tool_call_start", toolCallId=call_id)
        if arguments is not None:
            at += 1
            self.insert(at, "tool_call_args", toolCallId=call_id, argsTextDelta=arguments)
        self.insert(at + 1, "tool_call_end", toolCallId=call_id)
        return call_id, at, at + 1

    def new_call_id(self) -> str:
        """Draw an id that no call and no result has."""
        return self.maker.new_call_id(
            self.draw, {each["payload"].get("toolCallId") for each in self.deltas}
        )

    def media(self) -> tuple[str, int, int]:
        """Return media that is inserted, with the places of its start and its end."""
        media_id = self.maker.new_call_id(self.draw, set(self.places("media_start", "mediaId")))
        at = self.inner()
        self.insert(at, "media_start", mediaId=media_id)
        self.insert(at + 1, "media_data", mediaId=media_id, data="QQ==")
        self.insert(at + 2, "media_end", mediaId=media_id)
        return media_id, at, at + 2

    def places(self, kind: str, member: str = "toolCallId") -> dict[str, int]:
        """Return the places of all deltas of a kind, by an id in them."""
        return {
            each["payload"][member]: at
            for at, each in enumerate(self.deltas)
            if each["kind"] == kind
        }

    def other_than(self, value: Any) -> Any:
        """Draw an id that is not ``value``."""
        return self.draw(self.maker.call_ids.filter(lambda each: each != value))


# Each breaks the stream and returns the line that is refused, None for the end.
_Break = Callable[[_Breaker], "int | None"]


def _misplaced(rule: str) -> _Break:
    """Return what inserts a delta of a kind that the stream's table refuses by ``rule``."""

    def break_it(stream: _Breaker) -> int:
        last: Any = STEPS["started"][stream.deltas[-1]["kind"]]
        places: dict[Status, int] = {"idle": 0, "started": stream.inner(), last: len(stream.deltas)}
        refused = [
            (place, kind)
            for status, place in places.items()
            for kind, step in STEPS[status].items()
            if step == rule and kind in stream.maker.kinds
        ]
        return stream.insert(*stream.draw(st.sampled_from(refused)))

    return break_it


def _run_id_mismatch(stream: _Breaker) -> int:
    at = stream.inner()
    stream.deltas[at]["runId"] = stream.other_than(stream.deltas[at]["runId"])
    return at + 1


def _mismatch(name: str) -> _Break:
    def break_it(stream: _Breaker) -> int:
        at = stream.inner()
        stream.deltas[at][name] = stream.other_than(stream.deltas[0].get(name))
        return at + 1

    return break_it


def _seq_not_increasing(stream: _Breaker) -> int:
    at = stream.inner()
    stream.deltas[at]["seq"] = stream.draw(st.integers(0, stream.deltas[at - 1]["seq"]))
    return at + 1


def _duplicate_tool_call(stream: _Breaker) -> int:
    call_id, start, _ = stream.call()
    at = stream.draw(st.integers(start + 1, len(stream.deltas) - 1))
    return stream.insert(at, "tool_call_start", toolCallId=call_id)


def _unknown_tool_call(stream: _Breaker) -> int:
    call_id, start, _ = stream.call()
    kind = stream.draw(st.sampled_from(["tool_call_args", "tool_call_end"]))
    return stream.insert(stream.draw(st.integers(1, start)), kind, toolCallId=call_id)


def _tool_call_closed(stream: _Breaker) -> int:
    call_id, _, end = stream.call()
    at = stream.draw(st.integers(end + 1, len(stream.deltas) - 1))
    kind = stream.draw(st.sampled_from(["tool_call_args", "tool_call_end"]))
    return stream.insert(at, kind, toolCallId=call_id)


def _tool_call_open(stream: _Breaker) -> int:
    call_id, _, end = stream.call()
    del stream.deltas[end]
    # Whoever asks about the call, or has its result, comes before done.
    for at, each in enumerate(stream.deltas[end:], end):
        if each["payload"].get("toolCallId") == call_id:
            return at + 1
    return len(stream.deltas)


def _unknown_text_part(stream: _Breaker) -> int:
    return stream.insert(stream.inner(), "text_citation", partIndex=len(stream.deltas))


def _duplicate_tool_result(stream: _Breaker) -> int:
    call_id = stream.new_call_id()
    at = stream.insert(stream.inner(), "server_tool_result", toolCallId=call_id)
    return stream.insert(
        stream.draw(st.integers(at, len(stream.deltas) - 1)),
        "server_tool_result",
        toolCallId=call_id,
    )


def _duplicate_approval(stream: _Breaker) -> int:
    call_id, _, end = stream.call()
    used = set(stream.places("approval_request", "approvalId"))
    approval_id = stream.maker.new_call_id(stream.draw, used)
    for at in (end + 1, end + 2):
        stream.insert(at, "approval_request", approvalId=approval_id, toolCallId=call_id)
    return end + 3


def _duplicate_media(stream: _Breaker) -> int:
    media_id, start, _ = stream.media()
    at = stream.draw(st.integers(start + 1, len(stream.deltas) - 1))
    return stream.insert(at, "media_start", mediaId=media_id)


def _unknown_media(stream: _Breaker) -> int:
    media_id, start, _ = stream.media()
    kind = stream.draw(st.sampled_from(["media_data", "media_end"]))
    return stream.insert(stream.draw(st.integers(1, start)), kind, mediaId=media_id)


def _media_closed(stream: _Breaker) -> int:
    media_id, _, end = stream.media()
    at = stream.draw(st.integers(end + 1, len(stream.deltas) - 1))
    kind = stream.draw(st.sampled_from(["media_data", "media_end"]))
    return stream.insert(at, kind, mediaId=media_id)


def _media_open(stream: _Breaker) -> int:
    del stream.deltas[stream.media()[2]]
    return len(stream.deltas)


def _empty_media(stream: _Breaker) -> int:
    _, start, end = stream.media()
    del stream.deltas[start + 1]
    stream.deltas[end - 1]["payload"].pop("source", None)
    return end


def _limit_exceeded(stream: _Breaker) -> int:
    limits = Limits()
    if stream.draw(st.booleans()):
        depth = limits.arguments_depth + 1
        return stream.call('{"":' * depth + "0" + "}" * depth)[2] + 1
    name = "x" * (limits.id_chars + 1)
    return stream.insert(stream.inner(), "tool_call_start", toolCallId=name)


def _invalid_timestamp(stream: _Breaker) -> int:
    at = stream.draw(st.sampled_from([0, len(stream.deltas) - 1]))
    stream.deltas[at]["timestamp"] = stream.draw(st.sampled_from(["", "2026-01-02", "now"]))
    return at + 1


def _truncated(stream: _Breaker) -> None:
    del stream.deltas[stream.draw(st.integers(0, len(stream.deltas) - 1)) :]


def _failed(stream: _Breaker) -> None:
    at = stream.inner()
    del stream.deltas[at:]
    stream.insert(at, "error")


STREAM_RULES: Final[Mapping[str, _Break]] = {
    "stream/start-expected": _misplaced("stream/start-expected"),
    "stream/duplicate-start": _misplaced("stream/duplicate-start"),
    "stream/run-id-mismatch": _run_id_mismatch,
    **{rule: _mismatch(name) for name, rule in IDS.items()},
    "stream/seq-not-increasing": _seq_not_increasing,
    "stream/after-terminal": _misplaced("stream/after-terminal"),
    "stream/duplicate-tool-call": _duplicate_tool_call,
    "stream/unknown-tool-call": _unknown_tool_call,
    "stream/tool-call-closed": _tool_call_closed,
    "stream/tool-call-open": _tool_call_open,
    "stream/unknown-text-part": _unknown_text_part,
    "stream/duplicate-tool-result": _duplicate_tool_result,
    "stream/duplicate-approval": _duplicate_approval,
    "stream/duplicate-media": _duplicate_media,
    "stream/unknown-media": _unknown_media,
    "stream/media-closed": _media_closed,
    "stream/media-open": _media_open,
    "stream/empty-media": _empty_media,
    "stream/limit-exceeded": _limit_exceeded,
    "stream/invalid-timestamp": _invalid_timestamp,
    "stream/truncated": _truncated,
    "stream/failed": _failed,
}
"""What breaks the rules of the assembler; ``shape/…`` comes from broken deltas."""

NEEDED_KINDS: Final[Mapping[str, str]] = {
    "stream/unknown-text-part": "text_citation",
    "stream/duplicate-tool-result": "server_tool_result",
    "stream/duplicate-approval": "approval_request",
    "stream/duplicate-media": "media_start",
    "stream/unknown-media": "media_data",
    "stream/media-closed": "media_data",
    "stream/media-open": "media_start",
    "stream/empty-media": "media_end",
}
"""Rules that no stream breaks of a version that has no such deltas."""


def broken_streams(
    version: str = LATEST_VERSION, *, rule: str | None = None
) -> st.SearchStrategy[BrokenStream]:
    """Return streams that have no message: one rule is broken, and it is known which, and where.

    Each is a stream of :func:`.streams` with one change: a delta left out, doubled, moved, of
    another run, or no delta at all (``shape/…``); the stream cut, or ended by an error. ``rule``
    asks for one of ``STREAM_RULES``, or for ``shape``. Raises UsageError for an unknown version, or
    a rule that no stream of it breaks.
    """
    maker = delta_maker(version)
    absent = {rule for name, rule in IDS.items() if name not in maker.ids}
    absent |= {rule for rule, kind in NEEDED_KINDS.items() if kind not in maker.kinds}
    known = [*(each for each in STREAM_RULES if each not in absent), SHAPE]
    if rule not in (None, *known):
        raise bad_argument(
            f"No stream of {version} breaks this rule", ", ".join(known), rule, "usage/unknown-rule"
        )
    valid = streams(version)
    # The form of a timestamp is looked at only where it goes into the message: its own rule.
    invalid = broken_documents("message.MessageDelta", version).filter(
        lambda broken: (broken.rule, broken.pointer) != ("shape/pattern", "/timestamp")
    )
    rules = st.sampled_from(known) if rule is None else st.just(rule)

    @st.composite
    def draw_one(draw: st.DrawFn) -> BrokenStream:
        chosen = draw(rules)
        stream = _Breaker(draw, maker, draw(valid))
        if chosen == SHAPE:
            at = draw(st.integers(0, len(stream.deltas) - 1))
            broken = draw(invalid)
            return BrokenStream(
                [*stream.deltas[:at], broken.document, *stream.deltas[at + 1 :]],
                broken.rule,
                at + 1,
            )
        line = STREAM_RULES[chosen](stream)
        return BrokenStream(stream.deltas, chosen, line)

    return draw_one()
