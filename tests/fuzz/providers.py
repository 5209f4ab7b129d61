"""Adapters under fuzz: whatever a provider sends, a stream of deltas that keeps the contract.

Run alone: ``python -m tests.fuzz.providers --n 200000 --seed 1``.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import msgspec

from partwire import assemble
from partwire.contract.current.message import Message, MessageDelta
from partwire.errors import PartwireError
from partwire.providers import ADAPTERS, ByteAdapter, adapt_bytes, open_adapter
from partwire_testing.conformance.drawn.provider_events import TOKENS, corpus, rewritten, visible
from tests.fuzz.runner import Target, main
from tests.providers.provider_streams import RUN, check_stream, fixed_clock

_MARKS = {
    "anthropic-messages": (b"stop",),
    "bedrock-converse": (b"messageStop", b"stopReason"),
    "gemini": (b"eason",),
    "cohere-v2": (b"message-end", b"finish_reason"),
    "openai-chat": (b"finish", b"DONE"),
    "openai-responses": (b"complete", b"response.done", b'"response"'),
}
"""Without one of these bytes there is no end marker, and no stream may be done."""


def _deltas(dialect: str, chunks: list[bytes], keep_raw: bool = False) -> list[MessageDelta]:
    adapter = open_adapter(dialect, RUN, clock=fixed_clock, keep_raw=keep_raw)
    reader = ByteAdapter(adapter, max_event_bytes=8192)
    return [delta for chunk in chunks for delta in reader.feed(chunk)] + reader.close()


def check(data: bytes, rng: random.Random) -> None:
    """Read ``data``, or rewritten events, as each dialect: one stream, within the contract.

    Nothing is refused here: adapters raise nothing, and the assembler takes what they write, up
    to its own limits.
    """
    try:
        _check(rewritten(rng) if rng.random() < 0.6 else data, rng)
    except PartwireError as error:
        if error.rule != "stream/limit-exceeded":
            raise AssertionError(f"refused: {error}") from error


def _check_message(dialect: str, cut: list[bytes]) -> None:
    """Compare the message that is made of the bytes with that of the deltas."""
    deltas = list(adapt_bytes(dialect, cut, RUN, clock=fixed_clock))
    at_once = adapt_bytes(dialect, cut, RUN, clock=fixed_clock)
    assert outcome(lambda: assemble(at_once)) == outcome(lambda: assemble(deltas)), cut


def outcome(run: Callable[[], Message]) -> Any:
    """Return all that is seen of a message, or of the error."""
    try:
        message = run()
    except PartwireError as error:
        partial = getattr(error, "partial", None)
        return type(error), error.findings, getattr(error, "seq", None), repr(partial)
    return repr(message), msgspec.json.encode(message)


def _check(data: bytes, rng: random.Random) -> None:
    at = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(6)))
    cut = [data[a:b] for a, b in zip([0, *at], [*at, len(data)], strict=True)]
    for dialect in ADAPTERS:
        deltas = _deltas(dialect, [data])
        check_stream(deltas)
        assert _deltas(dialect, cut) == deltas, cut
        if deltas[-1].kind == "done":
            assert any(mark in visible(data) for mark in _MARKS[dialect])
        assert list(adapt_bytes(dialect, cut, RUN, clock=fixed_clock)) == deltas
        _check_message(dialect, cut)
        raw = _deltas(dialect, [data], keep_raw=True)
        assert [delta.kind for delta in raw] == [delta.kind for delta in deltas]
        kept = adapt_bytes(dialect, cut, RUN, clock=fixed_clock, keep_raw=True)
        assert msgspec.json.encode(list(kept)) == msgspec.json.encode(raw)


TARGET = Target("providers", check, corpus(), TOKENS, "tests.fuzz.providers")

if __name__ == "__main__":
    sys.exit(main([TARGET]))
