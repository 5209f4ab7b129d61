"""Bytes with a few changes, as transmission, editors and bad writers make them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

__all__ = ["MAX_INPUT_BYTES", "mutate"]

MAX_INPUT_BYTES: Final = 8192


def _flip(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _replace(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] = rng.randrange(256)


def _cut(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    del data[start : start + 1 + int(rng.expovariate(0.1))]


def _truncate(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _duplicate(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    piece = data[start : start + 1 + int(rng.expovariate(0.05))]
    at = rng.randrange(len(data) + 1)
    data[at:at] = piece * rng.choice((1, 1, 1, 2, 10))


_CHANGES = (_flip, _replace, _cut, _truncate, _duplicate)


def mutate(rng: random.Random, corpus: Sequence[bytes], tokens: Sequence[bytes] = ()) -> bytes:
    """Return an entry of ``corpus`` with up to eight changes; one in twenty stays as it is.

    Changes: a flipped bit, another byte, a cut, the end cut off, a piece twice or more, a token
    or random bytes in between, the head of one entry on the tail of another.
    """
    data = bytearray(rng.choice(corpus))
    if rng.random() < 0.05:
        return bytes(data)
    for _ in range(1 + int(rng.expovariate(0.6)) % 8):
        kind = rng.randrange(len(_CHANGES) + 2)
        if kind == len(_CHANGES):
            other = rng.choice(corpus)
            data[rng.randrange(len(data) + 1) :] = other[rng.randrange(len(other) + 1) :]
        elif kind > len(_CHANGES) or not data:
            at = rng.randrange(len(data) + 1)
            data[at:at] = rng.choice(tokens) if tokens else rng.randbytes(rng.randrange(1, 5))
        else:
            _CHANGES[kind](data, rng)
    return bytes(data[:MAX_INPUT_BYTES])
