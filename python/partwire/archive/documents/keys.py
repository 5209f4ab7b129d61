"""By what documents belong together, and the share of them that a digest of it chooses.

A digest depends on nothing but the key and the seed: the same run is always in or always out,
whatever file it is in, and whatever else is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from ...errors import Finding, ReadError, bad_argument, clip
from ...json.pointer import value_at
from ...json.text import decode_json

__all__ = ["KEYS", "LINE", "check_key", "key_of", "share_of", "shares"]

LINE: Final = "line"
"""The key that is the text of a line itself."""
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "run": ("/runId",),
    "session": ("/sessionID", "/parts/0/sessionID", "/session_id"),
}
"""Where the keys are that have a name: at the first of some pointers that leads to something."""

_ALL: Final = 1 << 64


class _Run(msgspec.Struct, rename="camel", gc=False):
    run_id: str = ""


_run_of: Final = msgspec.json.Decoder(_Run).decode


def check_key(name: str) -> None:
    """Raise UsageError ``usage/invalid-argument`` for what is neither a key nor a pointer."""
    if name != LINE and name not in KEYS and not name.startswith("/"):
        known = f"{', '.join(KEYS)}, {LINE}, or a JSON Pointer such as /meta/user"
        raise bad_argument("Documents do not belong together by this", known, name)


def key_of(name: str) -> Callable[[bytes], str]:
    """Return what gives the key of a line; it raises ReadError for a line that has none."""
    if name == LINE:
        return _whole
    pointers = KEYS.get(name, (name,))

    def find(line: bytes) -> str:
        value = decode_json(line)
        for pointer in pointers:
            try:
                found: Any = value_at(value, pointer)
            except (LookupError, TypeError, ValueError):
                continue
            if isinstance(found, str) and found:
                return found
            if type(found) is int:
                return str(found)
            raise _lacking(pointer, found)
        raise _lacking(pointers[0], None)

    if name != "run":
        return find

    def find_run(line: bytes) -> str:
        try:
            return _run_of(line).run_id or find(line)
        except (ValueError, RecursionError):
            return find(line)

    return find_run


def _whole(line: bytes) -> str:
    try:
        return line.strip().decode()
    except UnicodeDecodeError:
        decode_json(line)
        raise


def _lacking(pointer: str, found: Any) -> ReadError:
    if found is None:
        words = "The document does not say to what it belongs"
        return ReadError(Finding("shape/required", words, pointer, expected="text or an integer"))
    words = "What a document belongs to is text or an integer"
    return ReadError(
        Finding(
            "shape/type",
            words,
            pointer,
            expected="text that is not empty, or an integer",
            actual=clip(found),
        )
    )


def share_of(key: str, salt: str) -> int:
    """Return where a key lies between 0 and 2^64, evenly over all keys.

    What is chosen by one ``salt`` says nothing of what is chosen by another.
    """
    digest = hashlib.blake2b(f"{salt}\0{key}".encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def shares(parts: Mapping[str, str]) -> dict[str, int]:
    """Return up to where between 0 and 2^64 the keys of each part lie, in their order.

    ``parts`` are numbers by name, such as ``0.9``. Raises UsageError ``usage/invalid-argument`` for
    what is not a number above 0, and where all are more than 1.
    """
    ends: dict[str, int] = {}
    whole = Fraction(0)
    for name, said in parts.items():
        try:
            share = Fraction(said)
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if not 0 < share <= 1:
            raise bad_argument(f"The share {name} is wrong", "a number above 0, at most 1", said)
        whole += share
        if whole > 1:
            raise bad_argument("The shares are more than all", "at most 1 in all", float(whole))
        ends[name] = int(whole * _ALL)
    return ends
