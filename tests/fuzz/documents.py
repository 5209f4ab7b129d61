"""Documents under fuzz: any bytes as any type are read, validated and written, or refused.

Reading, validating and the other validators agree; what is read is written and reads as the same.
Run alone: ``python -m tests.fuzz.documents --n 200000 --seed 1``.
"""

from __future__ import annotations

import json
import random
import sys
from functools import cache
from typing import Any

from partwire.errors import Finding, PartwireError, ReadError
from partwire.json.text import decode_json, value_findings
from partwire.reading.pipeline import Binding, dump, read, validate
from tests.fuzz.runner import Target, main
from tests.reference.schema_reference import from_bundle_rs
from tests.strategies import PUBLIC_TYPES, Documents

_MAKER = Documents("fuzz")
_CORPUS = [json.dumps(_MAKER.valid(name)).encode() for name in PUBLIC_TYPES for _ in range(4)]
_TOKENS = [
    *[b"null", b"true", b"1.0", b"-1", b"1e400", b"NaN", b"9007199254740992", b"9" * 400],
    *[b"[", b"]", b"{", b"}", b",", b":", b'"', b"[" * 600, b"]" * 600, b'{"a":' * 600],
    *[b'"kind"', b'"type"', b'"text"', b'"payload"', b'"parts"', b'"x":', b"\n", b"\\"],
    *[b"\\ud83d", b"\\udf0d", b"\xed\xa0\x80", b"\xff", b"\xef\xbb\xbf", "🌍".encode(), b"\0"],
]


def check(data: bytes, rng: random.Random) -> None:
    """Read ``data`` as the type whose members it names, or as any; compare what is said of it."""
    type_name = _likely_type(data) if rng.random() < 0.8 else rng.choice(PUBLIC_TYPES)
    found = validate(data, type_name)
    errors = [finding for finding in found if finding.severity == "error"]
    assert (Binding.of(type_name).decode_valid(data) is not None) <= (not found)
    _compare_with_value(data, type_name, found)
    tolerant = _outcome(data, type_name, "tolerant")
    if errors:
        refusal = _outcome(data, type_name, "strict")
        assert isinstance(refusal, ReadError), refusal
        assert list(refusal.findings) == found
    else:
        value = read(data, type_name)
        assert read(dump(value, type_name), type_name) == value
        assert tolerant == value
    if not isinstance(tolerant, ReadError):
        assert read(dump(tolerant, type_name), type_name, "tolerant") == tolerant
    if errors:
        raise ReadError(*errors)


def _outcome(data: bytes, type_name: str, mode: Any) -> Any:
    """Return what is read, or the PartwireError."""
    try:
        return read(data, type_name, mode)
    except PartwireError as error:
        return error


def _compare_with_value(data: bytes, type_name: str, found: list[Finding]) -> None:
    """Compare with the verdict on the parsed value, ours and another validator's."""
    value, refusal = _decoded(data)
    if refusal:
        assert refusal == found
        return
    assert value_findings(value) == []
    if not isinstance(value, str):  # which is JSON text where a document is given
        assert validate(value, type_name) == found
    shape = any(finding.rule.startswith("shape/") for finding in found)
    assert from_bundle_rs(type_name)(value) is not shape


def _decoded(data: bytes) -> tuple[Any, list[Finding]]:
    try:
        return decode_json(data), []
    except ReadError as error:
        return None, list(error.findings)


@cache
def _names() -> dict[str, list[bytes]]:
    """Return the member names of each public type's entries, as they are in the text."""
    names: dict[str, list[bytes]] = {}
    for number, data in enumerate(_CORPUS):
        document = json.loads(data)
        if isinstance(document, dict):
            found = [json.dumps(name).encode() for name in document]
            names.setdefault(PUBLIC_TYPES[number // 4], []).extend(found)
    return names


def _likely_type(data: bytes) -> str:
    """Return the public type that has most of its members named in ``data``."""
    scores = {
        name: sum(each in data for each in members) / len(members)
        for name, members in _names().items()
        if members
    }
    return max(scores, key=lambda name: scores[name])


TARGET = Target("documents", check, _CORPUS, _TOKENS, "tests.fuzz.documents")

if __name__ == "__main__":
    sys.exit(main([TARGET]))
