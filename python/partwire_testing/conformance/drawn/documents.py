"""Documents of every public type as requests: valid, mutated, and text that is hostile."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any, Final

from partwire.contract.schemas import describe_types

from ..values import text_of
from .json_text import NAMES, NUMBERS, Speller, wrapped
from .mutate import mutate
from .request import Request
from .values import Documents

__all__ = ["OPERATIONS", "document_requests", "hostile_text"]

OPERATIONS: Final = ("validate", "read", "read_tolerant")
_TOKENS: Final = [
    *[b"null", b"true", b"1.0", b"-0", b"1e400", b"NaN", b"9007199254740992", b"[", b"]", b"{"],
    *[b"}", b",", b":", b'"', b"\\", b"\\ud83d", b"\\udf0d", b"\xed\xa0\x80", b"\xff", b"\xc0\x80"],
    *[b"\xef\xbb\xbf", b"\xf4\x90\x80\x80", b"\0", b"\x1f", b"[" * 600, b'{"a":' * 600, b'"kind"'],
    *[name.encode() for name in NAMES[:8]],
    *[number.encode() for number in NUMBERS[:30]],
]
_NEW_WORDS: Final = ("quantum", "", "Text", "TEXT", "text ", "toString", "__proto__", "text\0", "é")


def document_requests(seed: int, number: int) -> list[Request]:
    """Return the requests of one document: it is validated, and read in both modes."""
    version = ("v0.3", "v0.3", "v0.2", "v0.1")[number % 4]
    types = _public_types(version)
    maker = Documents(f"{seed}:{number}", version)
    type_name = types[number // 4 % len(types)]
    document = text_of(_document(maker, type_name))
    given = {"type": type_name, "document": document}
    return [Request(operation, version, given) for operation in OPERATIONS]


@cache
def _public_types(version: str) -> list[str]:
    return [row.type for row in describe_types(version) if row.public]


def _document(maker: Documents, type_name: str) -> bytes:
    rng = maker.rng
    kind = rng.randrange(10)
    if kind < 2:
        return Speller(rng, 0.0).data(maker.valid(type_name))
    if kind < 5:
        return Speller(rng, 0.0).data(maker.mutated(type_name))
    if kind == 5:
        return Speller(rng, 0.0).data(_newer(rng, maker.valid(type_name)))
    value = maker.valid(type_name) if rng.random() < 0.7 else maker.mutated(type_name)
    return hostile_text(rng, value)


def hostile_text(rng: random.Random, value: Any) -> bytes:
    """Return a value as text that is odd, broken, or a value of another kind."""
    kind = rng.randrange(8)
    if kind < 3:
        return Speller(rng, rng.choice((0.02, 0.1, 0.3)), broken=False).data(value)
    data = Speller(rng, 0.0 if kind > 4 else 0.05).data(value)
    if kind == 5:
        return wrapped(rng, data)
    return mutate(rng, [data], _TOKENS) if kind > 5 else data


def _newer(rng: random.Random, value: Any) -> Any:
    """Return a document as a later version may write it: new tags, words and members, nulls."""
    if isinstance(value, list):
        return [_newer(rng, item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {name: _newer(rng, member) for name, member in value.items()}
    for name, member in made.items():
        if isinstance(member, str) and rng.random() < 0.15:
            made[name] = rng.choice(_NEW_WORDS)
        elif rng.random() < 0.05:
            made[name] = None
    if rng.random() < 0.2:
        made[rng.choice(NAMES)] = json.loads(rng.choice(("null", "{}", "[1]", '"x"', "7")))
    return made
