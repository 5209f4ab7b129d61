"""Framing under fuzz: any bytes, any cut, any limit agree with the reference, whole and in pieces.

Run alone: ``python -m tests.fuzz.framing --n 200000 --seed 1``.
"""

from __future__ import annotations

import random
import sys

import msgspec

from partwire.providers.framing import (
    EventStreamDecoder,
    JSONLinesDecoder,
    SSEDecoder,
    decode_value,
)
from partwire_testing.conformance.drawn.aws_frames import (
    chunk_frame,
    converse_frames,
    exception_frame,
    frame,
    sealed,
    text_header,
)
from tests.fuzz.runner import Target, main
from tests.reference.framing_reference import (
    UNLIMITED,
    cut_at,
    eventstream_reference,
    frames,
    jsonlines_reference,
    outcome,
    sse_reference,
)

_CORPUS = [
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{}}}\n\n'
    b"event: ping\ndata: {}\n\n" * 2,
    b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n',
    b": comment\r\n\r\nid: 1\r\ndata: {}\r\n\r\nretry: 3000\r\ndata:1\r\n\r\n",
    "data: 你好🌍\ndata:\u2028\n\ndata: é\r\rdata: x".encode(),
    b"\xef\xbb\xbfdata: a\n\nid\ndata\n\n",
    b'{"a":1}\n{"a":"\\ud83c\\udf0d"}\r\n\r\n \n["x"]\n{"a":1e3}',
]
_FRAMES = [
    converse_frames([{"messageStart": {"role": "assistant"}}, {"messageStop": {}}]),
    chunk_frame({"type": "message_stop"}) + exception_frame("throttlingException", {}),
    frame([("a", 0, b""), ("b", 5, bytes(8)), ("c", 6, b"\0\1x"), text_header("d", "ø")], b"x"),
    frame([]) * 3,
]
_TOKENS = [
    *[b"data", b"data: ", b"event:", b"id:", b"retry: 1", b":", b" ", b"\0"],
    *[b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n"],
    *[b"\xef\xbb\xbf", b"\xf0\x9f", b"\x80", b"\xff", b"\xed\xa0\x80", "\u2028".encode()],
    *[b"\0\0\0\x10\0\0\0\0\x05\xc2\x48\xeb", b"\0\0\0", b":message-type\7\0\5event"],
    *[b'"\\ud83c"', b"NaN", b"1e999", b"[" * 600, b"9" * 5000, b"{}", b'"'],
]


def _resealed(data: bytes, rng: random.Random) -> bytes:
    """Return frames whose checksums fit: of ``data``, and of good frames with a byte changed."""
    out = []
    at = 0
    while at < len(data):
        piece = data[at : at + rng.randrange(1, 300)]
        at += len(piece)
        lengths = (0, len(piece), rng.randrange(len(piece) + 2))
        out.append(sealed(rng.choice(lengths), piece))
        body = bytearray(rng.choice(_FRAMES)[12:])
        body[rng.randrange(len(body))] = rng.choice((0, 1, 7, 10, 255, rng.randrange(256)))
        out.append(sealed(rng.randrange(len(body)), bytes(body)) if rng.random() < 0.3 else b"")
    good = rng.choice(_FRAMES)
    headers = int.from_bytes(good[4:8], "big")
    raw = bytearray(good[12 : 12 + headers])
    if raw and rng.random() < 0.8:
        raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
    out.insert(rng.randrange(len(out) + 1), sealed(headers, bytes(raw) + data[:20]))
    return b"".join(out)


def check(data: bytes, rng: random.Random) -> None:
    """Compare the decoders with the reference; decode every value that they give."""
    limit = rng.choice((UNLIMITED, UNLIMITED, rng.randrange(1, 60)))
    if rng.random() < 0.4:
        data = _resealed(data, rng)
    size = rng.choice((1, 2, 7, 64))
    cuts = [
        [data],
        cut_at(data, range(0, len(data), size)),
        cut_at(data, [rng.randrange(len(data) + 1) for _ in range(rng.randrange(6))]),
    ]
    sse, lines = sse_reference(data, limit), jsonlines_reference(data, limit)
    framed = eventstream_reference(data, limit)
    for chunks in cuts:
        assert frames(EventStreamDecoder(limit), chunks) == framed, chunks
        assert outcome(SSEDecoder(limit), chunks) == sse, chunks
        assert outcome(JSONLinesDecoder(limit), chunks) == lines, chunks
    for event in (*sse.events[:4], *lines.events[:4]):
        value, findings = decode_value(event[1] if isinstance(event[0], str) else event[0])
        assert findings or value is not msgspec.UNSET


TARGET = Target("framing", check, [*_CORPUS, *_FRAMES], _TOKENS, "tests.fuzz.framing")

if __name__ == "__main__":
    sys.exit(main([TARGET]))
