"""Histories of providers under fuzz: the native core reads them as Python does, or not at all.

Run alone: ``python -m tests.fuzz.histories --n 200000 --seed 1``.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from collections.abc import Iterator
from typing import Any, Final
from unittest import mock

import msgspec

from partwire import formats, native_core
from partwire.errors import PartwireError
from tests.fixture_cases import cases
from tests.fuzz.runner import Target, main

__all__ = ["DOCUMENTS", "FORMATS", "TARGET", "alike", "outcome"]

FORMATS: Final = (
    "anthropic-messages",
    "bedrock-converse",
    "cohere-v2",
    "gemini",
    "openai-chat",
    "openai-responses",
)
DOCUMENTS: Final[list[tuple[str, Any]]] = [
    (case.spec["format"], case.spec["source"])
    for case in cases("formats")
    if case.spec.get("format") in FORMATS and isinstance(case.spec.get("source"), (dict, list))
]
_ENCODED: Final = [json.dumps(document).encode() for _, document in DOCUMENTS]
_TOKENS: Final = [
    *[b"null", b"true", b"1.0", b"-0", b"1e400", b"9007199254740993", b"9" * 19, b"-" + b"9" * 19],
    *[b"[", b"]", b"{", b"}", b",", b":", b'"', b"[" * 600, b'{"a":' * 600],
    *[b"\\ud83d", b"\\udf0d", b"\xed\xa0\x80", b"\xff", b"\xef\xbb\xbf", "🌍".encode(), b"\0"],
]
_JUNK: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 1.0, -0.0, 0.1, 1e16, 1e-7, 2**53, 2**63, 2**64, -(2**64)),
    *("", "x", "call_1", "text", "user", "tool", "assistant", "\ud83d", "é\u2028\x00", "aGk="),
    *([], [[]], {}, {"type": "x"}, {"text": "a"}, {"": {}}, '{"a":1.50}', '{"a":', "[1e400]"),
    *(f'{{"a":{2**70}}}', "https://a.test/b.png", "data:image/png;base64,aGk="),
)
_CONTEXTS: Final[tuple[dict[str, str], ...]] = (
    {"run_id": "run_1", "timestamp": "2026-01-02T03:04:05Z"},
    {},
    {"run_id": "a/b é"},
    {"timestamp": "2026-01-02T03:04:05.5+01:00"},
)


def outcome(format_name: str, document: Any, **context: Any) -> Any:
    """Return all that is seen of a document that is read, or of its refusal."""
    try:
        result = formats.read(format_name, document, **context)
    except PartwireError as error:
        return type(error), error.findings
    return repr(result.messages), msgspec.json.encode(result.messages), result.losses


def alike(format_name: str, document: Any, **context: Any) -> Any:
    """Assert that a document, text or a value, is read alike by both ways; return how."""
    with mock.patch.object(native_core, "_core", None):
        due = outcome(format_name, document, **context)
    assert outcome(format_name, document, **context) == due, (format_name, document)
    return due


def check(data: bytes, rng: random.Random) -> None:
    """Read ``data``, or a document with other values in some places, as a format."""
    name, context = rng.choice(FORMATS), rng.choice(_CONTEXTS)
    if rng.random() < 0.8:
        name, document = rng.choice(DOCUMENTS)
        document = copy.deepcopy(document)
        for _ in range(1 + int(rng.expovariate(0.7))):
            document = _changed(document, rng)
        name = name if rng.random() < 0.95 else rng.choice(FORMATS)
        if not isinstance(document, str) and rng.random() < 0.3:
            alike(name, document, **context)
            return
        data = json.dumps(document, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
    alike(name, data, **context)


def _changed(document: Any, rng: random.Random) -> Any:
    """Return a document in which one place is something else, or gone, or is there twice."""
    places = list(_places(document))
    if not places:
        return _junk(rng)
    holder, key = rng.choice(places)
    kind = rng.randrange(5)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
    elif kind == 2:
        other, at = rng.choice(_PLACES)
        holder[key] = copy.deepcopy(other[at])
    elif kind == 3 and isinstance(holder, dict):
        holder[rng.choice(("x", "type", "id", "role", "a/b~c"))] = _junk(rng)
    else:
        holder[key] = _junk(rng)
    return document


def _junk(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(_JUNK))


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each object and array with the name, or the number, of each member."""
    if isinstance(node, (dict, list)):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield node, key
            yield from _places(node[key])


_PLACES: Final = [place for _, document in DOCUMENTS for place in _places(document)]

TARGET = Target("histories", check, _ENCODED, _TOKENS, "tests.fuzz.histories")

if __name__ == "__main__":
    sys.exit(main([TARGET]))
