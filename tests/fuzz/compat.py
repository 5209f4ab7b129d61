"""Schema changes under fuzz: no proof that a document refutes, no break without a witness.

Pairs are drawn, or are the small pairs of the tests with some bytes of them changed; the truth is
what jsonschema and jsonschema-rs say of drawn documents.
Run alone: ``python -m tests.fuzz.compat --n 50000 --seed 1``.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import jsonschema
import jsonschema_rs

from partwire.compat import Verdict, compare
from partwire.json.text import decode_json
from tests.compat.drawn import DrawnPair, documents, pair
from tests.compat.pairs import PAIRS
from tests.fuzz.runner import Target, main

_DOCUMENTS = 60
_VALIDATORS: dict[str, tuple[Any, Any]] = {
    "draft-04": (jsonschema.Draft4Validator, jsonschema_rs.Draft4Validator),
    "draft-06": (jsonschema.Draft6Validator, jsonschema_rs.Draft6Validator),
    "draft-07": (jsonschema.Draft7Validator, jsonschema_rs.Draft7Validator),
    "2019-09": (jsonschema.Draft201909Validator, jsonschema_rs.Draft201909Validator),
    "2020-12": (jsonschema.Draft202012Validator, jsonschema_rs.Draft202012Validator),
}
_CORPUS = [json.dumps([each.dialect, each.old, each.new]).encode() for each in PAIRS]
_TOKENS = [
    *[b'"$ref": "#"', b'"not": ', b'"type": ', b'"items": ', b'"enum": [', b'"pattern": "^'],
    *[b"true", b"null", b"1e3", b"-1", b"[", b"]", b"{", b"}", b",", b'"', b"[" * 300],
]


def check(data: bytes, rng: random.Random) -> None:
    """Compare a pair both ways and in both readings; look for a document that says otherwise."""
    drawn = pair(rng) if rng.random() < 0.8 else _read(data)
    asked = list(documents(rng, drawn, _DOCUMENTS))
    for writer, reader in ((drawn.old, drawn.new), (drawn.new, drawn.old)):
        exact = compare(writer, reader, reading="exact", dialect=drawn.dialect)
        _weigh(exact, drawn.dialect, writer, reader, asked)
        declared = compare(writer, reader, reading="declared", dialect=drawn.dialect)
        names = _declared_everywhere(writer)
        plain = [each for each in asked if names is None or _holds_only(each, names)]
        _weigh(declared, drawn.dialect, writer, reader, plain)
        if exact.status == "compatible":
            assert declared.status in ("compatible", "no-documents"), (writer, reader)


def _read(data: bytes) -> DrawnPair:
    """Return the pair of a mutated text. Raises PartwireError where nothing is left of it."""
    value = decode_json(data)
    if isinstance(value, list) and len(value) == 3 and value[0] in _VALIDATORS:
        return DrawnPair(*value)
    return DrawnPair("2020-12", value, {})


def _declared_everywhere(schema: Any) -> set[str] | None:
    """Return the names that every schema declares which declares any; None: all names count."""
    found: set[str] | None = None
    stack = [schema]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            if isinstance(part.get("properties"), dict):
                found = set(part["properties"]) & (
                    set(part["properties"]) if found is None else found
                )
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return found


def _holds_only(value: Any, names: set[str]) -> bool:
    if isinstance(value, dict):
        return set(value) <= names and all(_holds_only(each, names) for each in value.values())
    return not isinstance(value, list) or all(_holds_only(each, names) for each in value)


def _weigh(verdict: Verdict, dialect: str, writer: Any, reader: Any, asked: list[Any]) -> None:
    if verdict.status == "breaking":
        said = _said(dialect, writer, verdict.witness), _said(dialect, reader, verdict.witness)
        assert said[0] is not False, ("no document of the writer", writer, reader, verdict)
        assert said[1] is not True, ("the reader reads it", writer, reader, verdict)
    elif verdict.status == "no-documents":
        for document in asked:
            assert not _said(dialect, writer, document), ("there is a document", writer, document)
    elif verdict.status == "compatible":
        for document in asked:
            refuted = _said(dialect, writer, document) and (
                _said(dialect, reader, document) is False
            )
            assert not refuted, ("a proof is refuted", writer, reader, document)


def _said(dialect: str, schema: Any, document: Any) -> bool | None:
    """What both validators say; None where they differ, or one of them falls over."""
    python, rust = _VALIDATORS[dialect]
    if dialect == "draft-04":
        document = _whole(document)
    try:
        first: bool = python(schema).is_valid(document)
        second = rust(schema, validate_formats=False).is_valid(document)
    except Exception:  # noqa: BLE001 - they are asked for the truth, not tried
        return None
    return first if first is second else None


def _whole(value: Any) -> Any:
    """The same with whole numbers as integers: to the validators 1.0 is none in draft-04."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return value


TARGET = Target("compat", check, _CORPUS, _TOKENS, "tests.fuzz.compat", weight=20)

if __name__ == "__main__":
    sys.exit(main([TARGET]))
