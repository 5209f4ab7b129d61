"""Framing under fuzz: any bytes, any cut, any limit agree with the reference, whole and in pieces.

Run alone: ``python -m tests.fuzz.framing --n 200000 --seed 1``.
"""

from __future__ import annotations

import random
import sys

import msgspec

from partwire.framing import JSONLinesDecoder, SSEDecoder, decode_value
from tests.framing_reference import (
    UNLIMITED,
    cut_at,
    jsonlines_reference,
    outcome,
    sse_reference,
)
from tests.fuzz.runner import Target, main

_CORPUS = [
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{}}}\n\n'
    b"event: ping\ndata: {}\n\n" * 2,
    b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n',
    b": comment\r\n\r\nid: 1\r\ndata: {}\r\n\r\nretry: 3000\r\ndata:1\r\n\r\n",
    "data: 你好🌍\ndata:\u2028\n\ndata: é\r\rdata: x".encode(),
    b"\xef\xbb\xbfdata: a\n\nid\ndata\n\n",
    b'{"a":1}\n{"a":"\\ud83c\\udf0d"}\r\n\r\n \n["x"]\n{"a":1e3}',
]
_TOKENS = [
    *[b"data", b"data: ", b"event:", b"id:", b"retry: 1", b":", b" ", b"\0"],
    *[b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n"],
    *[b"\xef\xbb\xbf", b"\xf0\x9f", b"\x80", b"\xff", b"\xed\xa0\x80", "\u2028".encode()],
    *[b'"\\ud83c"', b"NaN", b"1e999", b"[" * 600, b"9" * 5000, b"{}", b'"'],
]


def check(data: bytes, rng: random.Random) -> None:
    """Compare both decoders with the reference; decode every value that they give."""
    limit = rng.choice((UNLIMITED, UNLIMITED, rng.randrange(1, 60)))
    size = rng.choice((1, 2, 7, 64))
    cuts = [
        [data],
        cut_at(data, range(0, len(data), size)),
        cut_at(data, [rng.randrange(len(data) + 1) for _ in range(rng.randrange(6))]),
    ]
    sse, lines = sse_reference(data, limit), jsonlines_reference(data, limit)
    for chunks in cuts:
        assert outcome(SSEDecoder(limit), chunks) == sse, chunks
        assert outcome(JSONLinesDecoder(limit), chunks) == lines, chunks
    for event in (*sse.events[:4], *lines.events[:4]):
        value, findings = decode_value(event[1] if isinstance(event[0], str) else event[0])
        assert findings or value is not msgspec.UNSET


TARGET = Target("framing", check, _CORPUS, _TOKENS, "tests.fuzz.framing")

if __name__ == "__main__":
    sys.exit(main([TARGET]))
