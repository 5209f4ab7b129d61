"""Adapters under fuzz: whatever a provider sends, a stream of deltas that keeps the contract.

Run alone: ``python -m tests.fuzz.providers --n 200000 --seed 1``.
"""

from __future__ import annotations

import random
import sys

from partwire.contract.current.message import MessageDelta
from partwire.errors import PartwireError
from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
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


def _check(data: bytes, rng: random.Random) -> None:
    at = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(6)))
    cut = [data[a:b] for a, b in zip([0, *at], [*at, len(data)], strict=True)]
    for dialect in ADAPTERS:
        deltas = _deltas(dialect, [data])
        check_stream(deltas)
        assert _deltas(dialect, cut) == deltas, cut
        if deltas[-1].kind == "done":
            assert any(mark in visible(data) for mark in _MARKS[dialect])
        raw = _deltas(dialect, [data], keep_raw=True)
        assert [delta.kind for delta in raw] == [delta.kind for delta in deltas]


TARGET = Target("providers", check, corpus(), TOKENS, "tests.fuzz.providers")

if __name__ == "__main__":
    sys.exit(main([TARGET]))
