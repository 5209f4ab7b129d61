"""Streams of deltas under fuzz: any bytes, in any cut, give the same by every way of assembling.

With the native core and without, whole, as lines and in pieces, also where somebody looks between
them: the same message, or the same error at the same line. Without the native core, the ways of
the package are compared with each other. Run alone: ``python -m tests.fuzz.streams --n 200000``.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from partwire import Limits, LineAssembler, assemble, native_core
from partwire.errors import PartwireError
from partwire.message.assembler.lines import unknown_document
from partwire.reading.pipeline import Mode
from tests.fixture_cases import cases
from tests.fuzz.runner import Target, main

_TOKENS = [
    *[b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b" ", b"\n", b"\r\n", b"\n\n", b"\0"],
    *[b"null", b"true", b"0", b"-1", b"1.0", b"1e5", b"1e999", b"9007199254740992", b"9" * 320],
    *[b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\\ud83d", b"\\ud83d\\ude00", b"\\u0000", b"\\/"],
    *[b'"kind":"thinking"', b'"kind":"new"', b'"seq":7', b'"opaque":', b'"providerRaw":{"a":[1]},'],
    *[b'"messageId":"m",', b'"a":{"b":[1,{"c":"d"}]},', "🌍".encode()],
]
_LIMITS = (
    *("text_bytes", "arguments_bytes", "tool_calls", "parts", "arguments_depth", "id_chars"),
    *("opaque_bytes", "opaque_depth", "payload_bytes", "payload_depth", "media_bytes", "agents"),
)
_MODES: tuple[Mode, ...] = ("strict", "tolerant")


def _corpus() -> list[bytes]:
    """Return the fixtures' streams, as they are and written in other ways."""
    streams = [b"\n".join(case.lines("deltas")) + b"\n" for case in cases("streams")]
    values = [json.loads(line) for stream in streams for line in _objects(stream)]
    spaced = [json.dumps(each) for each in values]
    kept = b"".join(
        json.dumps({**each, "providerRaw": {"type": "x", "n": [1.5, None]}}).encode() + b"\n"
        for each in values
        if isinstance(each, dict)
    )
    return [*streams, "\n".join(spaced).encode(), kept]


def _objects(stream: bytes) -> list[bytes]:
    return [line for line in stream.split(b"\n") if _is_object(line)]


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def check(data: bytes, rng: random.Random) -> None:
    """Assemble ``data`` in every way; raise what it is refused for."""
    if re.search(rb"\}[ \t\r]*\{", data):
        return  # two deltas that share a line are not told from two lines
    limits = Limits(**{rng.choice(_LIMITS): rng.choice([1, 2, 3, 10, 40])})
    options: dict[str, Any] = {
        "run_id": rng.choice([None, None, None, "r", "run-1"]),
        "limits": limits if rng.random() < 0.2 else None,
        "mode": rng.choice(_MODES),
    }
    end = rng.choice([b"", b"\n"])
    lines: list[Any] = [line + end for line in data.split(b"\n")]
    at = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(6)))
    pieces = [data[a:b] for a, b in zip([0, *at], [*at, len(data)], strict=True)]
    looks = [rng.random() < 0.3 for _ in pieces]
    whole = _both_ways(lambda: assemble(data, **options))
    _both_ways(lambda: assemble(lines, **options))
    _both_ways(lambda: assemble(iter(lines), **options))
    _both_ways(lambda: _in_pieces(pieces, looks, options))
    if isinstance(whole, PartwireError):
        raise whole


def _in_pieces(pieces: list[bytes], looks: list[bool], options: dict[str, Any]) -> Any:
    """Return the message, or the error, with all that was seen on the way."""
    reader, seen = LineAssembler(**options), []
    try:
        for piece, looks_now in zip(pieces, looks, strict=True):
            reader.feed(piece)
            if looks_now:
                seen.append(_shown(reader))
        return reader.finish(), seen
    except PartwireError as error:
        return _told(error), seen, _shown(reader)


def _shown(reader: LineAssembler) -> Any:
    shown = reader.assembler
    progress = None if shown.status == "idle" else json.dumps(shown.progress().to_wire())
    return shown.status, shown.last_seq, progress, repr(shown.tool_calls)


def _both_ways(run: Callable[[], Any]) -> Any:
    """Return what comes of it, with the native core as without."""
    got = _outcome(run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_core, "_core", None)
        plain = _outcome(run)
    assert _told(got) == _told(plain)
    return plain


def _outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except PartwireError as error:
        return error


def _told(got: Any) -> Any:
    """Return all that is seen of a message or an error; the order of members too."""
    if isinstance(got, PartwireError):
        partial = getattr(got, "partial", None)
        return type(got), got.findings, getattr(got, "seq", None), _told(partial)
    if isinstance(got, msgspec.Struct):
        return repr(got), msgspec.json.encode(got, enc_hook=unknown_document)
    return got


TARGET = Target("streams", check, _corpus(), _TOKENS)


if __name__ == "__main__":
    sys.exit(main([TARGET]))
