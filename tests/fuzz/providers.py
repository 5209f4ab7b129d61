"""Adapters under fuzz: whatever a provider sends, a stream of deltas that keeps the contract.

Run alone: ``python -m tests.fuzz.providers --n 200000 --seed 1``.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
from partwire.v0_1.structs.message import MessageDelta
from tests.fuzz.runner import Target, main
from tests.provider_streams import RUN, check_stream, fixed_clock

_CASES = Path(__file__).resolve().parents[2] / "fixtures" / "v0.1" / "providers"
_CORPUS = [path.read_bytes() for path in sorted(_CASES.glob("*/*/input.*"))]
_MARKS = {"anthropic-messages": (b"stop",), "openai-chat": (b"finish", b"DONE")}
"""Without one of these bytes there is no end marker, and no stream may be done."""
_TOKENS = [
    *[
        b"data: ",
        b"event: ",
        b"event: error\n",
        b"\n\n",
        b"\r\n",
        b": ",
        b"[DONE]",
        b"\xef\xbb\xbf",
    ],
    *[
        b"null",
        b"true",
        b"NaN",
        b"1e999",
        b"-1",
        b"{}",
        b"[]",
        b'""',
        b'"x"',
        b"9" * 30,
        b"[" * 600,
    ],
    *[
        b'"index":0,',
        b'"index":1,',
        b'"index":null,',
        b'"id":"call_a",',
        b'"id":"",',
        b'"id":null,',
    ],
    *[b'"name":"f",', b'"name":null,', b'"arguments":"{}"', b'"arguments":{}', b'"delta":null,'],
    *[b'"type":"message_stop"', b'"type":"error"', b'"type":"tool_use"', b'"error":{"code":429},'],
    *[b'"finish_reason":"stop"', b'"stop_reason":"end_turn"', b'"choices":[]', b'"usage":{}'],
    *[b"\\ud83d", b"\\ude00", b"\xff", b"\xf0\x9f", "ø".encode(), b"\x00", b"\\u0000"],
]


def _deltas(dialect: str, chunks: list[bytes], **options: bool) -> list[MessageDelta]:
    adapter = open_adapter(dialect, RUN, clock=fixed_clock, **options)
    reader = ByteAdapter(adapter, max_event_bytes=4096)
    return [delta for chunk in chunks for delta in reader.feed(chunk)] + reader.close()


def check(data: bytes, rng: random.Random) -> None:
    """Read ``data`` as each dialect, whole and cut: the same stream, within the contract."""
    at = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(6)))
    cut = [data[a:b] for a, b in zip([0, *at], [*at, len(data)], strict=True)]
    for dialect in ADAPTERS:
        deltas = _deltas(dialect, [data])
        check_stream(deltas)
        assert _deltas(dialect, cut) == deltas, cut
        if deltas[-1].kind == "done":
            assert any(mark in data for mark in _MARKS[dialect])
        raw = _deltas(dialect, [data], keep_raw=True)
        assert [delta.kind for delta in raw] == [delta.kind for delta in deltas]


TARGET = Target("providers", check, _CORPUS, _TOKENS, "tests.fuzz.providers")

if __name__ == "__main__":
    sys.exit(main([TARGET]))
