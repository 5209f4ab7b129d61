"""Mixed streams under fuzz: any bytes, in any cut, give the same results by every way.

With the native core and without, whole, as lines and in pieces, where somebody may look at the open
streams between them or take one out. Each line that is not blank is counted once, and a stream of
which no line was changed is what it is alone. Run alone: ``python -m tests.fuzz.mixed --n 200000``.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest

from partwire import Assembled, Limits, StreamsAssembler, assemble, assemble_many, native_core
from partwire.errors import PartwireError
from partwire.message.assembler.lines import unknown_document
from partwire.reading.pipeline import Mode
from tests.fixture_cases import cases
from tests.fuzz.runner import Target, main

_TOKENS = [
    *[b'"', b"\\", b"{", b"}", b",", b":", b" ", b"\n", b"\r\n", b"\n\n", b"\xff", b"1e999"],
    *[b'"kind":"new"', b'"kind":"start"', b'"kind":"done"', b'"kind":"error"', b'"seq":7,'],
    *[b'"runId":"a"', b'"runId":"b"', b'"runId":"\\u0061"', b'"runId":"a\\\\/b"', b'"runId":""'],
    *[b'"messageId":"m",', b'"messageId":"n",', b'"messageId":"\\u006d",', b'"messageId":[],'],
    *[b'"turnId":"t",', b'"providerRaw":{"a":[1]},', b"\xef\xbb\xbf", b"\\ud83d"],
]
_RUN_ID = re.compile(rb'("runId"\s*:\s*)"(?:[^"\\]|\\.)*"')
_RUNS = (b"a", b"b", b"c", b"a\\/b", b"a\\\\/b")
_MODES: tuple[Mode, ...] = ("strict", "tolerant")


def _corpus() -> list[bytes]:
    """Return mixes of the fixtures' streams, some of one run, with message ids or without."""
    rng = random.Random(0)
    streams = [case.lines("deltas") for case in cases("streams")]
    return [
        b"\n".join(
            _mixed(rng, [_renamed(rng, rng.choice(streams)) for _ in range(rng.randint(1, 5))])
        )
        for _ in range(200)
    ]


def _renamed(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    run, message = rng.choice(_RUNS), rng.choice([b"", b"", b"m", b"n"])
    ids = b'"messageId":"' + message + b'",' if message else b""
    every = rng.random() < 0.7
    named = []
    for index, line in enumerate(lines):
        prefix = ids if index == 0 or every else b""
        named.append(_RUN_ID.sub(lambda found: prefix + found[1] + b'"' + run + b'"', line))  # noqa: B023
    return named


def _mixed(rng: random.Random, groups: list[list[bytes]]) -> list[bytes]:
    order = [index for index, group in enumerate(groups) for _ in group]
    rng.shuffle(order)
    rest = [iter(group) for group in groups]
    return [next(rest[index]) for index in order]


def check(data: bytes, rng: random.Random) -> None:
    """Assemble ``data`` in every way."""
    if re.search(rb"\}[ \t\r]*\{", data):
        return  # two deltas that share a line are not told from two lines
    limits = Limits(text_bytes=rng.choice([1, 10, 40]), parts=rng.choice([1, 2, 9]))
    options: dict[str, Any] = {
        "limits": limits if rng.random() < 0.2 else None,
        "mode": rng.choice(_MODES),
    }
    clean = [f"clean-{index}" for index in range(rng.randrange(3))]
    rows = _mixed(rng, [data.split(b"\n"), *map(_clean, clean)])
    text = b"\n".join(rows) + rng.choice([b"", b"\n"])
    end = rng.choice([b"", b"\n"])
    whole = _both_ways(lambda: assemble_many(text, **options))
    _both_ways(lambda: assemble_many([row + end for row in rows], **options))
    at = sorted(rng.randrange(len(text) + 1) for _ in range(rng.randrange(6)))
    pieces = [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]
    looks = [rng.choice(["", "", "look", "take"]) for _ in pieces]
    _both_ways(lambda: _in_pieces(pieces, looks, options))
    blank = sum(not row.strip(b" \t\r") for row in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    assert sum(each[4] for each in whole) + blank == text.count(b"\n") + 1
    found = Counter(each[0] for each in whole)
    for run in clean:
        assert found[run] == 1, (run, whole)
    if not options["limits"]:
        results = {each.run_id: each for each in assemble_many(text, **options)}
        for run in clean:
            assert results[run].message == assemble(_clean(run))


def _clean(run: str) -> list[bytes]:
    head = {"runId": run, "messageId": "m", "timestamp": "2026-01-02T03:04:05Z"}
    payloads: list[tuple[str, Any]] = [
        ("start", {"modelId": "m", "requestId": "r"}),
        ("text", {"textDelta": run}),
        ("done", {"finishReason": "stop"}),
    ]
    return [
        json.dumps({"kind": kind, **head, "seq": seq, "payload": payload}).encode()
        for seq, (kind, payload) in enumerate(payloads)
    ]


def _in_pieces(pieces: list[bytes], looks: list[str], options: dict[str, Any]) -> Iterable[Any]:
    reader = StreamsAssembler(**options)
    for piece, look in zip(pieces, looks, strict=True):
        yield from reader.feed(piece)
        seen = reader.open if look else []
        yield [each._replace(held_bytes=0) for each in seen]
        if look == "take" and seen and not seen[-1].is_broken:
            yield reader.take_out(*seen[-1][:2])
    yield from reader.finish()


def _both_ways(run: Callable[[], Iterable[Any]]) -> list[Any]:
    """Return what comes of it, with the native core as without."""
    got = [_told(each) for each in run()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_core, "_core", None)
        plain = [_told(each) for each in run()]
    assert got == plain
    return plain


def _told(result: Any) -> Any:
    """Return all that is seen of a result; the order of members too."""
    if not isinstance(result, Assembled):
        return result
    made: Any = result.error
    if made is None:
        made = repr(result.message), msgspec.json.encode(result.message, enc_hook=unknown_document)
    elif isinstance(made, PartwireError):
        partial = getattr(made, "partial", None)
        made = type(made), made.findings, getattr(made, "seq", None), repr(partial)
    name = result.run_id, result.message_id
    return (*name, result.first_line, result.last_line, result.lines, made)


TARGET = Target("mixed", check, _corpus(), _TOKENS, "tests.fuzz.mixed")


if __name__ == "__main__":
    sys.exit(main([TARGET]))
